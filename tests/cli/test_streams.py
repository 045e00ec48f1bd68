"""Guard of stdout and stderr: no output bypasses it, and closed or full streams end a run cleanly."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from pathlib import Path

import pytest

from litecheck.cli.streams import GuardedStream, guard_streams

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
CONFORMING, VIOLATING = FIXTURES / "conv_int8.tflite", FIXTURES / "broken_bias_int8.tflite"


def written(*texts: str) -> str:
    """Return the output of a stream after several writes."""
    stream = io.StringIO()
    guard = GuardedStream(stream)
    for text in texts:
        guard.write(text)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (("größe 大きさ\n",), "größe 大きさ\n"),
        (("a\x1b[31mb\r\x9b0m\u202e\n",), "a\\x1b[31mb\\r\\x9b0m\\u202e\n"),
        (("::error::x\n  ::error::y\n",), ":\\x3aerror::x\n  :\\x3aerror::y\n"),
        (("a::b ::c\n",), "a::b ::c\n"),
        (("name\n", "::error::x"), "name\n:\\x3aerror::x"),
        (("name ", "::error::x"), "name ::error::x"),
        (("  ", ":", ":x"), "  :\\x3ax"),
        (("x##vso[y]", "##[z]"), "x##vso\\x5by]##\\x5bz]"),
        (("x ##vs", "o[y]"), "x ##vso\\x5by]"),
        (("#", "#[y]"), "##\\x5by]"),
    ],
)
def test_text_is_escaped_as_it_is_written(texts: tuple[str, ...], shown: str) -> None:
    assert written(*texts) == shown


def test_codes_of_a_console_stay_and_do_not_hide_the_start_of_a_line() -> None:
    stream = io.StringIO()
    GuardedStream(stream).styled.write("\x1b[1m::error::\x1b[0m\u202e\n\r\x1b[2K ok")
    assert stream.getvalue() == "\x1b[1m:\\x3aerror::\x1b[0m\\u202e\n\r\x1b[2K ok"


def test_a_guard_within_a_guard_is_the_same_and_both_end() -> None:
    before = sys.stdout
    with guard_streams():
        outer = sys.stdout
        with guard_streams():
            assert sys.stdout is outer
        assert isinstance(sys.stdout, GuardedStream)
    assert sys.stdout is before


def _prints_around(module: Path) -> list[str]:
    """Return the expressions of a module that write to a stream without the guard."""
    forbidden = {"buffer", "__stdout__", "__stderr__", "echo", "secho"}
    found = []
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in forbidden:
            found.append(ast.unparse(node))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.write", "Console", "PlainConsole"):
            found.append(ast.unparse(node.func))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("console.file.write"):
            found.append(ast.unparse(node.func))
    return found


def test_no_module_prints_without_the_guard() -> None:
    allowed = {
        "cli/console.py": ["PlainConsole"],
        "cli/streams.py": ["self.stream.buffer"],
        "cli/suite_stream.py": ["sys.stdout.buffer", "sys.stdin.buffer"],
        "rendering/text_page.py": ["Console"],
    }
    modules = [file for room in ("cli", "rendering") for file in (ROOT / "litecheck" / room).rglob("*.py")]
    found = {file.relative_to(ROOT / "litecheck").as_posix(): _prints_around(file) for file in modules}
    assert {name: prints for name, prints in found.items() if prints} == allowed


def test_a_print_without_the_guard_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("import sys\nsys.stdout.buffer.write(b'x')\nconsole.file.write('x')\n")
    assert sorted(_prints_around(module)) == ["console.file.write", "sys.stdout.buffer"]


def shell(command: str, **environment: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a command line; LITECHECK is replaced by the program."""
    program = f"{sys.executable} -m litecheck"
    done = subprocess.run(
        ["bash", "-c", command.replace("LITECHECK", program)],
        capture_output=True,
        timeout=120,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), **environment},
    )
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


