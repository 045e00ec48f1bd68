"""A batch: one operator computed at once, each element or row of whose output is a line of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe
from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.operators import facts_of

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """What each line of a batch has in one field: ``values`` has one row a line, of one number or of several.

    ``bits``: the numbers are those of float32, and are written in eight hexadecimal digits. ``many`` is the field that
    says how many numbers there are, where it is not one.
    """

    name: str
    values: Ints
    bits: bool = False
    many: str = ""

    @property
    def title(self) -> str:
        """``acc``, ``scale:f32``, ``x*k``."""
        return f"{self.name}:f32" if self.bits else f"{self.name}*{self.many}" if self.many else self.name


def column(name: str, values: Array | int, lines: int, many: str = "") -> Column:
    """A field of integers, the same in each line where there is one number only."""
    made = np.asarray(values, np.int64)
    return Column(name, np.broadcast_to(made, (lines, *made.shape[1:])), many=many)


def real_column(name: str, values: Array | np.float32, lines: int) -> Column:
    """A field of float32, by their bits."""
    made = np.asarray(values, np.float32).view(np.uint32).astype(np.int64)
    return Column(name, np.broadcast_to(made, (lines, *made.shape[1:])), bits=True)


@dataclass(frozen=True, slots=True, eq=False)
class VectorBatch:
    """What is computed, and what its lines say of it; the n-th line is the n-th row of ``rows`` of the output."""

    probe: Probe
    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def rows(self, output: Array) -> Ints:
        """An output as the answers to the lines, (lines, values)."""
        return output.reshape(len(self), -1).astype(np.int64)


def tensors_of(probe: Probe) -> tuple[Mapping[str, Tensor], Mapping[str, Array]]:
    """The tensors of a probe's operator by role, and the stored integers of those that hold some or are given."""
    graph = probe.subgraph
    found = facts_of(probe.opcode).tensors(graph.operators[0])
    given = dict(zip(graph.inputs, probe.runs[0], strict=True))

    def held() -> Iterator[tuple[str, Array]]:
        for role, index in found.items():
            values = given[index] if index in given else stored_integers(graph.tensors[index])
            if values is not None:
                yield role, values

    return {role: graph.tensors[index] for role, index in found.items()}, dict(held())


def lines_of(first: int, columns: tuple[Column, ...], flags: Ints) -> bytes:
    """Lines of text: the number, every field, and in the end the flags in hexadecimal digits."""
    words = ["%d"]
    numbers = [first + np.arange(len(flags), dtype=np.int64)[:, None]]
    for one in columns:
        values, word = one.values.reshape(len(one.values), -1), "%08x" if one.bits else "%d"
        if one.values.strides[0]:
            words += [word] * values.shape[1]
            numbers.append(values)
        else:  # the same in each line, so that it is written once
            words += [word % number for number in values[0].tolist()]
    line = " ".join((*words, "%x\n"))
    table = np.concatenate([*numbers, flags[:, None]], axis=1)
    return ((line * len(table)) % tuple(table.reshape(-1).tolist())).encode("ascii")
