"""A comparison as result rows: one where the tensors differ by more than they may."""

from __future__ import annotations

from litecheck.rendering.records import ComparedTensors
from litecheck.rendering.rows import (
    JudgedCase,
    ResultRow,
    Results,
    RowPlace,
    RowRule,
    Subject,
    annotated,
    digest,
    lines_of,
)
from litecheck.rendering.wording.differences import labelled, verdict

_DIFFERS = RowRule("compare/differs", "The tensors differ.", "The device gives other values than expected.")


def results(compared: ComparedTensors) -> Results:
    """The row of one tensor against another."""
    from litecheck.version import __version__

    c, file = compared.comparison, compared.actual
    word, name = verdict(c), f"{compared.actual} against {compared.expected}"
    details = tuple(labelled(c))
    full = lines_of(details)
    rows, obstacles = [], []
    identity = digest("\0".join((compared.expected, file, word)))
    if not c.size:
        text = f"{name}: there is no element to compare"
        where = RowPlace(file, "tensor")
        obstacles = [ResultRow("compare/not-judged", "violation", text, where, title=text, identity=identity)]
    elif not c.within:
        gist = next(lines[0] for label, lines in details if label == "differ")
        where = RowPlace(file, name, ((file, file, "module"), (c.dtype, c.dtype, "variable")))
        rows = [
            ResultRow(
                _DIFFERS.id, "violation", word, where, word, gist, details, f"{name}: {word}", full,
                fails=True, fingerprint=identity, identity=identity,
            )
        ]  # fmt: skip
    cases = (JudgedCase(name, tuple(rows), aside=() if rows else full),) if c.size else ()
    facts = (("litecheck", __version__), ("verdict", word), ("expected", compared.expected), ("actual", file))
    return Results(
        "litecheck compare",
        __version__,
        c.exit_code,
        f"{name}: {word}",
        (Subject(name, file, facts, tuple(rows), cases, tuple(obstacles)),),
        (_DIFFERS,),
        tuple(annotated((*obstacles, *rows))),
        {"comparison": {"expected": compared.expected, "actual": file, "verdict": word}},
    )
