"""Rules and LiteRT: one change in a valid model must have an impact on both, or on neither.

    python -m tests.differential.rules --dtype int8 --operator CONV_2D --change "scale*1.5" --all
    python -m tests.differential.rules --structure --cases 10000       # structure: tests.differential.structure

Each model of ``rules_cases`` is changed in one place of its quantization, types or tensors, and run on three resolvers
in a child process. The kinds of outcomes are:

- *miss*: a resolver rejects a model that litecheck accepts.
- *silent*: all resolvers accept the model, an output differs from the real values, and litecheck reports nothing new.
- *warned*: the same, but litecheck reports a warning or a note.
- *false alarm*: all outputs equal the real values, and litecheck reports a violation without one of the ``REASONS``.

The real values of a changed model are the outputs of LiteRT's float kernel on the dequantized inputs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from litecheck import load_profile, validate_file
from litecheck.finding import INFORMATION_LOSS
from litecheck.model.save import model_bytes
from litecheck.model.types import Buffer, Model, Tensor
from litecheck.quantization import Quantization
from litecheck.report import ModelReport
from tests.differential import rules_cases, rules_cases_hybrid, rules_cases_uint8
from tests.differential.oracle import RESOLVERS, Oracle, Refused
from tests.differential.reduce import FAULTY
from tests.differential.rules_blocks import changed_blocks
from tests.differential.rules_cases import Case
from tests.differential.rules_changes import CHANGES, FAINT, HYBRID, WIDER, changed, stored_values
from tests.differential.rules_effects import Evidence, effect_of
from tests.differential.rules_real import blocks_of, folded

PROFILES = {
    "int8": "litert-runtime", "int16": "litert-int16x8", "uint8": "litert-uint8", "hybrid": "litert-hybrid",
}  # fmt: skip
#: Types with separate models; only their own profile checks them.
MADE = {"uint8": rules_cases_uint8.cases, "hybrid": rules_cases_hybrid.cases}
#: Models that are broken without a change.
SPOILED = {"hybrid": rules_cases_hybrid.spoiled}
#: Models with wrong results of a resolver, see rules/arithmetic/known-faults.yaml.
WRONG = {("FULLY_CONNECTED blocks", "reference")}
#: Requirements of the page for all activations or weights (int16: of every kernel that checks).
PROSE = ("zero_point", "granularity", "range", "zero_points_outside_type")
#: Change of a scale that shows an effect which rounding or saturation hides for ``FAINT`` changes.
PLAIN = "scale*1.5"
#: Reasons of a violation although LiteRT computes the real values of the changed model.
REASONS = {
    "page": "the specification page requires it of this operator",
    "prose": "the page's prose requires it of every activation or every weight",
    "hidden": "rounding or saturation hides the effect; a scale larger by half is rejected or computed wrongly",
    "surplus": "the operator has a single output, and LiteRT does not count the listed outputs",
}
EXPLAINED = ("warned", *(f"demanded: {name}" for name in REASONS))
#: Kinds of outcomes that no rule and no reason explains.
FAULTS = ("miss", "silent", "false alarm")


def cases(dtype: str) -> Iterator[Case]:
    """Return the models of one profile."""
    return MADE[dtype]() if dtype in MADE else rules_cases.cases(dtype)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a single change: the answer of LiteRT, and the findings of the profile and of the page."""

    case: str
    change: str
    litert: str
    """``refused``, ``right``, ``wrong`` or ``undefined`` (accepted, but no real values are stated)."""
    detail: str
    paths: tuple[str, ...]
    """Violations."""
    page: tuple[str, ...]
    """Violations of the page only."""
    noted: tuple[str, ...]
    """Warnings and notes that the unchanged model does not have."""
    covered: bool
    hidden: bool = False
    effect: str = ""
    """Effect on the model, as named in the profiles' ``effects``; empty if no real values are stated."""

    @property
    def reason(self) -> str:
        """Reason of a violation although LiteRT computes the real values: a name in ``REASONS``, or ""."""
        if self.page:
            return "page"
        if any(path.endswith(PROSE) for path in self.paths):
            return "prose"
        if self.hidden:
            return "hidden"
        surplus = self.change == "outputs one more" and all(p.endswith("/operands") for p in self.paths)
        return "surplus" if surplus else ""

    @property
    def kind(self) -> str:
        if self.litert == "refused" and not self.paths:
            return "miss" if self.covered else "refused, not covered"
        if self.litert == "wrong" and not self.paths and not self.noted:
            return "silent" if self.covered else "wrong, not covered"
        if self.litert == "wrong" and not self.paths:
            return "warned"
        if self.litert == "right" and self.paths:
            return f"demanded: {self.reason}" if self.reason else "false alarm"
        return "agree"


