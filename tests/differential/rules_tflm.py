"""Profile ``tflm`` and LiteRT for Microcontrollers: one change in a valid model must have an impact on both, or
neither.

    python -m tests.differential.rules_tflm --dtype int8 --operator CONV_2D --change "scale*1.5" --all
    python -m tests.differential.rules_tflm --effects

Cases, changes and kinds of outcomes are those of ``tests.differential.rules``. The real values of a changed model are
the outputs of LiteRT's float kernel on the dequantized inputs. ``--effects`` prints TFLM's effect for every requirement
that is violated alone, beside the effect that the profile states.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from litecheck import load_profile, validate_file
from litecheck.finding import INFORMATION_LOSS
from litecheck.model.build import options_table
from litecheck.model.save import model_bytes
from litecheck.model.types import Buffer, Model, Tensor
from litecheck.profile.types import OperatorRule
from litecheck.quantization import INTEGER_RANGES, Quantization
from litecheck.report import ModelReport
from tests.differential.oracle import Oracle, Refused
from tests.differential.rules import dequantized, distance, real_model, results
from tests.differential.rules_cases import Case
from tests.differential.rules_cases_tflm import cases
from tests.differential.rules_changes import changed
from tests.differential.tflm import Tflm

PROFILE = "tflm"
DTYPES = ("int8", "int16")
#: Answer of TFLM -> its name in a profile's ``effects``.
EFFECTS = {
    "refused": "fails to load",
    "failed": "fails at run time",
    "crashed": "crashes",
    "wrong": "wrong results",
}
BAD = tuple(EFFECTS)
#: Changes with an effect that rounding or saturation may hide, and changes of the same tensor that show it.
_SCALES = ("scale*1.5", "scale*100", "scale*1e+06", "scale/100")
PLAIN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*_SCALES, "scale +1ulp", "scale*1.001"), _SCALES),
    **dict.fromkeys(("zp+1", "zp=200", "zp=-200", "zp=40000"), ("zp=40000", "zp 2**33")),
}
#: Reasons of a violation although TFLM computes the real values of the changed model.
REASONS = {
    "hidden": "rounding or saturation hides the effect; a larger change is rejected or computed wrongly",
    "type": "a zero point outside its tensor's type: some kernels compute with it, no quantization scheme defines it",
    "real": "the parameters of a real tensor have no effect",
    "alike": "several equal scales have the meaning of a single scale, and the kernel reads the first",
    "state": "a state is not an output, and the first of its scales is unchanged",
    "truth": "the scale of an operand changes few truth values of a comparison",
    "surplus": "TFLM does not count the listed operands, and ignores the operands beyond its own",
}
#: Inputs so large that states or products saturate, unlike in the float model.
RAILS = {
    "SVDF": ("input", "weights_feature"),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": tuple(
        f"recurrent_to_{gate}_weights" for gate in ("input", "forget", "cell", "output")
    ),
}
FAULTS = ("miss", "silent", "false alarm")


@dataclass(frozen=True)
class Limit:
    """Limit of the profile: input scales slightly inside and outside of it, in steps of an output scale of 1/16."""

    dtype: str
    name: str
    measurement: str
    inside: tuple[float, ...]
    outside: tuple[float, ...]

    @property
    def opcode(self) -> str:
        return self.name.split()[0]


#: Output scale at a limit: a power of two, so that input scales are exact multiples.
STEP = 1 / 16
_SMALL, _WIDE, _BELOW_1 = 2.0**19, 2.0**14, 1 - 2.0**-24
LIMITS = (
    *(Limit("int8", op, "scale_ratio", (_SMALL - 1, 1), (_SMALL, 1)) for op in ("ADD", "SUB")),
    *(Limit("int16", op, "scale_ratio", (_WIDE - 1, 1), (_WIDE, 1)) for op in ("ADD", "SUB")),
    Limit("int8", "ADD_N", "scale_ratio", (_SMALL - 1,) * 3, (_SMALL,) * 3),
    Limit("int8", "CUMSUM", "scale_ratio", (_SMALL - 1,), (_SMALL,)),
    Limit("int8", "HARD_SWISH", "scale_ratio", (127.99,), (128,)),
    Limit("int8", "SQUARED_DIFFERENCE", "squared_scale_ratio", (362, 362), (725, 725)),
    Limit("int16", "SQUARED_DIFFERENCE", "squared_scale_ratio", (1.99, 1.99), (2.01, 2.01)),
    *(
        Limit("int8", op, "lhs.scale", (_BELOW_1 / STEP, 5), (1 / STEP, 5))
        for op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
    ),
    *(Limit("int16", op, "input.scale", (5.33 / STEP,), (5.4 / STEP,)) for op in ("LOGISTIC", "TANH")),
    Limit("int16", "SOFTMAX", "input.scale", (5 / STEP,), (5.2 / STEP,)),
    *(Limit("int16", op, "reach", (65000,), (66000,)) for op in ("RELU", "LEAKY_RELU", "QUANTIZE")),
    Limit("int16", "ABS", "reach", (32700,), (32800,)),
    Limit("int16", "MUL", "reach", (16, 0.99), (16, 1.1)),
    Limit("int16", "MEAN", "reach", (32700,), (32800,)),
)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a single change: the answer of TFLM and the findings of litecheck."""

    case: str
    change: str
    tflm: str
    """A name in ``EFFECTS``, ``right``, or ``undefined`` (it runs, but no real values are stated)."""
    detail: str
    paths: tuple[str, ...]
    """Violations."""
    noted: tuple[str, ...]
    """Warnings and notes that the unchanged model does not have."""
    covered: bool
    reason: str = ""
    """Reason of a violation although TFLM computes the real values: a name in ``REASONS``, or ""."""

    @property
    def kind(self) -> str:
        if self.tflm in BAD and not self.covered:
            return "bad, not covered"
        if (
            self.tflm == "wrong"
            and not self.paths
            and set(self.change.split()) & set(RAILS.get(self.case.split()[0], ()))
        ):
            return "saturates"
        if self.tflm in BAD and not self.paths:
            return "warned" if self.noted else "silent" if self.tflm == "wrong" else "miss"
        if self.tflm == "right" and self.paths:
            return f"demanded: {self.reason}" if self.reason else "false alarm"
        return "agree"


