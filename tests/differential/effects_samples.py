"""Effects of models that violate a single requirement: each mutant of the cases runs on LiteRT."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from litecheck import load_profile
from litecheck.checks.validate import validate
from litecheck.finding import EFFECTS, INFORMATION_LOSS, Effect, Finding
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Tensor
from litecheck.profile.types import ProductOf, Profile, Range, Requirement
from litecheck.quantization import INTEGER_RANGES
from tests.differential.effects_cases import all_cases
from tests.differential.effects_meaning import distance, meaning, real, room
from tests.differential.effects_mutants import Mutant, bound, mutants, place
from tests.differential.effects_oracle import Failure, ForkingOracle
from tests.differential.rules_cases import Case
from tests.differential.rules_changes import MALFORMED

PROFILES = {
    "litert-runtime": "int8", "litert-int16x8": "int16", "litert-uint8": "uint8", "litert-hybrid": "hybrid",
}  # fmt: skip
PAGE: Effect = "outside the specification"
IGNORED: Effect = "ignored by LiteRT, may matter on hardware"
WRONG: Effect = "wrong results"
WITHOUT_DELEGATE: Effect = "wrong results without the default delegate"
REFERENCE_CRASHES: Effect = "crashes the reference resolver only"
#: Profile of the specification page.
PROSE = "litert-int8"
#: Changes that rounding may hide.
FAINT = ("scale +1ulp", "scale*1.001")
#: Path -> path that is always violated too.
COMPANIONS = (
    ("*/limits/scale_ratio", "*/limits/reach"),
    ("*/limits/squared_scale_ratio", "*/limits/reach"),
    ("*/limits/bias_scale_drift", "*/bias/scale"),
    ("*/limits/miscounted_operands", "*/shapes"),
    ("*/limits/miscounted_operands", "SUBGRAPH/limits/unwritten_outputs"),
    ("*/*/operands", "*/shapes"),
    ("*/*/operands", "*/limits/arity_mismatches"),
    ("*/*/operands", "SUBGRAPH/limits/unwritten_outputs"),
    ("*/limits/input_gate_operands", "*/shapes"),
    ("*/limits/input_gate_operands", "*/limits/absent_lstm_operands"),
    ("*/*/operands", "*/limits/absent_lstm_operands"),
    ("ASSIGN_VARIABLE/*", "READ_VARIABLE/limits/*"),
)
#: Texts of findings for the kinds of faults with a name.
KINDS = {
    "scale": {"not_a_number": ", not a number", "infinite": ", infinite", "negative": ", negative",
              "subnormal": ", subnormal", "zero": "scale is 0 "},
    "granularity": {"absent": "it has no "},
    "operands": {"left_out": "left out"},
    "limits": {"unset": " by default "},
}  # fmt: skip
#: Operators that correctly compute different values for an input of a different type.
RETYPED = ("BITCAST",)
#: Number of mutants of a single tensor that decides the effect of a kind of fault, besides malformed parameters.
ENOUGH = 8
#: Number of runs of a model with a tensor left out. The first crash counts: the delegate reads the memory behind the list
#: of tensors, and this memory differs between runs.
LISTS = 6
#: Tolerance of operators that copy values, in output steps.
COPIES = 0.6
#: Minimum share of a requirement's plain mutants for an effect.
SHARE = 0.2


@dataclass(frozen=True)
class Sample:
    """Mutant that violates a single requirement: the effect stated by the finding, and the observed effect."""

    path: str
    case: str
    change: str
    found: str
    kind: str
    """The kind of fault, in ``litecheck.profile.paths``."""
    said: Effect
    own: bool
    """True if the fault has a separate effect."""
    observed: Effect
    detail: str


class EffectObserver:
    """Measurement of effects: LiteRT in a child process, one profile and its cases."""

    def __init__(self, litert: ForkingOracle, profile: str) -> None:
        self.litert, self.profile = litert, load_profile(profile)
        self.cases = all_cases(PROFILES[profile])
        self.requirements = {r.path: r for r in self.profile.requirements()}
        self.page = load_profile(PROSE) if PROFILES[profile] == "int8" else None
        self.shown: Counter[tuple[str, str, str, bool]] = Counter()

    def samples(self, operator: str = "", only: str = "") -> Iterator[Sample]:
        """Yield every mutant of every case that violates a single requirement."""
        for case in self.cases:
            rule = self.profile.operators.get(case.opcode)
            if rule is None or (operator and case.opcode != operator):
                continue
            print(f"\r{case.name:60}", end="", file=sys.stderr, flush=True)
            copies = any(r.verb == "same_quantization" for r in rule.requirements)
            trial = Trial(self.litert, case, copies)
            usual = {f.path for f in _findings(case.model, self.profile)}
            unsupported = any(path.endswith("/unsupported") for path in usual)
            for mutant in mutants(case, rule):
                other = unsupported or (case.opcode in RETYPED and mutant.name.startswith("input input as "))
                if only in mutant.name and (mutant.name == "unchanged" or not other):
                    yield from self._sample(trial, mutant, usual)

    def _sample(self, trial: Trial, mutant: Mutant, usual: set[str]) -> Iterator[Sample]:
        findings = _findings(mutant.model, self.profile)
        new = {f.path: f for f in findings if f.path not in usual or mutant.name == "unchanged"}
        broken = [f for f in _broken(new, mutant.shared) if not self._is_double_fault(trial.case, mutant, f)]
        operand = " ".join(mutant.name.split()[:2])
        malformed = mutant.name.endswith(MALFORMED)
        shown = [(f.path, kind_of(f, self.requirements[f.path]), operand, malformed) for f in broken]
        if all(self.shown[key] >= ENOUGH for key in shown):
            return
        self.shown.update(shown)
        runs = LISTS if mutant.name.endswith("one fewer") else 1
        observed, detail = trial.observe(mutant.model, runs)
        if observed is None:
            return
        forbidden = self._paths_of_page(mutant.model) if observed == IGNORED else set()
        for finding in broken:
            known = self.requirements[finding.path]
            yield Sample(
                finding.path, trial.case.name, mutant.name, finding.found, kind_of(finding, known), finding.effect,
                finding.effect != known.of(kind_of(finding, known)).effect,
                PAGE if {finding.path, known.demand.profile} & forbidden else observed, detail,
            )  # fmt: skip

    def _is_double_fault(self, case: Case, mutant: Mutant, finding: Finding) -> bool:
        """Return True for two faults: an invalid scale of a factor, with a product that does not follow; only one is
        reported.
        """
        rule = self.profile.operators[case.opcode]
        here = {role for role, _ in bound(rule, case.model.subgraphs[0].operators[place(case)])}
        factors = {f for r in rule.all_requirements() if isinstance(r.value, ProductOf) and r.role in here
                   for f in r.value.factors}  # fmt: skip
        kind = kind_of(finding, self.requirements[finding.path])
        scale = finding.path.endswith("/scale") and bool(kind)
        return scale and finding.where.role in factors and not mutant.name.endswith("follows")

    def _paths_of_page(self, model: Model) -> set[str]:
        """Return the paths of the page's findings, and PROSE for its requirements of all operators."""
        return {PROSE, *(f.path for f in _findings(model, self.page))} if self.page else set()


