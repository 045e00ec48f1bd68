"""Fixtures and hooks of all tests: golden files, public models, LiteRT in a child process."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from litecheck.cli import one_thread

if TYPE_CHECKING:
    from tests.differential.oracle import Oracle

# Called before numpy is loaded. Tests run in parallel, so further threads in each process do not help.
one_thread()

# A test worker inherits COLUMNS from its terminal, and output in a pipe would use this width.
os.environ.pop("COLUMNS", None)

# The duration of an example depends on the machine's load, and the first example loads the rules.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores interrupts. Processes that a test starts and interrupts would inherit
    # this.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    """Start LiteRT in a child process that all tests of a module share."""
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    from tests.differential.oracle import Oracle

    with Oracle() as started:
        yield started


@pytest.fixture
def in_time() -> Iterator[None]:
    """End a test after a minute, because a test that waits for a pipe or reads endlessly would block the
    suite."""

    def stop(*_: object) -> None:
        raise TimeoutError("the test waits, or reads without end")

    if os.name == "nt":
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Set the defaults of ``pytest`` without arguments: skip slow tests, run in parallel if pytest-xdist is
    installed."""
    options = config.option
    whole = config.args_source is not pytest.Config.ArgsSource.ARGS and not options.collectonly
    if not whole:
        return
    if not options.markexpr and not options.slow:
        options.markexpr = "not slow"  # also in each worker, which receives only the command line
    free = getattr(options, "numprocesses", 0) is None and not options.tx and options.dist == "no"
    if free and not hasattr(config, "workerinput") and not options.usepdb:
        # More workers than cores: tests wait for the processes that they start.
        options.numprocesses, options.dist = (os.cpu_count() or 1) + 1, "worksteal"


def pytest_report_header(config: pytest.Config) -> str | None:
    """Return a line of the report header if slow tests are skipped."""
    left = config.option.markexpr == "not slow"
    return "slow tests are left out: pytest -m slow runs them, pytest --slow all" if left else None


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled bytecode in pytest's cache if Python is configured not to write it.

    Otherwise, hundreds of processes would each compile litecheck.
    """
    cache = getattr(config, "cache", None)
    if sys.dont_write_bytecode and cache is not None:
        sys.dont_write_bytecode, sys.pycache_prefix = False, str(cache.mkdir("bytecode"))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection during test collection: the collected objects live until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exclude thousands of tests and all modules from garbage collection: they live until the end."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test on the simulated system of tests/portable if the test itself uses a function that only
    Linux has.

    An error from litecheck's code, or from a program that the test starts, remains an error.
    """
    error = call.excinfo
    if hasattr(os, "_hidden") and error is not None and "(simulated system)" in str(error.value):
        user = next(entry for entry in reversed(error.traceback) if entry.path.name != "sitecustomize.py")
        if Path(__file__).parent in Path(user.path).parents:
            try:
                pytest.skip(f"needs Linux: {error.value}")
            except pytest.skip.Exception as skipped:
                call.excinfo = pytest.ExceptionInfo.from_exception(skipped)
    return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files instead of comparing"
    )
    parser.addoption("--slow", action="store_true", help="the whole suite: the slow tests too")
    parser.addoption("--whole", action="store_true", help="all of the comparisons of which a slice is tested")


@pytest.fixture
def beyond_the_slice(request: pytest.FixtureRequest) -> Callable[[], None]:
    """Return a function that skips the test unless --whole is given, for comparisons that take minutes."""

    def leave() -> None:
        if not request.config.getoption("--whole"):
            pytest.skip("not in the slice that is always compared: pytest --whole")

    return leave


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return ``golden(name, text)``: text must equal ``golden/<name>`` beside the test; --update-golden
    writes the file."""
    folder = request.path.parent / "golden"

    def compare(name: str, text: str) -> None:
        file = folder / name
        if request.config.getoption("--update-golden"):
            folder.mkdir(exist_ok=True)
            file.write_bytes(text.encode())
        assert file.exists(), f"{file} is missing; write it with --update-golden"
        assert text == file.read_bytes().decode(), (
            f"{file} differs; review it, then rewrite it with --update-golden"
        )

    return compare


@pytest.fixture(scope="session", autouse=True)
def shared_workers() -> Iterator[None]:
    """Keep worker processes for later tests: hundreds of tests open a device, and each would load numpy and the runtime."""
    from tests.kept_workers import shared_processes

    with shared_processes():
        yield


@pytest.fixture(scope="session")
def models() -> Path:
    """Return the folder of the public models, from LITECHECK_MODELS."""
    folder = os.environ.get("LITECHECK_MODELS", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LITECHECK_MODELS names no folder with the public models")
    return Path(folder)


#: Run in a separate process, because LiteRT ends the process on some models. Prints a line per model: a hash
#: of all outputs for inputs drawn from a fixed seed, or LiteRT's error.
_LITERT = """
import hashlib, sys
import numpy as np
from ai_edge_litert.interpreter import Interpreter
for path in sys.argv[1:]:
    random = np.random.default_rng(0)
    try:
        model = Interpreter(model_path=path)
        model.allocate_tensors()
        for i in model.get_input_details():
            values = random.normal(0, 30, tuple(i["shape"]))
            model.set_tensor(i["index"], values.astype(np.int32).astype(i["dtype"]))
        model.invoke()
        outputs = [model.get_tensor(o["index"]).tobytes() for o in model.get_output_details()]
        print("outputs", hashlib.sha256(b"|".join(outputs)).hexdigest())
    except (RuntimeError, ValueError) as error:
        print("refused", " ".join(str(error).split()))
"""


@pytest.fixture(scope="session")
def litert() -> Callable[[Sequence[Path]], list[str]]:
    """Return ``litert(paths)``, the behavior of LiteRT on each model: ``outputs <hash>`` or ``refused
    <reason>``."""
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

    def run(paths: Sequence[Path]) -> list[str]:
        command = [sys.executable, "-c", _LITERT, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith(("outputs ", "refused "))]
        assert len(lines) == len(paths)
        return lines

    return run


@pytest.fixture(scope="session")
def conversion() -> Path:
    """Return the folder of public float models and calibration data, from LITECHECK_CONVERSION."""
    folder = os.environ.get("LITECHECK_CONVERSION", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LITECHECK_CONVERSION names no folder with public float models")
    return Path(folder)
