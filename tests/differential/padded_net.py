"""Float net with one-sided paddings and slices, as converters from further layouts write it."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model


def padded_net(seed: int) -> Model:
    """Return a net that pads the left and the top, convolves with stride 2, and multiplies halves of the channels."""
    rng = np.random.default_rng(seed)
    main = (builder := ModelBuilder()).subgraph("main")

    def integers(name: str, values: object) -> int:
        return main.constant(name, np.array(values, np.int32))

    at = main.tensor("x", (1, 16, 16, 3), "float32")
    main.inputs(at)
    paddings = integers("paddings", [[0, 0], [1, 0], [1, 0], [0, 0]])
    for number, (size, before, channels) in enumerate(((16, 3, 8), (8, 8, 16))):
        wide = main.tensor(f"padded{number}", (1, size + 1, size + 1, before), "float32")
        main.add("PAD", [at, paddings], [wide])
        kernel = rng.normal(0, 1 / np.sqrt(9 * before), (channels, 3, 3, before)).astype("f4")
        bias = rng.normal(0, 0.2, channels).astype("f4")
        at = main.tensor(f"layer{number}", (1, size // 2, size // 2, channels), "float32")
        held = [main.constant(f"kernel{number}", kernel), main.constant(f"bias{number}", bias)]
        main.add("CONV_2D", [wide, *held], [at], padding="VALID", stride_w=2, stride_h=2,
                 fused_activation_function="RELU", dilation_w_factor=1, dilation_h_factor=1)  # fmt: skip
    halves = []
    for number, begin in enumerate((0, 8)):
        halves.append(main.tensor(f"half{number}", (1, 4, 4, 8), "float32"))
        places = [integers("begin", [0, 0, 0, begin]), integers("end", [1, 4, 4, begin + 8])]
        main.add("STRIDED_SLICE", [at, *places, integers("strides", [1, 1, 1, 1])], [halves[-1]])
    product, flat, y = (main.tensor(name, shape, "float32") for name, shape in (
        ("product", (1, 4, 4, 8)), ("flat", (1, 128)), ("y", (1, 5))))  # fmt: skip
    main.add("MUL", halves, [product])
    main.add("RESHAPE", [product, integers("shape", [1, 128])], [flat])
    weight = main.constant("weight", rng.normal(0, 0.1, (5, 128)).astype("f4"))
    main.add(
        "FULLY_CONNECTED", [flat, weight, main.constant("bias", rng.normal(0, 0.2, 5).astype("f4"))], [y]
    )
    main.outputs(y)
    return builder.finish()