needs_shell = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs bash and /dev/full")


@needs_shell
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (f"LITECHECK validate {CONFORMING} >&- 2>&- <&-", 0),
        (f"LITECHECK validate {VIOLATING} >&-", 1),
        (f"LITECHECK validate {VIOLATING} 2>&-", 1),
        (f"LITECHECK validate {VIOLATING} -f json >&-", 1),
        ("LITECHECK validate nothing.tflite >&- 2>&-", 2),
        (f"LITECHECK validate {CONFORMING} -p nothing 2>&-", 64),
        (f"LITECHECK validate {CONFORMING} -p nothing 2>/dev/full", 64),
        ("LITECHECK validate --nothing 2>/dev/full", 64),
        ("LITECHECK quantize nothing.npy -o x.npy --scale 1 2>&-", 2),
        (f"LITECHECK validate {VIOLATING} --write-baseline /dev/null 2>/dev/full", 0),
        (f"LITECHECK validate {VIOLATING} >/dev/full", 74),
        (f"LITECHECK validate {VIOLATING} -f json >/dev/full", 74),
        (f"LITECHECK validate {VIOLATING} -f json:/dev/full", 74),
        (f"LITECHECK validate {VIOLATING} --write-baseline /dev/full", 74),
        ("LITECHECK --help >/dev/full", 74),
        ("LITECHECK --version >/dev/full", 74),
        (f"LITECHECK inspect {CONFORMING} >/dev/full", 74),
        ("(sleep 1; LITECHECK validate --help) | true; exit ${PIPESTATUS[0]}", 141),
        (f"LITECHECK validate {VIOLATING} 2> >(true)", 1),
    ],
)
def test_streams_that_are_closed_full_or_gone(command: str, code: int) -> None:
    found, _, message = shell(command)
    assert found == code, message
    assert "Traceback" not in message
    assert "Exception ignored" not in message
    assert "mistake in litecheck" not in message


@needs_shell
def test_a_closed_stderr_leaves_the_files_that_are_opened_alone(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert shell(f"LITECHECK validate {VIOLATING} -f json:{report} 2>&-")[0] == 1
    assert report.read_text().startswith("{")


@needs_shell
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    ],
)
def test_encodings_of_few_characters(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "größe\u202e大.tflite").write_bytes(VIOLATING.read_bytes())
    command = f"LITECHECK validate {tmp_path}; LITECHECK --help >/dev/null"
    code, told, message = shell(command, COLUMNS="300", **environment)
    assert (code, message) == (0, "")
    assert "\\u202e" in told or "\\ud" in told  # as the system decodes file names
    assert "violates" in told
    assert shell(f"LITECHECK validate {tmp_path} -p größe", **environment)[0] == 64


@needs_shell
@pytest.mark.parametrize(
    "command",
    [
        f"validate {VIOLATING} -f json:report.json",
        f"validate {VIOLATING} -f html:report.html",
        f"validate {VIOLATING} --write-baseline baseline.json",
        f"run {CONFORMING} --seed 0 -o out.npz",
        f"convert {FIXTURES / 'float.tflite'} --data random:1 --device litecheck -o out.tflite",
        f"convert {FIXTURES / 'float.tflite'} --data random:1 --device litecheck -o out.tflite --save-plan plan.json",
        "suite make -o suite --select LOGISTIC --level smoke --no-defects",
        f"verify {CONFORMING} -d litert:reference",
    ],
)
def test_a_limit_for_the_size_of_files_ends_as_a_full_disk_does(command: str, tmp_path: Path) -> None:
    if command.startswith("verify"):
        pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    code, _, message = shell(f"cd {tmp_path}; ulimit -f 0; LITECHECK {command}", PYTHONDONTWRITEBYTECODE="1")
    assert code == 74, message
    assert "can be written" in message or "cannot be written" in message
    assert not list(tmp_path.iterdir())