class Referee:
    """TFLM and LiteRT in child processes, and the profile."""

    def __init__(self, tflm: Oracle, litert: Oracle, folder: Path, profile: str = PROFILE) -> None:
        self.tflm, self.litert, self.file = tflm, litert, folder / "case.tflite"
        self.profile = load_profile(profile)
        self.usual: dict[str, frozenset[str]] = {}

    def rule(self, case: Case) -> OperatorRule:
        return self.profile.operators[case.opcode]

    def judge(self, case: Case, name: str, model: Model) -> Outcome:
        data = model_bytes(model)
        did, detail = self._did(case, model, data)
        report = self._report(data)
        findings = (f for f in report.findings if f.effect != INFORMATION_LOSS)
        noted = tuple(f.path for f in findings if f.level != "violation")
        if name == "unchanged":
            self.usual[case.name] = frozenset(noted)
        new = tuple(path for path in noted if path not in self.usual.get(case.name, ()))
        covered = bool(report.problems) or report.operators[0].status != "not covered"
        found = Outcome(case.name, name, did, detail, _violated(report), new, covered)
        return (
            replace(found, reason=self._reason(case, model, found)) if found.kind == "false alarm" else found
        )

    def _report(self, data: bytes) -> ModelReport:
        self.file.write_bytes(data)
        return validate_file(self.file, (self.profile,))[0]

    def _reason(self, case: Case, model: Model, found: Outcome) -> str:
        verbs = {path.rsplit("/", 1)[1] for path in found.paths}
        if found.change.endswith("one more") and verbs == {"operands"}:
            return "surplus"
        if found.change.endswith(" quantized") and results(model)[0].dtype == "float32":
            return "real"
        if found.change.endswith("n scales+1") and verbs == {"granularity"}:
            return "alike"
        changed_state = zip(model.subgraphs[0].tensors, case.model.subgraphs[0].tensors, strict=True)
        if found.change.endswith("per-axis") and any(
            t.is_variable and t.quantization is not before.quantization for t, before in changed_state
        ):
            return "state"
        if found.change.endswith("per-axis") and results(model)[0].dtype == "bool":
            return "truth"
        if verbs <= {"zero_point", "zero_points_outside_type", "same_quantization"} and any(
            map(_beyond_type, model.subgraphs[0].tensors)
        ):
            return "type"
        return "hidden" if self._hidden(case, found) else ""

    def _hidden(self, case: Case, found: Outcome) -> bool:
        """Return True for a parameter with a plain change that TFLM rejects or miscomputes, or with no effect of its
        size.
        """
        models = dict(changed(case, self.rule(case)))
        for faint, plain in PLAIN.items():
            if found.change.endswith(faint):
                names = [found.change.removesuffix(faint) + other for other in plain if other != faint]
                shown = [self._said(case, models[name]) for name in names]
                return any(did in BAD and paths for did, paths in shown)
        larger = found.change.removesuffix("per-axis") + "scale*1.5"
        return found.change.endswith("per-axis") and self._said(case, models[larger])[0] == "right"

    def _said(self, case: Case, model: Model) -> tuple[str, tuple[str, ...]]:
        data = model_bytes(model)
        return self._did(case, model, data)[0], _violated(self._report(data))

    def _did(self, case: Case, model: Model, data: bytes) -> tuple[str, str]:
        """Return the answer of TFLM. Outputs of bool are computed twice: a kernel that writes nothing may show memory
        of a previous model.
        """
        inputs = _inputs(case, model)
        did = self._did_with(case, model, data, inputs)
        if did[0] == "right" and "bool" in {tensor.dtype for tensor in results(model)}:
            return self._did_with(case, model, data, tuple(np.flip(x).copy() for x in inputs))
        return did

    def _did_with(
        self, case: Case, model: Model, data: bytes, inputs: tuple[np.ndarray, ...]
    ) -> tuple[str, str]:
        got = self.tflm.run(data, inputs)
        if isinstance(got, Refused):
            stage = {"load": "refused", "run": "failed"}.get(got.message.split(":")[0], "crashed")
            return stage, " ".join(got.message.split())[:140]
        expected = self._meaning(case, model, inputs)
        if expected is None:
            return "undefined", ""
        copies = any(q.verb == "same_quantization" for q in self.rule(case).requirements)
        off = max(map(distance, got, expected, results(model)), default=0.0)
        most = 0.6 if copies and case.tolerance < 2 else case.tolerance
        return ("wrong" if off > most else "right"), f"off by {off:.3g} steps"

    def _meaning(self, case: Case, model: Model, inputs: tuple[np.ndarray, ...]) -> list[np.ndarray] | None:
        model = plainly(model, case.model)
        real = real_model(case.model, model) if case.real else None
        if real is None:
            return None
        tensors = model.subgraphs[0].tensors
        given = [dequantized(x, tensors[i]) for x, i in zip(inputs, model.subgraphs[0].inputs, strict=True)]
        if case.opcode in ("QUANTIZE", "DEQUANTIZE"):
            return given
        real = without_activation(real) if case.opcode == "SVDF" else with_bias(real, self.rule(case))
        got = self.litert.run(model_bytes(real), given, "optimized")
        return None if isinstance(got, Refused) else got


