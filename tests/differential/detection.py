"""TFLite_Detection_PostProcess: random boxes, scores with many ties, both kinds of suppression."""

from __future__ import annotations

import numpy as np
from flatbuffers import flexbuffers

from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.kernels.detection import DetectionOptions
from tests.differential.one_operator import Trial, outputs
from tests.differential.sweep import Family

Random = np.random.Generator
CODE = "TFLite_Detection_PostProcess"
SHAPES = (("boxes", 4), ("classes", 0), ("scores", 0), ("count", -1))


def options(**given: float | bool) -> bytes:
    """Return the operator's options as a flexbuffer."""
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, value in given.items():
            builder.Key(name)
            {bool: builder.Bool, int: builder.Int, float: builder.Float}[type(value)](value)
    return bytes(builder.Finish())


def results(graph, most: int, classes_each: int) -> list[int]:
    """Add the four outputs and return their indices."""
    count = most * classes_each
    shapes = (1, count, 4), (1, count), (1, count), (1,)
    return [graph.tensor(n, s, "float32") for (n, _), s in zip(SHAPES, shapes, strict=True)]


def anchors(rng: Random, count: int, spread: float = 1.0) -> np.ndarray:
    """Return centers and sizes in [0, 1]."""
    centers = rng.uniform(0.1, 0.9, (count, 2)) * spread
    return np.concatenate([centers, rng.uniform(0.05, 0.5, (count, 2))], 1).astype(np.float32)


def detection(rng: Random, dtype: str, regular: bool) -> Trial:
    """Return a trial with completely written outputs: LiteRT's fast suppression leaves the rest of the memory unwritten."""
    while True:
        made = drawn(rng, dtype, regular)
        *_, scores, count = outputs(made, "litert-reference")[0]
        if regular or scores.size == count[0] * classes_of_each(made):
            return made


def classes_of_each(made: Trial) -> int:
    """Return the number of classes that a fast suppression writes for each detection."""
    settings = DetectionOptions.of(made.model.subgraphs[0].operators[0])
    return settings.classes_each if settings.classes_each <= settings.classes else 0


def drawn(rng: Random, dtype: str, regular: bool) -> Trial:
    count, classes = int(rng.integers(1, 60)), int(rng.integers(1, 12))
    background, each = int(rng.integers(0, 2)), 1 if regular else int(rng.integers(1, 5))
    most, width = int(rng.integers(1, 20)), int(rng.integers(4, 6))
    builder = ModelBuilder(CODE)
    graph = builder.subgraph("main")
    shapes = (1, count, width), (1, count, classes + background)
    if dtype == "uint8":
        boxes, scores = (rng.integers(0, 256, s).astype(np.uint8) for s in shapes)
        ends = qparams(rng.uniform(0.02, 0.06), int(rng.integers(100, 160)))
        x = graph.tensor("x", shapes[0], dtype, ends)
        s = graph.tensor("s", shapes[1], dtype, qparams(rng.uniform(0.003, 0.006), int(rng.integers(0, 9))))
        placed = rng.integers(1, 256, (count, 4)).astype(np.uint8)
        a = graph.constant("a", placed, qparams(1 / 200, 1))
    else:
        boxes = rng.normal(size=shapes[0]).astype(np.float32) * 2
        scores = (rng.integers(0, 20, shapes[1]) / 20).astype(np.float32)
        x, s = (graph.tensor(n, v, dtype) for n, v in zip("xs", shapes, strict=True))
        a = graph.constant("a", anchors(rng, count))
    settings = {
        "max_detections": most, "max_classes_per_detection": each, "num_classes": classes,
        "nms_score_threshold": float(rng.choice([1e-8, 0.3, 0.6])), "nms_iou_threshold": float(rng.uniform(0.2, 0.7)),
        "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": float(rng.uniform(3, 6)),
    }  # fmt: skip
    if regular:
        settings |= {"use_regular_nms": True, "detections_per_class": int(rng.integers(1, 10))}
    graph.add(
        "CUSTOM", [x, s, a], results(graph, most, each), custom_code=CODE, custom_options=options(**settings)
    )
    graph.inputs(x, s)
    graph.outputs(*graph.finish().operators[0].outputs)
    return Trial(f"{CODE} {dtype} {settings}", builder.finish(), ((boxes, scores),))


FAMILY = Family(
    {
        f"detection {dtype} {'regular' if regular else 'fast'}": lambda rng, d=dtype, r=regular: detection(rng, d, r)
        for dtype in ("uint8", "float32")
        for regular in (False, True)
    },
    avoided=frozenset({f"CUSTOM {CODE}"}),
)  # fmt: skip
