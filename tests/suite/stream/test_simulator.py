"""The simulator in C: it answers every stream as LiteRT computes, and each of its ten faults is named."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from litecheck.suite.stream.stream_kinds import stream_names
from litecheck.suite.stream.stream_verdict import judge_stream
from tests.suite.stream.conftest import made

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parents[3] / "examples" / "simulator.c"
#: The faults of the program: number -> (stream, flag).
FAULTS = {
    1: ("requantize", "requantize=double-half-up"),
    2: ("requantize", "requantize=single"),
    3: ("requantize", "requantize=truncate"),
    4: ("requantize", "no-activation"),
    5: ("CONV_2D", "wraps"),
    6: ("LOGISTIC", "no-output-zero-point"),
    7: ("requantize", "saturates-first"),
    8: ("SUB", "no-input-zero-point"),
    9: ("DEPTHWISE_CONV_2D", "accumulator-16"),
    10: ("CONV_2D", "bias-apart"),
}
Compiled = Callable[..., Path]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """Return a function that compiles the program with a fault without warnings; 0 is no fault."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("simulator")

    @cache
    def program(fault: int = 0) -> Path:
        path = folder / f"simulator{fault}"
        mutants = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", f"-DFAULT={fault}"]
        subprocess.run([compiler, *mutants, str(SOURCE), "-o", str(path), "-lm"], check=True)
        return path

    return program


def answers(program: Path, stream: bytes) -> list[bytes]:
    done = subprocess.run([program], input=stream, stdout=subprocess.PIPE, check=True, timeout=60)
    return done.stdout.splitlines(keepends=True)


@pytest.mark.parametrize("name", stream_names())
def test_the_program_answers_every_stream_as_litert_computes(compiled: Compiled, name: str) -> None:
    report = judge_stream(answers(compiled(), made(name)))
    assert (report.verdict, report.first) == ("exact", None)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_caught_and_named(compiled: Compiled, fault: int) -> None:
    name, mutant = FAULTS[fault]
    report = judge_stream(answers(compiled(fault), made(name)))
    assert (report.exit_code, report.unexplained) == (1, 0)
    assert [e.mutant.name for e in report.explanations if e.all_] == [mutant]


def test_input_that_is_no_stream_ends_the_program(compiled: Compiled) -> None:
    done = subprocess.run(
        [compiled()], input=b"#litecheck-stream 1 name=x kind=x operator=x\n0 1\n", capture_output=True
    )
    assert done.returncode == 2
