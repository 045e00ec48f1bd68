"""Complete verification runs: journal, resume, reproducers and the measurement of drift."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases import model_parts
from litecheck.cases.inputs import quantize_input
from litecheck.cases.model_inputs import sample_inputs
from litecheck.devices.function import MODEL, FunctionDevice
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Limits
from litecheck.devices.registry import fingerprint, open_device
from litecheck.errors import ConfigError, wrong_type
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.public_call import shows_call
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.verification.device_run import VerdictJournal, digest_of, verify
from litecheck.verification.jobs import job_of
from litecheck.verification.journal import Journal, JournalHeldError, JournalPlaceError, default_path
from litecheck.verification.result import Step, Verdict, Verification
from litecheck.verification.serialize import from_note
from litecheck.verification.settings import Settings
from litecheck.version import __version__


def about(model: Model, device: Device, settings: Settings) -> dict[str, object]:
    """Return the values that identify a verification, as JSON."""
    settings = settings.on(device.name)
    stages = [
        sorted((op, sorted(variants.items())) for op, variants in load_arithmetic(a).stages.items())
        for a in settings.arithmetics
    ]
    return {
        "litecheck": __version__,
        "model": digest_of(model),
        "device": device.name,
        "described": device.described,
        "program": fingerprint(device.name),
        "stages": hashlib.sha256(repr(stages).encode()).hexdigest(),
        **settings.about(),
    }


def run(
    model: Model,
    device: Device,
    settings: Settings,
    journal: str | None = None,
    resume: bool = False,
    progress: Callable[[str], None] | None = None,
    keep: bool = False,
) -> Verification:
    """Verify a model and write every verdict to a journal as it is found.

    ``resume`` reuses the verdicts of an earlier run. Without ``journal``, the journal is in the user's cache folder and
    is removed when the verification is complete, unless ``keep`` is set. Raise the exceptions of
    :func:`litecheck.verification.device_run.verify`, ConfigError for an unusable journal, and KeyboardInterrupt with a
    message for the user.
    """
    settings = settings.on(device.name)
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    content = about(model, device, settings)
    book: VerdictJournal | None = None
    notes: tuple[str, ...] = ()
    try:
        path = Path(journal) if journal else default_path(content)
        book = Journal(path, content, resume, from_note, private=not journal)
    except JournalHeldError:
        if journal or resume:
            raise
        notes = (
            "another run of the same verification was under way and kept the journal; this one kept none",
        )
    except JournalPlaceError as error:
        if journal:
            raise
        notes = (f"no journal is kept, so --resume cannot continue this run: {error}",)
    try:
        done = _verify_cases(model, device, settings, book, progress)
    except BaseException as stop:
        if book is not None:
            book.close(remove=journal is None and not book.results)
            if isinstance(stop, KeyboardInterrupt):
                raise KeyboardInterrupt(_interruption_text(book)) from stop
        raise
    if book is not None:
        book.close(remove=journal is None and not keep)
        if book.stale:
            told = "the device is another build than the journal's: nothing of it was taken, every case was run anew"
            notes = (told,)
    return replace(done, started=started, notes=(*done.notes, *notes))


def _interruption_text(book: VerdictJournal) -> str:
    if not book.results:
        return "interrupted: no case was done yet"
    done = f"{book.results} cases are done, their results are"
    done = "1 case is done, its result is" if book.results == 1 else done
    return f"interrupted: {done} kept in {book.path}; the same command with --resume goes on from there"


@shows_call("litecheck.verify(litecheck.load_model('model.tflite'), 'litert:xnnpack')")
def verify_model(
    model: Model, device: str | Device | Callable[..., Any], *, limits: Limits | None = None, **settings: Any
) -> Verification:
    """Verify a model on a device: an open device, the text that ``--device`` takes, or a Python function.

    A function computes the whole model from its inputs to its outputs, see
    :class:`litecheck.devices.function.FunctionDevice`; a function whose first parameter is ``model`` is called for
    every operator. ``settings`` are the fields of Settings. No journal is written. A device given by its text is
    opened, with ``limits`` for each case, and closed again. Raise DeviceError if the device cannot be opened,
    ConfigError for ``segment``, ``between`` or ``drift`` with a function that computes the whole model, and the
    exceptions of :func:`litecheck.verification.device_run.verify`.
    """
    if not isinstance(model, Model):
        call = "litecheck.verify(litecheck.load_model('model.tflite'), device)"
        raise wrong_type("verify", "a Model", model, call)
    single = next(
        (
            name
            for name in ("arithmetics", "select", "kinds", "claims")
            if isinstance(settings.get(name), str)
        ),
        "",
    )
    if single:
        call = f"litecheck.verify(model, device, {single}=({settings[single]!r},))"
        raise wrong_type("verify", f"a tuple as {single}", settings[single], call)
    asked = Settings(**settings)
    opened = open_device(device, limits) if isinstance(device, str) or callable(device) else device
    if not hasattr(opened, "run"):
        call = "litecheck.verify(model, 'litert:xnnpack'), or a function of the model's inputs"
        raise wrong_type("verify", "a Device, its name or a function as device", device, call)
    if isinstance(opened, FunctionDevice) and opened.whole:
        asked = _settings_of_function(asked, opened)
    try:
        return _verify_cases(model, opened, asked.on(opened.name))
    finally:
        if opened is not device:
            opened.close()


def _settings_of_function(settings: Settings, device: FunctionDevice) -> Settings:
    """Return the settings for a function of a model's inputs. Raise ConfigError for segment, between and drift."""
    if settings.segment or settings.between or settings.drift:
        raise ConfigError(
            f"{device.name} computes the whole model: segment, between and drift need a function whose first parameter "
            f"is called {MODEL!r}, which then is given the bytes of each model"
        )
    return replace(settings, whole=True)


