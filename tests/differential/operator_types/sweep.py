"""Random combinations of types: outcomes of runtimes and verdicts of litecheck."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from random import Random

from litecheck import load_profile, validate
from litecheck.finding import IGNORED, REFERENCE_ONLY
from litecheck.profile.operators import traits_of
from litecheck.profile.type_table import ABSENT, SCALED, load_types
from litecheck.quantization import BITS
from litecheck.report import ModelReport
from tests.differential.operator_types.bases import bases, varied
from tests.differential.operator_types.explore import Tried, try_signatures
from tests.differential.operator_types.runtimes import Runtimes
from tests.differential.operator_types.signatures import RARE, TYPES, Base, Signature, retyped
from tests.differential.operator_types.table import SUPPORTED, fits, impact

#: Impacts on a model that every resolver of the default interpreter runs.
_RUNS = (IGNORED, "outside the specification", "the profile forbids it")
_BATCH = 100
#: Stage of a model with outputs that do not depend on a tensor with a different type: every verdict agrees.
CHANCE = "runs by chance"


@dataclass(frozen=True)
class Outcome:
    """Combination: the impact on a runtime (or ``runs``, or ``CHANCE``), and the violations that litecheck finds."""

    opcode: str
    signature: Signature
    runtime: str
    stage: str
    verdict: str
    paths: tuple[str, ...]

    @property
    def kind(self) -> str:
        """``silent``, ``false`` or ``agrees``."""
        if self.stage not in ("runs", CHANCE) and self.verdict == "silent":
            return "silent"
        return "false" if self.stage == "runs" and self.verdict == "violation" else "agrees"

    @property
    def disagrees(self) -> bool:
        """True if litecheck is silent about a model that does not run, or rejects a model that runs."""
        return self.kind != "agrees"


def draws(cases: int, seed: int, pattern: str) -> dict[str, list[tuple[int, Signature]]]:
    """Return combinations by operator: a model of the operator with different types for some of its roles.

    A third has one role with any type. Half of the rest has up to three roles with any type. The other half has up to
    twelve roles with types that a runtime supports for the role in some combination, or lacks optional tensors.
    """
    random, wanted = Random(seed), [op for op in bases() if fnmatchcase(op, pattern)]
    found: dict[str, list[tuple[int, Signature]]] = {opcode: [] for opcode in wanted}
    share = max(1, cases // max(1, len(wanted)))
    for opcode in wanted:
        lively = set(varied(bases()[opcode]).values())
        possible = [(n, base) for n, base in enumerate(bases()[opcode]) if base in lively]
        singles = [
            (n, _changed(base.signature, {at: t}))
            for n, base in possible for at, t in product(range(len(base.signature)), (*TYPES, *RARE))
            if base.signature[at] not in (ABSENT, t)
        ]  # fmt: skip
        cells = supported_types(opcode)
        drawn = dict.fromkeys(random.sample(singles, min(len(singles), -(-share // 3))))
        for turn in range(20 * share):
            if len(drawn) == share:
                break
            n, base = random.choice(possible)
            types = cells if turn % 2 else [TYPES] * len(base.signature)
            if signature := _mixed(random, base.signature, types, 12 if turn % 2 else 3):
                drawn[_nearest(possible, signature, n), signature] = None
        found[opcode] = list(drawn)
    return found


def _mixed(
    random: Random, signature: Signature, types: Sequence[Sequence[str]], most: int
) -> Signature | None:
    """Return a signature with different types for up to ``most`` random roles; None if no role can differ."""
    there = [
        at for at, c in enumerate(signature) if c != ABSENT and any(t != c for t in types[at])
    ]  # absent tensors stay absent
    roles = random.sample(there, min(len(there), random.randint(1, most)))
    other = {at: random.choice([t for t in types[at] if t != signature[at]]) for at in roles}
    return _changed(signature, other) if other else None


def _nearest(possible: Sequence[tuple[int, Base]], signature: Signature, drawn: int) -> int:
    """Return the model that differs least from a signature, the drawn model among equals: its values suit the types.

    Example: float32 LOG is varied from the float model, because the int8 model has negative values. Float16 CONCATENATION
    is, too, because the int32 model has values beyond float16.
    """

    def apart(number: int, base: Base) -> tuple[int, int, int, int, bool]:
        pairs = list(zip(base.signature, signature, strict=True))
        absent = sum((a == ABSENT) != (b == ABSENT) for a, b in pairs)
        unlike = sum((a in SCALED) != (b in SCALED) for a, b in pairs)
        other_kind = sum(("float" in a) != ("float" in b) for a, b in pairs)
        return absent, sum(a != b for a, b in pairs), unlike, other_kind, number != drawn

    return min(possible, key=lambda pair: apart(*pair))[0]


def supported_types(opcode: str) -> list[tuple[str, ...]]:
    """Return the types by role that LiteRT or TFLM supports in some combination, and ``-`` if a tensor is optional."""
    rows = [
        row for name in ("litert", "tflm") if (types := load_types(name).operators.get(opcode))
        for row in types.runs
    ]  # fmt: skip
    rule = bases()[opcode][0].rule
    roles = (*rule.inputs, *rule.outputs)
    required = {at for at, role in enumerate(roles) if role not in rule.optional or role in rule.outputs}
    cells = (set().union(*(row[at] for row in rows)) for at in range(len(roles)))
    return [
        tuple(sorted(t for t in cell if "+" not in t and not (at in required and t == ABSENT)))
        for at, cell in enumerate(cells)
    ]


def _changed(signature: Signature, other: dict[int, str]) -> Signature:
    return tuple(other.get(at, c) for at, c in enumerate(signature))


def outcomes_of(opcode: str, drawn: Sequence[tuple[int, Signature]]) -> Iterator[Outcome]:
    """Yield the outcomes of each combination on LiteRT and TFLM, with litecheck's verdict."""
    made = [(bases()[opcode][n], signature) for n, signature in drawn]
    with Runtimes() as runtimes:
        for (base, signature), tried in zip(made, try_signatures(runtimes, made), strict=True):
            yield from _judged(base, signature, tried)


