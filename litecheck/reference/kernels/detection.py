"""TFLite_Detection_PostProcess, the custom operator of SSD: boxes from anchors, and non-maximum suppression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.flexbuffer import FlexbufferError, read_map
from litecheck.model.types import Operator
from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.quantize import dequantize
from litecheck.reference.registry import kernel
from litecheck.reference.runtime_tensors import Array, Operand, OutputSpec, RunError

#: Comparison: True if the first index comes before the second.
Before = Callable[[int, int], bool]


def largest_first(values: NDArray[np.float32], count: int) -> list[int]:
    """Return the indices of the ``count`` largest values, largest first. A count of 1 gives the first of equal values.

    Equal values are in the order of libstdc++. A heap of the first ``count`` indices, the worst on top, accepts each
    later index that is better. It is then emptied from the top.
    """
    if count == 1:
        return [int(values.argmax())]
    real = values.tolist()
    if len(set(real)) == len(real):
        return [int(i) for i in np.argsort(-values, kind="stable")[:count]]
    return partial_sort(len(real), count, lambda i, j: real[i] > real[j])


def partial_sort(size: int, count: int, before: Before) -> list[int]:
    """Return the first ``count`` of the indices 0 to ``size`` - 1 in the order of libstdc++'s std::partial_sort."""
    heap = list(range(count))
    for hole in reversed(range(count // 2)):
        _settle(heap, hole, count, heap[hole], before)
    for place in range(count, size):
        if count and before(place, heap[0]):
            _settle(heap, 0, count, place, before)
    for end in range(count - 1, 0, -1):
        last, heap[end] = heap[end], heap[0]
        _settle(heap, 0, end, last, before)
    return heap


def _settle(heap: list[int], hole: int, size: int, value: int, before: Before) -> None:
    """Put ``value`` into the hole of a heap: worse children move up to a leaf, then the value moves up to its position."""
    top, child = hole, 2 * hole + 2
    while child <= size:
        if child == size or before(heap[child], heap[child - 1]):
            child -= 1
        heap[hole], hole = heap[child], child
        child = 2 * hole + 2
    while hole > top and before(heap[(hole - 1) // 2], value):
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = value


Floats = NDArray[np.float32]
_PER_CLASS = 100
_SPLIT = {"product": "split-body"}


@dataclass(frozen=True, slots=True)
class DetectionOptions:
    """Options of the operator. ``scales`` divide y, x, height and width of the encodings."""

    most: int
    classes_each: int
    per_class: int
    regular: bool
    lowest: np.float32
    overlap: np.float32
    classes: int
    scales: tuple[float, float, float, float]

    @classmethod
    def of(cls, operator: Operator) -> DetectionOptions:
        """Read the custom options, a flexbuffer. Absent options are 0, except 100 detections per class."""
        try:
            found = read_map(
                operator.custom_options.tobytes() if operator.custom_options is not None else b""
            )
        except FlexbufferError as error:
            raise RunError(f"its options cannot be read: {error}") from error
        scales = [float(np.float32(found.get(f"{side}_scale", 0))) for side in "yxhw"]
        made = cls(
            most=int(found.get("max_detections", 0)),
            classes_each=int(found.get("max_classes_per_detection", 0)),
            per_class=int(found.get("detections_per_class", _PER_CLASS)),
            regular=bool(found.get("use_regular_nms", False)),
            lowest=np.float32(found.get("nms_score_threshold", 0)),
            overlap=np.float32(found.get("nms_iou_threshold", 0)),
            classes=int(found.get("num_classes", 0)),
            scales=(scales[0], scales[1], scales[2], scales[3]),
        )
        if made.most < 0 or not 0 < made.overlap <= 1 or min(made.classes_each, made.per_class) < 1:
            raise RunError(f"no detections can be made with {made}")
        return made


@kernel("CUSTOM TFLite_Detection_PostProcess", "uint8", "float32")
def detection_postprocess(
    box_encodings: Operand, class_predictions: Operand, anchors: Operand,
    detection_boxes: OutputSpec, detection_classes: OutputSpec, detection_scores: OutputSpec, num_detections: OutputSpec,
    operator: Operator,
) -> tuple[Array, ...]:  # fmt: skip
    """outputs = boxes (ymin, xmin, ymax, xmax) of highest score without overlap, their classes and scores, and their number.

    1. y = encoded y / y_scale * anchor height + anchor y, likewise x; half the height is exp(encoded h / h_scale) / 2 *
       anchor height, likewise the width: in float64, each rounded to float32. uint8 is dequantized in float32 first.
    2. Regular: for each class the boxes above the threshold, best first, without boxes that overlap a better box; of all
       classes the best, equal scores in the order of classes. Fast: only the best class of each box counts, and the next
       best classes are returned with it.
    3. Unused outputs are 0; LiteRT does not write them in fast suppression.

    box_encodings (1, boxes, 4 or more), class_predictions (1, boxes, classes, or with the background as first class),
    anchors (boxes, 4). Source: tflite/kernels/detection_postprocess.cc.
    """
    settings = DetectionOptions.of(operator)
    boxes = _decode_boxes(box_encodings, anchors, settings)
    scores = _real(class_predictions, split=True)[0]
    background = scores.shape[1] - settings.classes
    if background not in (0, 1) or len(scores) != len(boxes):
        raise RunError(f"{list(class_predictions.shape)} scores for {len(boxes)} boxes of {settings.classes}")
    scores = scores[:, background:]
    found = (_regular if settings.regular else _fast)(boxes, scores, settings)
    reserve((settings.most, settings.classes_each), 24)
    made = np.zeros((1, settings.most * settings.classes_each, 6), np.float32)
    each = 1 if settings.regular else settings.classes_each
    for at, (box, kinds) in enumerate(found):
        for rank, kind in enumerate(kinds):
            made[0, at * each + rank] = [*boxes[box], kind, scores[box, kind]]
    return made[..., :4], made[..., 4], made[..., 5], np.array([len(found)], np.float32)


def _real(value: Operand, split: bool = False) -> Floats:
    """Return uint8 values as (q - zero point) * scale in float32. With ``split``, compute as the optimized DEQUANTIZE."""
    if value.dtype == "float32":
        return value.data
    if value.dtype != "uint8":
        raise RunError(f"an operand is {value.dtype}")
    if split:
        return np.asarray(dequantize(value, OutputSpec("float32", value.shape), _SPLIT), np.float32)
    return np.asarray((value.data.astype(np.float32) - np.float32(value.zero_point)) * value.scale)


def _decode_boxes(box_encodings: Operand, anchors: Operand, settings: DetectionOptions) -> Floats:
    if anchors.dtype != box_encodings.dtype:
        raise RunError(f"{box_encodings.dtype} boxes with {anchors.dtype} anchors")
    y, x, h, w = _real(box_encodings)[0, :, :4].astype(np.float64).T
    ay, ax, ah, aw = _real(anchors).astype(np.float64).T
    sy, sx, sh, sw = settings.scales
    with np.errstate(all="ignore"):
        cy, cx = (y / sy * ah + ay).astype(np.float32), (x / sx * aw + ax).astype(np.float32)
        hh, hw = (
            (0.5 * np.exp(h / sh) * ah).astype(np.float32),
            (0.5 * np.exp(w / sw) * aw).astype(np.float32),
        )
        boxes = np.stack([cy - hh, cx - hw, cy + hh, cx + hw], axis=1)
    if (boxes[:, :2] > boxes[:, 2:]).any():
        raise RunError("a box ends before it begins")
    return boxes


def _overlaps(boxes: Floats, box: Floats) -> Floats:
    """Return the intersection over union of several boxes with one box, in float32; 0 if an area is 0."""
    with np.errstate(all="ignore"):
        own = (box[2] - box[0]) * (box[3] - box[1])
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        sides = np.minimum(boxes[:, 2:], box[2:]) - np.maximum(boxes[:, :2], box[:2])
        sides = np.maximum(sides, np.float32(0))
        inside = sides[:, 0] * sides[:, 1]
        found: Floats = np.where((areas <= 0) | (own <= 0), np.float32(0), inside / (own + areas - inside))
    return found


def _suppress_overlaps(boxes: Floats, scores: Floats, settings: DetectionOptions, most: int) -> list[int]:
    """Return box indices, best score first, without boxes that overlap a better box; equal scores in the order of boxes."""
    left = np.flatnonzero(scores >= settings.lowest)
    left = left[np.argsort(-scores[left], kind="stable")]
    selected: list[int] = []
    while left.size and len(selected) < most:
        check_time()
        best, left = int(left[0]), left[1:]
        selected.append(best)
        left = left[~(_overlaps(boxes[left], boxes[best]) > settings.overlap)]
    return selected


def _fast(boxes: Floats, scores: Floats, settings: DetectionOptions) -> list[tuple[int, list[int]]]:
    count = min(settings.classes_each, settings.classes)
    reserve(scores.shape[1:], 128, "ranked classes")
    ranked = []
    for row in scores:
        check_time()
        ranked.append(largest_first(row, count))
    best = np.array([row[first[0]] for row, first in zip(scores, ranked, strict=True)], np.float32)
    return [(box, ranked[box]) for box in _suppress_overlaps(boxes, best, settings, settings.most)]


def _regular(boxes: Floats, scores: Floats, settings: DetectionOptions) -> list[tuple[int, list[int]]]:
    kept: list[tuple[int, int]] = []
    for kind in range(settings.classes):
        check_time()
        chosen = _suppress_overlaps(boxes, scores[:, kind], settings, min(settings.per_class, settings.most))
        together = [*kept, *((box, kind) for box in chosen)]
        kept = sorted(together, key=lambda at: -scores[at])[: settings.most]
    return [(box, [kind]) for box, kind in kept]
