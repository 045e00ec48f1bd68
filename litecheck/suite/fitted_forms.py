"""Forms fitted to a profile: shapes and options for an operator whose first form violates limits of the profile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from litecheck.cases.geometry.covering_array import Row, covering
from litecheck.cases.geometry.design import STRENGTHS, Design, design_of, rows_of
from litecheck.cases.geometry.layout import Layout
from litecheck.errors import ProfileError
from litecheck.profile.generate.plan_solver import UnsolvableError
from litecheck.profile.types import OperatorRule, Profile
from litecheck.suite.case_templates import CaseTemplate, templates_of
from litecheck.suite.drafts import broken_limits, draft_form
from litecheck.suite.option_combinations import Choice, choices

#: Factors that can have any size, and sizes that a chip can require and no design lists.
_SIZED = (
    "height",
    "width",
    "channels",
    "outputs",
    "depth",
    "units",
    "rows",
    "columns",
    "elements",
    "inner",
    "length",
)
_SIZES = tuple(map(str, (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256)))
#: Name of the fitted form in names of cases.
_FITTED = "fitted"


def forms_for(profile: Profile, rule: OperatorRule, kind: str) -> tuple[CaseTemplate, ...]:
    """Return the forms of an operator, behind a fitted form if the profile forbids the first one.

    The first form has every set of parameters. Example: with ``input.channels: {multiple_of: 8}`` the first form of
    CONV_2D (3 channels) violates the profile, and the fitted form has 8 channels.
    """
    forms, design = templates_of(rule.opcode).forms, design_of(rule.opcode)
    choice = next(choices(profile, rule, kind), None)
    if not forms or choice is None or design is None or _takes_first(profile, rule, kind):
        return forms
    row = fitted_row(profile, rule, choice, design)
    layout = design.layout_of(row) if row else None
    return forms if layout is None else (replace(form_of(forms[0], layout, _FITTED), level="smoke"), *forms)


def _takes_first(profile: Profile, rule: OperatorRule, kind: str) -> bool:
    """Return True if a rule accepts the first form of its operator under a choice of types and granularities."""
    first = templates_of(rule.opcode).forms[0]
    return any(fits(profile, rule, first, choice) for choice in choices(profile, rule, kind))


def fitted_rows(profile: Profile, rule: OperatorRule, choice: Choice, strength: int) -> dict[int, Row]:
    """Return the rows of an operator's covering array that the profile allows, by number.

    Further rows have allowed values for the combinations of the other rows. A forbidden size becomes the next multiple
    of the size in the fitted row. Example: 17 channels become 24, if the fitted row has 8.
    """
    design, rows = design_of(rule.opcode), rows_of(rule.opcode, strength)
    known: dict[tuple[str, ...], bool] = {}

    def allowed(row: Row) -> bool:
        key = tuple(row.values())
        if key not in known:
            known[key] = design is not None and _count_violated(profile, rule, choice, design, row) == 0
        return known[key]

    kept = {number: row for number, row in enumerate(rows) if allowed(row)}
    row = None if design is None or len(kept) == len(rows) else fitted_row(profile, rule, choice, design)
    if design is None or row is None:
        return kept
    there = {value for other in kept.values() for value in other.items()}
    factors = {
        name: _allowed_values(name, values, row, allowed, [v for v in values if (name, v) in there])
        for name, values in design.factors.items()
    }
    extremes = design.all_extremes if strength == min(STRENGTHS.values()) else ()
    beyond = (_round_sizes(row, extreme, allowed) for extreme in extremes)
    made = (*covering(factors, strength, allowed, kept.values()), *filter(allowed, beyond))
    new = {tuple(row.values()): row for row in made if row not in kept.values()}
    return kept | dict(enumerate(new.values(), len(rows)))


def _allowed_values(
    name: str, values: Iterable[str], row: Row, allowed: Callable[[Row], bool], known: Collection[str]
) -> tuple[str, ...]:
    """Return the value of a row, values that are allowed with it or known to be allowed, and two and three times a size
    without allowed values."""
    rounded = (v if v in known else _round_sizes(row, {name: v}, allowed)[name] for v in values)
    listed = [v for v in dict.fromkeys(rounded) if v in known or allowed({**row, name: v})]
    if listed == [row[name]] and name in _SIZED:
        listed += [value for n in (2, 3) if allowed({**row, name: (value := str(int(row[name]) * n))})]
    return row[name], *(value for value in listed if value != row[name])


def _round_sizes(row: Row, changed: Row, allowed: Callable[[Row], bool]) -> Row:
    """Return the row with changed values, each forbidden size as the next multiple of the size in the row.

    Example: 17 channels become 24 in a row with 8.
    """
    made = dict(row)
    for name, value in changed.items():
        made[name] = value
        if name in _SIZED and not allowed({**row, name: value}):
            made[name] = str(-(-int(value) // int(row[name])) * int(row[name]))
    return made


def form_of(first: CaseTemplate, layout: Layout, name: str) -> CaseTemplate:
    """Return the form of a layout, with further operands and options from the first form of the operator."""
    unfused = {k: v for k, v in first.options.items() if k != "fused_activation_function"}
    operands = {**first.operands, **layout.operands}
    options = {**unfused, **layout.options}
    return replace(first, name=name, operands=operands, options=options, results=layout.results)


def fits(profile: Profile, rule: OperatorRule, form: CaseTemplate, choice: Choice) -> bool:
    """Return True if a rule accepts a form."""
    try:
        draft_form(profile, rule, form, choice)
    except (UnsolvableError, ProfileError):
        return False
    return True


def fitted_row(profile: Profile, rule: OperatorRule, choice: Choice, design: Design) -> Row | None:
    """Return values of the geometric factors that the limits of a rule allow; None if none are found.

    The search starts with the usual values. Each step changes the value of one factor so that fewer limits are violated.
    """
    row = design.usual
    left = _count_violated(profile, rule, choice, design, row)
    while left:
        better = ((n, other) for other in _neighbors(design, row)
                  if (n := _count_violated(profile, rule, choice, design, other)) is not None)  # fmt: skip
        found = next(((n, other) for n, other in better if n < left), None)
        if found is None:
            return None
        left, row = found
    return None if left is None else row


def _count_violated(
    profile: Profile, rule: OperatorRule, choice: Choice, design: Design, row: Row
) -> int | None:
    """Count the limits that the layout of a row violates; None for a row without a layout, or if no limit is the reason."""
    layout = design.layout_of(row)
    if layout is None:
        return None
    form = form_of(templates_of(rule.opcode).forms[0], layout, _FITTED)
    if fits(profile, rule, form, choice):
        return 0
    try:
        return len(broken_limits(profile, rule, form, choice)) or None
    except ProfileError:  # shapes that do not match
        return None


def _neighbors(design: Design, row: Row) -> Iterator[Row]:
    """Yield rows with another value of one factor: those of the design, and further sizes."""
    for name, value in row.items():
        for other in dict.fromkeys((*design.factors[name], *(_SIZES if name in _SIZED else ()))):
            if other != value:
                yield {**row, name: other}
