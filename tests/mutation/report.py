"""The table, the lists and the file of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.mutation.equivalents import Equivalents
from tests.mutation.run import Judgement
from tests.mutation.sites import Mutant
from tests.mutation.targets import package_of


def line_of(judgement: Judgement) -> str:
    """Return a mutant with its outcome as a line of JSON."""
    return json.dumps(asdict(judgement)) + "\n"


def read(report: Path) -> tuple[Judgement, ...]:
    """Return the outcomes in a file of JSON lines, in the order of modules and lines."""
    stated = map(json.loads, report.read_text("utf-8").splitlines())
    return tuple(
        sorted((Judgement(**{**each, "mutant": Mutant(**each["mutant"])}) for each in stated), key=_place)
    )


def text_of(judgements: Sequence[Judgement], equivalents: Equivalents) -> str:
    """Return the table of packages, the survivors and the modules without mirrored tests."""
    return "\n".join((*_table(judgements, equivalents), "", *_lists(judgements, equivalents)))


def share_killed(judgements: Sequence[Judgement], equivalents: Equivalents) -> float:
    """Return the share of killed mutants among killed mutants and survivors that are not equivalent; 0 without mutants."""
    count = _count(judgements, equivalents)
    return count["killed"] / max(count["killed"] + count["survived"], 1)


def _count(judgements: Sequence[Judgement], equivalents: Equivalents) -> Counter[str]:
    """Count the outcomes, and mutants killed by the package again as ``package``. Example: killed 9, of them package 2."""
    return Counter(
        name
        for judgement in judgements
        for name in (_status(judgement, equivalents), *(("package",) if _late(judgement) else ()))
    )


def _status(judgement: Judgement, equivalents: Equivalents) -> str:
    survived = judgement.status == "survived"
    return "equivalent" if survived and equivalents.reason(judgement.mutant) else judgement.status


def _late(judgement: Judgement) -> bool:
    return judgement.status == "killed" and judgement.stage == "package"


def _table(judgements: Sequence[Judgement], equivalents: Equivalents) -> Iterator[str]:
    columns = ("killed", "package", "survived", "equivalent", "unclear")
    yield f"{'package':<12}" + "".join(f"{column:>12}" for column in (*columns, "coverage"))
    packages = sorted({package_of(judgement.mutant.module) for judgement in judgements})
    for name in (*packages, "all"):
        some = [j for j in judgements if name in ("all", package_of(j.mutant.module))]
        count = _count(some, equivalents)
        numbers = "".join(f"{count[column]:>12}" for column in columns)
        yield f"{name:<12}{numbers}{share_killed(some, equivalents):>12.1%}"


def _lists(judgements: Sequence[Judgement], equivalents: Equivalents) -> Iterator[str]:
    for status in ("survived", "equivalent", "unclear"):
        some = [j for j in judgements if _status(j, equivalents) == status]
        if some:
            yield f"{status}: {len(some)}"
            yield from (f"  {_line(judgement, equivalents)}" for judgement in some)
    without = sorted({j.mutant.module for j in judgements if not j.mirrored})
    if without:
        yield f"no mirrored test: {len(without)} modules"
        yield from (f"  {module}" for module in without)


def _line(judgement: Judgement, equivalents: Equivalents) -> str:
    mutant = judgement.mutant
    before, after = (" ".join(text.split()) for text in (mutant.before, mutant.after))
    reason = equivalents.reason(mutant)
    return f"{mutant.module}:{mutant.line}: {before} -> {after}" + (f" ({reason})" if reason else "")


def _place(judgement: Judgement) -> tuple[str, int, int]:
    return judgement.mutant.module, judgement.mutant.line, judgement.mutant.start
