"""The command stream of a model compiled for an Ethos-U: its operations, the registers each finds set, its constants.

Words of 32 bits. A command of one word has its code in bits 0 to 9 and a parameter of 16 bits above bit 16; where bit 14
is set a second word follows with a payload. Source: Arm's register descriptions as they come with Vela
(ethosu/vela/ethos_u55_regs, driver_actions).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from litecheck.devices.port import NotSupported


class OperationCode(IntEnum):
    """What starts work: computation, and copies between memories."""

    CONVOLUTION = 0x002
    DEPTHWISE = 0x003
    POOLING = 0x005
    ELEMENTWISE = 0x006
    RESIZE = 0x007
    COPY = 0x010


class Register(IntEnum):
    """The registers that are looked at."""

    SCALE_BASE = 0x022
    SCALE_LENGTH = 0x023
    OFM_SCALE = 0x024
    COPY_FROM = 0x030
    COPY_TO = 0x031
    COPY_LENGTH = 0x032
    SECOND_SCALE_LENGTH = 0x093
    IFM_PRECISION = 0x105
    IFM_UPSCALE = 0x107
    IFM_ZERO_POINT = 0x109
    OFM_DEPTH = 0x113
    OFM_PRECISION = 0x114
    OFM_ZERO_POINT = 0x118
    KERNEL_WIDTH = 0x120
    KERNEL_HEIGHT = 0x121
    KERNEL_STRIDE = 0x122
    ACCUMULATOR = 0x124
    ACTIVATION = 0x125
    ACTIVATION_LOW = 0x126
    ACTIVATION_HIGH = 0x127
    SCALE_REGION = 0x129
    COPY_FROM_REGION = 0x130
    COPY_TO_REGION = 0x131


#: The region of the model's constants, and the mark of the NPU's own memory, in which tables lie.
CONSTANTS, INTERNAL = 0, 1 << 8
_STARTED = frozenset(OperationCode) - {OperationCode.COPY}
_MAGIC = b"COP1"
#: Words of the driver's own in front of the commands, by tag: how many follow.
_CONFIGURATION, _COMMANDS, _NOTHING = 1, 2, 5
_STOP = 0x000


@dataclass(frozen=True, slots=True, eq=False)
class NpuOperation:
    """An operation of the NPU with the registers as it finds them, and the constants that were copied before it.

    ``registers`` have (parameter, payload) by code; ``copies`` are by (region, address), the latest last.
    """

    code: OperationCode
    mode: int
    registers: Mapping[int, tuple[int, int]]
    copies: Mapping[tuple[int, int], bytes]
    constants: bytes

    def parameter(self, register: Register) -> int:
        """The 16 bits of a command, 0 where nothing set them."""
        return self.registers.get(register, (0, 0))[0]

    def signed(self, register: Register) -> int:
        """The same as a number with a sign."""
        value = self.parameter(register)
        return value - (1 << 16) if value >> 15 else value

    def payload(self, register: Register) -> int:
        """The second word of a command, 0 where nothing set it."""
        return self.registers.get(register, (0, 0))[1]

    def read(self, region: int, address: int, length: int) -> bytes | None:
        """Constants at an address, which may have been copied there; None where it cannot be known."""
        return _read(self.copies, self.constants, region, address, length)

    def tables(self) -> tuple[bytes, ...]:
        """What was copied to the NPU's own memory, in which tables lie."""
        return tuple(data for (region, _), data in self.copies.items() if region == INTERNAL)


def operations(stream: bytes, constants: bytes) -> Iterator[NpuOperation]:
    """The operations of a stream in order. Raises NotSupported for one that is not understood."""
    registers, copies = dict[int, tuple[int, int]](), dict[tuple[int, int], bytes]()
    for code, parameter, payload in _commands(stream):
        if payload is not None:
            registers[code] = parameter, payload
        elif code >= 0x100:
            registers[code] = parameter, 0
        elif code == OperationCode.COPY:
            _copy(registers, copies, constants)
        elif code in _STARTED:
            yield NpuOperation(OperationCode(code), parameter, dict(registers), dict(copies), constants)


def _commands(stream: bytes) -> Iterator[tuple[int, int, int | None]]:
    """(code, parameter, payload) of each command; no payload where it has none."""
    words = struct.unpack(f"<{len(stream) // 4}I", stream[: len(stream) // 4 * 4])
    at = _begin(stream, words)
    while at < len(words):
        word = words[at]
        code, parameter, long = word & 0x3FF, word >> 16, bool(word >> 14 & 1)
        if code == _STOP and not long:
            return
        if long and at + 1 == len(words):
            raise NotSupported("not covered: the command stream ends within a command")
        yield code, parameter, words[at + 1] if long else None
        at += 2 if long else 1


def _begin(stream: bytes, words: tuple[int, ...]) -> int:
    """The place of the first command, behind the driver's words."""
    at = 1
    while stream[:4] == _MAGIC and at < len(words):
        tag = words[at] & 0xFF
        at += 3 if tag == _CONFIGURATION else 1
        if tag == _COMMANDS:
            return at
        if tag not in (_CONFIGURATION, _NOTHING):
            break
    raise NotSupported("not covered: the command stream begins otherwise than that of Vela 5.2")


def _copy(
    registers: Mapping[int, tuple[int, int]], copies: dict[tuple[int, int], bytes], constants: bytes
) -> None:
    """What a copy makes known; what lay there before is known no more."""
    source, address = registers[Register.COPY_FROM_REGION][0], _address(registers, Register.COPY_FROM)
    target, begin = registers[Register.COPY_TO_REGION][0], _address(registers, Register.COPY_TO)
    length = _address(registers, Register.COPY_LENGTH)
    region = INTERNAL if target & INTERNAL else target & 7
    data = None if target >> 9 else _read(copies, constants, source & 7, address, length)
    for known in [
        (r, a)
        for (r, a), old in copies.items()
        if r == region and a < begin + length and begin < a + len(old)
    ]:
        del copies[known]
    if data is not None:
        copies[region, begin] = data


def _address(registers: Mapping[int, tuple[int, int]], register: Register) -> int:
    high, low = registers[register]
    return high << 32 | low


def _read(
    copies: Mapping[tuple[int, int], bytes], constants: bytes, region: int, address: int, length: int
) -> bytes | None:
    if region == CONSTANTS:
        return constants[address : address + length] if address + length <= len(constants) else None
    for (where, begin), data in reversed(tuple(copies.items())):
        if where == region and begin <= address and address + length <= begin + len(data):
            return data[address - begin : address - begin + length]
    return None
