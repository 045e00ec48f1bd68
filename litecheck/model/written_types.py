"""Types that kernels write over the types of their outputs in the file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.shapes import Law
from litecheck.model.shapes.creation import arg_extreme, shape_of
from litecheck.model.shapes.infer import LawOf
from litecheck.model.types import Subgraph

#: Laws of operators with the type of the output in an option, and the option.
_OPTIONS: Mapping[Law, str] = MappingProxyType({shape_of: "out_type", arg_extreme: "output_type"})


def written_types(subgraph: Subgraph, law_of: LawOf) -> dict[int, str]:
    """Return the types of outputs that differ from the file, by tensor.

    Example: SHAPE with out_type INT64 and an int32 output gives int64.
    """
    numbers = {number: name.lower() for name, number in load_schema().enums["TensorType"].items()}
    written = {}
    for operator in subgraph.operators:
        entry = law_of(operator)
        option = _OPTIONS.get(entry[0]) if entry else None
        if option is None or operator.options is None:
            continue
        dtype = numbers.get(int(operator.options.get(option, 0)), "")
        if dtype not in ("int32", "int64"):
            continue  # the kernel rejects the option
        for index in operator.outputs:
            if index >= 0 and subgraph.tensors[index].dtype != dtype:
                written[index] = dtype
    return written
