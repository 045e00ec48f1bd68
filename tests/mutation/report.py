"""The table, the list of survivors and the JSON of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from tests.mutation.run import Judgement
from tests.mutation.targets import package_of


def text_of(judgements: Sequence[Judgement]) -> str:
    """Return the table of packages, the survivors and the modules without mirrored tests."""
    return "\n".join((*_table(judgements), "", *_lists(judgements)))


def json_of(judgements: Sequence[Judgement], seed: int) -> str:
    """Return every mutant with its outcome."""
    mutants = [asdict(judgement) for judgement in sorted(judgements, key=_place)]
    return json.dumps({"seed": seed, "mutants": mutants}, indent=1) + "\n"


def share_killed(judgements: Sequence[Judgement]) -> float:
    """Return the share of killed mutants among killed and survived ones, e.g. 0.85; 0 without mutants."""
    count = Counter(judgement.status for judgement in judgements)
    return count["killed"] / max(count["killed"] + count["survived"], 1)


def _table(judgements: Sequence[Judgement]) -> Iterator[str]:
    yield f"{'package':<12}{'killed':>8}{'survived':>10}{'unclear':>9}{'coverage':>10}"
    packages = sorted({package_of(judgement.mutant.module) for judgement in judgements})
    for name in (*packages, "all"):
        some = [j for j in judgements if name in ("all", package_of(j.mutant.module))]
        count = Counter(judgement.status for judgement in some)
        numbers = f"{count['killed']:>8}{count['survived']:>10}{count['unclear']:>9}"
        yield f"{name:<12}{numbers}{share_killed(some):>10.1%}"


def _lists(judgements: Sequence[Judgement]) -> Iterator[str]:
    for status in ("survived", "unclear"):
        some = sorted((j for j in judgements if j.status == status), key=_place)
        if some:
            yield f"{status}: {len(some)}"
            yield from (f"  {_line(judgement)}" for judgement in some)
    without = sorted({j.mutant.module for j in judgements if not j.mirrored})
    if without:
        yield f"no mirrored test: {len(without)} modules"
        yield from (f"  {module}" for module in without)


def _line(judgement: Judgement) -> str:
    mutant = judgement.mutant
    before, after = (" ".join(text.split()) for text in (mutant.before, mutant.after))
    return f"{mutant.module}:{mutant.line}: {before} -> {after}"


def _place(judgement: Judgement) -> tuple[str, int, int]:
    return judgement.mutant.module, judgement.mutant.line, judgement.mutant.start
