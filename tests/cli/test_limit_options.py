"""--memory and --timeout: limits on the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from litecheck.cli.limit_options import MEGABYTES, SECONDS, limit_beside_device, limit_reference
from litecheck.model.build import ModelBuilder
from litecheck.model.save import save_model
from litecheck.reference.compute_limits import ComputeLimits, limits_in_force, set_limits

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def unlimited() -> Iterator[None]:
    yield
    set_limits(ComputeLimits())


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    """Write tile.tflite: y repeats x to 10 million elements, and z = |x|."""
    builder = ModelBuilder()
    graph = builder.subgraph("main")
    x, y, z = (graph.tensor(name, (2,), "float32") for name in "xyz")
    graph.inputs(x)
    graph.add("TILE", [x, graph.constant("multiples", np.array([5_000_000], np.int32))], [y])
    graph.add("ABS", [x], [z])
    graph.outputs(y, z)
    save_model(builder.finish(), "tile.tflite")


def test_the_defaults_are_those_of_the_library() -> None:
    assert ComputeLimits(memory=MEGABYTES << 20, seconds=SECONDS) == ComputeLimits()


def test_an_operator_beyond_the_memory_ends_run(run: Run) -> None:
    done = run("run", "tile.tflite", "--seed", "0", "-o", "out.npz", "--memory", "50")
    assert done.exit_code == 2
    assert done.stderr == (
        "error: TILE #0 'y': output of 80.0 MB: got 80.0 MB of tensors, expected at most 52.4 MB. "
        "Raise the limit with --memory.\n"
    )
    assert not Path("out.npz").exists()
    assert run("run", "tile.tflite", "--seed", "0", "-o", "out.npz", "--memory", "100").exit_code == 0


def test_verify_goes_on_with_the_next_operator(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ai_edge_litert")
    monkeypatch.setattr("litecheck.cli.limit_options.MEGABYTES", 50)
    done = run("verify", "tile.tflite", "-d", "litert:reference", "--memory", "50")
    words = " ".join(done.stdout.split())
    assert "0 TILE no reference y 1 ABS exact" in words
    assert "TILE #0 'y': output of 80.0 MB: got 80.0 MB of tensors, expected at most 52.4 MB." in words


def test_a_device_limit_does_not_lower_that_of_the_reference() -> None:
    limit_beside_device(16, 0.5)
    assert limits_in_force() == ComputeLimits()
    limit_beside_device(8192, 1200)
    assert limits_in_force() == ComputeLimits(8 << 30, 500_000, 1200)


def test_more_time_allows_more_calls() -> None:
    limit_reference(100, 1)
    assert limits_in_force() == ComputeLimits(100 << 20, 250_000, 1)
    limit_reference(100, 6000)
    assert limits_in_force().calls == 2_500_000


def test_a_system_without_memory_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("litecheck.model.load.load_model", exhausted)
    done = run("run", "tile.tflite", "--seed", "0", "-o", "out.npz")
    assert (done.exit_code, done.stderr) == (
        2,
        "error: out of memory: this system has no memory for the model and its tensors\n",
    )
