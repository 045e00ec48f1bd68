"""Reproducers show the failure with a program that does not import litecheck."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.model.load import load_model
from litecheck.verification.device_run import verify
from litecheck.verification.reproducers import reproducer_program
from litecheck.verification.reproducers.reproduce import write_program
from litecheck.verification.result import Verification
from litecheck.verification.settings import Settings
from tests.delegate.build import delegate, device  # noqa: F401 - a fixture
from tests.delegate.specimens import network
from tests.verification.inprocess import InProcess
from tests.verification.networks import convolutional

#: Strict form: a single arithmetic for every device.
REFERENCE = ("litert-reference",)


pytestmark = pytest.mark.slow


def reproduced(folder: Path) -> tuple[int, str]:
    """Return the program's exit status and output, run in another folder without access to litecheck."""
    blocked = "import sys, runpy; sys.modules['litecheck'] = None; sys.argv = sys.argv[1:]; "
    blocked += "runpy.run_path(sys.argv[0], run_name='__main__')"
    program = folder / "reproduce.py"
    assert "litecheck" not in program.read_text().replace("litecheck-", "")
    done = subprocess.run(
        [sys.executable, "-c", blocked, str(program)],
        capture_output=True,
        text=True,
        cwd="/",
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def made(device: str, folder: Path, settings: Settings, seconds: float = 60.0) -> Verification:
    opened = open_device(device, Limits(seconds))
    try:
        return verify(convolutional(), opened, settings)
    finally:
        opened.close()


def test_every_mismatch_of_a_runtime_reproduces(tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    report = made("litert:xnnpack", tmp_path, Settings(REFERENCE, reproduce=str(tmp_path), kinds=("random",)))
    failing = [v for v in report.verdicts if report.failing(v)]
    assert failing
    for verdict in failing:
        status, message = reproduced(Path(verdict.reproducer))
        assert status == 0, message
        assert "differ" in message


def test_a_program_reports_that_no_failure_is_reproduced(tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    report = made("litert:xnnpack", tmp_path, Settings(REFERENCE, reproduce=str(tmp_path), kinds=("random",)))
    folder = Path(next(v.reproducer for v in report.verdicts if v.reproducer))
    np.save(folder / "expected_0.npy", np.load(folder / "actual_0.npy"))
    status, message = reproduced(folder)
    assert status == 1
    assert "not reproduced" in message


def test_a_segment_shrinks_to_the_operator_at_fault(tmp_path: Path) -> None:
    def change(job: Job, number: int, outputs):
        wrong = any(op.opcode == "ADD" for op in job.model.subgraphs[0].operators)
        return tuple(np.where(o == 127, 126, o + 1).astype(o.dtype) if wrong else o for o in outputs)

    device = InProcess(change=change, name="recorded:/nowhere")
    report = verify(
        convolutional(),
        device,
        Settings(REFERENCE, whole=True, reproduce=str(tmp_path), kinds=("propagated",)),
    )
    (verdict,) = report.verdicts
    kept = load_model(Path(verdict.reproducer) / "model.tflite")
    assert [op.opcode for op in kept.subgraphs[0].operators] == ["ADD"]
    assert np.load(Path(verdict.reproducer) / "actual_0.npy").size == 1


@pytest.mark.parametrize(
    "options",
    [
        {"fault": "half-up"},
        {"fault": "wrap-output"},
        *({"mode": m} for m in ("crash", "refuse", "wrong-shape", "flaky")),
    ],
    ids=lambda o: "-".join(o.values()),
)
def test_every_kind_of_failure_of_a_delegate_reproduces(
    delegate: Path,  # noqa: F811
    tmp_path: Path,
    options: dict[str, str],
) -> None:
    opened = open_device(device(delegate, at="CONV_2D", **options), Limits())
    report = verify(network(), opened, Settings(REFERENCE, reproduce=str(tmp_path), select=("0",)))
    opened.close()
    (verdict,) = report.verdicts
    assert report.failing(verdict)
    status, message = reproduced(Path(verdict.reproducer))
    assert status == 0, message


def test_names_can_be_scrubbed(tmp_path: Path) -> None:
    device = InProcess("litert-xnnpack", name="litert:xnnpack")
    verify(
        convolutional(), device, Settings(REFERENCE, scrub=True, reproduce=str(tmp_path), kinds=("random",))
    )
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert written
    for name in (b"stem/", b"depthwise/", b"a small network", b"pooled"):
        assert name not in written


def test_the_issue_has_the_essential_facts(tmp_path: Path) -> None:
    device = InProcess("litert-xnnpack", name="litert:xnnpack")
    report = verify(convolutional(), device, Settings(REFERENCE, reproduce=str(tmp_path), kinds=("random",)))
    text = (Path(report.verdicts[0].reproducer) / "ISSUE.md").read_text()
    for part in (
        "CONV_2D: mismatch on litert:xnnpack",
        "accumulator",
        "padding SAME",
        "stem/kernel",
        "litert-xnnpack",
    ):
        assert part in text


def test_a_failure_that_does_not_repeat_has_no_reproducer(tmp_path: Path) -> None:
    seen: list[str] = []

    def once(job: Job) -> Failure | None:
        seen.append(job.name)
        return Failure(Outcome.CRASHED, "gone") if job.name == "0002-ADD" else None

    report = verify(convolutional(), InProcess(instead=once), Settings(REFERENCE, reproduce=str(tmp_path)))
    verdict = next(v for v in report.verdicts if v.opcode == "ADD")
    assert (verdict.outcome, verdict.reproducer) == (Outcome.CRASHED, "")


#: Facts of every reproducer.
FACTS = {
    "title": "t", "outcome": "mismatch", "inputs": 1, "outputs": 1, "times": 2, "before": 0, "starts": [],
    "tolerance": 0.0, "seconds": 60.0,
}  # fmt: skip


@pytest.mark.parametrize(
    "path", [r"C:\Users\new\x.dll", "/a/\u00fc\udc80.so", 'q"""\'.so', "/ends/with/\\", "/{0}.so"]
)
def test_a_program_has_the_path_of_any_device(path: str, tmp_path: Path) -> None:
    facts = {**FACTS, "title": f"CONV_2D on delegate:{path}: mismatch"}
    assert write_program(tmp_path, f"delegate:{path}", facts)
    known = json.loads((tmp_path / "reproduce.json").read_text())
    assert (known["title"], known["driver"]["library"]) == (facts["title"], path)
    assert known["driver"]["package"] == "ai-edge-litert"


def test_names_in_an_issue_are_escaped(tmp_path: Path) -> None:
    """A tensor's name may contain any text: here the end of a table, code, a link, an image and a line break."""
    evil = "a|b`c`<img src=x>\n# heading [l](http://e.org) *x* @someone"
    model = convolutional()
    main = model.subgraphs[0]
    tensors = tuple(replace(t, name=f"{evil}{t.index}") for t in main.tensors)
    named = replace(model, subgraphs=(replace(main, tensors=tensors),))
    device = InProcess("litert-xnnpack", name="litert:xnnpack")
    device.described = "a*b <b>board</b> `x`"
    report = verify(
        named, device, Settings(REFERENCE, reproduce=str(tmp_path), kinds=("random",), select=("0",))
    )
    text = (Path(report.verdicts[0].reproducer) / "ISSUE.md").read_text()
    assert text.startswith("# CONV_2D: mismatch on a\\*b \\<b\\>board\\</b\\> \\`x\\`\n")
    (row, *_) = (line for line in text.splitlines() if "someone0" in line)
    assert row.startswith("| ``a\\|b`c`<img src=x>\\n# heading [l](http://e.org) *x* @someone0`` | int8 | ")
    assert text.count("\n# heading") == 0
    assert all("``" in line for line in text.splitlines() if "<img" in line)


def test_a_devices_message_stays_in_its_block(tmp_path: Path) -> None:
    message = "no\n```\n# not a heading\n````\x1b[31m"
    device = InProcess(instead=lambda job: Failure(Outcome.CRASHED, message), name="litert:xnnpack")
    report = verify(
        convolutional(),
        device,
        Settings(REFERENCE, reproduce=str(tmp_path), kinds=("random",), select=("0",)),
    )
    lines = (Path(report.verdicts[0].reproducer) / "ISSUE.md").read_text().splitlines()
    start = lines.index("`````")
    assert lines[start + 1 : start + 6] == ["no", "```", "# not a heading", "````\\x1b[31m", "`````"]


def test_a_device_that_needs_litecheck_has_no_program(tmp_path: Path) -> None:
    assert not write_program(tmp_path, "recorded:somewhere", FACTS)
    assert not list(tmp_path.iterdir())


#: Outputs every input plus 1; arguments are a folder of inputs and a folder of outputs.
LARGER = """import sys
from pathlib import Path
import numpy as np
given, taken = (Path(sys.argv[1], "inputs"), Path(sys.argv[1], "outputs")) if len(sys.argv) == 2 else map(Path, sys.argv[1:])
np.save(taken / "output_0.npy", np.load(given / "input_0.npy") + np.int8(1))
"""


@pytest.mark.parametrize("places", ["{runs}", "{inputs} {outputs}"])
@pytest.mark.parametrize(("expected", "status"), [(0, 0), (1, 1)])
def test_a_program_is_called_as_litecheck_calls_it(
    tmp_path: Path, places: str, expected: int, status: int
) -> None:
    (tmp_path / "larger.py").write_text(LARGER)
    assert write_program(tmp_path, f"command:{sys.executable} {tmp_path}/larger.py {places}", FACTS)
    np.save(tmp_path / "input_0.npy", np.zeros((2, 3), np.int8))
    np.save(tmp_path / "expected_0.npy", np.full((2, 3), expected, np.int8))
    assert reproduced(tmp_path)[0] == status, reproduced(tmp_path)


def test_a_program_prints_a_message_in_one_line_without_control_characters() -> None:
    assert (
        reproducer_program.printable("größe a\n\x1b[31m\u202e##vso[x]")
        == "größe a\\n\\x1b[31m\\u202e#\\x23vso[x]"
    )
