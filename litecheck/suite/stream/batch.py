"""Batches: an operator computed at once; each element or row of its output is a line of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.operators import traits_of

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A field of a batch: ``values`` has a row for each line, of at least one number.

    ``bits`` marks float32 bit patterns, written as eight hexadecimal digits. ``many`` is the field with the number of
    values, unless it is 1.
    """

    name: str
    values: Ints
    bits: bool = False
    many: str = ""

    @property
    def title(self) -> str:
        """Title of the field: ``acc``, ``scale:f32``, ``x*k``."""
        return f"{self.name}:f32" if self.bits else f"{self.name}*{self.many}" if self.many else self.name


def column(name: str, values: Array | int, lines: int, many: str = "") -> Column:
    """Return a field of integers; a single number is repeated in each line."""
    made = np.asarray(values, np.int64)
    return Column(name, np.broadcast_to(made, (lines, *made.shape[1:])), many=many)


def real_column(name: str, values: Array | np.float32, lines: int) -> Column:
    """Return a field of float32 bit patterns. For example, 0.5 gives 1056964608, which is 0x3F000000."""
    made = np.asarray(values, np.float32).view(np.uint32).astype(np.int64)
    return Column(name, np.broadcast_to(made, (lines, *made.shape[1:])), bits=True)


@dataclass(frozen=True, slots=True, eq=False)
class VectorBatch:
    """A probe and the fields of its lines; line n is row n of the output's ``rows``."""

    probe: Probe
    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def rows(self, output: Array) -> Ints:
        """Return an output as the answers to the lines, (lines, values)."""
        return output.reshape(len(self), -1).astype(np.int64)


def tensors_of(probe: Probe) -> tuple[Mapping[str, Tensor], Mapping[str, Array]]:
    """Return the tensors of a probe's operator by role, and the stored integers of constants and inputs."""
    graph = probe.subgraph
    found = traits_of(probe.opcode).tensors(graph.operators[0])
    given = dict(zip(graph.inputs, probe.runs[0], strict=True))

    def held() -> Iterator[tuple[str, Array]]:
        for role, index in found.items():
            values = given[index] if index in given else stored_integers(graph.tensors[index])
            if values is not None:
                yield role, values

    return {role: graph.tensors[index] for role, index in found.items()}, dict(held())


def lines_of(first: int, columns: tuple[Column, ...], mutants: Ints) -> bytes:
    """Return lines of text: the number, every field, and the flags in hexadecimal digits."""
    words = ["%d"]
    numbers = [first + np.arange(len(mutants), dtype=np.int64)[:, None]]
    for one in columns:
        values, word = one.values.reshape(len(one.values), -1), "%08x" if one.bits else "%d"
        if one.values.strides[0]:
            words += [word] * values.shape[1]
            numbers.append(values)
        else:  # equal in all lines, so it is formatted once
            words += [word % number for number in values[0].tolist()]
    line = " ".join((*words, "%x\n"))
    table = np.concatenate([*numbers, mutants[:, None]], axis=1)
    return ((line * len(table)) % tuple(table.reshape(-1).tolist())).encode("ascii")
