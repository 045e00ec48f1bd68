"""Random calibration samples: real values drawn in the same way for every model, ids within the lengths of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.inputs import Input, inputs_among
from litecheck.cases.model_parts import entries
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Chain, Sample
from litecheck.errors import ConfigError
from litecheck.model.graph import wiring_of
from litecheck.model.options import options_of
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.compute_limits import reserve
from litecheck.reference.engine.entry_point import DRAWING, EntryPoint, entry
from litecheck.reference.runtime_tensors import NUMPY_TYPES
from litecheck.summary_text import count_of

#: Upper bound (exclusive) of random integers that are not ids, and of ids without a known table.
_SMALL = 10
#: Role kinds of inputs that select elements of a tensor, and of inputs that are bools.
_INDEX, _PREDICATE = "index", "predicate"
#: Numbers of channels of an image.
_CHANNELS = (1, 3, 4)


def random_data(model: Model, count: int, seed: int, signature: str | None = None) -> CalibrationData:
    """Return ``count`` samples of every entry point, or of a signature, the same for the same seed.

    Images (four dimensions, few channels) are uniform in -1..1, other real inputs normal. Inputs that are only read by
    operators on positive values are positive. Raises ConfigError for inputs that cannot be drawn.
    """
    ends = [(_key(model, subgraph, signature), subgraph) for subgraph in entries(model, signature)]
    plans = [(key, _plan(subgraph, entry(model, key))) for key, subgraph in ends]

    def chains() -> Iterator[Chain]:
        for key, draws in plans:
            for number in range(count):
                # Generator.spawn, which numpy 1.24 lacks, does the same.
                seeds = np.random.SeedSequence([seed, number]).spawn(len(draws))
                streams = map(np.random.default_rng, seeds)
                pairs = zip(draws.items(), streams, strict=True)
                yield (Sample({name: draw(rng) for (name, draw), rng in pairs}, key),)

    total = count * len(plans)
    described = f"{count_of(total, 'random sample')} of seed {seed}"
    return CalibrationData(chains, described, total, (_warning(total),))


def _warning(count: int) -> str:
    return (
        f"calibrated on {count_of(count, 'RANDOM sample')}: scales fit noise, not the data of use; "
        "good for trying out a device, not for use"
    )


_Draw = Callable[[np.random.Generator], NDArray[np.generic]]


def _key(model: Model, subgraph: Subgraph, signature: str | None) -> str | None:
    if signature is not None or not subgraph.index:
        return signature
    return next(one.key for one in model.signatures if one.subgraph == subgraph.index)


def _plan(subgraph: Subgraph, point: EntryPoint) -> dict[str, _Draw]:
    """Return the draw function of each input."""
    uses = {use.tensor.index: use for use in inputs_among(subgraph, subgraph.operators, subgraph.inputs)}
    return {name: _draw(subgraph, index, name, uses.get(index)) for name, index in point.inputs}


def _draw(subgraph: Subgraph, index: int, name: str, use: Input | None) -> _Draw:
    tensor = subgraph.tensors[index]
    held = np.dtype(NUMPY_TYPES.get(tensor.dtype, "O"))
    if held.kind not in "biuf" or min(tensor.shape, default=0) < 0:
        raise ConfigError(f"input {name!r} is {tensor.dtype}, which cannot be drawn; give data")
    reserve(tensor.shape, DRAWING, f"input {name!r}")
    if held.kind == "f":
        positive = use is not None and (use.positive or use.non_negative)
        image = len(tensor.shape) == 4 and tensor.shape[-1] in _CHANNELS
        return partial(_draw_reals, tensor.shape, held, positive, image)
    if tensor.quantization.scale.size and tensor.dtype in INTEGER_RANGES:
        return partial(_draw_integers, tensor.shape, held, *INTEGER_RANGES[tensor.dtype])
    kinds = _steered_roles(subgraph, index)
    unknown = kinds - {_INDEX, _PREDICATE}
    if unknown and held.kind != "b":
        raise ConfigError(
            f"input {name!r} is the {min(unknown)} of an operator, which cannot be drawn; give data"
        )
    most = 1 if held.kind == "b" else _ids(subgraph, index) - 1
    return partial(_draw_integers, tensor.shape, held, 0, most)


def _draw_reals(
    shape: tuple[int, ...], held: np.dtype[np.generic], positive: bool, image: bool, rng: np.random.Generator
) -> NDArray[np.generic]:
    values = rng.uniform(-1, 1, shape) if image else rng.normal(size=shape)
    return (np.abs(values) + 0.1 if positive else values).astype(held)


def _draw_integers(
    shape: tuple[int, ...], held: np.dtype[np.generic], least: int, most: int, rng: np.random.Generator
) -> NDArray[np.generic]:
    return rng.integers(least, most, shape, endpoint=True).astype(held)


def _readers(subgraph: Subgraph, index: int) -> Iterator[tuple[int, int]]:
    """Yield (operator, input) of all readers of a tensor, also after operators that only move or convert its values."""
    left, seen = [index], {index}
    while left:
        tensor = left.pop()
        for reader in wiring_of(subgraph).readers.get(tensor, ()):
            operator = subgraph.operators[reader]
            for place, operand in enumerate(operator.inputs):
                if operand != tensor:
                    continue
                yield operator.index, place
                onward = [o for o in operator.outputs if not place and o >= 0 and o not in seen]
                onward = [o for o in onward if _passes_integers(operator, subgraph.tensors[o])]
                seen.update(onward)
                left += onward


def _passes_integers(operator: Operator, output: Tensor) -> bool:
    """Return True if an operator passes the integers of its first input on, moved or in another type."""
    facts = traits_of(operator.kind)
    return facts.result == "moved" or (facts.elementwise == "unary" and output.dtype in INTEGER_RANGES)


def _steered_roles(subgraph: Subgraph, index: int) -> set[str]:
    """Return the kinds of roles in which a tensor controls operators, such as an index."""
    found = set()
    for number, place in _readers(subgraph, index):
        facts = traits_of(subgraph.operators[number].kind)
        role = facts.role(place)
        if facts.steers(role):
            found.add(facts.inputs[role])
    return found - {"forwarded"}


def _ids(subgraph: Subgraph, index: int) -> int:
    """Return the number of ids: the smallest number of rows of the tables in which the tensor selects."""
    most = []
    for number, place in _readers(subgraph, index):
        operator = subgraph.operators[number]
        facts = traits_of(operator.kind)
        if facts.inputs.get(facts.role(place)) == _INDEX:
            most += _rows(subgraph, number, place)
    return max(1, min(most, default=_SMALL))


def _rows(subgraph: Subgraph, number: int, place: int) -> list[int]:
    """Return the lengths that bound the ids of an operator: along its axis, or else all of data and outputs."""
    operator = subgraph.operators[number]
    others = [subgraph.tensors[i] for at, i in enumerate(operator.inputs) if at != place and i >= 0]
    data = max(others, key=lambda tensor: tensor.size, default=None)
    if data is None or not data.shape:
        return []
    axis = options_of(operator).get("axis")
    if isinstance(axis, int):
        return [data.shape[axis]] if -len(data.shape) <= axis < len(data.shape) else []
    return [*data.shape, *(n for o in operator.outputs if o >= 0 for n in subgraph.tensors[o].shape)]