def kind_of(finding: Finding, requirement: Requirement) -> str:
    """Return the kind of fault of a finding."""
    words, value = KINDS.get(requirement.verb, {}), requirement.value
    if requirement.of("above").effect != requirement.effect and isinstance(value, Range):
        with suppress(ValueError):  # the found value is a word
            return "above" if float(finding.found.rsplit(" ", 1)[1]) > value.high else ""
        return ""
    if requirement.verb == "range":
        return "unsigned" if int(finding.found.rsplit(" ", 1)[1]) > INTEGER_RANGES["int8"][1] else ""
    if requirement.verb == "zero_point" and requirement.of("outside_type").effect != requirement.effect:
        least, most = INTEGER_RANGES["int8"]
        number = int(finding.found.removeprefix("zero point is ").split()[0])
        return "" if least <= number <= most else "outside_type"
    return next((kind for kind, word in words.items() if word in f"{finding.found} "), "")


def _findings(model: Model, profile: Profile) -> tuple[Finding, ...]:
    """Return findings of rules, without notes on information loss, known faults and the table of types."""
    found = (f for f in validate(model, [profile]).findings if not f.waiver)
    return tuple(
        f for f in found if f.effect != INFORMATION_LOSS and not f.path.endswith(("/known_fault", "/types"))
    )


def _broken(new: dict[str, Finding], shared: bool) -> Iterator[Finding]:
    """Yield the findings of a mutant: the only finding, or the same finding for each equally changed tensor."""
    paths = list(new)
    for path, companion in COMPANIONS:
        if any(fnmatchcase(p, path) for p in paths):
            paths = [p for p in paths if not fnmatchcase(p, companion)]
    if len(paths) == 1 or (shared and len({p.rsplit("/", 1)[1] for p in paths}) == 1):
        yield from (new[p] for p in paths)


