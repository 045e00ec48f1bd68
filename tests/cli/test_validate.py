"""litecheck validate: exit codes, both streams, outputs, the user's policy."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

import litecheck
from tests.cli.conftest import write_model

Run = Callable[..., Result]
ZERO_POINT = "FULLY_CONNECTED/weight/zero_point"
GRANULARITY = "FULLY_CONNECTED/weight/granularity"
TINY = ("-p", "tiny.yaml")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["good.tflite"], 0),
        (["partial.tflite"], 0),
        (["bad.tflite"], 1),
        (["float.tflite"], 2),
        (["broken.tflite"], 2),
        (["good.tflite", "bad.tflite"], 1),
        (["bad.tflite", "float.tflite"], 1),
        (["good.tflite", "--fail-on", "note"], 1),
        (["good.tflite", "--fail-on", "warning"], 0),
        (["partial.tflite", "--require-coverage"], 1),
        (["good.tflite", "--require-coverage"], 0),
        (["bad.tflite", "--ignore", "*/weight/zero_point"], 0),
        (["bad.tflite", "--ignore", "FULLY_CONNECTED"], 0),
        (["bad.tflite", "--select", GRANULARITY], 0),
        (["bad.tflite", "--set-level", f"{ZERO_POINT}=note"], 0),
        (["good.tflite", "--set-level", "*/weight/granularity=violation"], 1),
    ],
)
def test_exit_code(run: Run, arguments: list[str], code: int) -> None:
    assert run("validate", *arguments, *TINY).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["good.tflite", "-f", "sarf"], "unknown format 'sarf': did you mean sarif?"),
        (["good.tflite", "-f", "text:a,junit:b"], "expected one. Repeat it: -f text:a -f junit:b"),
        (["good.tflite", "-f", "text,junit"], "expected one. Repeat it: -f text -f junit"),
        (["good.tflite", "-f", "json:"], "json:: a file name is missing"),
        (["good.tflite", "-f", "json", "-f", "text"], "two formats to stdout"),
        (["good.tflite", "-f", "json:a", "-f", "sarif:./a"], "two outputs to one file"),
        (["good.tflite", "-f", "json:good.tflite/where.json"], "good.tflite is not a folder"),
        (
            ["good.tflite", "-f", "json:other.tflite"],
            "other.tflite: is the name of a model, and the output is none",
        ),
        (["good.tflite", "-f", "json:-"], "-: this output is not written to stdout"),
        (["good.tflite", "-f", "json:empty"], "empty: cannot be written, it is a folder"),
        (["good.tflite", "--write-baseline", "good.tflite/b.json"], "good.tflite is not a folder"),
        (["good.tflite", "--baseline", "absent.json"], "absent.json: cannot be read, No such file"),
        (["good.tflite", "--baseline", "tiny.yaml"], "tiny.yaml:1: not JSON"),
        (
            ["good.tflite", "--fail-on", "error"],
            "--fail-on: got 'error', expected violation, warning or note",
        ),
        (["good.tflite", "--set-level", "FULLY_CONNECTED"], "PATH=LEVEL"),
        (
            ["good.tflite", "--set-level", "FULLY_CONNECTED=bad"],
            "level of FULLY_CONNECTED: got 'bad', expected violation",
        ),
        (["good.tflite", "--select", "FULLY_CONECTED"], "did you mean 'FULLY_CONNECTED'?"),
        (["good.tflite", "--ignore", "FULLY_CONNECTED/weigt/scale"], "no requirement has this path"),
        (["good.tflite", "--reason", "text"], "--reason: got no --write-baseline FILE"),
        (["good.tflite", "--expires", "2027-03-31"], "--expires: got no --write-baseline FILE"),
        (["good.tflite", "--expires", "soon"], "--expires: 'soon' is not a date such as 2027-03-31"),
        (["good.tflite", "--fail-on-fallback"], "For a chip without a CPU, use --require-coverage"),
        (["good.tflite", "--fail-on-fallback"], "--fail-on-fallback is for a target"),
        (["good.tflite", "--max-partitions", "4"], "--max-partitions is for a target"),
        (["good.tflite", "--compile"], "--compile is for a target"),
        (["good.tflite", "-p", "litert-int9"], "did you mean 'litert-int8'?"),
        (["good.tflite", "-p", "absent.yaml"], "absent.yaml"),
        (["good.tflite", "-p", "ethos-u"], "did you mean 'ethos-u55', 'ethos-u65' or 'ethos-u85'?"),
    ],
)
def test_wrong_options_end_before_any_work(
    run: Run, folder: Path, arguments: list[str], message: str
) -> None:
    (folder / "empty").mkdir()
    result = run("validate", *TINY, *arguments)
    assert result.exit_code == 64
    assert result.stdout == ""
    assert "error: " in result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("absent.tflite", "no such file or folder"),
        ("*.lite", "no file matches"),
        ("empty", "no model in this folder"),
        ("https://example.org/m.tflite", "is an address"),
    ],
)
def test_a_path_without_a_model_does_not_stop_the_run(
    run: Run, folder: Path, argument: str, message: str
) -> None:
    (folder / "empty").mkdir()
    result = run("validate", *TINY, argument, "good.tflite", "-f", "text", "-f", "sarif:new/folder/out.sarif")
    assert result.exit_code == 2
    assert message in result.stdout
    assert "good.tflite ─" in result.stdout
    assert "2 models: 1 conforms, 1 not checked" in result.stdout
    (told,) = json.loads((folder / "new/folder/out.sarif").read_text())["runs"]
    assert message in told["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize("form", ["sarif", "gitlab", "github"])
def test_absolute_paths_below_the_folder_are_shown_as_relative_paths(
    run: Run, folder: Path, form: str
) -> None:
    relative = run("validate", "bad.tflite", "float.tflite", *TINY, "-f", form).stdout
    absolute = (str(folder / "bad.tflite"), f"./{folder.name}/../float.tflite")
    (folder / folder.name).mkdir()
    given = run("validate", *absolute, *TINY, "-f", form).stdout
    assert "bad.tflite" in relative
    assert "fingerprint" in relative.lower() or form == "github"
    assert re.sub(r'"name": "[^"]*(bad|float)', r'"name": "\1', given) == relative


def test_a_baseline_reports_missing_models(run: Run, folder: Path) -> None:
    write_model(folder / "old.tflite", zero_point=5)
    assert run("validate", "bad.tflite", "old.tflite", *TINY, "--write-baseline", "known.json").exit_code == 0
    (folder / "old.tflite").unlink()
    told = run("validate", "bad.tflite", *TINY, "--baseline", "known.json").stdout
    assert "the model of this baseline entry is gone" in " ".join(told.split())
    run("validate", "bad.tflite", *TINY, "--write-baseline", "known.json")
    assert "gone" not in run("validate", "bad.tflite", *TINY, "--baseline", "known.json").stdout


def test_a_model_may_be_piped_in(folder: Path) -> None:
    command = [sys.executable, "-m", "litecheck", "validate", "-", *TINY, "-q"]
    env = os.environ | {"PYTHONPATH": str(Path(litecheck.__file__).parents[1])}
    for name, code in (("good", 0), ("bad", 1)):
        content = (folder / f"{name}.tflite").read_bytes()
        assert subprocess.run(command, input=content, env=env, timeout=60, check=False).returncode == code
    nothing = subprocess.run(command, input=b"", env=env, timeout=60, check=False, capture_output=True)
    assert nothing.returncode == 2
    assert b"-: not checked" in nothing.stdout


@pytest.mark.parametrize("arguments", [["validate"], ["validate", "--no-such"], ["no-such-command"]])
def test_usage_errors_are_64(run: Run, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 64
    assert result.stdout == ""


def test_folders_and_globs(run: Run, folder: Path) -> None:
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / ".hidden").mkdir()
    for name in ("deep/er/a.tflite", "deep/b.TFL", "deep/.hidden/c.tflite", "deep/d.bin"):
        (folder / name).write_bytes((folder / "good.tflite").read_bytes())
    report = json.loads(run("validate", "deep", "good.tflite", "go*.tflite", *TINY, "-f", "json").stdout)
    assert [model["file"] for model in report["models"]] == ["deep/b.TFL", "deep/er/a.tflite", "good.tflite"]


def test_several_outputs_in_one_run(run: Run, folder: Path) -> None:
    result = run(
        "validate", "bad.tflite", *TINY, "-f", "text", "-f", "sarif:out.sarif", "-f", "json:out.json"
    )
    assert result.exit_code == 1
    assert ZERO_POINT in result.stdout
    assert "wrote out.sarif" in result.stderr
    assert json.loads((folder / "out.sarif").read_text())["version"] == "2.1.0"
    assert json.loads((folder / "out.json").read_text())["exit_code"] == 1


def test_machine_formats_alone_on_stdout(run: Run) -> None:
    result = run("validate", "bad.tflite", *TINY, "-f", "json")
    assert json.loads(result.stdout)["exit_code"] == 1
    assert result.stderr == ""


def test_only_files_leave_stdout_empty(run: Run) -> None:
    assert run("validate", "bad.tflite", *TINY, "-f", "json:out.json").stdout == ""


def test_quiet_is_one_line_for_each_model_that_fails(run: Run) -> None:
    result = run("validate", "good.tflite", "bad.tflite", "float.tflite", *TINY, "--quiet")
    assert result.stdout.splitlines() == [
        "bad.tflite: violates: 1 violation (1 the profile forbids it), 1 note; 1/1 operator checked",
        "float.tflite: not checked: float model: nothing is quantized; 0/1 operator checked, 1 not covered",
        "3 models: 1 conforms, 1 violates, 1 not checked; 1 violation (1 the profile forbids it), 2 notes; "
        "2/3 operators checked, 1 not covered",
    ]
    assert result.stderr == ""


def test_select_keeps_only_matching_findings(run: Run) -> None:
    report = json.loads(
        run("validate", "bad.tflite", *TINY, "--select", "*/*/granularity", "-f", "json").stdout
    )
    assert [f["path"] for f in report["models"][0]["findings"]] == [GRANULARITY]


def test_default_profiles_know_their_own_paths(run: Run) -> None:
    assert run("validate", "good.tflite", "--select", "CONV_2D").exit_code == 0


def test_a_baseline_waives_known_findings(run: Run, folder: Path) -> None:
    written = run("validate", "bad.tflite", *TINY, "--write-baseline", "known.json")
    assert written.exit_code == 0
    assert "wrote 2 findings to known.json" in written.stderr
    later = run("validate", "bad.tflite", *TINY, "--baseline", "known.json", "-f", "json")
    assert later.exit_code == 0
    report = json.loads(later.stdout)
    assert {f["waiver"]["by"] for f in report["models"][0]["findings"]} == {"baseline known.json"}
    assert report["stale"] == []


def test_stale_entries_are_reported(run: Run, folder: Path) -> None:
    run("validate", "bad.tflite", *TINY, "--write-baseline", "known.json")
    (folder / "bad.tflite").write_bytes((folder / "good.tflite").read_bytes())
    result = run("validate", "bad.tflite", *TINY, "--baseline", "known.json")
    assert result.exit_code == 0
    assert f"{ZERO_POINT} at FULLY_CONNECTED #0 'y'" in result.stdout


def test_refreshing_a_baseline_keeps_other_models(run: Run, folder: Path) -> None:
    run("validate", "good.tflite", "bad.tflite", *TINY, "--write-baseline", "known.json")
    for earlier in (("--baseline", "known.json"), ()):
        run("validate", "good.tflite", *TINY, *earlier, "--write-baseline", "known.json")
    models = [entry["model"] for entry in json.loads((folder / "known.json").read_text())["findings"]]
    assert models == ["bad.tflite", "bad.tflite", "good.tflite"]


def test_a_baseline_is_written_only_if_a_model_was_read(run: Run, folder: Path) -> None:
    run("validate", "bad.tflite", *TINY, "--write-baseline", "known.json")
    before = (folder / "known.json").read_bytes()
    for file in ("known.json", "new.json"):
        done = run("validate", "modles", *TINY, "--write-baseline", file, "-q")
        assert done.exit_code == 2
        assert f"{file} is not written, because no model was read" in done.stderr
    assert (folder / "known.json").read_bytes() == before
    assert not (folder / "new.json").exists()


def test_a_file_that_is_no_baseline_is_not_overwritten(run: Run, folder: Path) -> None:
    (folder / "package.json").write_text("{}")
    assert run("validate", "bad.tflite", *TINY, "--write-baseline", "package.json").exit_code == 64
    assert (folder / "package.json").read_text() == "{}"


def test_statistics_count_by_requirement(run: Run) -> None:
    result = run(
        "validate", "good.tflite", "bad.tflite", *TINY, "--statistics", "-f", "text", "-f", "json:o.json"
    )
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"2  note       {GRANULARITY}  FULLY_CONNECTED weight: granularity (2 models)",
        f"1  violation  {ZERO_POINT}  FULLY_CONNECTED weight: zero point (1 model)",
        "2 models: 1 conforms, 1 violates; 1 violation (1 the profile forbids it), 2 notes; 2/2 operators checked",
    ]
    assert "wrote o.json" in result.stderr


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), "wrote o.html\n1 model: 1 violates; 1 violation"),
        (("-f", "text"), "wrote o.html\n"),
        (("-q",), ""),
    ],
)
def test_the_verdict_is_printed_if_every_report_is_a_file(
    run: Run, more: tuple[str, ...], words: str
) -> None:
    result = run("validate", "bad.tflite", *TINY, "-f", "html:o.html", *more)
    assert result.exit_code == 1
    assert result.stderr.startswith(words)
    assert result.stderr.count("\n") == (1 + (not more)) * bool(words)


def test_a_selection_is_waived_with_its_reason(run: Run) -> None:
    write = ("validate", "bad.tflite", *TINY, "--write-baseline", "known.json")
    assert "wrote 1 finding" in run(*write, "--select", ZERO_POINT, "--reason", "silicon revision A").stderr
    done = run("validate", "bad.tflite", *TINY, "--baseline", "known.json")
    assert done.exit_code == 0
    assert "by baseline known.json: silicon revision A" in done.stdout


def test_a_path_of_the_table_of_types_is_suggested(run: Run) -> None:
    done = run("validate", "good.tflite", "--ignore", "AVERAGE_POOL_2D/type")
    assert done.exit_code == 64
    assert "did you mean 'AVERAGE_POOL_2D/types'?" in done.stderr


def test_quiet_prints_nothing_if_all_models_conform(run: Run) -> None:
    """Operators with only their structure checked are not failures."""
    model = Path(__file__).parents[2] / "fixtures" / "convert" / "trained.tflite"
    assert run("validate", str(model), "-q").stdout == ""