def at_limit(referee: Referee, limit: Limit, steps: tuple[float, ...]) -> Outcome:
    """Return the outcome of a limit's case with changed scales, and inputs at the ends of their range."""
    case = next(c for c in cases(limit.dtype) if c.name == limit.name)
    rails = tuple(_rails(values, at) for at, values in enumerate(case.inputs))
    case = replace(case, inputs=rails, tolerance=12 if limit.dtype == "int16" else 1.6)
    graph = case.model.subgraphs[0]
    operator, tensors = graph.operators[0], list(graph.tensors)
    output = tensors[operator.outputs[0]].quantization
    fixed = limit.measurement.endswith(".scale")
    scales = dict(zip(operator.inputs, (s * STEP for s in steps), strict=False))
    if not fixed and output.scale.size:
        scales[operator.outputs[0]] = STEP
    for at, scale in scales.items():
        q = replace(tensors[at].quantization, scale=np.array([scale], np.float32))
        tensors[at] = replace(tensors[at], quantization=q)
    model = replace(case.model, subgraphs=(replace(graph, tensors=tuple(tensors)),))
    return referee.judge(replace(case, model=model), limit.measurement, model)


def _rails(values: np.ndarray, at: int) -> np.ndarray:
    """Return values at the ends of the type's range and 0, in all pairs of two inputs; of a 4-D input the largest only."""
    if values.dtype not in (np.int8, np.int16):
        return values
    info = np.iinfo(values.dtype)
    ends = np.array((info.max, info.min, 0, 1), values.dtype)
    ends = ends[:1] if values.ndim > 3 else np.repeat(ends, 4) if at == 0 else ends
    return np.resize(ends, values.shape)


def plainly(model: Model, good: Model) -> Model:
    """Return the model without ineffective fields.

    A quantized dimension outside the shape becomes 0 with one scale or one dimension. Real numbers have no parameters.
    A shape that is listed as absent is removed.
    """
    graph = model.subgraphs[0]
    operator, inputs = graph.operators[0], graph.operators[0].inputs
    while operator.opcode == "RESHAPE" and inputs and inputs[-1] < 0:
        inputs = inputs[:-1]
    tensors = tuple(map(_plain, graph.tensors, good.subgraphs[0].tensors))
    graph = replace(graph, tensors=tensors, operators=(replace(operator, inputs=inputs),))
    return replace(model, subgraphs=(graph,))


def _beyond_type(tensor: Tensor) -> bool:
    low, high = INTEGER_RANGES.get(tensor.dtype, (-(2**63), 2**63))
    return any(not low <= z <= high for z in tensor.quantization.zero_point.tolist())