class Trial:
    """Case on LiteRT: outputs of its unchanged model, and their comparison with the real values of its float model."""

    def __init__(self, litert: ForkingOracle, case: Case, copies: bool = False) -> None:
        self.litert, self.case = litert, case
        self.tolerance = COPIES if copies and case.tolerance == Case.tolerance else case.tolerance
        graph = case.model.subgraphs[0]
        self.steps = 3 if any(t.is_variable for t in graph.tensors) else 1
        self.plain = {
            r: self.litert.ask(model_bytes(case.model), case.inputs, r, self.steps)
            for r in ("optimized", "xnnpack")
        }
        self.room = 0.0
        self.means = self._means()

    def _means(self) -> bool:
        got = self.plain["optimized"]
        if isinstance(got, Failure):
            return False
        expected = self._meaning(self.case.model, self.case.inputs)
        self.room = 0.0 if expected is None else room(got, expected)
        return expected is not None and self._off(got, expected, self.case.model, self.room) <= self.tolerance

    def _meaning(self, model: Model, inputs: tuple[np.ndarray, ...]) -> list[np.ndarray] | None:
        pairs = zip(_results(model), _results(self.case.model), strict=False)
        if any(t.dtype == "bool" != before.dtype for t, before in pairs):
            return None
        passes = self.case.opcode in ("QUANTIZE", "DEQUANTIZE")
        return meaning(self.litert, model, inputs, passes, self.steps)

    def _off(
        self, got: list[np.ndarray], expected: list[np.ndarray], model: Model, most: float = 0.0
    ) -> float:
        if len(got) != len(expected):
            return float("inf")
        rooms = [most] * len(got)
        return max(map(distance, got, expected, _results(model) * self.steps, rooms), default=0.0)

    def observe(self, model: Model, runs: int = 1) -> tuple[Effect | None, str]:
        """Return the effect of the model, None if undecided, and the details."""
        inputs, data = _inputs(self.case, model), model_bytes(model)
        got = {r: self._run(data, inputs, r, runs) for r in ("optimized", "xnnpack")}
        failures = {r: g for r, g in got.items() if isinstance(g, Failure)}
        detail = "; ".join(f"{r} {g}" for r, g in failures.items())
        stages = {r: g.stage for r, g in failures.items()}
        if "crash" in stages.values():
            return "crashes", detail
        if list(stages) == ["optimized"]:
            return "rejected without the default delegate", detail
        if stages.get("optimized") == "load":
            return "fails to load", detail
        if stages.get("xnnpack") == "load":
            return "rejected by the default interpreter only", detail
        if failures:
            return "fails at run time", detail
        effect, detail = self._computed(model, inputs, got)  # type: ignore[arg-type]
        if effect == IGNORED:
            reference = self.litert.ask(data, inputs, "reference", self.steps)
            if isinstance(reference, Failure) and reference.stage == "crash":
                return REFERENCE_CRASHES, f"reference {reference}"
        return effect, detail

    def _run(
        self, data: bytes, inputs: tuple[np.ndarray, ...], resolver: str, runs: int
    ) -> list[np.ndarray] | Failure:
        """Return the first crash of several runs with files of different lengths, or else the first answer."""
        got = [self.litert.ask(data + bytes(1000 * n), inputs, resolver, self.steps) for n in range(runs)]
        return next((g for g in got if isinstance(g, Failure) and g.stage == "crash"), got[0])

    def _computed(
        self, model: Model, inputs: tuple[np.ndarray, ...], got: dict[str, list[np.ndarray]]
    ) -> tuple[Effect | None, str]:
        expected = self._meaning(model, inputs) if self.means or model is self.case.model else None
        if expected is not None and [e.shape for e in expected] == [g.shape for g in got["optimized"]]:
            off = {r: self._off(g, expected, model, self.room) for r, g in got.items()}
            said = ", ".join(f"{r} off by {v:.3g}" for r, v in off.items())
            wrong = [r for r, v in off.items() if v > self.tolerance]
            if not wrong and any(self._off(g, expected, model) > self.tolerance for g in got.values()):
                return None, "no farther off than the unchanged model"
            return (WITHOUT_DELEGATE if wrong == ["optimized"] else WRONG if wrong else IGNORED), said
        same = all(self._unchanged(r, g) for r, g in got.items())
        return (IGNORED, "as if unchanged") if same else (WRONG, "another result")

    def _unchanged(self, resolver: str, got: list[np.ndarray]) -> bool:
        """Return True if the outputs are those of the unchanged model: of XNNPACK, or of the optimized kernels for
        operators that XNNPACK rejects.
        """
        known = (self.plain[r] for r in dict.fromkeys((resolver, "optimized")))
        return isinstance(self.plain[resolver], Failure) or any(
            not isinstance(k, Failure) and len(k) == len(got) and all(map(_alike, got, k)) for k in known
        )


def _alike(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _inputs(case: Case, model: Model) -> tuple[np.ndarray, ...]:
    """Return the inputs of the case in the types of a model; floats have the real values of integers with a scale."""
    before = case.model.subgraphs[0]
    tensors = [before.tensors[i] for i in before.inputs]
    types = [model.subgraphs[0].tensors[i].dtype for i in model.subgraphs[0].inputs]
    return tuple(
        (real(x, tensor) if t == "float32" else x).astype(t)
        for x, tensor, t in zip(case.inputs, tensors, types, strict=True)
    )


def _results(model: Model) -> list[Tensor]:
    return [model.subgraphs[0].tensors[i] for i in model.subgraphs[0].outputs]


def derived(samples: Iterable[Sample]) -> Effect | None:
    """Return the gravest effect that enough plain mutants have; None without a mutant."""
    shown = [s for s in samples if not s.own]
    plain = [s for s in shown if not s.change.endswith(FAINT)] or shown
    counts = Counter(s.observed for s in plain)
    least = 0 if plain and "/limits/" in plain[0].path else SHARE * len(plain)
    return next((e for e in EFFECTS if counts[e] and counts[e] >= least), None)


def by_path(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Return samples by the requirement they violate."""
    found: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        found[sample.path].append(sample)
    return found
