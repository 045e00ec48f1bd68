"""Boxes, scores and suppression of TFLite_Detection_PostProcess, with numbers calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.types import Operator
from litecheck.reference.kernels.detection import (
    DetectionOptions,
    detection_postprocess,
    largest_first,
    partial_sort,
)
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError
from tests.differential.detection import options
from tests.reference.kernels.layers import real, stored

USUAL: dict[str, Any] = {
    "max_detections": 2, "max_classes_per_detection": 1, "num_classes": 2, "nms_iou_threshold": 0.5,
    "nms_score_threshold": 0.25, "y_scale": 1.0, "x_scale": 1.0, "h_scale": 1.0, "w_scale": 1.0,
}  # fmt: skip


def operator(**changed: Any) -> Operator:
    content = np.frombuffer(options(**{**USUAL, **changed}), np.uint8)
    return Operator(0, "CUSTOM", (), (), custom_options=content)


def detected(boxes: Operand, scores: Operand, anchors: Operand, **changed: Any) -> tuple[list[Any], ...]:
    spec = OutputSpec("float32", ())
    found = detection_postprocess(boxes, scores, anchors, spec, spec, spec, spec, operator(**changed))
    return (*(array[0].tolist() for array in found[:3]), found[3].tolist())


#: Centers and sizes. The first two boxes share 3/5 of their union, the third box shares nothing.
ANCHORS = real([[2, 2, 4, 4], [2, 3, 4, 4], [8, 8, 2, 2]])
AS_ANCHORS = real(np.zeros((1, 3, 4)))
FIRST, SECOND, THIRD = [0.0, 0.0, 4.0, 4.0], [0.0, 1.0, 4.0, 5.0], [7.0, 7.0, 9.0, 9.0]
NOTHING = [0.0] * 4
SCORES = real([[[0.5, 0.125], [0.75, 0.25], [0.25, 0.375]]])


@pytest.mark.parametrize(
    ("changed", "boxes", "classes", "scores", "count"),
    [
        ({}, [SECOND, THIRD], [0, 1], [0.75, 0.375], 2),
        ({"nms_iou_threshold": 0.625}, [SECOND, FIRST], [0, 0], [0.75, 0.5], 2),
        ({"nms_iou_threshold": 0.59375}, [SECOND, THIRD], [0, 1], [0.75, 0.375], 2),
        ({"max_detections": 1}, [SECOND], [0], [0.75], 1),
        ({"max_detections": 3}, [SECOND, THIRD, NOTHING], [0, 1, 0], [0.75, 0.375, 0], 2),
        ({"nms_score_threshold": 0.375}, [SECOND, THIRD], [0, 1], [0.75, 0.375], 2),
        ({"nms_score_threshold": 0.4375}, [SECOND, NOTHING], [0, 0], [0.75, 0], 1),
        ({"max_detections": 0}, [], [], [], 0),
        ({"max_classes_per_detection": 2}, [SECOND, SECOND, THIRD, THIRD], [0, 1, 1, 0],
         [0.75, 0.25, 0.375, 0.25], 2),
        ({"max_classes_per_detection": 3}, [SECOND, SECOND, NOTHING, THIRD, THIRD, NOTHING], [0, 1, 0, 1, 0, 0],
         [0.75, 0.25, 0, 0.375, 0.25, 0], 2),
        ({"use_regular_nms": True}, [SECOND, THIRD], [0, 1], [0.75, 0.375], 2),
        ({"use_regular_nms": True, "max_detections": 5}, [SECOND, THIRD, THIRD, SECOND, NOTHING], [0, 1, 0, 1, 0],
         [0.75, 0.375, 0.25, 0.25, 0], 4),
        ({"use_regular_nms": True, "max_detections": 3, "detections_per_class": 1}, [SECOND, THIRD, NOTHING],
         [0, 1, 0], [0.75, 0.375, 0], 2),
        ({"use_regular_nms": True, "max_classes_per_detection": 2}, [SECOND, THIRD, NOTHING, NOTHING], [0, 1, 0, 0],
         [0.75, 0.375, 0, 0], 2),
    ],
)  # fmt: skip
def test_detections(
    changed: dict[str, Any], boxes: list[Any], classes: list[int], scores: list[float], count: int
) -> None:
    assert detected(AS_ANCHORS, SCORES, ANCHORS, **changed) == (boxes, classes, scores, [count])


def test_background_before_the_classes_is_left_out() -> None:
    with_background = real([[[0.9, 0.5, 0.125], [0.9, 0.75, 0.25], [0.9, 0.25, 0.375]]])
    assert detected(AS_ANCHORS, with_background, ANCHORS) == detected(AS_ANCHORS, SCORES, ANCHORS)


def test_a_box_from_its_anchor() -> None:
    """y 1/2 * 4 + 2 = 4, x 3/3 * 5 + 1 = 6; half the height is exp(0) / 2 * 4, half the width exp(ln 2) / 2 * 5."""
    boxes = real([[[1, 3, 0, 4 * np.log(2.0), 99]]])
    found = detected(boxes, real([[[0.5, 0]]]), real([[2, 1, 4, 5]]),
                     y_scale=2.0, x_scale=3.0, h_scale=7.0, w_scale=4.0, max_detections=1)  # fmt: skip
    assert found == ([[2.0, 1.0, 6.0, 11.0]], [0], [0.5], [1])


def test_the_height_has_a_separate_scale() -> None:
    boxes = real([[[0, 0, 4 * np.log(2.0), 0]]])
    found = detected(
        boxes, real([[[0.5, 0]]]), real([[4, 4, 2, 6]]), h_scale=4.0, w_scale=9.0, max_detections=1
    )
    assert found[0] == [[2.0, 1.0, 6.0, 7.0]]


def test_bytes_are_dequantized() -> None:
    boxes = stored(np.full((1, 3, 4), 7), 0.5, 7, "uint8")
    anchors = stored(np.array([[2, 2, 4, 4], [2, 3, 4, 4], [8, 8, 2, 2]]) * 2 + 9, 0.5, 9, "uint8")
    scores = stored(np.array([[[4, 1], [6, 2], [2, 3]]]) + 5, 0.125, 5, "uint8")
    assert detected(boxes, scores, anchors) == detected(AS_ANCHORS, SCORES, ANCHORS)


def test_boxes_without_area_overlap_nothing() -> None:
    anchors = real([[2, 2, 0, 4], [2, 2, 0, 4], [2, 2, 4, 4]])
    found = detected(AS_ANCHORS, SCORES, anchors, max_detections=3)
    assert found[0] == [[2.0, 0.0, 2.0, 4.0]] * 2 + [FIRST]


def test_boxes_that_touch_or_are_diagonal_neighbors_do_not_overlap() -> None:
    for center in ([2, 6], [6, 6], [9, 9]):
        anchors = real([[2, 2, 4, 4], [*center, 4, 4]])
        found = detected(real(np.zeros((1, 2, 4))), real([[[0.5, 0], [0.75, 0]]]), anchors,
                         nms_iou_threshold=0.0078125)  # fmt: skip
        assert found[3] == [2]


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"max_detections": -1}, "no detections can be made with"),
        ({"nms_iou_threshold": 0.0}, "no detections can be made with"),
        ({"nms_iou_threshold": 1.5}, "no detections can be made with"),
        ({"max_classes_per_detection": 0}, "no detections can be made with"),
        ({"detections_per_class": 0}, "no detections can be made with"),
        ({"num_classes": 3}, r"\[1, 3, 2\] scores for 3 boxes of 3"),
        ({"num_classes": 0}, r"\[1, 3, 2\] scores for 3 boxes of 0"),
    ],
)
def test_options_that_give_no_detections(changed: dict[str, Any], text: str) -> None:
    with pytest.raises(RunError, match=text):
        detected(AS_ANCHORS, SCORES, ANCHORS, **changed)


@pytest.mark.parametrize(
    ("boxes", "scores", "anchors", "text"),
    [
        (AS_ANCHORS, SCORES, stored(np.ones((3, 4)), dtype="uint8"), "float32 boxes with uint8 anchors"),
        (stored(np.ones((1, 3, 4))), SCORES, stored(np.ones((3, 4))), "an operand is int8"),
        (AS_ANCHORS, stored(np.ones((1, 3, 2))), ANCHORS, "an operand is int8"),
        (AS_ANCHORS, real(np.ones((1, 2, 2))), ANCHORS, r"\[1, 2, 2\] scores for 3 boxes of 2"),
        (AS_ANCHORS, SCORES, real([[2, 2, -4, 4]] * 3), "a box ends before it begins"),
        (AS_ANCHORS, SCORES, real([[2, 2, 4, -4]] * 3), "a box ends before it begins"),
    ],
)
def test_operands_that_do_not_fit(boxes: Operand, scores: Operand, anchors: Operand, text: str) -> None:
    with pytest.raises(RunError, match=text):
        detected(boxes, scores, anchors)


def test_an_iou_threshold_of_1_is_allowed() -> None:
    assert detected(AS_ANCHORS, SCORES, ANCHORS, nms_iou_threshold=1.0)[3] == [2]


def test_options_that_are_left_out() -> None:
    content = np.frombuffer(options(nms_iou_threshold=0.5, max_classes_per_detection=1), np.uint8)
    found = DetectionOptions.of(Operator(0, "CUSTOM", (), (), custom_options=content))
    assert found == DetectionOptions(0, 1, 100, False, np.float32(0), np.float32(0.5), 0, (0.0,) * 4)


@pytest.mark.parametrize("content", [None, np.zeros(3, np.uint8)])
def test_options_that_cannot_be_read(content: Any) -> None:
    with pytest.raises(RunError, match="options cannot be read"):
        DetectionOptions.of(Operator(0, "CUSTOM", (), (), custom_options=content))


@pytest.mark.parametrize(
    ("values", "count", "places"),
    [
        ([3, 1, 2], 3, [0, 2, 1]),
        ([3, 1, 2], 2, [0, 2]),
        ([1, 3, 3], 1, [1]),
        ([5, 4, 3, 2, 1], 0, []),
    ],
)
def test_places_of_the_largest(values: list[float], count: int, places: list[int]) -> None:
    assert largest_first(np.array(values, np.float32), count) == places


def test_equal_values_are_ordered_as_by_a_heap() -> None:
    """Four equal values, by hand: (0, 1, 2, 3) becomes the heap (2, 3, 0, 1), which removes 2, 0, 3 and 1.

    A value after the heap that is not larger does not enter it.
    """
    assert largest_first(np.ones(4, np.float32), 4) == [1, 3, 0, 2]
    assert largest_first(np.ones(5, np.float32), 2) == partial_sort(2, 2, lambda i, j: False)


@pytest.mark.parametrize("size", range(1, 9))
def test_a_partial_sort_of_different_values_is_a_sort(size: int) -> None:
    values = np.random.default_rng(size).permutation(size).tolist()
    for count in range(size + 1):
        found = partial_sort(size, count, lambda i, j: values[i] > values[j])
        assert [values[place] for place in found] == sorted(values, reverse=True)[:count]


@pytest.mark.parametrize(("threshold", "count"), [(0.25, 1), (0.28125, 2)])
def test_overlap_of_unequal_boxes_away_from_the_origin(threshold: float, count: int) -> None:
    """Rows 6..10, columns 8..16 and rows 7..13, columns 10..14 share 3 x 4 of 32 + 24 - 12 = 44: 12/44 = 0.273."""
    anchors = real([[8, 12, 4, 8], [10, 12, 6, 4]])
    found = detected(
        real(np.zeros((1, 2, 4))), real([[[0.75, 0], [0.5, 0]]]), anchors, nms_iou_threshold=threshold
    )
    assert found[3] == [count]
