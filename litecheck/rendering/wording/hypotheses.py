"""Sentences on a diagnosis, common to all formats for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from litecheck.comparison.wording import gathering_sentence, shared_tail_sentence
from litecheck.diagnosis.result import Contrast, Diagnosis, ExcludedCandidate, OperatorDiagnosis
from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.wording import agreements
from litecheck.rendering.wording.contrasts import contrast_sentences, unsteady_sentence
from litecheck.summary_text import count_of

#: Verdict on the device by exit code.
VERDICTS = {0: "conforms", 1: "fails", 2: "not checked"}
#: Conclusions that leave an operator unexplained, each as a sentence.
UNEXPLAINED = {
    "unknown": "No variant gives every output of the device.",
    "not repeatable": "The device has different outputs for the same input.",
}
#: Exclusions shown for each operator; the JSON document has all.
_SHOWN = 4
#: Names of probes that fail or pass.
_NAMES = 6
_MESSAGE = 160


def models(diagnosis: Diagnosis) -> str:
    """Return ``net.tflite and other.tflite``, by the files' names; "" without models."""
    return " and ".join(visible(PurePath(model).name) for model in diagnosis.models)


def headline(diagnosis: Diagnosis) -> str:
    """Return the verdict, with the published arithmetic under which the explained operators are exact."""
    verdict, exact = VERDICTS[diagnosis.exit_code], agreements.headline(diagnosis.agreement)
    return f"{verdict}: {exact}" if exact and not diagnosis.exit_code else verdict


def agreed_arithmetics(diagnosis: Diagnosis) -> str:
    """Return the published arithmetics of the explained operators."""
    explained = sum(bool(d.fits and d.fits[0].published) for d in diagnosis.operators)
    return agreements.agreement_sentence(diagnosis.agreement, explained, len(diagnosis.operators))


def summary(diagnosis: Diagnosis) -> str:
    """Return the number of compared outputs, probes and inferences."""
    elements = sum(d.elements for d in diagnosis.operators)
    probes = sum(d.probes for d in diagnosis.operators)
    inferences = sum(d.inferences for d in diagnosis.operators)
    own = f", with the operators of {models(diagnosis)}" if diagnosis.models else ""
    asked = f" in {count_of(inferences, 'inference')}" if inferences else ""
    return f"{count_of(elements, 'output')} of {count_of(probes, 'probe')}{asked}{own}"


def tally(diagnosis: Diagnosis) -> str:
    """Return ``12 kinds of operators: 10 identified, 2 unknown``."""
    ends = Counter(d.conclusion for d in diagnosis.operators)
    told = ", ".join(f"{number:,} {conclusion}" for conclusion, number in ends.items())
    kinds = count_of(len(diagnosis.operators), "kind of operator", "kinds of operators")
    return f"{kinds}: {told}" if told else kinds


def candidate_text(d: OperatorDiagnosis) -> str:
    """Return the most usual candidate that fits, or the conclusion."""
    if d.conclusion == "not repeatable":
        return f"not repeatable; mostly {d.fits[0]}" if d.fits else "not repeatable"
    return str(d.fits[0]) if d.fits else d.conclusion


def notes(d: OperatorDiagnosis) -> str:
    """Return the note of a row: the number of ambiguous candidates and of unanswered probes."""
    more = count_of(len(d.fits) - 1, "other") + " ambiguous" if len(d.fits) > 1 else ""
    missing = f"{len(d.unanswered)} not answered" if d.unanswered and d.probes else ""
    return ", ".join(filter(None, (more, missing)))


def problems(d: OperatorDiagnosis) -> Iterator[str]:
    """Yield problems: answers that do not repeat, and the nearest candidate with evidence if no variant fits."""
    for u in d.unsteady:
        odd = f"{u.odd:,} of {u.asked:,} inferences on '{u.probe}'"
        yield f"{odd} differ from other inferences on the same input: {unsteady_sentence(u)}"
    if d.nearest:
        share = f"{d.nearest.differing:,} of {d.nearest.size:,} outputs differ"
        yield f"nearest is {d.nearest.example.way}: {share}"
        yield f"such as {excluded_sentence(d.nearest.example)}"
    if d.contrast:
        yield from _contrast(d.contrast)
    if d.fault:
        yield f"a known fault of this runtime: {visible(d.fault)}"


def _contrast(contrast: Contrast) -> Iterator[str]:
    for one, many, names in (("fails", "fail", contrast.failing), ("passes", "pass", contrast.passing)):
        if names:
            verb = one if len(names) == 1 else many
            yield f"{count_of(len(names), 'probe')} {verb}: {_names_text(names)}"
    yield from (f"distinguished by: {sentence}" for sentence in contrast_sentences(contrast))
    if contrast.tail:
        yield shared_tail_sentence(contrast.tail, "failing probes")
    yield from (f"differences of '{contrast.patterned}': {gathering_sentence(p)}" for p in contrast.patterns)


def _names_text(names: Sequence[str]) -> str:
    shown = "; ".join(visible(name) for name in names[:_NAMES])
    return shown + (f"; and {len(names) - _NAMES} more" if len(names) > _NAMES else "")


def evidence(d: OperatorDiagnosis) -> Iterator[str]:
    """Yield ambiguous candidates, then excluded candidates (published first), each with an example element."""
    yield from (f"same outputs for all inputs: {hypothesis}" for hypothesis in d.fits[1:])
    known = sorted(d.excluded, key=lambda excluded: not excluded.way.published)
    yield from (f"not {excluded.way}: {excluded_sentence(excluded)}" for excluded in known[:_SHOWN])
    rest = known[_SHOWN:]
    if rest:
        yield f"not {count_of(len(rest), 'further variant')}"


def excluded_sentence(e: ExcludedCandidate) -> str:
    """Return ``'ties' [0, 0, 0, 17], accumulator -1234: would be 5, is 6; 1,021 of 4,099 differ``."""
    where = f"'{e.probe}' {list(e.index)}" + (f" of run {e.run}" if e.run else "")
    if e.accumulator is not None:
        where += f", accumulator {e.accumulator}"
    elif e.inputs:
        where += f", stored {' and '.join(map(str, e.inputs))}"
    return f"{where}: would be {e.expected:g}, is {e.actual:g}; {e.differing:,} of {e.size:,} differ"


def silent(d: OperatorDiagnosis) -> Iterator[str]:
    """Yield the reasons for unanswered probes, each once."""
    reasons = ((u.outcome.text, "; ".join((u.fault or u.message).splitlines())) for u in d.unanswered)
    yield from dict.fromkeys(f"{outcome}: {shorten(reason, _MESSAGE)}" for outcome, reason in reasons)


def operator_names(d: OperatorDiagnosis, sentences: Sequence[str]) -> Iterator[str]:
    """Yield the models' names of operators that the sentences name by number."""
    for owned in d.owned:
        if any(f"{owned.called}, " in sentence for sentence in sentences):
            yield f"{owned.called} is '{shorten(owned.title)}'"
