"""Output types that kernels write instead of the types in the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.shapes import Law
from litecheck.model.shapes.call import LawOf
from litecheck.model.shapes.creation import arg_extreme, shape_of
from litecheck.model.types import Operator, Subgraph

#: Laws of operators whose option contains the type of the output, and the option.
_OPTIONS: Mapping[Law, str] = MappingProxyType({shape_of: "out_type", arg_extreme: "output_type"})


def written_types(
    subgraph: Subgraph, law_of: LawOf, written_of: Callable[[Operator], int | str]
) -> dict[int, str]:
    """Return the types of outputs that differ from the file, by tensor.

    ``written_of`` returns the tensor whose type an operator writes, the type, or "". Example: SHAPE with out_type INT64
    and an int32 output gives int64, also for the output of GATHER on it.
    """
    written: dict[int, str] = {}
    for operator in subgraph.operators:
        source = written_of(operator)
        if isinstance(source, int):
            source = written.get(source, subgraph.tensors[source].dtype)
        for index in operator.outputs if source or operator.options is not None else ():
            dtype = source or _type_in_option(operator, law_of)
            if dtype and index >= 0 and subgraph.tensors[index].dtype != dtype:
                written[index] = dtype
    return written


def _type_in_option(operator: Operator, law_of: LawOf) -> str:
    """Return the type in an option of the operator; "" if the kernel rejects the option, or writes the file's type."""
    options = operator.options
    if options is None or not any(name in options for name in _OPTIONS.values()):
        return ""  # the lookup of the law takes longer than this test
    entry = law_of(operator)
    number = int(options.get(_OPTIONS.get(entry[0], ""), 0)) if entry else 0
    types = load_schema().enums["TensorType"]
    return next((name for name in ("int32", "int64") if types[name.upper()] == number), "")
