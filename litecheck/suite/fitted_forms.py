"""Forms fitted to a profile: shapes and options for an operator whose first form violates limits of the profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from litecheck.cases.geometry.covering import Row, covering
from litecheck.cases.geometry.design import STRENGTHS, Design, design_of, rows_of
from litecheck.cases.geometry.layout import Layout
from litecheck.errors import ProfileError
from litecheck.profile.generate.conforming import UnsolvableError
from litecheck.profile.types import OperatorRule, Profile
from litecheck.suite.case_templates import CaseTemplate, templates_of
from litecheck.suite.choices import Choice, choices
from litecheck.suite.drafts import broken_limits, drafted

#: Factors that can have any size, and sizes that a chip may require and a design does not list.
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
    layout = design.laid_out(row) if row else None
    return forms if layout is None else (replace(form_of(forms[0], layout, _FITTED), level="smoke"), *forms)


def _takes_first(profile: Profile, rule: OperatorRule, kind: str) -> bool:
    """Return True if a rule accepts the first form of its operator under a choice of types and granularities."""
    first = templates_of(rule.opcode).forms[0]
    return any(fits(profile, rule, first, choice) for choice in choices(profile, rule, kind))


def fitted_rows(profile: Profile, rule: OperatorRule, choice: Choice, strength: int) -> tuple[Row, ...]:
    """Return the covering array of an operator, of values that the profile allows if it forbids the first form.

    A forbidden size becomes the next multiple of the size in the fitted form. Example: 17 channels become 24, if the fitted
    form has 8. Extremes follow the pairs, as in :func:`rows_of`.
    """
    design = design_of(rule.opcode)
    if design is None or _takes_first(profile, rule, choice.kind):
        return rows_of(rule.opcode, strength)
    row = fitted_row(profile, rule, choice, design)
    if row is None:
        return rows_of(rule.opcode, strength)

    def allowed(other: Row) -> bool:
        return _violated(profile, rule, choice, design, other) == 0

    factors = {name: _allowed_values(name, values, row, allowed) for name, values in design.factors.items()}
    extremes = design.extremes if strength == min(STRENGTHS.values()) else ()
    beyond = [_rounded(row, extreme, allowed) for extreme in extremes]
    unique = (other for number, other in enumerate(beyond) if other not in beyond[:number])
    return (*covering(factors, strength, allowed), *filter(allowed, unique))


def _allowed_values(
    name: str, values: Sequence[str], row: Row, allowed: Callable[[Row], bool]
) -> tuple[str, ...]:
    """Return the value of a row and those that are allowed beside it, and two and three times a size without any."""
    rounded = (_rounded(row, {name: value}, allowed)[name] for value in values)
    listed = [value for value in dict.fromkeys(rounded) if allowed({**row, name: value})]
    if listed == [row[name]] and name in _SIZED:
        listed += [value for n in (2, 3) if allowed({**row, name: (value := str(int(row[name]) * n))})]
    return row[name], *(value for value in listed if value != row[name])


def _rounded(row: Row, changed: Row, allowed: Callable[[Row], bool]) -> Row:
    """Return the row with changed values, each forbidden size as the next multiple of the size in the row.

    Example: 17 channels beside 8 become 24.
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
        drafted(profile, rule, form, choice)
    except (UnsolvableError, ProfileError):
        return False
    return True


def fitted_row(profile: Profile, rule: OperatorRule, choice: Choice, design: Design) -> Row | None:
    """Return values of the geometric factors that the limits of a rule allow; None if none are found.

    The search starts with the usual values. Each step changes the value of one factor so that fewer limits are violated.
    """
    row = design.usual
    left = _violated(profile, rule, choice, design, row)
    while left:
        better = ((n, other) for other in _neighbors(design, row)
                  if (n := _violated(profile, rule, choice, design, other)) is not None)  # fmt: skip
        found = next(((n, other) for n, other in better if n < left), None)
        if found is None:
            return None
        left, row = found
    return None if left is None else row


def _violated(profile: Profile, rule: OperatorRule, choice: Choice, design: Design, row: Row) -> int | None:
    """Count the limits that the layout of a row violates; None for a row without a layout, or if no limit is the reason."""
    layout = design.laid_out(row)
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
