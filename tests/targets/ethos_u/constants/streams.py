"""Command streams and compiled models written by hand, for tests of their readers."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.targets.ethos_u.constants.command_stream import OperationCode, Register

#: The driver's words: magic, a configuration of two words, padding.
HEADER = (int.from_bytes(b"COP1", "little"), 0x0010_0001, 0x1807, 0x1006_0000, 5, 5, 5)
#: A register and its parameter, or (parameter, payload) where it has a second word.
Settings = dict[Register, "int | tuple[int, int]"]


def words(*commands: Settings | tuple[OperationCode, int]) -> Iterator[int]:
    """Yield the words of commands: register settings and operations."""
    for command in commands:
        if isinstance(command, tuple):
            yield command[0] | (command[1] & 0xFFFF) << 16
            continue
        for register, value in command.items():
            if isinstance(value, tuple):
                yield register | 1 << 14 | value[0] << 16
                yield value[1]
            else:
                yield register | (value & 0xFFFF) << 16


def stream(*commands: Settings | tuple[OperationCode, int]) -> bytes:
    """Return the command stream as a compiled model contains it."""
    body = [*words(*commands), 0xFFFF_0000]
    every = [*HEADER, 2 | len(body) << 16, *body]
    return struct.pack(f"<{len(every)}I", *every)


def copied(source: int, length: int, region: int = 0x103, address: int = 0x5800) -> Settings:
    """Return the registers of a copy of constants, by default into the NPU's internal memory."""
    return {
        Register.COPY_FROM_REGION: 0,
        Register.COPY_FROM: (0, source),
        Register.COPY_TO_REGION: region,
        Register.COPY_TO: (0, address),
        Register.COPY_LENGTH: (0, length),
    }


def compiled(commands: bytes, constants: bytes) -> Model:
    """Return a compiled model: a single operator for the NPU's part."""
    builder = ModelBuilder("vela")
    main = builder.subgraph()
    ends = [
        main.constant("stream", np.frombuffer(commands, np.uint8)),
        main.constant("read_only", np.frombuffer(constants, np.uint8)),
    ]
    x, y = (main.tensor(name, (1, 4), "int8", qparams(1.0)) for name in "xy")
    main.add("CUSTOM", [*ends, x], [y], custom_code="ethos-u")
    main.inputs(x)
    main.outputs(y)
    return builder.finish()