class Referee:
    """LiteRT in a child process, with the two profiles."""

    def __init__(self, litert: Oracle, folder: Path, dtype: str) -> None:
        self.litert, self.file, self.dtype = litert, folder / "case.tflite", dtype
        self.profile, self.page = load_profile(PROFILES[dtype]), load_profile("litert-int8")
        self.usual: dict[str, set[str]] = {}
        self.before: dict[str, dict[str, object]] = {}

    def usable(self, case: Case) -> tuple[str, ...]:
        """Return the resolvers that accept the unchanged model, without those of known-faults.yaml."""
        data, kind = model_bytes(case.model), f"{case.opcode} {self.dtype}"
        sound = [r for r in RESOLVERS if (kind, r) not in FAULTY and (case.name[:22], r) not in WRONG]
        return tuple(r for r in sound if not isinstance(self.litert.run(data, case.inputs, r), Refused))

    def changes(self, case: Case) -> Iterator[tuple[str, Model]]:
        """Yield every change of a case, by name."""
        more = {**(WIDER if self.dtype in MADE else {}), **(HYBRID if self.dtype == "hybrid" else {})}
        yield from changed(case, self.profile.operators[case.opcode], {**CHANGES, **more})
        yield from changed_blocks(case)

    def judge(self, case: Case, name: str, model: Model, resolvers: tuple[str, ...]) -> Outcome:
        data = model_bytes(model)
        litert, detail, effect = self._litert(case, model, data, resolvers)
        report = self._report(data)
        page: tuple[str, ...] = ()
        if self.dtype == "int8" and case.opcode in self.page.operators:
            page = _violated(validate_file(self.file, (self.page,))[0])
        if case.name not in self.usual:
            self.usual[case.name] = {f.path for f in self._report(model_bytes(case.model)).findings}
            self.file.write_bytes(data)
        usual = self.usual[case.name]
        findings = (f for f in report.findings if f.effect != INFORMATION_LOSS)
        noted = tuple(f.path for f in findings if f.level != "violation" and f.path not in usual)
        covered = bool(report.problems) or report.operators[0].status != "not covered"
        found = Outcome(
            case.name, name, litert, detail, _violated(report), page, noted, covered, effect=effect
        )
        return replace(found, hidden=True) if self._hidden(case, found, resolvers) else found

    def _report(self, data: bytes) -> ModelReport:
        self.file.write_bytes(data)
        return validate_file(self.file, (self.profile,) if self.dtype in MADE else None)[0]

    def _hidden(self, case: Case, found: Outcome, resolvers: tuple[str, ...]) -> bool:
        """Return True for a false alarm about a scale if LiteRT rejects or miscomputes the plain change."""
        faint = next((f for f in FAINT if found.change.endswith(f)), None)
        if faint is None or found.kind != "false alarm":
            return False
        plain = found.change.removesuffix(faint) + PLAIN
        model = dict(self.changes(case))[plain]
        shown = self.judge(case, plain, model, resolvers)
        return shown.litert in ("refused", "wrong") and set(found.paths) <= set(shown.paths)

    def _litert(
        self, case: Case, model: Model, data: bytes, resolvers: tuple[str, ...]
    ) -> tuple[str, str, str]:
        """Return LiteRT's answer to a model: a word, the details, and the effect."""
        inputs = _inputs(case, model)
        answers = {resolver: self.litert.run(data, inputs, resolver) for resolver in resolvers}
        refused = [(r, a) for r, a in answers.items() if isinstance(a, Refused)]
        expected = self._meaning(case, model, inputs) if len(refused) < len(answers) else None
        off = {} if expected is None else self._off(case, model, answers, expected)
        wrong = [r for r, distance in off.items() if distance > self._tolerance(case)]
        if refused:
            resolver, answer = refused[0]
            return "refused", f"{resolver}: {answer.message.strip()[-100:]}", effect_of(answers, wrong)
        if expected is None:
            return "undefined", "", effect_of(answers, () if self._same(case, answers) else RESOLVERS)
        if wrong:
            return "wrong", f"{wrong[0]}: off by {off[wrong[0]]:.3g} steps", effect_of(answers, wrong)
        return "right", "", effect_of(answers, ())

    def _tolerance(self, case: Case) -> float:
        copies = any(q.verb == "same_quantization" for q in self.profile.operators[case.opcode].requirements)
        return 0.6 if copies and case.tolerance == 1.6 else case.tolerance

    def _off(
        self, case: Case, model: Model, answers: Mapping[str, object], expected: list[np.ndarray]
    ) -> dict[str, float]:
        """Return the distance of each running resolver from the real values, in output steps."""
        pairs = zip(results(case.model), results(model), strict=True)
        ends = [changed if good.quantization.scale.size else good for good, changed in pairs]
        return {r: max(map(distance, a, expected, ends)) for r, a in answers.items() if isinstance(a, list)}

    def _same(self, case: Case, answers: Mapping[str, object]) -> bool:
        """Return True if every resolver has the same answer as for the unchanged model."""
        if case.name not in self.before:
            data = model_bytes(case.model)
            self.before[case.name] = {r: self.litert.run(data, case.inputs, r) for r in RESOLVERS}
        before = self.before[case.name]
        return all(alike(before[resolver], answer) for resolver, answer in answers.items())

    def _meaning(self, case: Case, model: Model, inputs: tuple[np.ndarray, ...]) -> list[np.ndarray] | None:
        real = real_model(case.model, model) if case.real else None
        if real is None:
            return None
        given = [
            dequantized(x, model.subgraphs[0].tensors[i])
            for x, i in zip(inputs, model.subgraphs[0].inputs, strict=True)
        ]
        if case.opcode in ("QUANTIZE", "DEQUANTIZE") and len(real.subgraphs[0].operators) == 1:
            return given
        got = self.litert.run(model_bytes(folded(real)), given, "optimized")
        return None if isinstance(got, Refused) else got


