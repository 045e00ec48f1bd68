"""Comparison of converters: the same float model and samples through each, with every output checked and run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from litecheck.checks.validate import validate
from litecheck.conversion.agreement import Agreement, agreement
from litecheck.conversion.by_converter import Target, Via, quantize_via
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.fixes import loss_warnings
from litecheck.conversion.model_calibration import open_samples
from litecheck.conversion.other_converters.converter_process import ConverterResult, NamedSamples
from litecheck.conversion.request import KINDS
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.source import check_real
from litecheck.devices.port import Limits
from litecheck.errors import ConfigError, LitecheckError
from litecheck.files import atomic_write
from litecheck.model.load import model_from
from litecheck.model.save import file_size, save_model
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.report import ModelReport
from litecheck.version import __version__

#: All converters that can be compared, litecheck first.
CONVERTERS: tuple[Via, ...] = ("litecheck", "tensorflow", "ai-edge-quantizer")
#: Progress callback: the number of finished converters, and the name of the current converter.
ConverterTold = Callable[[int, str], None]


@dataclass(frozen=True, slots=True, eq=False)
class ConverterOutcome:
    """The model of a converter, its report, and its agreement with the float model.

    ``failure`` is the reason why a part is missing.
    """

    via: Via
    converted: ConverterResult | None = None
    report: ModelReport | None = None
    agreement: Agreement | None = None
    failure: str = ""

    @property
    def finding_count(self) -> int:
        """Number of findings."""
        return sum(self.report.counts.values()) if self.report else 0

    @property
    def verdict(self) -> Literal["conforms", "violates", "not checked", "failed"]:
        """Verdict of the new model."""
        if self.report is None:
            return "failed"
        if any(finding.level == "violation" for finding in self.report.active):
            return "violates"
        return "conforms" if self.report.covered else "not checked"


@dataclass(frozen=True, slots=True, eq=False)
class ConverterComparison:
    """The outcomes of a float model. ``target`` is the file that was written, or empty if none was written.

    ``samples`` is the number of inputs on which both models are compared: those of ``data``, or of ``evaluation`` if it is
    not empty.
    """

    version: str
    source: str
    source_size: int
    to: str
    profile: str
    data: str
    samples: int
    outcomes: tuple[ConverterOutcome, ...]
    warnings: tuple[str, ...] = ()
    target: str = ""
    evaluation: str = ""

    @property
    def exit_code(self) -> int:
        """0 if the first converter's model conforms, 1 if it violates, 2 if it is missing or not checked."""
        return {"conforms": 0, "violates": 1}.get(self.outcomes[0].verdict, 2)


def compare_converters(
    model: Model,
    settings: ConversionSettings,
    converters: Sequence[Via] = CONVERTERS,
    target: str = "",
    tell: ConverterTold | None = None,
) -> ConverterComparison:
    """Convert a float model with each converter, each in its own process, on the samples of the settings.

    Both models are compared on the samples of ``evaluate``, if there are any, else on those of the calibration. The first
    converter's model is written to ``target`` if it has no violation. Seconds and memory are those of whole
    processes. A failure is an outcome. Raises ConfigError without samples, or if the model is not a float model.
    """
    progress = tell or (lambda done, what: None)
    if settings.to not in ("int8", "int16x8"):
        raise ConfigError(f"other converters are asked for int8 and int16x8 alone, not {settings.to}")
    check_real(model, settings.to)
    data = open_samples(model, settings)
    if data is None:
        raise ConfigError("to compare converters there must be samples: --data PATH or --data random:N")
    other = replace(settings, data=settings.evaluate, random=None)
    measured = (open_samples(model, other) if settings.evaluate else None) or data
    named, lengths = _name_samples(model, data)
    profile = load_profile(settings.profile or KINDS[settings.to][1])
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="litecheck-") as folder:
        file = Path(folder, "float.tflite")
        save_model(model, file, drop_unknown=True)
        for number, via in enumerate(converters):
            progress(number, via)
            outcomes.append(_outcome(via, file, model, (named, lengths), settings, profile, measured))
    first = outcomes[0]
    written = bool(target and first.converted and first.verdict == "conforms")
    if written and first.converted:
        atomic_write(target, first.converted.model)
    size = file_size(model)
    return ConverterComparison(
        __version__,
        model.file or "model",
        size,
        settings.to,
        profile.name,
        data.description,
        len(named) if measured is data else measured.count or 0,
        tuple(outcomes),
        (*data.warnings, *_loss_texts(outcomes)),
        target if written else "",
        measured.description if measured is not data else "",
    )


def _loss_texts(outcomes: Sequence[ConverterOutcome]) -> Iterator[str]:
    """Yield the large losses of each converter's model."""
    for one in outcomes:
        if one.agreement is not None:
            yield from (f"{one.via}: {text}" for text in loss_warnings(one.agreement))


def _name_samples(model: Model, data: CalibrationData) -> tuple[NamedSamples, tuple[int, ...]]:
    """Return samples of the first subgraph by the input names of its signature, and the lengths of their sequences.

    There are no lengths if each sample is a sequence. Raises ConfigError.
    """
    main = model.subgraphs[0]
    aliases = {index: name for s in model.signatures[:1] if not s.subgraph for name, index in s.inputs}
    names = [aliases.get(index, main.tensors[index].name) for index in main.inputs]
    found, lengths = [], []
    for chain in data:
        lengths.append(len(chain))
        for sample in chain:
            subgraph, arrays = sample.arrange(model)
            if subgraph:
                raise ConfigError(
                    "other converters are asked for models of one entry point alone: --signature names it"
                )
            found.append(dict(zip(names, arrays, strict=True)))
    if not found:
        raise ConfigError(f"{data.description}: there is no sample")
    return found, tuple(lengths) if max(lengths) > 1 else ()


def _outcome(
    via: Via, file: Path, model: Model, samples: tuple[NamedSamples, tuple[int, ...]], settings: ConversionSettings,
    profile: Profile, data: CalibrationData,
) -> ConverterOutcome:  # fmt: skip
    outcome = ConverterOutcome(via)
    try:
        to, (named, lengths), kernels = cast(Target, settings.to), samples, settings.device
        converted = quantize_via(
            via, file, named, to, profile=settings.profile, device=kernels, sequences=lengths
        )
        outcome = replace(outcome, converted=converted)
        read = model_from(converted.model, via)
        outcome = replace(outcome, report=validate(read, [profile] if settings.profile else None))
        if settings.agreement:
            limits = Limits(settings.seconds)
            found = agreement(model, read, {}, data, device=settings.device, limits=limits)
            outcome = replace(outcome, agreement=found)
    except LitecheckError as error:
        return replace(outcome, failure=str(error).replace(f"{file}: ", "").replace(str(file), "the model"))
    return outcome
