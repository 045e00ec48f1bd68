"""Types that kernels write over the types of their outputs in the file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.shapes import Law
from litecheck.model.shapes.creation import arg_extreme, shape_of
from litecheck.model.shapes.gathering import gather
from litecheck.model.shapes.infer import LawOf
from litecheck.model.types import Subgraph

#: Laws of operators with the type of the output in an option, and the option.
_OPTIONS: Mapping[Law, str] = MappingProxyType({shape_of: "out_type", arg_extreme: "output_type"})


def written_types(subgraph: Subgraph, law_of: LawOf) -> dict[int, str]:
    """Return the types of outputs that differ from the file, by tensor.

    Example: SHAPE with out_type INT64 and an int32 output gives int64, also for the output of GATHER on it.
    """
    numbers = {number: name.lower() for name, number in load_schema().enums["TensorType"].items()}
    written: dict[int, str] = {}
    for operator in subgraph.operators:
        stated = operator.options is not None and any(name in operator.options for name in _OPTIONS.values())
        if not stated and not written:
            continue  # reading its law takes longer than the rest
        entry = law_of(operator)
        option = _OPTIONS.get(entry[0]) if entry else None
        if option is not None and operator.options is not None:
            dtype = numbers.get(int(operator.options.get(option, 0)), "")
        elif entry and entry[0] is gather and operator.inputs:
            dtype = written.get(operator.inputs[0], "")
        else:
            continue
        if dtype not in ("int32", "int64"):
            continue  # the kernel rejects the option, or the file's type is that of the kernel
        for index in operator.outputs:
            if index >= 0 and subgraph.tensors[index].dtype != dtype:
                written[index] = dtype
    return written
