"""LiteRT model as immutable values: content of the file, decoded by name, without any check."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import Problem
from litecheck.flatbuffer.table import Table, UnknownField
from litecheck.quantization import BITS, Quantization


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """Tensor of a subgraph.

    ``dtype`` is the schema's type name in lower case (``int8``, ``float8_e4m3fn``, ``type 99`` if it is not in the
    schema). ``shape`` is the shape in the file; unknown dimensions are 1 there and -1 in ``shape_signature``.
    ``shapeless`` is True if the file has no list of dimensions, not even an empty list. ``data`` are the bytes of the
    constant, a view into the file, or None.
    """

    index: int
    name: str
    dtype: str
    shape: tuple[int, ...]
    buffer: int = 0
    data: NDArray[np.uint8] | None = None
    quantization: Quantization = field(default_factory=Quantization)
    is_variable: bool = False
    shape_signature: tuple[int, ...] | None = None
    has_rank: bool = False
    external_buffer: int = 0
    sparsity: Table | None = None
    variant_tensors: tuple[Table, ...] = ()
    unknown: tuple[UnknownField, ...] = ()
    shapeless: bool = False

    @property
    def is_constant(self) -> bool:
        """True if the file has the tensor's values."""
        return self.data is not None

    @property
    def size(self) -> int:
        """Number of elements of the shape."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int | None:
        """Size of the values in bytes by shape and type, or None for types without a fixed width."""
        bits = BITS.get(self.dtype)
        return None if bits is None else (self.size * bits + 7) // 8


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """Operator of a subgraph, in execution order.

    ``opcode`` is the name of the builtin operator (``CONV_2D``), ``CUSTOM`` with ``custom_code`` set, or ``BUILTIN
    999`` if the schema does not have the number. An absent optional operand is -1. ``options`` is the decoded table of
    builtin options, or None.
    """

    index: int
    opcode: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    version: int = 1
    custom_code: str = ""
    options: Table | None = None
    custom_options: NDArray[np.uint8] | None = None
    intermediates: tuple[int, ...] = ()
    mutating_variable_inputs: tuple[bool, ...] = ()
    code_index: int = 0
    fields: Table | None = None
    """Further fields in the file: format and position of custom options, debug metadata index."""

    @property
    def kind(self) -> str:
        """Kind of the operator: the opcode, with the custom code for custom operators (``CUSTOM
        TFLite_Detection_PostProcess``)."""
        return f"{self.opcode} {self.custom_code}" if self.opcode == "CUSTOM" else self.opcode


class _Referable:
    """Base class that allows weak references to a class with slots, so that caches do not keep models and subgraphs in
    memory."""

    __slots__ = ("__weakref__",)


@dataclass(frozen=True, slots=True, eq=False)
class Subgraph(_Referable):
    """Subgraph: tensors, operators in execution order, inputs and outputs."""

    index: int
    name: str
    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    debug_metadata_index: int = -1
    unknown: tuple[UnknownField, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorCode:
    """Operator kind of a model. ``deprecated_builtin`` is the old 8-bit code as stored."""

    opcode: str
    builtin: int
    deprecated_builtin: int
    custom_code: str
    version: int


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Bytes of a tensor or of metadata. ``outside`` is True if they are stored after the flatbuffer."""

    data: NDArray[np.uint8]
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """Named entry point: (alias, tensor index) pairs of the inputs and outputs of a subgraph."""

    key: str
    subgraph: int
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Model(_Referable):
    """Whole model. ``file`` and ``member`` are its origin; ``size`` is the size of the file in bytes."""

    subgraphs: tuple[Subgraph, ...]
    operator_codes: tuple[OperatorCode, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    signatures: tuple[Signature, ...] = ()
    metadata: tuple[tuple[str, int], ...] = ()
    description: str = ""
    version: int = 3
    file: str = ""
    member: str = ""
    size: int = 0
    remarks: tuple[str, ...] = ()
    fields: Table | None = None
    """Further fields of the root in the file (metadata_buffer, external buffers and groups)."""
    unknown_content: tuple[Problem, ...] = ()
    """Content of the file beyond litecheck's schema that is not in this model, and is lost if the model is written."""