def _plain(tensor: Tensor, before: Tensor) -> Tensor:
    if tensor.dtype == before.dtype == "float32":
        return replace(tensor, quantization=Quantization())
    q, rank = tensor.quantization, len(tensor.shape)
    one = q.scale.size == 1 or rank == 1
    return replace(tensor, quantization=replace(q, axis=0)) if one and not 0 <= q.axis < rank else tensor


def with_bias(model: Model, rule: OperatorRule) -> Model:
    """Return the float model with a bias of zeros if it has none: LiteRT's convolutions require a bias."""
    graph = model.subgraphs[0]
    operator = graph.operators[0]
    at = rule.inputs.index("bias") if "bias" in rule.inputs else None
    if at is None or (len(operator.inputs) > at and operator.inputs[at] >= 0):
        return model
    zeros = np.zeros(graph.tensors[operator.outputs[0]].shape[-1], np.float32)
    tensor = Tensor(
        len(graph.tensors), "bias", "float32", zeros.shape, len(model.buffers), zeros.view(np.uint8)
    )
    operator = replace(operator, inputs=(*operator.inputs[:at], tensor.index))
    graph = replace(graph, tensors=(*graph.tensors, tensor), operators=(operator,))
    return replace(model, buffers=(*model.buffers, Buffer(zeros.view(np.uint8))), subgraphs=(graph,))


def without_activation(model: Model) -> Model:
    """Return the float model without its fused activation: integer SVDF requires RELU and does not compute it."""
    graph = model.subgraphs[0]
    operator = replace(graph.operators[0], options=options_table(graph.operators[0].opcode, rank=1))
    return replace(model, subgraphs=(replace(graph, operators=(operator,)),))


def _violated(report: ModelReport) -> tuple[str, ...]:
    if report.problems:
        return tuple(p.code for p in report.problems)
    return tuple(f.path for f in report.findings if f.level == "violation" and not f.waiver)


def _inputs(case: Case, model: Model) -> tuple[np.ndarray, ...]:
    graph = model.subgraphs[0]
    types = [graph.tensors[i].dtype for i in graph.inputs]
    return tuple(x.astype(t) for x, t in zip(case.inputs, types, strict=True))


def outcomes(referee: Referee, dtype: str, operator: str = "", only: str = "") -> Iterator[Outcome]:
    """Yield the unchanged model and every change of every case that TFLM has."""
    for case in cases(dtype):
        if operator and case.opcode != operator:
            continue
        first = referee.judge(case, "unchanged", case.model)
        yield first
        if first.tflm in BAD:
            continue
        for name, model in changed(case, referee.rule(case)):
            if only in name:
                yield referee.judge(case, name, model)


def agrees(referee: Referee, path: str, seen: Counter[str]) -> bool:
    """Return True if an observed effect of TFLM is the effect that the profile states for a requirement."""
    done = {EFFECTS[did] for did in seen if did in BAD}
    stated = {r.effect for r in referee.profile.requirements() if r.path == path}
    return not done or not stated or bool(done & stated)


def main() -> int:
    """Print the differences; return 1 if a rule is missing or too strict."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--operator", default="", help="run this operator [default: all]")
    parser.add_argument("--dtype", default="", help="run this type [default: all]")
    parser.add_argument("--change", default="", help="run changes with this text in their name")
    parser.add_argument("--all", action="store_true", help="also print outcomes without a difference")
    parser.add_argument("--effects", action="store_true", help="print the effects on TFLM by requirement")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    effects: dict[str, Counter[str]] = defaultdict(Counter)
    with Tflm(20) as tflm, Oracle(30) as litert, TemporaryDirectory() as folder:
        referee = Referee(tflm, litert, Path(folder))
        for dtype in [arguments.dtype] if arguments.dtype else DTYPES:
            for o in outcomes(referee, dtype, arguments.operator, arguments.change):
                counts[f"{o.kind} ({o.tflm})"] += 1
                if len(set(said := (*o.paths, *o.noted))) == 1:
                    effects[said[0]][o.tflm] += 1
                if arguments.all or o.kind in FAULTS:
                    print(
                        dtype, o.kind, o.case, o.change, o.tflm, o.detail, " ".join(said), sep="|", flush=True
                    )
    if arguments.effects:
        for path, seen in sorted(effects.items()):
            mark = "" if agrees(referee, path, seen) else "CONTRADICTED "
            print(f"{mark}{path}", ", ".join(f"{n} {did}" for did, n in seen.most_common()), sep=": ")
    print(*(f"{n:,} {kind}" for kind, n in sorted(counts.items())), sep="; ")
    return 1 if any(kind.startswith(FAULTS) for kind in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
