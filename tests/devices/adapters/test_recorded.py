from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.cases.variable_state import StateSupport
from litecheck.devices.adapters.recorded import FACTS, RecordedDevice, record
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes

CASE = "0003-SPLIT"


def job(name: str = CASE, runs: int = 1, seed: int = 0) -> Job:
    builder = ModelBuilder()
    graph = builder.subgraph()
    q = qparams(0.5)
    axis = graph.constant("axis", np.array(0, np.int32))
    x = graph.tensor("x", (4,), "int8", q)
    ends = [graph.tensor(name, (2,), "int8", q) for name in ("part/a", "part/b")]
    graph.add("SPLIT", [axis, x], ends, num_splits=2)
    graph.inputs(x)
    graph.outputs(*ends)
    model = builder.finish()
    random = np.random.default_rng(seed)
    given = tuple((random.integers(-9, 9, 4, np.int8),) for _ in range(runs))
    return Job(name, model, model_bytes(model), given)


def halves(of: Job) -> Answer:
    return Answer(tuple((x[:2], x[2:]) for (x,) in of.runs))


def same(got: Answer | Failure, expected: Answer) -> None:
    assert isinstance(got, Answer), got
    assert (got.delegated, got.ended, got.message) == (expected.delegated, expected.ended, expected.message)
    for a, b in zip(got.runs, expected.runs, strict=True):
        for mine, theirs in zip(a, b, strict=True):
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_array_equal(mine, theirs)


def replayed(folder: Path, of: Job) -> Answer | Failure:
    return RecordedDevice(f"recorded:{folder}", str(folder)).run(of)


def write(folder: Path, layout: str, arrays: dict[str, Any]) -> None:
    """Write arrays by name: as files in the folder ``layout``, or in an archive of this name."""
    if layout.endswith(".npz"):
        (folder / layout).parent.mkdir(parents=True, exist_ok=True)
        np.savez(folder / layout, **arrays)
        return
    for name, values in arrays.items():
        file = folder / layout / f"{name}.npy"
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, values)


@pytest.mark.parametrize("layout", [CASE, f"{CASE}.npz", f"{CASE}/all.npz"])
@pytest.mark.parametrize("names", [("output_0", "output_1"), ("part/a", "part/b"), ("part_a", "part_b")])
def test_a_case_is_found(tmp_path: Path, layout: str, names: tuple[str, str]) -> None:
    wanted = job(runs=2)
    answer = halves(wanted)
    arrays = {
        f"run_{n}/{name}": v for n, run in enumerate(answer.runs) for name, v in zip(names, run, strict=True)
    }
    write(tmp_path, layout, arrays)
    same(replayed(tmp_path, wanted), answer)


@pytest.mark.parametrize("layout", [CASE, f"{CASE}.npz"])
def test_the_first_run_may_do_without_a_folder(tmp_path: Path, layout: str) -> None:
    answer = halves(job())
    write(tmp_path, layout, {"output_0": answer.runs[0][0], "output_1": answer.runs[0][1]})
    same(replayed(tmp_path, job()), answer)
    failure = replayed(tmp_path, job(runs=2))
    assert failure == Failure(
        Outcome.NOT_RECORDED, f"nothing recorded for output 0 ('part/a') of {CASE}, run 1"
    )


@pytest.mark.parametrize("layout", ["", "dump.npz"])
def test_a_dump_of_all_tensors_serves_every_operator(tmp_path: Path, layout: str) -> None:
    answer = halves(job())
    floats = answer.runs[0][1].astype(np.float32)
    write(tmp_path, layout, {"part/a": answer.runs[0][0], "part/b": floats, "other": np.zeros(9)})
    same(replayed(tmp_path, job()), Answer(((answer.runs[0][0], floats),)))


def test_positions_in_the_folder_itself_are_the_network_s(tmp_path: Path) -> None:
    answer = halves(job())
    write(tmp_path, "", {"output_0": answer.runs[0][0], "output_1": answer.runs[0][1]})
    assert isinstance(replayed(tmp_path, job()), Failure)
    same(replayed(tmp_path, job("whole")), answer)


def test_a_recording_returns_the_recorded_outputs(tmp_path: Path) -> None:
    wanted = job(runs=2)
    strange = (np.zeros((3, 1), np.float32),)
    answer = Answer((halves(wanted).runs[0], strange), (True, False), "SIGSEGV", "a word")
    record(tmp_path, wanted, answer)
    same(replayed(tmp_path, wanted), answer)
    second = Job(CASE, wanted.model, wanted.content, wanted.runs[1:])
    same(replayed(tmp_path, second), Answer(answer.runs[1:], answer.delegated, answer.ended, answer.message))


def test_a_recorded_failure_comes_back(tmp_path: Path) -> None:
    failure = Failure(Outcome.TIMED_OUT, "no answer after 5 s")
    record(tmp_path, job(), halves(job()))
    record(tmp_path, job(), failure)
    assert replayed(tmp_path, job()) == failure


