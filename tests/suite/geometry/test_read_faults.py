"""Read faults: the inputs that a device reads, on operators with outputs that show them."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.arrays import Array, Arrays
from litecheck.suite.geometry.fault import Inference
from litecheck.suite.geometry.read_faults import read_faults

FAULTS = {fault.name: fault for fault in read_faults()}


def identity(inputs: Arrays) -> Array:
    return inputs[0]


def backwards(inputs: Arrays) -> Array:
    return inputs[0].reshape(-1)[::-1].reshape(inputs[0].shape)


def counted(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


@pytest.mark.parametrize(
    ("name", "values", "read"),
    [
        ("read-counter-16", counted(65538), np.arange(65538) % 65536),
        ("read-counter-16", counted(65536), None),
        ("read-image-1", counted(2, 2), [[0, 1], [0, 1]]),
        ("read-image-1", counted(1, 2), None),
        ("read-pitch-4", counted(2, 3), [[0, 1, 2], [4, 5, 0]]),
        ("read-pitch-4", counted(2, 4), None),
        ("read-tail-16", counted(18), [*range(16), 0, 0]),
        ("read-tail-16", counted(15), None),
    ],
)
def test_inputs_that_are_read(name: str, values: Array, read: object) -> None:
    made = FAULTS[name].spoil(Inference((values,), values, False, identity))
    assert (made is None) is (read is None)
    assert read is None or np.array_equal(np.asarray(made), read)


def test_the_output_overwrites_an_input_that_is_still_needed() -> None:
    """The first half, (3, 2), overwrites (0, 1), which the second half is computed from."""
    values = counted(4)
    made = FAULTS["output-over-input"].spoil(Inference((values,), backwards((values,)), False, backwards))
    assert np.array_equal(np.asarray(made), [3, 2, 2, 3])
    assert FAULTS["output-over-input"].spoil(Inference((values,), values, False, identity)) is None


def test_only_the_written_bytes_change() -> None:
    """An output of int8 with 4 elements overwrites the first 2 bytes of an input of int16."""
    values = np.array([0x0101, 0x0202, 0x0303, 0x0404], np.int16)
    narrow = lambda inputs: backwards(inputs).astype(np.int8)  # noqa: E731
    made = FAULTS["output-over-input"].spoil(Inference((values,), narrow((values,)), False, narrow))
    assert np.array_equal(np.asarray(made), [4, 3, 2, 4])


def test_a_fault_without_a_changed_output_does_not_exist() -> None:
    constant = counted(2, 2)
    assert (
        FAULTS["read-image-1"].spoil(Inference((constant,), constant, False, lambda inputs: constant)) is None
    )
