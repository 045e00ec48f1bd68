from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.devices.isolated_device import IsolatedDevice
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, DeviceError, Failure, Job, Limits
from litecheck.devices.process import WorkerSetup
from litecheck.devices.worker import Worker
from litecheck.model.types import Model
from tests.kept_workers import separate_processes

pytestmark = [pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals"), pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = ("misbehaving", "threaded")
Opening = Callable[..., IsolatedDevice]


@pytest.fixture(autouse=True)
def own_children() -> Iterator[None]:
    with separate_processes():
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set the parent of temporary folders to this test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def opened(folder: Path) -> Iterator[Opening]:
    """Return a function that opens devices with a misbehaving adapter. Afterwards, no process or file may be left."""
    devices = []

    def opening(mode: str = "", limits: Limits | None = None, adapter: str = "misbehaving") -> IsolatedDevice:
        setup = WorkerSetup(
            f"tests.verification.{adapter}{'' if ':' in adapter else ':Adapter'}",
            {"mode": mode},
            {"OPENBLAS_NUM_THREADS": "1"},
        )
        devices.append(IsolatedDevice("bad", "bad 1.0", setup, limits or Limits(seconds=30, memory=1 << 28)))
        return devices[-1]

    yield opening
    for device in devices:
        device.close()
    assert list(folder.iterdir()) == []


def job(*runs: tuple[np.ndarray, ...], content: bytes = b"bad") -> Job:
    return Job("0000-ADD", Model(()), content, runs or ((np.arange(3, dtype=np.int8),),))


def has_ended(pid: int) -> bool:
    """Return True if a process ends within ten seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_arrays_arrive_as_they_were_sent(opened: Opening, adapter: str) -> None:
    runs = (
        (
            np.arange(-128, 128, dtype=np.int8).reshape(2, 128),
            np.array(7, np.int64),
            np.empty((0, 4), np.uint8),
        ),
        (
            np.array([[0.5, np.nan]], np.float32),
            np.array([True, False]),
            np.asfortranarray(np.eye(3))[:, ::2],
        ),
    )
    answer = opened(adapter=adapter).run(job(*runs))
    assert isinstance(answer, Answer)
    assert (answer.delegated, answer.ended, answer.message) == (None, "", "")
    for sent, got in zip(runs, answer.runs, strict=True):
        for a, b in zip(sent, got, strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_array_equal(a, b)


def test_proof_and_message_are_passed_on(opened: Opening) -> None:
    answer = opened("proof").run(job())
    assert isinstance(answer, Answer)
    assert (answer.delegated, answer.message) == ((True, False), "a word")


#: Seconds that a busy machine needs to start a process and respond; less than a hanging call takes.
SOON = 3
#: Actions of the adapter -> outcome of the job and words of its message.
FAILURES = {
    "abort": (Outcome.CRASHED, "ended with SIGABRT without an answer"),
    "segfault": (Outcome.CRASHED, "SIGSEGV"),
    "exit0": (Outcome.CRASHED, "ended with status 0 without an answer"),
    "exit3": (Outcome.CRASHED, "status 3"),
    "hang": (Outcome.TIMED_OUT, f"no answer after {SOON} s"),
    "bomb": (Outcome.OUT_OF_MEMORY, "MemoryError"),
    "terminate": (Outcome.OUT_OF_MEMORY, "bad_alloc"),
    "kill": (Outcome.OUT_OF_MEMORY, "SIGKILL"),
    "chatter": (Outcome.CRASHED, "last words"),
    "unbuffered": (Outcome.CRASHED, "printed by C"),
    "refuse": (Outcome.REFUSED, "the driver refuses\nnode 3 wants int8"),
    "leave": (Outcome.REFUSED, "SystemExit: no licence"),
    "object": (Outcome.CRASHED, "an array of object holds no numbers"),
}


#: Failures of a process with threads: one of each outcome, and output of C.
THREADED = ("abort", "bomb", "chatter", "refuse")
FAILING = [("misbehaving", mode) for mode in FAILURES] + [("threaded", mode) for mode in THREADED]


@pytest.mark.parametrize(("adapter", "mode"), FAILING)
def test_every_misbehaviour_is_an_outcome_and_the_next_job_runs(
    opened: Opening, mode: str, adapter: str
) -> None:
    outcome, words = FAILURES[mode]
    device = opened(mode, Limits(SOON if mode == "hang" else 30, 1 << 28), adapter)
    for _ in range(2):
        failure = device.run(job())
        assert isinstance(failure, Failure)
        assert failure.outcome is outcome
        assert words in failure.message
        assert len(failure.message) < 3000
        assert "INFO" not in failure.message
    if mode != "object":
        answer = device.run(job(content=b"good"))
        assert isinstance(answer, Answer)
        assert answer.ended == ""


@pytest.mark.parametrize(
    ("mode", "ended"),
    [("corrupt", "SIGABRT"), ("abort-after", "SIGABRT"), ("hang-after", f"no end after {SOON} s")],
)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_end_after_the_answer_keeps_the_answer(
    opened: Opening, mode: str, ended: str, adapter: str
) -> None:
    limits = Limits(SOON if mode == "hang-after" else 30, 1 << 28)
    answer = opened(mode, limits, adapter).run(job())
    assert isinstance(answer, Answer)
    assert answer.ended == ended
    np.testing.assert_array_equal(answer.runs[0][0], [0, 1, 2])


def test_jobs_share_no_state(opened: Opening) -> None:
    device = opened("calls")
    for _ in range(3):
        answer = device.run(job())
        assert isinstance(answer, Answer)
        assert answer.runs[0][0] == 1


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_processes_of_a_job_end_with_the_job(opened: Opening, adapter: str) -> None:
    answer = opened("child", adapter=adapter).run(job())
    assert isinstance(answer, Answer)
    assert has_ended(int(answer.runs[0][0]))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux passes orphans to the worker")
def test_a_daemon_ends_with_the_job(opened: Opening) -> None:
    answer = opened("daemon").run(job())
    assert isinstance(answer, Answer)
    assert has_ended(int(answer.runs[0][0]))


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_temporary_folders_of_a_job_are_removed(opened: Opening, folder: Path, adapter: str) -> None:
    failure = opened("litter", adapter=adapter).run(job())
    assert isinstance(failure, Failure)
    made = Path(failure.message.splitlines()[-1])
    assert folder in made.parents
    assert not made.exists()


def test_threads_get_their_own_answers(opened: Opening) -> None:
    device = opened()

    def ask(n: int) -> Any:
        answer = device.run(job((np.array([n]),)))
        assert isinstance(answer, Answer)
        return answer.runs[0][0][0]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(40))) == list(range(40))


def test_a_child_that_was_killed_is_replaced(opened: Opening) -> None:
    device = opened()
    assert isinstance(device.run(job()), Answer)
    (keeper,) = device._free
    os.kill(keeper._child.process.pid, signal.SIGKILL)
    keeper._child.process.wait()
    assert isinstance(device.run(job()), Answer)


def test_an_interrupted_job_is_not_taken_for_the_next_one(
    opened: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = opened()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Worker, "_read_message", interrupted)
        with pytest.raises(KeyboardInterrupt):
            device.run(job())
    answer = device.run(job((np.array([5]),)))
    assert isinstance(answer, Answer)
    assert answer.runs[0][0] == [5]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_closing_ends_jobs_in_other_threads(opened: Opening, adapter: str) -> None:
    device = opened("hang", Limits(seconds=600), adapter)
    raised: list[BaseException] = []

    def work() -> None:
        try:
            device.run(job())
        except DeviceError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.3)
    device.close()
    thread.join(20)
    assert not thread.is_alive()
    assert [str(e) for e in raised] == ["the device was closed"]
    with pytest.raises(DeviceError, match="closed"):
        device.run(job())


_HANGING = """
import sys
from litecheck.devices.port import Job, Limits
from litecheck.devices.isolated_device import IsolatedDevice
from litecheck.devices.process import WorkerSetup
from litecheck.model.types import Model
from tests.kept_workers import separate_processes
setup = WorkerSetup("tests.verification.misbehaving:Adapter", {"mode": sys.argv[1]}, {})
device = IsolatedDevice("bad", "", setup, Limits(600))
(keeper,) = device._free
print(keeper._child.process.pid, flush=True)
device.run(Job("0", Model(()), b"bad", ()))
print("done", flush=True)
"""


@pytest.mark.parametrize("number", [getattr(signal, "SIGKILL", None), signal.SIGINT, None])
def test_no_process_and_no_file_is_left_after_any_end_of_litecheck(
    tmp_path: Path, number: int | None
) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _HANGING, "hang" if number else ""]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True
    ) as parent:
        assert parent.stdout
        keeper = int(parent.stdout.readline())
        assert any(tmp_path.iterdir())
        time.sleep(0.3)
        if number:
            parent.send_signal(number)
        parent.wait(20)
    assert has_ended(keeper)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("adapter", "words"),
    [
        ("tests.verification.misbehaving:broken", "refused: OSError: no board at the port"),
        ("tests.verification.misbehaving:Missing", "Missing"),
        ("tests.verification.nowhere:Adapter", "ModuleNotFoundError"),
    ],
)
def test_an_error_of_opening_has_a_reason(folder: Path, adapter: str, words: str) -> None:
    with pytest.raises(DeviceError, match=f"--device bad: cannot be opened.*{words}"):
        IsolatedDevice("bad", "", WorkerSetup(adapter, {}, {"OPENBLAS_NUM_THREADS": "1"}), Limits())
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("mode", "words"), [("abort", "crashed: ended with SIGABRT"), ("hang", "timed out")])
def test_making_the_adapter_may_fail_too(opened: Opening, mode: str, words: str) -> None:
    with pytest.raises(DeviceError, match=words):
        opened(f"make-{mode}", Limits(seconds=0.7))


SIX = tuple((np.array([n], np.int8),) for n in range(6))


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_time_is_counted_for_each_invocation(opened: Opening, adapter: str) -> None:
    device = opened("slow", Limits(SOON, 1 << 28), adapter)
    answer = device.run(job(*SIX))
    assert isinstance(answer, Answer)
    assert [int(run[0][0]) for run in answer.runs] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_the_invocation_that_does_not_end_is_named(opened: Opening, adapter: str) -> None:
    failure = opened("stall", Limits(SOON, 1 << 28), adapter).run(job(*SIX))
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.TIMED_OUT
    assert failure.message == f"no answer after {SOON} s, in invocation 3 of 6"


def test_the_progress_of_a_job_is_reported(opened: Opening) -> None:
    device, seen = opened("slow"), []
    device.progress = seen.append
    device.run(job(*SIX))
    assert seen == sorted(seen)
    assert 2 <= len(seen) <= 6
    assert seen[-1] <= 6


def test_an_unsupported_operator_is_no_rejection(opened: Opening) -> None:
    failure = opened("lacks").run(job())
    assert failure == Failure(Outcome.NOT_SUPPORTED, "there is no ADD")


SHARING = "misbehaving:Sharing"


def sharing(*contents: bytes) -> list[Job]:
    return [replace(job(content=content), shares=True) for content in contents]


def test_jobs_share_a_process_if_adapter_and_job_allow_it(opened: Opening) -> None:
    def pids(adapter: str, jobs: list[Job]) -> list[tuple[int, bool]]:
        device = opened("pid", adapter=adapter)
        answers = [device.run(one) for one in jobs]
        return [(int(a.runs[0][0]), a.shared) for a in answers if isinstance(a, Answer)]

    (first, alone), (second, shared) = pids(SHARING, sharing(b"1", b"2"))
    assert (first == second, alone, shared) == (True, False, True)
    for adapter, jobs in (("misbehaving", sharing(b"1", b"2")), (SHARING, [job(), job()])):
        (first, alone), (second, shared) = pids(adapter, jobs)
        assert (first != second, alone, shared) == (True, False, False)
    (before, _), (between, _), (behind, _) = pids(SHARING, [*sharing(b"1"), job(), *sharing(b"2")])
    assert len({before, between, behind}) == 3


@pytest.mark.parametrize("mode", sorted(set(FAILURES) - {"object"}))
def test_a_failure_in_a_shared_process_equals_the_failure_in_a_separate_process(
    opened: Opening, mode: str
) -> None:
    device = opened(mode, Limits(seconds=SOON if mode == "hang" else 30, memory=1 << 28), SHARING)
    good, bad, next_one = sharing(b"good", b"bad", b"good")
    outcome, words = FAILURES[mode]
    assert isinstance(device.run(good), Answer)
    failure = device.run(bad)
    assert isinstance(failure, Failure)
    assert failure.outcome is outcome
    assert words in failure.message
    assert isinstance(device.run(next_one), Answer)


def test_a_job_repeats_after_damage_by_an_earlier_job(opened: Opening) -> None:
    """A second job in the same process ends the process."""
    device = opened("once", adapter=SHARING)
    first, second = (device.run(one) for one in sharing(b"1", b"2"))
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert not second.shared


def test_a_process_is_not_shared_without_end(opened: Opening) -> None:
    device = opened("pid", adapter=SHARING)
    answers = [device.run(one) for one in sharing(*[b"1"] * 60)]
    assert len({int(a.runs[0][0]) for a in answers if isinstance(a, Answer)}) == 2


def test_a_device_can_be_opened_without_an_adapter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "run", lambda *_: pytest.fail("a job has run"))
    setup = WorkerSetup("tests.verification.misbehaving:Adapter", {}, {"OPENBLAS_NUM_THREADS": "1"})
    IsolatedDevice("bad", "bad 1.0", setup, Limits(seconds=30, memory=1 << 28), tries=False).close()
    assert list(folder.iterdir()) == []


def test_a_runtime_that_cannot_be_loaded_is_an_error_without_an_adapter_as_well() -> None:
    setup = WorkerSetup("tests.verification.missing:Adapter", {}, {"OPENBLAS_NUM_THREADS": "1"})
    with pytest.raises(DeviceError, match=r"--device bad: cannot be opened: .*No module named"):
        IsolatedDevice("bad", "bad 1.0", setup, Limits(), tries=False)
