"""Models built in Python, for fixtures, for tests and for models that litecheck synthesizes.

    from litecheck.model.build import ModelBuilder, qparams
    from litecheck.model.save import save_model

    builder = ModelBuilder("a small model")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 4), "int8", qparams(0.5, -1))
    w = main.constant("w", weights, qparams([0.1, 0.2], axis=0))       # int8 array of shape (2, 4)
    b = main.constant("b", biases, qparams([0.05, 0.1], axis=0))       # int32 array of shape (2,)
    y = main.tensor("y", (1, 2), "int8", qparams(0.25, 3))
    main.add("FULLY_CONNECTED", [x, w, b], [y], fused_activation_function="RELU")
    main.inputs(x)
    main.outputs(y)
    builder.signature("serving_default", main, {"x": x}, {"y": y})
    save_model(builder.finish(), "small.tflite")

The builder checks nothing, so that tests can build invalid models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litecheck.flatbuffer.schema import Schema, load_schema
from litecheck.flatbuffer.table import Table, Value
from litecheck.model.stored_values import bytes_of, pack
from litecheck.model.types import Buffer, Model, Operator, Signature, Subgraph, Tensor
from litecheck.quantization import BITS, Quantization

Option: TypeAlias = bool | int | float | str | Sequence[int] | NDArray[Any]


def qparams(scale: ArrayLike, zero_point: ArrayLike = 0, axis: int = 0) -> Quantization:
    """Return per-tensor parameters for a number, per-axis parameters for a sequence. A single zero point applies to all
    scales.

    ``scale`` is rounded to float32, and is infinite beyond its range; ``axis`` is the quantized dimension.
    """
    with np.errstate(over="ignore"):
        scales = np.atleast_1d(np.asarray(scale, np.float32))
    zeros = np.asarray(zero_point, np.int64)
    return Quantization(scales, np.full(scales.shape, zeros) if zeros.ndim == 0 else zeros, axis)


class ModelBuilder:
    """Builder of a model: subgraphs, signatures and metadata, then :meth:`finish`."""

    def __init__(self, description: str = "") -> None:
        self.description = description
        self._subgraphs: list[SubgraphBuilder] = []
        self._buffers: list[NDArray[np.uint8]] = [np.empty(0, np.uint8)]
        self._signatures: list[Signature] = []
        self._metadata: list[tuple[str, int]] = []

    def subgraph(self, name: str = "main") -> SubgraphBuilder:
        """Add an empty subgraph; the first subgraph is the model's entry point."""
        self._subgraphs.append(SubgraphBuilder(name, len(self._subgraphs), self._buffers))
        return self._subgraphs[-1]

    def signature(
        self, key: str, subgraph: SubgraphBuilder, inputs: Mapping[str, int], outputs: Mapping[str, int]
    ) -> None:
        """Add a named entry point: tensors of a subgraph by alias."""
        pairs = (tuple(inputs.items()), tuple(outputs.items()))
        self._signatures.append(Signature(key, subgraph.index, *pairs))

    def metadata(self, name: str, content: bytes) -> None:
        """Add a named block of bytes to the model's metadata."""
        self._metadata.append((name, len(self._buffers)))
        self._buffers.append(np.frombuffer(content, np.uint8))

    def finish(self) -> Model:
        """Return the model with the content added so far; operator codes are assigned by the encoder."""
        return Model(
            subgraphs=tuple(s.finish() for s in self._subgraphs),
            buffers=tuple(map(Buffer, self._buffers)),
            signatures=tuple(self._signatures),
            metadata=tuple(self._metadata),
            description=self.description,
        )


class SubgraphBuilder:
    """Builder of a subgraph. Tensors are referred to by the index that :meth:`tensor` returns."""

    def __init__(self, name: str, index: int, buffers: list[NDArray[np.uint8]]) -> None:
        self.name = name
        self.index = index
        self._buffers = buffers
        self._tensors: list[Tensor] = []
        self._operators: list[Operator] = []
        self._ends: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str = "int8",
        quantization: Quantization | None = None,
        **fields: Any,
    ) -> int:
        """Add a tensor computed at run time and return its index; ``fields`` are further fields of :class:`Tensor`."""
        fields = {"quantization": quantization or Quantization(), **fields}
        self._tensors.append(Tensor(len(self._tensors), name, dtype, tuple(map(int, shape)), **fields))
        return len(self._tensors) - 1

    def constant(
        self,
        name: str,
        values: NDArray[Any],
        quantization: Quantization | None = None,
        dtype: str | None = None,
        **fields: Any,
    ) -> int:
        """Add a constant and return its index. ``dtype`` defaults to the dtype of the array; ``int4`` packs int8 values."""
        kind = dtype or values.dtype.name
        data = pack(values, kind) if BITS.get(kind, 8) < 8 else bytes_of(values)
        self._buffers.append(data)
        fields = {"buffer": len(self._buffers) - 1, "data": data, **fields}
        return self.tensor(name, values.shape, kind, quantization, **fields)

    def add(
        self,
        opcode: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        *,
        version: int = 1,
        custom_code: str = "",
        custom_options: bytes | None = None,
        intermediates: Sequence[int] = (),
        **options: Option,
    ) -> None:
        """Add an operator after the existing operators. An absent input is -1; options have the names of the schema.

        Enum options take names (``padding="SAME"``, ``in_data_type="int8"``). A builtin operator gets its options table
        even if all options keep their defaults. Raises ValueError for an option that the operator does not have.
        """
        self._operators.append(
            Operator(
                index=len(self._operators),
                opcode=opcode,
                inputs=tuple(inputs),
                outputs=tuple(outputs),
                version=version,
                custom_code=custom_code,
                options=options_table(opcode, **options),
                custom_options=None if custom_options is None else np.frombuffer(custom_options, np.uint8),
                intermediates=tuple(intermediates),
            )
        )

    def inputs(self, *tensors: int) -> None:
        """Set the tensors that are inputs of the subgraph."""
        self._ends = (tensors, self._ends[1])

    def outputs(self, *tensors: int) -> None:
        """Set the tensors that are outputs of the subgraph."""
        self._ends = (self._ends[0], tensors)

    def finish(self) -> Subgraph:
        """Return the subgraph with the content added so far."""
        return Subgraph(self.index, self.name, tuple(self._tensors), tuple(self._operators), *self._ends)


def options_table(opcode: str, **options: Option) -> Table | None:
    """Return the options of a builtin operator, or None for an operator without options. Raises ValueError."""
    schema = load_schema("tflite")
    name = _options_name(opcode)
    if name is None:
        if options:
            raise ValueError(f"{opcode} has no options, not {', '.join(options)}")
        return None
    known = {f.name: f for f in schema.tables[name]}
    fields: dict[str, Value] = {}
    for key, value in options.items():
        if key not in known:
            raise ValueError(f"{name} has no option {key!r}; it has {', '.join(known) or 'none'}")
        fields[key] = _option(schema, known[key].enum, value)
    return Table(name, fields)


def _option(schema: Schema, enum: str | None, value: Option) -> Value:
    if isinstance(value, str):
        return schema.enums[enum][value.upper()] if enum else value
    return value if isinstance(value, (bool, int, float)) else np.asarray(value)


@cache
def _options_name(opcode: str) -> str | None:
    """Return the options table of an operator: the table with the operator's name, or a table that several operators
    share."""
    schema = load_schema("tflite")
    plain = {t.lower(): t for t in (*schema.unions["BuiltinOptions"], *schema.unions["BuiltinOptions2"])}
    return schema.options.get(opcode) or plain.get(f"{opcode.replace('_', '').lower()}options")
