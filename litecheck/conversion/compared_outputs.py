"""Outputs of a float and a converted model that are compared, with the logits of probabilities."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.conversion.class_scores import logits_of
from litecheck.conversion.litert_pairs import Pair
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.reference.engine.entry_point import entry


@dataclass(frozen=True, slots=True)
class ComparedOutput:
    """An output of an entry point: signature, name, and the tensors in both models.

    ``logits`` are the tensors of its logits, or None if the output is no probability in both models.
    """

    signature: str | None
    name: str
    pair: Pair
    logits: Pair | None = None


def compare_outputs(reference: Model, converted: Model) -> tuple[ComparedOutput, ...]:
    """Return the outputs of all entry points. Raises ConfigError for different numbers of outputs."""
    keys = [None, *(one.key for one in reference.signatures if one.subgraph)]
    found: list[ComparedOutput] = []
    for key in keys:
        one, other = entry(reference, key), entry(converted, key)
        if len(one.subgraph.outputs) != len(other.subgraph.outputs):
            raise ConfigError("the converted model has not as many outputs as the float one")
        names = {index: name for name, index in one.outputs}
        for mine, theirs in zip(one.subgraph.outputs, other.subgraph.outputs, strict=True):
            pair = (one.subgraph.index, mine), (other.subgraph.index, theirs)
            name = names.get(mine, one.subgraph.tensors[mine].name)
            found.append(ComparedOutput(key, name, pair, _logits_pair(reference, converted, pair)))
    return tuple(found)


def _logits_pair(reference: Model, converted: Model, pair: Pair) -> Pair | None:
    """Return the logits of an output in both models, if both have them with the same size."""
    (one, mine), (other, theirs) = pair
    subgraphs = reference.subgraphs[one], converted.subgraphs[other]
    first, second = logits_of(subgraphs[0], mine), logits_of(subgraphs[1], theirs)
    if first is None or second is None:
        return None
    tensors = subgraphs[0].tensors[first], subgraphs[1].tensors[second]
    return ((one, first), (other, second)) if tensors[0].size == tensors[1].size else None
