"""Small models with random weights of the kinds in the public uint8 zoo: segmentation and detection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from tests.differential.detection import CODE, anchors, options, results

Random = np.random.Generator
#: Scale and zero point of outputs of RELU6, of logits, and of probabilities.
SIX, LOGITS, SHARES = (6 / 255, 0), (0.09, 131), (1 / 256, 0)


@dataclass(frozen=True)
class Map:
    """Tensor of the network: index, shape, scale and zero point."""

    index: int
    shape: tuple[int, ...]
    end: tuple[float, int]


class Network:
    """Builder of consecutive uint8 layers; weights spread their sums over the output's range."""

    def __init__(self, name: str, rng: Random, size: int) -> None:
        self.rng, self.builder = rng, ModelBuilder(name)
        self.graph: SubgraphBuilder = self.builder.subgraph("main")
        self.input = self.tensor((1, size, size, 3), (1 / 128, 128))

    def tensor(self, shape: Sequence[int], end: tuple[float, int], dtype: str = "uint8") -> Map:
        index = self.graph.tensor(f"t{len(self.graph.finish().tensors)}", shape, dtype, qparams(*end))
        return Map(index, tuple(shape), end)

    def layer(self, x: Map, channels: int, size: int = 1, stride: int = 1, end: tuple[float, int] = SIX,
              dilation: int = 1, depthwise: bool = False) -> Map:  # fmt: skip
        """Add a convolution with SAME padding, with RELU6 if its output has the parameters of RELU6."""
        rng, depth = self.rng, x.shape[3]
        shape = (1, size, size, depth) if depthwise else (channels, size, size, depth)
        taps = size * size * (1 if depthwise else depth)
        scale = 100 * end[0] / (x.end[0] * 60 * 50 * np.sqrt(taps))
        zero = int(rng.integers(110, 146))
        drawn = rng.normal(0, 50, shape)
        # without a mean, so that no channel is the largest at every pixel
        drawn -= 0 if depthwise else drawn.mean(axis=(1, 2, 3), keepdims=True)
        weights = np.clip(drawn + zero, 0, 255).round().astype(np.uint8)
        w = self.graph.constant(f"w{x.index}_{channels}", weights, qparams(scale, zero))
        low, high = (
            (0, 3 / (x.end[0] * scale)) if end == SIX else (-1 / (x.end[0] * scale), 1 / (x.end[0] * scale))
        )
        biases = rng.integers(int(low), int(high) + 1, channels).astype(np.int32)
        b = self.graph.constant(
            f"b{x.index}_{channels}", biases, qparams(np.float32(x.end[0]) * np.float32(scale))
        )
        y = self.tensor((1, -(-x.shape[1] // stride), -(-x.shape[2] // stride), channels), end)
        more = {"depth_multiplier": 1} if depthwise else {}
        self.graph.add("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [x.index, w, b], [y.index],
                       version=2 if depthwise and dilation > 1 else 1, padding="SAME", stride_w=stride, stride_h=stride,
                       dilation_w_factor=dilation, dilation_h_factor=dilation,
                       fused_activation_function="RELU6" if end == SIX else "NONE", **more)  # fmt: skip
        return y

    def block(self, x: Map, channels: int, stride: int = 1, dilation: int = 1) -> Map:
        """Add an inverted residual: expand, filter each channel, project, and add the input if the shape is the same."""
        wide = self.layer(x, 2 * x.shape[3])
        wide = self.layer(wide, wide.shape[3], 3, stride, dilation=dilation, depthwise=True)
        narrow = self.layer(wide, channels, end=LOGITS)
        if narrow.shape != x.shape:
            return narrow
        y = self.tensor(x.shape, (0.12, 128))
        self.graph.add("ADD", [narrow.index, x.index], [y.index])
        return y

    def add(self, opcode: str, operands: Sequence[int], y: Map, **given: object) -> Map:
        self.graph.add(opcode, list(operands), [y.index], **given)
        return y

    def resized(self, x: Map, size: int, **options: bool) -> Map:
        to = self.graph.constant(f"size{x.index}", np.int32([size, size]))
        y = self.tensor((1, size, size, x.shape[3]), x.end)
        return self.add("RESIZE_BILINEAR", [x.index, to], y, **options)

    def finish(self, *outputs: int) -> Model:
        self.graph.inputs(self.input.index)
        self.graph.outputs(*outputs)
        return self.builder.finish()


def segmentation(rng: Random, size: int = 33, classes: int = 7) -> Model:
    """Return a net like DeepLab: inverted residuals, dilation, image pooling, two resizes, and the class of each pixel."""
    net = Network("segmentation", rng, size)
    x = net.layer(net.input, 8, 3, 2)
    x = net.block(net.block(x, 12, 2), 12)
    x = net.block(net.block(x, 16), 16, dilation=2)
    side = x.shape[1]
    pooled = net.tensor((1, 1, 1, 16), x.end)
    net.add("AVERAGE_POOL_2D", [x.index], pooled, padding="VALID", stride_w=side, stride_h=side, filter_width=side,
            filter_height=side)  # fmt: skip
    image = net.resized(net.layer(pooled, 12), side, align_corners=True)
    joined = net.tensor((1, side, side, 24), SIX)
    net.add("CONCATENATION", [image.index, net.layer(x, 12).index], joined, axis=3)
    logits = net.layer(net.layer(joined, 16), classes, end=LOGITS)
    large = net.resized(net.resized(logits, side + 8, half_pixel_centers=True), size, align_corners=True)
    axis = net.graph.constant("axis", np.int32(3))
    best = net.graph.tensor("classes", (1, size, size), "int32")
    net.graph.add("ARG_MAX", [large.index, axis], [best], output_type="int32")
    return net.finish(best, large.index)


def detection(rng: Random, size: int = 48, classes: int = 6, regular: bool = False, most: int = 8) -> Model:
    """Return a net like SSD: boxes and scores from two feature maps, and TFLite_Detection_PostProcess."""
    net = Network("detection", rng, size)
    x = net.layer(net.input, 8, 3, 2)
    x = net.block(net.block(x, 12, 2), 12)
    maps = (x, net.block(x, 16, 2))
    each, count = 3, sum(m.shape[1] * m.shape[2] * 3 for m in maps)
    parts = []
    for width, end in ((4, (0.06, 128)), (classes + 1, LOGITS)):
        found = []
        for source in maps:
            made = net.layer(source, each * width, 3, end=end)
            flat = net.tensor((1, made.shape[1] * made.shape[2] * each, width), end)
            to = net.graph.constant(f"to{made.index}", np.int32(flat.shape))
            found.append(net.add("RESHAPE", [made.index, to], flat, new_shape=np.int32(flat.shape)).index)
        parts.append(net.add("CONCATENATION", found, net.tensor((1, count, width), end), axis=1))
    scores = net.add("LOGISTIC", [parts[1].index], net.tensor(parts[1].shape, SHARES))
    placed = np.round(anchors(rng, count) * 200).astype(np.uint8)
    boxes = net.graph.constant("anchors", placed, qparams(1 / 200))
    settings = {
        "max_detections": most, "max_classes_per_detection": 1, "num_classes": classes, "nms_score_threshold": 1e-8,
        "nms_iou_threshold": 0.6, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
        "use_regular_nms": regular, "detections_per_class": 4,
    }  # fmt: skip
    made = results(net.graph, most, 1)
    net.graph.add("CUSTOM", [parts[0].index, scores.index, boxes], made, custom_code=CODE,
                  custom_options=options(**settings))  # fmt: skip
    return net.finish(*made, scores.index)
