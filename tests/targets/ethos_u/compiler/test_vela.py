"""Vela as an oracle: operators on the NPU, on the CPU and optimized out; rejections, crashes and a missing compiler."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from litecheck.devices.port import DeviceError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.targets.ethos_u.compiler import vela
from litecheck.targets.ethos_u.compiler.vela import Vela


def model(opcode: str, dtype: str = "int8", shape: tuple[int, ...] = (1, 4, 4, 8)) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", shape, dtype, qparams(0.5))
    y = main.tensor("y", shape, dtype, qparams(0.5))
    main.add(opcode, [x], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def half_and_half() -> Model:
    """Return a TANH, which runs on the NPU, between two SQRT, which do not, and a RESHAPE, which is optimized out."""
    builder = ModelBuilder()
    main = builder.subgraph()
    names = [main.tensor(n, (1, 4, 4, 8), "int8", qparams(1 / 128)) for n in "abcd"]
    flat = main.tensor("e", (1, 128), "int8", qparams(1 / 128))
    shape = main.constant("shape", np.array([1, 128], np.int32))
    for opcode, a, b in zip(("SQRT", "TANH", "SQRT"), names, names[1:], strict=False):
        main.add(opcode, [a], [b])
    main.add("RESHAPE", [names[3], shape], [flat])
    main.inputs(names[0])
    main.outputs(flat)
    return builder.finish()


@pytest.fixture(scope="module")
def compiler():
    pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    with Vela("ethos-u55") as opened:
        yield opened


def test_every_operator_has_an_outcome(compiler: Vela) -> None:
    assert compiler.compile(model("TANH")).outcomes == ("npu",)
    found = compiler.compile(half_and_half())
    assert found.outcomes[:3] == ("cpu", "npu", "cpu")
    assert found.partitions >= 1
    assert "SQRT" in found.log


def test_operators_with_outputs_of_equal_names_are_distinguished(compiler: Vela) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    tensors = [main.tensor(name, (1, 4, 4, 8), "int8", qparams(0.5)) for name in ("x", "same", "same", "sum")]
    for opcode, operands, made in (("SQRT", [0], 1), ("SQRT", [0], 2), ("ADD", [1, 2], 3)):
        main.add(opcode, [tensors[n] for n in operands], [tensors[made]])
    main.inputs(tensors[0])
    main.outputs(tensors[3])
    assert compiler.compile(builder.finish()).outcomes == ("cpu", "cpu", "npu")


def test_a_crash_is_reported_and_the_next_model_is_compiled(
    compiler: Vela, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vela, "model_bytes", lambda _: b"\x1c\0\0\0TFL3" + b"\xff" * 40)
    assert compiler.compile(model("TANH")).outcomes in (("crash",), ("refused",))
    monkeypatch.undo()
    assert compiler.compile(model("TANH")).outcomes == ("npu",)


def test_a_slow_compilation_is_ended(compiler: Vela, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = [sys.executable, "-c", "import time; time.sleep(600)"]
    monkeypatch.setattr(vela, "python_command", lambda *_: waits)
    with Vela("ethos-u55", seconds=0.05) as hasty:
        found = hasty.compile(model("TANH"))
    assert found.outcomes == ("crash",)
    assert found.ending == "no end after 0.05 s"


def test_a_missing_compiler_is_an_error_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr(vela, "version", none)
    with pytest.raises(DeviceError, match=r"pip install -e '\.\[vela\]'"):
        Vela("ethos-u55")


def test_an_unreadable_output_is_a_crash(compiler: Vela, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = vela.Vela._request
    monkeypatch.setattr(vela.Vela, "_request", lambda self, data: (answered(self, data)[0], b"TFL3" * 9))
    found = compiler.compile(model("TANH"))
    assert found.outcomes == ("crash",)
    assert found.ending.startswith("its output cannot be read: ")
