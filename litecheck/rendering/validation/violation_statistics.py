"""Statistics of a validation: violations of each requirement and models with them, the most frequent first."""

from __future__ import annotations

from litecheck.finding import LEVELS, Finding
from litecheck.rendering.columns import break_lines
from litecheck.rendering.escape import visible
from litecheck.rendering.validation.configuration import options_line
from litecheck.report import Report
from litecheck.summary_text import count_of


def statistics(report: Report, columns: int | None = None) -> str:
    """Return a line for each requirement and level (without waived findings), and a summary of the run.

    Lines are broken between words to ``columns``, if any.
    """
    found: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for model in report.models:
        for finding in model.active:
            found.setdefault((finding.path, finding.level), []).append((model.name, finding))
    order = sorted(found, key=lambda key: (-len(found[key]), -LEVELS.index(found[key][0][1].level), key))
    width = max((len(f"{len(rows):,}") for rows in found.values()), default=0)
    lines = []
    for path, level in order:
        rows = found[path, level]
        models = count_of(len({name for name, _ in rows}), "model")
        lines.append(f"{len(rows):>{width},}  {level:<9}  {path}  {rows[0][1].title} ({models})")
    told = (visible(line) for line in (*lines, *filter(None, [options_line(report)]), report.summary))
    return "".join(f"{line}\n" for line in break_lines(told, columns, " " * (width + 2)))
