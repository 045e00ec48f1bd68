"""Decoder of the command stream of a model compiled for an Ethos-U: operations, their registers and constants.

The stream consists of 32-bit words. A command has its code in bits 0 to 9 and a 16-bit parameter from bit 16. If bit 14 is
set, a second word follows: the payload. Source: Arm's register descriptions in Vela (ethosu/vela/ethos_u55_regs,
driver_actions).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from litecheck.devices.port import NotSupported


class OperationCode(IntEnum):
    """Commands that start a computation or a copy."""

    CONVOLUTION = 0x002
    DEPTHWISE = 0x003
    POOLING = 0x005
    ELEMENTWISE = 0x006
    RESIZE = 0x007
    COPY = 0x010


class Register(IntEnum):
    """Registers that the decoder reads."""

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


#: Region of the model's constants, and flag of the NPU's internal memory, which holds lookup tables.
CONSTANTS, INTERNAL = 0, 1 << 8
_STARTED = frozenset(OperationCode) - {OperationCode.COPY}
_MAGIC = b"COP1"
#: Tags of driver words before the commands. A configuration has two more words.
_CONFIGURATION, _COMMANDS, _NOTHING = 1, 2, 5
_STOP = 0x000


@dataclass(frozen=True, slots=True, eq=False)
class NpuOperation:
    """An NPU operation with the register values at its start, and the constants that were copied before.

    ``registers`` maps a code to (parameter, payload). ``copies`` maps (region, address) to bytes, the latest copy last.
    """

    code: OperationCode
    mode: int
    registers: Mapping[int, tuple[int, int]]
    copies: Mapping[tuple[int, int], bytes]
    constants: bytes

    def parameter(self, register: Register) -> int:
        """Return the 16-bit parameter of a register, 0 if it was not set."""
        return self.registers.get(register, (0, 0))[0]

    def read_int16(self, register: Register) -> int:
        """Return the parameter as int16."""
        value = self.parameter(register)
        return value - (1 << 16) if value >> 15 else value

    def payload(self, register: Register) -> int:
        """Return the payload of a register, 0 if it was not set."""
        return self.registers.get(register, (0, 0))[1]

    def read_constants(self, region: int, address: int, length: int) -> bytes | None:
        """Return the constants at an address, original or copied; None if they are unknown."""
        return _read(self.copies, self.constants, region, address, length)

    def tables(self) -> tuple[bytes, ...]:
        """Return the data that was copied to the internal memory, which holds lookup tables."""
        return tuple(data for (region, _), data in self.copies.items() if region == INTERNAL)


def operations(stream: bytes, constants: bytes) -> Iterator[NpuOperation]:
    """Yield the operations of a stream in order. Raises NotSupported for an unknown stream."""
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
    """Yield (code, parameter, payload) of each command; the payload is None for one-word commands."""
    words = struct.unpack(f"<{len(stream) // 4}I", stream[: len(stream) // 4 * 4])
    at = _begin(stream, words)
    while at < len(words):
        word = words[at]
        code, parameter, has_payload = word & 0x3FF, word >> 16, bool(word >> 14 & 1)
        if code == _STOP and not has_payload:
            return
        if has_payload and at + 1 == len(words):
            raise NotSupported("not covered: the command stream ends inside a command")
        yield code, parameter, words[at + 1] if has_payload else None
        at += 2 if has_payload else 1


def _begin(stream: bytes, words: tuple[int, ...]) -> int:
    """Return the index of the first command, after the driver words."""
    at = 1
    while stream[:4] == _MAGIC and at < len(words):
        tag = words[at] & 0xFF
        at += 3 if tag == _CONFIGURATION else 1
        if tag == _COMMANDS:
            return at
        if tag not in (_CONFIGURATION, _NOTHING):
            break
    raise NotSupported("not covered: the command stream has an unknown header, expected that of Vela 5.2")


def _copy(
    registers: Mapping[int, tuple[int, int]], copies: dict[tuple[int, int], bytes], constants: bytes
) -> None:
    """Record a copy; older data at the target addresses becomes unknown."""
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
    for (origin, begin), data in reversed(tuple(copies.items())):
        if origin == region and begin <= address and address + length <= begin + len(data):
            return data[address - begin : address - begin + length]
    return None
