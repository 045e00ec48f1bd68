"""Traits that separate the failing cases of an operator from its passing cases."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.cases.probes.probe import Probe
from litecheck.diagnosis.contrast import distinguishing_traits
from litecheck.diagnosis.properties import Properties, properties
from litecheck.diagnosis.result import SharedTraits
from litecheck.model.load import model_from
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.verdict import CaseVerdict

#: Fewer failing cases share traits by chance.
_LEAST = 3


def failure_traits(
    suite: Suite, cases: Sequence[CaseEntry], verdicts: Sequence[CaseVerdict]
) -> tuple[SharedTraits, ...]:
    """Return traits of all failing cases of an operator that few or no passing cases have.

    For example, outputs of 300 and 400 channels fail and outputs of 100 and 200 pass: at least 300 channels, next 200.
    """
    pairs = [(case, verdict) for case, verdict in zip(cases, verdicts, strict=True) if not case.broken]
    failing = [case for case, verdict in pairs if verdict.ending.fails]
    passing = [case for case, verdict in pairs if verdict.ending.good]
    if len(failing) < _LEAST or not passing:
        return ()
    return distinguishing_traits(
        [_properties(suite, case) for case in failing], [_properties(suite, case) for case in passing]
    )


def _properties(suite: Suite, case: CaseEntry) -> Properties:
    model = model_from(suite.model(case), case.model)
    return properties(
        Probe(case.name, case.opcode, model, tuple(suite.inputs(case)), series=bool(case.lengths))
    )
