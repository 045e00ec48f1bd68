"""What the data of JSON documents say, in sentences beside them: for readers that show and do not compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from litecheck.compare.types import Gathering
from litecheck.compare.wording.elements import element_sentence
from litecheck.compare.wording.patterns import gathering_sentence
from litecheck.verify.outcome import Verdict


def with_sentences(record: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    """A verdict's JSON with ``gathers`` beside ``patterns``, and ``sentence`` of the element that is explained."""
    differences, causes = [], []
    for told, difference in zip(record["differences"], verdict.differences, strict=True):
        explained = told["explained"]
        if difference.explained is not None:
            explained = {"sentence": element_sentence(difference.explained), **explained}
        differences.append({**with_patterns(told, difference.patterns), "explained": explained})
    for told, cause in zip(record["causes"], verdict.causes, strict=True):
        causes.append(with_patterns(told, cause.patterns))
    return {**record, "differences": differences, "causes": causes}


def with_patterns(record: Mapping[str, Any], patterns: Sequence[Gathering]) -> dict[str, Any]:
    """What has patterns, with all of them in sentences."""
    return {**record, "gathers": list(map(gathering_sentence, patterns))}
