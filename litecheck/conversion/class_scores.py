"""Outputs of a float model that are class scores: only their order matters."""

from __future__ import annotations

from litecheck.model.graph import graph_of
from litecheck.model.tensor_matching import origin_of
from litecheck.model.types import Operator, Subgraph
from litecheck.profile.operators import OperatorTraits, traits_of

#: Largest value of a probability, and of its logarithm.
_HIGHEST = (1.0, 0.0)
#: Difference in dB from which the SNR of a probability hides that of its logits, and SNR from which logits are good.
_HIDDEN, _GOOD = 3.0, 30.0


def is_hidden(logits: float, output: float) -> bool:
    """Return True if an output hides a loss of its logits; both are SNRs in dB.

    Example: 14 dB behind probabilities of 44.5 dB. 40 dB are no loss.
    """
    return logits < _GOOD and logits <= output - _HIDDEN


def is_class_scores(subgraph: Subgraph, output: int) -> bool:
    """Return True if an output has a probability or a sum of products for each class.

    Changes of the shape or the type do not matter. An output with the size of an input is an image or a signal. Examples:
    SOFTMAX, or FULLY_CONNECTED from 64 values to 10, but not from 640 values to the 640 of an autoencoder.
    """
    traits = _producer_traits(subgraph, output)
    if traits is None:
        return False
    low, high = traits.bounds
    normalized = high in _HIGHEST and low in (0.0, -float("inf"))
    sizes = {subgraph.tensors[index].size for index in subgraph.inputs}
    return (normalized or traits.over == "row") and subgraph.tensors[output].size not in sizes


def is_probabilities(subgraph: Subgraph, output: int) -> bool:
    """Return True if the values of a row of an output add up to 1, so that nearly all are close to 0. Example: SOFTMAX."""
    traits = _producer_traits(subgraph, output)
    return traits is not None and traits.bounds == (0.0, 1.0) and not traits.elementwise


def logits_of(subgraph: Subgraph, output: int) -> int | None:
    """Return the logits of an output, or None if the output is no probability.

    Changes of the shape or the type do not matter. Example: the input of a last SOFTMAX or LOGISTIC.
    """
    producer = _producer(subgraph, output)
    if producer is None or not traits_of(producer.kind).probability:
        return None
    return producer.inputs[0]


def output_logits(subgraph: Subgraph) -> tuple[int, ...]:
    """Return the logits of all outputs of a subgraph that are probabilities."""
    found = (logits_of(subgraph, output) for output in subgraph.outputs)
    return tuple(dict.fromkeys(logits for logits in found if logits is not None))


def _producer_traits(subgraph: Subgraph, output: int) -> OperatorTraits | None:
    producer = _producer(subgraph, output)
    return None if producer is None else traits_of(producer.kind)


def _producer(subgraph: Subgraph, output: int) -> Operator | None:
    """Return the operator that computes an output, before changes of the shape and the type."""
    graph, tensor = graph_of(subgraph), output
    for _ in subgraph.operators:
        tensor = origin_of(subgraph, tensor)
        operator = subgraph.operators[graph.producer[tensor]]
        if graph.producer[tensor] < 0 or not traits_of(operator.kind).view:
            break
        tensor = operator.inputs[0]
    producer = graph.producer[tensor]
    return subgraph.operators[producer] if producer >= 0 else None