def _verify_cases(
    model: Model,
    device: Device,
    settings: Settings,
    journal: VerdictJournal | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Verify every case and measure drift if the settings ask for drift."""
    done = verify(model, device, settings, journal=journal, progress=progress)
    if not settings.drift:
        return done
    subgraph = model_parts.entries(model, settings.signature)[0]
    inputs = sample_inputs(model, subgraph, settings.drawing)[0]
    arithmetic = load_arithmetic(settings.arithmetics[0])
    try:
        steps = drift(model, subgraph, inputs, device, arithmetic, done.verdicts, progress)
    except RunError as error:
        return replace(done, notes=(*done.notes, f"drift was not measured: {error}"))
    return replace(done, drift=steps)


def drift(
    model: Model,
    subgraph: Subgraph,
    inputs: Mapping[int, NDArray[Any]],
    device: Device,
    arithmetic: Arithmetic,
    verdicts: tuple[Verdict, ...] = (),
    progress: Callable[[str], None] | None = None,
) -> tuple[Step, ...]:
    """Measure the growth of errors: the device computes each operator from its own outputs, the reference from the
    reference's own.

    Return a step for each tensor that an operator computes, in order. The reference's values are used if the device
    gives no output. ``verdicts`` of isolated operators mark the operators at which error enters. Raise RunError if the
    reference cannot run the subgraph.
    """
    missing = [subgraph.tensors[i] for i in subgraph.inputs if i not in inputs]
    if missing:
        raise RunError(f"input '{missing[0].name}' of type {missing[0].dtype} has no values")
    given = tuple(inputs[i] for i in subgraph.inputs)
    expected = ReferenceInterpreter(model, arithmetic).run(subgraph, given, keep_all=True)
    own = dict(inputs)
    entered = {n for v in verdicts if v.outcome is Outcome.MISMATCH for n in v.operators}
    steps: list[Step] = []
    for case in model_parts.operators(model, subgraph):
        operator = case.operators[0]
        made = _run_on_own(case, device, own) or {
            i: expected[i] for i in case.submodel.outputs if i in expected
        }
        own.update(made)
        steps += [
            _step(operator, subgraph.tensors[i], expected[i], made[i], operator.index in entered)
            for i in operator.outputs
            if i in made and i in expected and made[i].shape == expected[i].shape
        ]
        if progress:
            progress(case.name)
    return tuple(steps)


def _run_on_own(
    case: model_parts.Case, device: Device, own: Mapping[int, NDArray[Any]]
) -> dict[int, NDArray[Any]] | None:
    """Return the device's outputs for its own tensors.

    Return None if the case cannot run in isolation, an input is missing, the run fails, or the number of outputs is
    wrong.
    """
    if model_parts.single_operator(case) or any(i not in own for i in case.submodel.inputs):
        return None
    answer = device.run(job_of(case, (tuple(own[i] for i in case.submodel.inputs),)))
    if not isinstance(answer, Answer) or list(map(len, answer.runs)) != [len(case.submodel.outputs)]:
        return None
    pairs = zip(case.submodel.outputs, answer.runs[0], strict=True)
    return {i: quantize_input(case.subgraph.tensors[i], array) for i, array in pairs}


def _step(
    operator: Operator, tensor: Tensor, expected: NDArray[Any], actual: NDArray[Any], entered: bool
) -> Step:
    reals = expected.dtype.kind == "f"
    off = np.nan_to_num(actual.astype(np.float64) - expected.astype(np.float64))
    if reals:
        off /= np.abs(expected[np.isfinite(expected)], dtype=np.float64).max(initial=1e-30)
    worst = float(off.flat[np.abs(off).argmax()]) if off.size else 0.0
    return Step(
        operator=operator.index,
        opcode=operator.custom_code or operator.opcode,
        tensor=tensor.index,
        name=tensor.name,
        unit="relative" if reals else "LSB",
        size=expected.size,
        largest=worst,
        share=float(np.count_nonzero(off) / off.size) if off.size else 0.0,
        rms=float(np.sqrt(np.mean(off * off))) if off.size else 0.0,
        entered=entered,
    )