def _violated(report: ModelReport) -> tuple[str, ...]:
    if report.problems:
        return tuple(p.code for p in report.problems)
    return tuple(f.path for f in report.findings if f.level == "violation" and not f.waiver)


def _inputs(case: Case, model: Model) -> tuple[np.ndarray, ...]:
    graph = model.subgraphs[0]
    types = [graph.tensors[i].dtype for i in graph.inputs]
    return tuple(x.astype(t) for x, t in zip(case.inputs, types, strict=True))


def results(model: Model) -> list[Tensor]:
    return [model.subgraphs[0].tensors[i] for i in model.subgraphs[0].outputs]


def dequantized(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Return the real values of stored integers; floats and tensors without a scale are unchanged."""
    if values.dtype.kind == "f" or not tensor.quantization.scale.size:
        return values
    return _exact(values, tensor).astype(np.float32)


def _exact(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    q, shape = tensor.quantization, [1] * values.ndim
    if q.scale.size > 1:
        shape[q.axis] = -1
    scale, zero = (a.astype(np.float64).reshape(shape) for a in (q.scale, q.zero_point))
    return np.asarray((values.astype(np.float64) - zero) * scale).reshape(values.shape)


def real_model(good: Model, model: Model) -> Model | None:
    """Return the operator in float32, with constants dequantized by the changed model; None if it states no real
    values.

    ``good`` determines the tensors with real values.
    """
    graph, tensors, buffers = model.subgraphs[0], [], list(model.buffers)
    if graph.operators[0].inputs != good.subgraphs[0].operators[0].inputs:
        return None
    known = good.subgraphs[0].tensors
    for tensor, before in zip(graph.tensors, (*known, *graph.tensors[len(known) :]), strict=True):
        q = tensor.quantization
        if before.dtype == "float32" != tensor.dtype:
            return None
        if before.quantization.details is not None:
            values = blocks_of(tensor, graph) if tensor.dtype in ("int8", "int4", "int2") else None
            if values is None:
                return None
            buffers[tensor.buffer] = Buffer(values.reshape(-1).view(np.uint8))
            tensors.append(
                replace(
                    tensor, dtype="float32", quantization=Quantization(), data=buffers[tensor.buffer].data
                )
            )
            continue
        if not before.quantization.scale.size:
            tensors.append(replace(tensor, quantization=Quantization()))
            continue
        if tensor.dtype == "float32" and not q.scale.size:
            tensors.append(tensor)
            continue
        along = tensor.shape[q.axis] if 0 <= q.axis < len(tensor.shape) else 1
        sound = q.scale.size == q.zero_point.size and q.scale.size in (1, along)
        sound = sound and bool((np.isfinite(q.scale) & (q.scale >= np.finfo(np.float32).tiny)).all())
        if not sound or tensor.dtype != before.dtype or not 0 <= q.axis < max(1, len(tensor.shape)):
            return None
        if tensor.data is not None:
            buffers[tensor.buffer] = Buffer(
                dequantized(stored_values(tensor), tensor).reshape(-1).view(np.uint8)
            )
            tensor = replace(tensor, data=buffers[tensor.buffer].data)
        tensors.append(replace(tensor, dtype="float32", quantization=Quantization()))
    return replace(model, buffers=tuple(buffers), subgraphs=(replace(graph, tensors=tuple(tensors)),))


def distance(got: np.ndarray, expected: np.ndarray, tensor: Tensor) -> float:
    """Return the distance in output steps, with expected values clipped to the output's range.

    A float's step is 1/10,000 of the largest expected magnitude. Integers without real values are equal or infinitely
    far, but one in ten may differ: rounding decides ties of a comparison and the position of a maximum.
    """
    q = tensor.quantization
    if got.shape != expected.shape:
        return float("inf")
    if not q.scale.size or got.dtype.kind == "f":
        if got.dtype.kind == "f":
            return _apart(got, expected)
        return 0.0 if got.size == 0 or (got != expected).mean() <= 0.1 else float("inf")
    real, info = _exact(got, tensor), np.iinfo(got.dtype)
    low, high = (_exact(np.full(got.shape, v), tensor) for v in (info.min, info.max))
    apart = np.abs(real - np.clip(expected, low, high)) / float(q.scale.max())
    return float(apart.max(initial=0.0))


def alike(a: object, b: object) -> bool:
    """Return True if two answers are the same arrays of the same types."""
    if not isinstance(a, list) or not isinstance(b, list) or len(a) != len(b):
        return False
    return all(
        x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
        for x, y in zip(a, b, strict=True)
    )


def _apart(got: np.ndarray, expected: np.ndarray) -> float:
    if not np.isfinite(expected).all():
        return 0.0 if np.array_equal(got, expected, equal_nan=True) else float("inf")
    step = 1e-4 * float(np.abs(expected).max(initial=0)) + 1e-6
    off = np.abs(got.astype(np.float64) - expected)
    return float(np.where(np.isnan(off), np.inf, off).max(initial=0)) / step


def outcomes(
    litert: Oracle, folder: Path, dtype: str, operator: str = "", only: str = ""
) -> Iterator[Outcome]:
    """Yield the unchanged model and every change of every case."""
    referee = Referee(litert, folder, dtype)
    for case in SPOILED.get(dtype, lambda: ())():
        if not operator or case.opcode == operator:
            yield referee.judge(case, "as it is", case.model, referee.usable(case) or RESOLVERS)
    for case in cases(dtype):
        if operator and case.opcode != operator:
            continue
        resolvers = referee.usable(case)
        yield referee.judge(case, "unchanged", case.model, resolvers or RESOLVERS)
        if not resolvers:
            continue
        for name, model in referee.changes(case):
            if only in name:
                yield referee.judge(case, name, model, resolvers)


def main() -> int:
    """Print the differences; return 1 if a rule is missing or too strict."""
    if "--structure" in sys.argv:
        from tests.differential.structure import command

        return command.main([a for a in sys.argv[1:] if a != "--structure"])
    failed = 0
    parser = argparse.ArgumentParser()
    parser.add_argument("--operator", default="", help="run this operator [default: all]")
    parser.add_argument("--dtype", default="", help="run this type [default: all]")
    parser.add_argument("--change", default="", help="run changes with this text in their name")
    parser.add_argument("--all", action="store_true", help="also print outcomes without a difference")
    parser.add_argument(
        "--effects", action="store_true", help="print the effects of models that violate a single requirement"
    )
    arguments = parser.parse_args()
    with Oracle(30) as litert, TemporaryDirectory() as folder:
        for dtype in [arguments.dtype] if arguments.dtype else PROFILES:
            counts: Counter[str] = Counter()
            evidence = Evidence()
            for o in outcomes(litert, Path(folder), dtype, arguments.operator, arguments.change):
                counts[f"{o.kind} ({o.litert})"] += 1
                evidence.add(o)
                if arguments.all or o.kind not in ("agree", *EXPLAINED):
                    said = " ".join(o.detail.split())
                    print(dtype, o.kind, o.case, o.change, said, " ".join(o.paths), sep="|", flush=True)
                failed += o.kind in FAULTS
            if arguments.effects:
                failed += _print_effects(dtype, evidence)
            print(dtype, *(f"{n:,} {kind}" for kind, n in sorted(counts.items())), sep="; ")
    return 1 if failed else 0


def _print_effects(dtype: str, evidence: Evidence) -> int:
    """Print every requirement with a stated effect that was not observed; return the number of contradicted effects."""
    disputed = 0
    for requirement in load_profile(PROFILES[dtype]).requirements():
        seen = evidence.seen.get(requirement.path, Counter())
        if requirement.effect not in seen:
            disputed += bool(seen)
            print(
                dtype,
                "disputed" if seen else "unseen",
                requirement.path,
                requirement.effect,
                dict(seen),
                sep="|",
            )
    return disputed


if __name__ == "__main__":
    sys.exit(main())
