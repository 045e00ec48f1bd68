"""Sentences on models with variables: the series of inferences that exercised an operator's state."""

from __future__ import annotations

from litecheck.cases.variable_state import SeriesTried
from litecheck.summary_text import counted

_BECAUSE = {"device": "the device hands no state on", "budget": "the budget went to other cases"}


def series_sentence(tried: SeriesTried) -> str:
    """Return ``5 series of up to 4 inferences, state handed on and reset between them; 'state' from -812 to 32,767``."""
    if not tried.series:
        return f"every inference from the initial state: {_BECAUSE[tried.because]}"
    counts = f"{counted(tried.series, 'series', 'series')} of up to {counted(tried.longest, 'inference')}"
    begun = ", some begun at the ends of the variables" if tried.begun else ""
    reached = ", ".join(f"'{r.name}' from {r.least:,.6g} to {r.greatest:,.6g}" for r in tried.reached)
    went = f"; {reached}" if reached else ""
    return f"{counts}, state handed on and reset between them{begun}{went}"
