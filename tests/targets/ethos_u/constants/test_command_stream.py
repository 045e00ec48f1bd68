from __future__ import annotations

import pytest

from litecheck.devices.port import NotSupported
from litecheck.targets.ethos_u.constants.command_stream import INTERNAL, OperationCode, Register, operations
from tests.targets.ethos_u.constants.streams import copied, stream

CONSTANTS = bytes(range(64))


def test_an_operation_has_the_registers_set_before() -> None:
    first, second = operations(
        stream(
            {Register.OFM_ZERO_POINT: -5, Register.OFM_SCALE: (0x1E, 0x5000_0032)},
            (OperationCode.POOLING, 1),
            {Register.OFM_ZERO_POINT: 7},
            (OperationCode.ELEMENTWISE, 6),
        ),
        CONSTANTS,
    )
    assert (first.code, first.mode) == (OperationCode.POOLING, 1)
    assert (first.parameter(Register.OFM_ZERO_POINT), first.read_int16(Register.OFM_ZERO_POINT)) == (
        65531,
        -5,
    )
    assert (first.parameter(Register.OFM_SCALE), first.payload(Register.OFM_SCALE)) == (0x1E, 0x5000_0032)
    assert (second.code, second.mode) == (OperationCode.ELEMENTWISE, 6)
    assert second.read_int16(Register.OFM_ZERO_POINT) == 7
    assert second.payload(Register.SCALE_BASE) == 0


def test_constants_are_read_from_their_place_and_from_copies() -> None:
    (operation,) = operations(
        stream(
            copied(8, 16, 1, 0x100),
            (OperationCode.COPY, 0),
            copied(0, 4),
            (OperationCode.COPY, 0),
            (OperationCode.POOLING, 1),
        ),
        CONSTANTS,
    )
    assert operation.read_constants(0, 60, 4) == CONSTANTS[60:]
    assert operation.read_constants(0, 61, 4) is None
    assert operation.read_constants(1, 0x104, 4) == CONSTANTS[12:16]
    assert operation.read_constants(1, 0x10E, 4) is None
    assert operation.tables() == (CONSTANTS[:4],)
    assert (INTERNAL, 0x5800) in operation.copies


def test_overwritten_copies_are_not_read() -> None:
    before, after = operations(
        stream(
            copied(0, 8, 1, 0),
            (OperationCode.COPY, 0),
            (OperationCode.POOLING, 1),
            copied(32, 8, 1, 4),
            (OperationCode.COPY, 0),
            (OperationCode.POOLING, 1),
        ),
        CONSTANTS,
    )
    assert before.read_constants(1, 0, 4) == CONSTANTS[:4]
    assert after.read_constants(1, 0, 4) is None
    assert after.read_constants(1, 4, 8) == CONSTANTS[32:40]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "unknown header"),
        (b"TFL3" + bytes(28), "unknown header"),
        (stream((OperationCode.POOLING, 1))[:28], "unknown header"),
        (stream({Register.OFM_SCALE: (0, 1)})[:-8], "ends inside a command"),
    ],
)
def test_an_unknown_stream_is_not_supported(data: bytes, words: str) -> None:
    with pytest.raises(NotSupported, match=words):
        list(operations(data, b""))