def test_a_record_of_different_inputs_or_models_is_not_used(tmp_path: Path) -> None:
    record(tmp_path, job(), halves(job()))
    others = replayed(tmp_path, job(seed=1))
    assert isinstance(others, Failure)
    assert (others.outcome, "these inputs of" in others.message) == (Outcome.NOT_RECORDED, True)
    model = Job(CASE, job().model, job().content + b"\0", job().runs)
    of_other = replayed(tmp_path, model)
    assert isinstance(of_other, Failure)
    assert of_other.message == f"the recording of {CASE} is of a different model"


def test_damaged_records_are_an_outcome(tmp_path: Path) -> None:
    record(tmp_path, job(), halves(job()))
    output, facts = tmp_path / CASE / "run_0" / "output_1.npy", tmp_path / CASE / FACTS
    output.write_bytes(output.read_bytes()[:-1])
    cut = replayed(tmp_path, job())
    for text in ("[]", "{}", "nonsense", facts.read_text().replace('"outputs": [', '"outputs": [[')):
        facts.write_text(text)
        failure = replayed(tmp_path, job())
        assert isinstance(failure, Failure)
        assert failure.message.startswith("the recording cannot be read")
    assert isinstance(cut, Failure)
    assert "output_1.npy" in cut.message


def test_a_record_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        record(tmp_path / "file", job(), halves(job()))


def test_one_recording_answers_for_every_run_that_is_fed_the_same(tmp_path: Path) -> None:
    first, other = (job("whole", 1, seed).runs[0] for seed in (0, 1))
    again = replace(job("whole"), runs=(first, first))
    a, b = halves(again).runs[0]
    np.savez(tmp_path / "tensors.npz", **{"part/a": a, "part/b": b})
    same(replayed(tmp_path, again), halves(again))
    missing = replayed(tmp_path, replace(again, runs=(first, other)))
    assert isinstance(missing, Failure)
    assert "whole, run 1" in missing.message


posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")


def failure(folder: Path, of: Job) -> str:
    answer = replayed(folder, of)
    assert isinstance(answer, Failure)
    assert answer.outcome is Outcome.NOT_RECORDED
    return answer.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcome": "nonsense"}, "outcome is 'nonsense', not one of"),
        ({"outputs": [10**400]}, "not a whole number of 64 bits"),
        ({"outputs": []}, "outputs has 0 entries, expected one for each of 1 runs"),
        ({"runs": 3}, "runs is 3, not a list"),
        ({"delegated": 3}, "delegated is 3, not a list"),
        ({"memory": "nonsense"}, "memory is 'nonsense', not one of"),
    ],
)
def test_a_description_with_wrong_values_is_an_error(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    of = job()
    record(tmp_path, of, halves(of))
    file = tmp_path / CASE / FACTS
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    assert message in failure(tmp_path, of)


@pytest.mark.parametrize("content", [b"[" * 100_000, b"", b"\xff", b"9" * 5000, b"[]"])
def test_an_invalid_description_is_an_error(tmp_path: Path, content: bytes) -> None:
    of = job()
    record(tmp_path, of, halves(of))
    (tmp_path / CASE / FACTS).write_bytes(content)
    assert FACTS in failure(tmp_path, of)


@posix
@pytest.mark.parametrize("kind", ["zero", "pipe", "outside"])
@pytest.mark.parametrize("name", [FACTS, "run_0/output_0.npy"])
def test_only_regular_files_inside_the_folder_are_read(
    tmp_path: Path, name: str, kind: str, in_time: None
) -> None:
    of, folder = job(), tmp_path / "rec"
    record(folder, of, halves(of))
    path = folder / CASE / name
    path.rename(tmp_path / "outside")
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "zero" else tmp_path / "outside")
    told = failure(folder, of)
    assert any(part in told for part in ("regular file", "the link leaves the folder", "nothing recorded"))


@posix
def test_plain_outputs_behind_links_that_leave_the_folder_are_not_read(tmp_path: Path) -> None:
    of = job()
    np.save(tmp_path / "outside.npy", np.zeros(2, np.int8))
    (tmp_path / "rec" / CASE).mkdir(parents=True)
    (tmp_path / "rec" / CASE / "output_0.npy").symlink_to(tmp_path / "outside.npy")
    assert "the link leaves the folder" in failure(tmp_path / "rec", of)


@posix
def test_recording_does_not_write_through_links_that_leave_the_folder(tmp_path: Path) -> None:
    of = job()
    (tmp_path / "outside").mkdir()
    (tmp_path / "rec").mkdir()
    (tmp_path / "rec" / CASE).symlink_to(tmp_path / "outside")
    with pytest.raises(ConfigError, match="the link leaves the folder"):
        record(tmp_path / "rec", of, halves(of))
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize(
    ("series", "start", "memory"),
    [
        ((), {}, StateSupport.NONE),
        ((2,), {}, StateSupport.KEPT),
        ((1, 1), {0: np.zeros(1)}, StateSupport.SET),
    ],
)
def test_a_recording_has_the_largest_support_for_state_of_its_cases(
    tmp_path: Path, series: tuple[int, ...], start: dict[int, np.ndarray], memory: StateSupport
) -> None:
    plain = job("0001-A", 2)
    record(str(tmp_path), plain, halves(plain))
    other = replace(job("0002-B", 2), lengths=series, starts={0: start} if start else {})
    record(str(tmp_path), other, halves(other))
    assert RecordedDevice("recorded", str(tmp_path)).memory is memory
