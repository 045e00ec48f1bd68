"""Inputs of a whole model: given or drawn; several in a row for a model with state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from litecheck.arrays import Array
from litecheck.model.types import Model, Subgraph
from litecheck.reference.engine.entry_point import drawable, entry

#: Smallest number of consecutive samples of a model with state.
CHAIN = 6


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """Source of a model's inputs.

    ``samples`` holds stored values by name, of the entry point ``signature`` (default: the first). Without samples,
    inputs are drawn from ``seed``.
    """

    signature: str | None = None
    samples: Sequence[Mapping[str, Array]] = ()
    seed: int = 0


def sample_inputs(model: Model, subgraph: Subgraph, drawing: Drawing) -> list[dict[int, Array]]:
    """Return the inputs of a subgraph by tensor, per sample: given samples if they are for this entry point, else
    drawn.

    Inputs that cannot be drawn, such as strings, are missing.
    """
    own = next((s.key for s in model.signatures if s.subgraph == subgraph.index), None)
    point = entry(model, drawing.signature or (own if subgraph.index else None))
    if drawing.samples and (drawing.signature or not subgraph.index):
        return [dict(zip(subgraph.inputs, point.arrange(sample), strict=True)) for sample in drawing.samples]
    out_of_reach = [name for name, index in point.inputs if not drawable(subgraph.tensors[index])]
    drawn = point.random(drawing.seed, out_of_reach)
    return [{index: drawn[name] for name, index in point.inputs if name in drawn}]


def in_a_row(
    model: Model, subgraph: Subgraph, drawing: Drawing, samples: list[dict[int, Array]]
) -> list[dict[int, Array]]:
    """Return samples for a model with state: given samples repeated, or further drawn samples.

    None are returned if the given samples have different shapes, because state has a fixed shape.
    """
    if drawing.samples:
        if len({tuple((i, a.shape) for i, a in sorted(sample.items())) for sample in samples}) > 1:
            return []
        return list(islice(cycle(samples), max(CHAIN, len(samples))))
    seeds = range(drawing.seed, drawing.seed + CHAIN)
    several = (Drawing(drawing.signature, (), seed) for seed in seeds)
    return [sample_inputs(model, subgraph, one)[0] for one in several]
