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
from litecheck.profile.type_table import ABSENT
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
    """Return combinations by operator: a model of the operator with 1 to 3 roles of different types."""
    random, wanted = Random(seed), [op for op in bases() if fnmatchcase(op, pattern)]
    found: dict[str, list[tuple[int, Signature]]] = {opcode: [] for opcode in wanted}
    for opcode in wanted:
        lively = set(varied(bases()[opcode]).values())
        possible = [(n, base) for n, base in enumerate(bases()[opcode]) if base in lively]
        singles = [
            (n, _changed(base.signature, {at: t}))
            for n, base in possible for at, t in product(range(len(base.signature)), (*TYPES, *RARE))
            if base.signature[at] not in (ABSENT, t)
        ]  # fmt: skip
        share = max(1, cases // len(wanted))
        drawn = random.sample(singles, min(len(singles), share))
        while len(drawn) < share:
            n, base = random.choice(possible)
            there = [at for at, c in enumerate(base.signature) if c != ABSENT]
            roles = random.sample(there, min(len(there), random.randint(1, 3)))
            other = {at: random.choice([t for t in TYPES if t != base.signature[at]]) for at in roles}
            drawn.append((n, _changed(base.signature, other)))
        found[opcode] = list(dict.fromkeys(drawn))
    return found


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
        if "chance" in tried.stages.values():
            stage = CHANCE
        yield Outcome(base.rule.opcode, signature, name, stage, verdict, grave)


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