def _judged(base: Base, signature: Signature, tried: Tried) -> Iterator[Outcome]:
    model = retyped(base, signature)[0]
    for name, profiles in (("litert", None), ("tflm", _tflm())):
        effect = impact(tried, name)
        if effect in (SUPPORTED, REFERENCE_ONLY) and not fits(
            base.rule, signature, {b.signature for b in bases()[base.rule.opcode]}
        ):
            effect = "wrong results"  # correct by the chance of the values
        report, before = validate(model, profiles), _grave(validate(base.model, profiles))
        grave = tuple(path for path in _grave(report) if path not in before)
        verdict = "violation" if grave else "noted" if report.findings else "silent"
        stage = "runs" if effect in (SUPPORTED, REFERENCE_ONLY) else effect
        beyond = _is_narrower(base, signature, "index") or (grave and _is_narrower(base, signature, "state"))
        if "chance" in tried.stages.values() or beyond:
            stage = CHANCE if stage == "runs" or "chance" in tried.stages.values() else stage
        yield Outcome(base.rule.opcode, signature, name, stage, verdict, grave)


def _is_narrower(base: Base, signature: Signature, kind: str) -> bool:
    """Return True if an index has a narrower type than the model's or is no integer, or a state has a narrower type than
    the input.

    A kernel that reads an index as the model's type finds the right index if the bytes beyond its end, or the first bytes
    of a float, are 0. Examples: an int16 axis, a float64 axis of 0. A kernel that writes a state as float32 beyond the end
    of an int16 tensor goes unnoticed if nothing else is there; that is no reason to accept the model.
    """
    traits = traits_of(base.rule.opcode)
    for at, (role, now) in enumerate(zip(base.rule.inputs, signature, strict=False)):
        counted = traits.steers(role) if kind == "index" else traits.inputs.get(role) == kind
        wanted = base.signature[at] if kind == "index" else signature[0]
        other = kind == "index" and now.startswith(("float", "bfloat", "complex"))
        if counted and (other or BITS.get(now, 0) < BITS.get(wanted, 0)):
            return True
    return False


def _grave(report: ModelReport) -> tuple[str, ...]:
    """Return the paths of violations with an impact on the runtime."""
    found = (f for f in report.findings if f.level == "violation" and not f.waiver)
    return tuple(f.path for f in found if f.effect not in _RUNS)


@cache
def _tflm() -> list:
    return [load_profile("tflm")]


def _work(task: tuple[str, Sequence[tuple[int, Signature]]]) -> list[Outcome]:
    return list(outcomes_of(*task))


def sweep(cases: int, seed: int, pattern: str, jobs: int) -> list[Outcome]:
    """Return the outcomes of random combinations, from worker processes."""
    drawn = draws(cases, seed, pattern)
    tasks = [(op, all_[at : at + _BATCH]) for op, all_ in drawn.items() for at in range(0, len(all_), _BATCH)]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        return [outcome for found in pool.imap_unordered(_work, tasks) for outcome in found]


def report(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield a line for each disagreement, and the counts by runtime."""
    counts: Counter[tuple[str, str]] = Counter()
    for o in outcomes:
        counts[o.runtime, o.kind] += 1
        if o.disagrees:
            yield f"{o.kind} {o.runtime} {o.opcode} {' '.join(o.signature)}: {o.stage}, {' '.join(o.paths)}"
    for (runtime, kind), n in sorted(counts.items()):
        yield f"{runtime}: {n:,} {kind}"
