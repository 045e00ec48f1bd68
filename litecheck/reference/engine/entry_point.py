"""Entry point of a model: a subgraph or a signature, the names of its inputs and outputs, and a check of given inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from litecheck.errors import wrong_type
from litecheck.input_shapes import shape_mismatch
from litecheck.model.types import Model, Subgraph, Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.compute_limits import fits, reserve
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, RunError

#: Bytes per element of a random input: a float64 or int64, an intermediate copy, and the stored value.
DRAWING = 24


@dataclass(frozen=True, slots=True, eq=False)
class EntryPoint:
    """Entry point: (name, tensor index) of every input and output. Names are unique."""

    subgraph: Subgraph
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]

    def arrange(self, inputs: Mapping[str, Array] | tuple[Array, ...]) -> tuple[Array, ...]:
        """Return the arrays in the order of the subgraph's inputs, each checked. Raises RunError for a wrong array."""
        _check_arrays(inputs)
        given = self._by_name(inputs) if isinstance(inputs, Mapping) else self._in_order(tuple(inputs))
        missing = [self.name(i) for i in self.subgraph.inputs if i not in given]
        if missing:
            raise RunError(f"input {missing[0]!r} is missing")
        names = {i: name for name, i in reversed(self.inputs)}
        return tuple(
            _check_input(self.subgraph.tensors[i], names.get(i, f"tensor {i}"), given[i])
            for i in self.subgraph.inputs
        )

    def name(self, index: int) -> str:
        """Return the name of an input at this entry point."""
        return next((name for name, i in self.inputs if i == index), f"tensor {index}")

    def random(self, seed: int, given: Collection[str] = ()) -> dict[str, Array]:
        """Return random values for every input except ``given``. The values depend only on the seed.

        Types of up to 16 bits have uniformly distributed stored values, wider integers values from 0 to 9, floats
        normally distributed values.
        """
        seeds = np.random.SeedSequence(seed).spawn(len(self.inputs))
        pairs = [(pair, np.random.default_rng(s)) for pair, s in zip(self.inputs, seeds, strict=True)]
        return {
            name: _draw(self.subgraph.tensors[i], name, rng) for (name, i), rng in pairs if name not in given
        }

    def _in_order(self, inputs: tuple[Array, ...]) -> dict[int, Array]:
        if len(inputs) != len(self.inputs):
            raise RunError(f"the model takes {len(self.inputs)} inputs, {len(inputs)} were given")
        return dict(zip((index for _, index in self.inputs), inputs, strict=True))

    def _by_name(self, inputs: Mapping[str, Array]) -> dict[int, Array]:
        known = {self.subgraph.tensors[i].name: i for _, i in self.inputs} | dict(self.inputs)
        unknown = [name for name in inputs if name not in known]
        if unknown:
            there = ", ".join(name for name, _ in self.inputs) or "none"
            raise RunError(f"there is no input {unknown[0]!r}; there are {there}")
        return {known[name]: array for name, array in inputs.items()}


def entry(model: Model, signature: str | None = None) -> EntryPoint:
    """Return the entry point of a signature, or the first subgraph without one. Raises RunError for an unknown signature."""
    if signature is None:
        if not model.subgraphs:
            raise RunError("the model has no subgraph")
        main = model.subgraphs[0]
        return EntryPoint(main, unique_names(main, main.inputs), unique_names(main, main.outputs))
    found = next((s for s in model.signatures if s.key == signature), None)
    if found is None:
        known = ", ".join(s.key for s in model.signatures) or "none"
        raise RunError(f"there is no signature {signature!r}; there are {known}")
    return EntryPoint(model.subgraphs[found.subgraph], found.inputs, found.outputs)


def unique_names(subgraph: Subgraph, indexes: Iterable[int]) -> tuple[tuple[str, int], ...]:
    """Return unique names of tensors. A tensor without a name, or with the name of an earlier tensor, gets its number."""
    names: dict[str, int] = {}
    for at, index in enumerate(indexes):
        name = subgraph.tensors[index].name or f"tensor {index}"
        name = f"{name} (tensor {index})" if name in names else name
        names[f"{name} ({at})" if name in names else name] = index
    return tuple(names.items())


def drawable(tensor: Tensor) -> bool:
    """Return True if numpy arrays of a tensor's type and shape exist."""
    return tensor.dtype in NUMPY_TYPES and min(tensor.shape, default=0) >= 0


def affordable(tensor: Tensor) -> bool:
    """Return True if random values of a tensor can be drawn within the memory limit."""
    return drawable(tensor) and fits(tensor.shape, DRAWING)


def _draw(tensor: Tensor, name: str, rng: np.random.Generator) -> Array:
    if not drawable(tensor):
        what = f"of shape {list(tensor.shape)}" if tensor.dtype in NUMPY_TYPES else tensor.dtype
        raise RunError(f"input {name!r} is {what}, which cannot be drawn")
    dtype = np.dtype(NUMPY_TYPES[tensor.dtype])
    low, high = INTEGER_RANGES.get(tensor.dtype, (0, 1))
    low, high = (low, high) if high < 2**16 else (0, 9)
    reserve(tensor.shape, DRAWING, f"input {name!r}")
    try:
        if dtype.kind == "f":
            return rng.normal(size=tensor.shape).astype(dtype)
        return rng.integers(low, high, tensor.shape, endpoint=True).astype(dtype)
    except (MemoryError, ValueError) as error:
        raise RunError(
            f"input {name!r} of shape {list(tensor.shape)} cannot be drawn: it is too large"
        ) from error


def _check_arrays(inputs: object) -> None:
    """Raise TypeError for inputs that are not arrays."""
    several = list(inputs.values()) if isinstance(inputs, Mapping) else inputs
    dtype = several if isinstance(several, (tuple, list)) else [inputs]
    wrong = [value for value in dtype if not isinstance(value, (np.ndarray, np.generic))]
    if wrong or dtype is not several:
        call = "litecheck.run(model, (array,)), or litecheck.run(model, {'input': array})"
        raise wrong_type("run", "arrays, by name or in the model's order", (wrong or dtype)[0], call)


def _check_input(tensor: Tensor, name: str, array: Array) -> Array:
    if tensor.dtype not in NUMPY_TYPES:
        raise RunError(f"input {name!r} is {tensor.dtype}, which cannot be given")
    if array.dtype != np.dtype(NUMPY_TYPES[tensor.dtype]):
        raise RunError(f"input {name!r} is {tensor.dtype}, got {array.dtype}")
    wanted = tensor.shape_signature or tensor.shape
    fits = len(wanted) == array.ndim and all(w in (-1, n) for w, n in zip(wanted, array.shape, strict=True))
    if not fits:
        raise RunError(shape_mismatch(name, array.shape, wanted))
    return array
