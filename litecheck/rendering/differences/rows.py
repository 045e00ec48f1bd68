"""Result rows of a difference between two models, for code hosting services and CI servers."""

from __future__ import annotations

from litecheck.differences.change import Change, ModelDifference
from litecheck.rendering import rows as result
from litecheck.rendering.differences import wording


def results(difference: ModelDifference) -> result.Results:
    """Return a row for each change that is a cause."""
    rows = tuple(_row(difference, change, n) for n, change in enumerate(difference.causes))
    kinds = dict.fromkeys(change.kind for change in difference.causes)
    rules = tuple(
        result.RowRule(f"diff/{kind}", wording.NOUNS[kind][0].capitalize(), f"Kind of change: {kind}.")
        for kind in kinds
    )
    word = wording.summary(difference)
    facts = (("litecheck", difference.version), *wording.facts(difference))
    cases = (
        tuple(result.JudgedCase(row.title, (row,)) for row in rows)
        if rows
        else (result.JudgedCase(f"{difference.first} -> {difference.second}"),)
    )
    subject = result.Subject(difference.second, difference.second, facts, rows, cases)
    properties = {
        "diff": {"before": difference.first, "after": difference.second, "changes": len(difference.changes)}
    }
    return result.Results(
        "litecheck diff", difference.version, difference.exit_code, word, (subject,), rules,
        tuple(result.annotate_rows(rows)), properties,
    )  # fmt: skip


def _row(difference: ModelDifference, change: Change, number: int) -> result.ResultRow:
    words, noun = wording.words(change), wording.NOUNS[change.kind][0]
    name = f" '{change.name}'" if change.name else ""
    text = f"{wording.place(change)}{name}"
    title = f"{text}: {noun}, {change.role}" if change.role else f"{text}: {noun}"
    place = result.RowPlace(difference.second, text, ((change.name, wording.place(change), "function"),))
    details = (("change", (words,)), ("before", (difference.first,)))
    parts = (
        difference.first,
        difference.second,
        change.kind,
        str(change.operator),
        str(change.other),
        change.role,
    )
    identity = result.digest(*parts, change.name, str(number))
    return result.ResultRow(
        f"diff/{change.kind}", "violation", f"{noun}: {words}", place, noun, words, details, title,
        (words,), fails=True, fingerprint=result.digest(*parts, words), identity=identity,
    )  # fmt: skip
