"""Random graphs of operators on the NPU and the CPU: each operator reads any of the last few tensors."""

from __future__ import annotations

import random

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model

#: Operators on the NPU and on the CPU by number of inputs; the output has the shape of an input.
_KINDS = {"one": ("TANH", "LOGISTIC", "SQRT", "CEIL"), "two": ("ADD", "SUB", "FLOOR_DIV", "POW")}
_IMAGE, _FLAT = (1, 4, 4, 8), (1, 16, 8)
#: Number of previous tensors that an operator may read.
_REACH = 5


def tangled(seed: int) -> Model:
    """Return a graph of up to 15 operators; its outputs are some unread and some read tensors."""
    draw = random.Random(seed)
    builder = ModelBuilder()
    main = builder.subgraph()
    parameters = qparams(0.5)
    tensors = [main.tensor(f"x{n}", _IMAGE, "int8", parameters) for n in range(draw.randint(1, 2))]
    main.inputs(*tensors)
    inputs, read = list(tensors), set[int]()
    paddings = main.constant("paddings", np.array([[0, 0], [0, 0], [0, 0], [0, 8]], np.int32))
    axis = main.constant("axis", np.array(3, np.int32))
    shapes = {
        name: main.constant(name, np.array(dims, np.int32))
        for name, dims in (("flat", _FLAT), ("image", _IMAGE))
    }
    for n in range(draw.randint(4, 15)):
        kind = draw.choice(("one", "one", "two", "two", "parts", "joined", "stacked", "flat"))
        count = 2 if kind in ("two", "joined", "stacked") else 1
        operands = [draw.choice(tensors[-_REACH:]) for _ in range(count)]
        read.update(operands)
        results = [main.tensor(f"t{n}", _IMAGE, "int8", parameters)]
        if kind in _KINDS:
            main.add(draw.choice(_KINDS[kind]), operands, results)
        elif kind == "flat":
            flat, made = (main.tensor(f"{name}{n}", _FLAT, "int8", parameters) for name in "fm")
            main.add("RESHAPE", [*operands, shapes["flat"]], [flat])
            main.add(draw.choice(_KINDS["one"]), [flat], [made])
            main.add("RESHAPE", [made, shapes["image"]], results)
        else:
            results.append(main.tensor(f"u{n}", _IMAGE, "int8", parameters))
            dims = (2, *_IMAGE) if kind == "stacked" else (*_IMAGE[:3], 2 * _IMAGE[3])
            whole = main.tensor(f"p{n}", dims, "int8", parameters)
            if kind == "stacked":
                main.add("PACK", operands, [whole], axis=0, values_count=2)
                main.add("UNPACK", [whole], results, axis=0, num=2)
            else:
                joined = ("CONCATENATION", operands) if kind == "joined" else ("PAD", [*operands, paddings])
                main.add(*joined, [whole], **({"axis": 3} if kind == "joined" else {}))
                main.add("SPLIT", [axis, whole], results, num_splits=2)
        tensors += results
    made = [tensor for tensor in tensors if tensor not in inputs]
    unread = [tensor for tensor in made if tensor not in read]
    kept = [tensor for tensor in made if draw.random() < (0.9 if tensor in unread else 0.1)]
    main.outputs(*(kept or unread[-1:]))
    return builder.finish()
