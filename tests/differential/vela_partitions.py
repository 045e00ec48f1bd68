"""Random graphs of operators on the NPU and the CPU, tangled: what each reads is any of the last few results.

None joins or reshapes: of those Vela makes copies, which it runs one by one.
"""

from __future__ import annotations

import random

import numpy as np

from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Model

#: By how many operands they take, on the NPU and on the CPU; all give a result like an operand.
_KINDS = {1: ("TANH", "LOGISTIC", "SQRT", "CEIL"), 2: ("ADD", "SUB", "FLOOR_DIV", "POW")}
#: How far back an operator reads.
_REACH = 5


def tangled(seed: int) -> Model:
    """A graph of up to 15 operators; its outputs are what nothing reads, some of what is read, and not all of either."""
    draw = random.Random(seed)
    builder = ModelBuilder()
    main = builder.subgraph()
    shape, parameters = (1, 4, 4, 8), quantized(0.5)
    tensors = [main.tensor(f"x{n}", shape, "int8", parameters) for n in range(draw.randint(1, 2))]
    main.inputs(*tensors)
    inputs, read = list(tensors), set[int]()
    paddings = main.constant("paddings", np.array([[0, 0], [0, 0], [0, 0], [0, 8]], np.int32))
    axis = main.constant("axis", np.array(3, np.int32))
    for n in range(draw.randint(4, 15)):
        count = draw.choice((1, 1, 2, 2, 2, 3))
        operands = [draw.choice(tensors[-_REACH:]) for _ in range(count % 3 or 1)]
        read.update(operands)
        results = [main.tensor(f"t{n}", shape, "int8", parameters)]
        if count < 3:
            main.add(draw.choice(_KINDS[count]), operands, results)
        else:
            results.append(main.tensor(f"u{n}", shape, "int8", parameters))
            padded = main.tensor(f"p{n}", (1, 4, 4, 16), "int8", parameters)
            main.add("PAD", [*operands, paddings], [padded])
            main.add("SPLIT", [axis, padded], results, num_splits=2)
        tensors += results
    made = [tensor for tensor in tensors if tensor not in inputs]
    unread = [tensor for tensor in made if tensor not in read]
    kept = [tensor for tensor in made if draw.random() < (0.9 if tensor in unread else 0.1)]
    main.outputs(*(kept or unread[-1:]))
    return builder.finish()
