"""The folder of a suite: its content, and the same bytes every time."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from litecheck.data import schemas_dir
from litecheck.devices.port import Answer, Failure, Job
from litecheck.errors import ConfigError
from litecheck.model.load import load_model
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.manifest import MANIFEST, Suite, read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, make
from tests.suite.devices import Computing, arithmetic

pytestmark = pytest.mark.slow


def _content(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def test_the_same_options_give_the_same_bytes_in_one_process_or_two(suite: Suite, tmp_path: Path) -> None:
    make(Scope("litert-runtime", select=suite.manifest.selected), tmp_path / "again", jobs=2)
    assert _content(tmp_path / "again") == _content(suite.folder)


def test_a_different_seed_gives_different_values(tmp_path: Path) -> None:
    for seed in (0, 1):
        make(
            Scope("litert-runtime", select=("TANH/int8/65-536*",), seed=seed, flags=False),
            tmp_path / str(seed),
        )
    one, other = (
        {
            case.name: [entry.sha256 for entry in case.inputs]
            for case in read_suite(tmp_path / s).manifest.cases
        }
        for s in ("0", "1")
    )
    assert one.keys() == other.keys()
    assert one != other


def test_every_file_is_in_the_manifest_and_the_other_way_round(suite: Suite) -> None:
    named = {MANIFEST}
    for case in suite.manifest.cases:
        named.add(case.model)
        for entry in (*case.inputs, *(output for answer in case.answers for output in answer.outputs)):
            named.add(entry.file)
    assert named == set(_content(suite.folder))


def test_plain_files_need_no_litecheck(suite: Suite) -> None:
    """The size of a file is that of its type and shape."""
    for case in suite.manifest.cases:
        for entry in case.arrays:
            values = np.fromfile(suite.folder / entry.file, np.dtype(entry.dtype).newbyteorder("<"))
            assert np.array_equal(
                values.reshape(entry.shape), suite.stack(entry), equal_nan=values.dtype.kind == "f"
            )


def test_expected_outputs_equal_those_of_their_arithmetics(suite: Suite) -> None:
    for case in suite.manifest.cases:
        model = load_model(suite.folder / case.model)
        main = model.subgraphs[0]
        assert sorted(n for a in case.answers for n in a.arithmetics) == sorted(suite.manifest.arithmetics)
        for answer in case.answers:
            interpreter = ReferenceInterpreter(model, answer.arithmetics[-1])
            tensors = interpreter.run(main, suite.inputs(case)[-1])
            for index, stack in zip(main.outputs, suite.expected_outputs(answer), strict=True):
                assert np.array_equal(tensors[index], stack[-1])


def test_equal_expected_outputs_are_stored_once(suite: Suite) -> None:
    for case in suite.manifest.cases:
        hashes = [tuple(output.sha256 for output in answer.outputs) for answer in case.answers]
        assert len(set(hashes)) == len(hashes)


def test_the_manifest_conforms_to_its_schema(suite: Suite) -> None:
    schema = json.loads((schemas_dir() / "suite.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads((suite.folder / MANIFEST).read_text()))


def test_an_unsupported_operator_has_an_invalid_model(tmp_path: Path) -> None:
    profile = tmp_path / "chip.yaml"
    profile.write_text(
        "profile: chip\nops:\n  CONV_2D: {unsupported: it has no sums}\n  CONCATENATION: {unsupported: it is so}\n"
    )
    make(Scope(str(profile)), tmp_path / "made")
    names = {case.name for case in read_suite(tmp_path / "made").manifest.cases}
    assert names == {f"{opcode}/int8/refuse-unsupported-1" for opcode in ("CONV_2D", "CONCATENATION")}


def test_a_profile_of_placements_has_no_suite(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="ethos-u55 is a profile of placement"):
        make(Scope(profile="ethos-u55"), tmp_path / "suite")
    assert not any(tmp_path.iterdir())


def test_a_folder_with_files_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is there already"):
        make(Scope("litert-runtime", select=("TANH/int8/65-536*",)), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_failed_suite_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("litecheck.suite.suite_writer.write_case", full)
    with pytest.raises(ConfigError, match="the disk is full"):
        make(Scope("litert-runtime", select=("TANH/int8/65-536*",)), tmp_path / "suite")
    assert list(tmp_path.iterdir()) == []


def test_invalid_models_have_zero_inputs_and_no_expected_output(refusing: Suite) -> None:
    broken = [case for case in refusing.manifest.cases if case.broken]
    assert broken
    for case in broken:
        assert (case.answers, case.flags) == ((), ())
        assert case.effect
        assert all(not stack.any() for run in refusing.inputs(case) for stack in run)


@pytest.mark.parametrize(
    ("profile", "pattern", "hint"),
    [
        ("litert-runtime", "CONV_3", "; did you mean 'CONV_2D'"),
        ("litert-runtime", "NOTHING*", ""),
        (
            "litert-int8",
            "LEAKY_RELU",
            "; profiles with it: litert-int16x8, litert-runtime, litert-uint8, tflm",
        ),
        ("tflm", "TILE", "; profiles with it: litert-int16x8, litert-runtime, litert-uint8"),
    ],
)
def test_an_unknown_operator_is_an_error(profile: str, pattern: str, hint: str, tmp_path: Path) -> None:
    told = re.escape(f"{profile} has no operator {pattern!r}{hint}")
    with pytest.raises(ConfigError, match=f"^{told}"):
        make(Scope(profile, select=(pattern,)), tmp_path / "suite")


def test_all_unknown_operators_are_named_at_once(tmp_path: Path) -> None:
    select = ("CONV_3", "ADD", "NOTHING", "SOFTMX", "CONV_3")
    with pytest.raises(ConfigError) as refused:
        make(Scope("litert-int8", select=select), tmp_path / "suite")
    told = str(refused.value)
    assert told.startswith("litert-int8 has no operator 'CONV_3'; did you mean 'CONV_2D'?; nor 'NOTHING'")
    assert told.endswith("; nor 'SOFTMX'; did you mean 'SOFTMAX'?")
    assert told.count("CONV_3") == 1
    assert "'ADD'" not in told


def test_a_flag_lists_the_runs_that_show_a_mistake(suite: Suite) -> None:
    """Some runs of a case show single rounding, and the remaining do not. Every flag belongs to an existing run."""
    flags = [(case, flag) for case in suite.manifest.cases for flag in case.flags]
    assert flags
    assert all(0 <= run < case.runs and flag.worst for case, flag in flags for run in flag.runs)
    assert any(flag.mistake == "requantize: single" for _, flag in flags)


def test_a_suite_that_was_changed_is_refused(suite: Suite, tmp_path: Path) -> None:
    """The test changes a byte of a model, an input and an answer."""
    import shutil

    copied = tmp_path / "suite"
    shutil.copytree(suite.folder, copied)
    case = suite.manifest.cases[0]
    for name in (case.model, case.inputs[0].file, case.answers[0].outputs[0].file):
        content = (suite.folder / name).read_bytes()
        (copied / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(ConfigError, match="was changed since the suite was made"):
            _read_all(read_suite(copied))
        (copied / name).write_bytes(content)
    _read_all(read_suite(copied))


def _read_all(suite: Suite) -> None:
    for case in suite.manifest.cases:
        suite.model(case)
        suite.inputs(case)
        for answer in case.answers:
            suite.expected_outputs(answer)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "no suite: litecheck_suite is None"),
        ('{"litecheck_suite": 9}', "is 9, not 2"),
        ('{"litecheck_suite": 2}', "tool is missing"),
    ],
)
def test_a_folder_that_is_no_suite_is_an_error(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(ConfigError, match=words):
        read_suite(tmp_path)


def test_a_path_that_leads_outside_is_refused(suite: Suite, tmp_path: Path) -> None:
    text = (suite.folder / MANIFEST).read_text()
    case = suite.manifest.cases[0]
    (tmp_path / MANIFEST).write_text(text.replace(case.model, "../../secret", 1))
    with pytest.raises(ConfigError, match="lies outside"):
        read_suite(tmp_path)


def test_tolerances_of_the_profile_are_stored_in_the_suite(tmp_path: Path) -> None:
    own = tmp_path / "acme.yaml"
    own.write_text(
        "profile: acme\nextends: litert-int8\nconformance:\n  TANH: {tolerance: 3, because: the table has 64 entries}\n"
    )
    made = make(Scope(str(own), "smoke", ("TANH/*/[!r]*",), flags=False), tmp_path / "suite")
    suite = read_suite(tmp_path / "suite")
    assert suite.manifest == made
    schema = json.loads((schemas_dir() / "suite.schema.json").read_text())
    Draft202012Validator(schema).validate(json.loads((suite.folder / MANIFEST).read_text()))
    own.unlink()

    class Near(Computing):
        def run(self, job: Job) -> Answer | Failure:
            answer = super().run(job)
            assert isinstance(answer, Answer)
            return replace(answer, runs=tuple((np.clip(a, -120, 120) ^ 1,) for (a,) in answer.runs))

    run(suite, Near(arithmetic()), tmp_path / "results")
    report = judge(suite, read_results(tmp_path / "results", suite))
    assert {(row.opcode, row.tolerance, row.because) for row in report.rows} == {
        ("TANH", 3.0, "the table has 64 entries")
    }


def test_a_pattern_of_several_operators_makes_each_case_once(tmp_path: Path) -> None:
    select = ("S?U*E*/int8/plain", "SHAP?/int8/*-plain", "S[HQ]*/int8/*-plain")
    made = make(Scope("litert-int8", "smoke", select, flags=False), tmp_path / "suite")
    names = [case.name for case in made.cases]
    assert {case.opcode for case in made.cases} == {"SHAPE", "SQUEEZE"}
    assert len(names) == len(set(names))
