"""Replay the documentation from the wheel: run every command and Python example of README and docs.

``python docs/replay.py`` builds the wheel, and installs it with the extras of the pages into a new environment. Each page
runs in a folder with only the files that the page names. The output of a session must equal the page, and its
exit code the output of ``echo $?``. Exit code 1 after a difference.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.commands import Step, steps
from docs.sessions import ROOT, fits, without_versions
from docs.standins import CHANGED, made

#: Extras that commands of the pages need.
EXTRAS = ("runtime", "onnx", "sign")
#: Commands that need a checkout, and the two commands of README, which .ci/run runs.
ELSEWHERE = ("pip ", "python docs/", "python -m tests", "python benchmarks/", "python -m fixtures")
#: Limit of seconds for a command.
PATIENCE = 900


@dataclass(frozen=True, slots=True)
class Replayed:
    """A step, its outcome (``same``, ``ran``, ``DIFFERS``, or the reason to skip it), and the difference."""

    page: str
    step: Step
    outcome: str
    seconds: float = 0.0
    difference: str = ""


class Folder:
    """The steps of a page, run in a folder with the programs of an environment."""

    def __init__(self, page: str, text: str, python: Path, folder: Path) -> None:
        self.page, self.text, self.python, self.folder = page, text, python, folder
        made(text, folder, python)

    def replayed(self) -> Iterator[Replayed]:
        """Yield the outcome of each step."""
        for step in steps(self.text):
            start = time.monotonic()
            outcome, difference = self._result(step)
            yield Replayed(self.page, step, outcome, time.monotonic() - start, difference)

    def _result(self, step: Step) -> tuple[str, str]:
        if step.kind == "pattern":
            return "a pattern", ""
        if step.kind in ("python", "pytest"):
            return self._python(step)
        if step.command.startswith(ELSEWHERE):
            return "in a checkout", ""
        missing = [name for name in _programs(step.command) if shutil.which(name) is None]
        if missing:
            return f"no {missing[0]} here", ""
        command = step.command
        for pattern, other in CHANGED:
            if step.kind == "script":
                command = pattern.sub(other, command)
        done = self._run(command)
        wrong = _wrong(step, done)
        told = "same" if step.kind == "session" else "ran" if command == step.command else "ran, changed"
        return ("DIFFERS", wrong) if wrong else (f"{told}, {done.returncode}", "")

    def _python(self, step: Step) -> tuple[str, str]:
        if step.kind == "pytest":
            (self.folder / "test_recipe.py").write_text(step.command, "utf-8")
            done = self._run("python -m pytest -q -p no:cacheprovider test_recipe.py")
        else:
            (self.folder / "examples.txt").write_text(step.command, "utf-8")
            done = self._run("python -m doctest examples.txt")
        return ("same", "") if done.returncode == 0 else ("DIFFERS", done.stdout)

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        bare = {
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder / ".home"),
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",  # messages and report in the order in which they are written
            "GITHUB_STEP_SUMMARY": "summary.md",
        }
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env=bare,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=PATIENCE,
        )


def _programs(command: str) -> set[str]:
    """Return the external programs that a script starts."""
    return set(re.findall(r"^(vvp|openssl|cc)\b", command, re.MULTILINE))


def _wrong(step: Step, done: subprocess.CompletedProcess[str]) -> str:
    """Return the difference to the page, or "".

    A command without exit code on the page may end with a verdict on a model, but not with an error.
    """
    codes = (0, 1, 2) if step.kind == "session" else (0, 1)
    allowed = codes if step.code is None else (step.code,)
    if done.returncode not in allowed or "Traceback (most recent call last)" in done.stdout:
        return f"exit code {done.returncode}\n{done.stdout}"
    if step.output is not None and not fits(step.output, without_versions(done.stdout)):
        return f"printed:\n{done.stdout}shown:\n{step.output}"
    return ""


def environment(folder: Path, python: str, floors: bool) -> Path:
    """Create an environment with the wheel of this checkout and the extras of the pages; return its Python."""
    pip = ["-m", "pip", "-q", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, *pip, "wheel", "--no-deps", "-w", str(folder), str(ROOT)], check=True, cwd=folder
    )
    (wheel,) = folder.glob("litecheck-*.whl")
    subprocess.run([python, "-m", "venv", str(folder / "env")], check=True)
    own = folder / "env" / "bin" / "python"
    bounds = folder / "floors.txt"
    bounds.write_text("".join(f"{bound}\n" for bound in lowest()) if floors else "")
    wanted = [f"{wheel}[{','.join(EXTRAS)}]", "pytest"]
    subprocess.run([str(own), *pip, "install", "-c", str(bounds), *wanted], check=True, cwd=folder)
    return own


def lowest() -> Iterator[str]:
    """Yield the oldest versions of pyproject.toml as pip constraints. Example: ``>=1.24`` gives ``==1.24.*``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = (need for extra in EXTRAS for need in project["optional-dependencies"][extra])
    for need in (*project["dependencies"], *extras):
        name, _, version = need.partition(";")[0].partition(">=")
        yield f"{name}=={version.strip()}.*"


def pages(names: list[str]) -> Iterator[Path]:
    """Yield the named documents, or README and all pages."""
    yield from map(Path, names) if names else (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def main() -> int:
    """Replay pages and print a line for each step; return 1 if a step differs from its page."""
    parser = argparse.ArgumentParser(description="Replay the documentation's commands from the wheel.")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="README.md, docs/run.md; default: all")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the new environment")
    parser.add_argument(
        "--floors", action="store_true", help="the oldest versions that pyproject.toml admits"
    )
    parser.add_argument(
        "--installed", metavar="PYTHON", help="that of an environment there is: build nothing"
    )
    given = parser.parse_args()
    results: list[Replayed] = []
    with tempfile.TemporaryDirectory() as place:
        python = Path(given.installed or environment(Path(place), given.python, given.floors)).absolute()
        for path in pages(given.pages):
            folder = Path(place, "pages", path.stem)
            folder.mkdir(parents=True)
            for one in Folder(path.name, path.read_text("utf-8"), python, folder).replayed():
                results.append(one)
                _tell(one)
    differ = sum(one.outcome == "DIFFERS" for one in results)
    for outcome in sorted({one.outcome for one in results}):
        print(f"{sum(one.outcome == outcome for one in results):5}  {outcome}")
    return int(differ > 0)


def _tell(one: Replayed) -> None:
    what = one.step.command.strip().splitlines()[0][:90]
    print(
        f"{one.page + ':' + str(one.step.line):24} {one.outcome:22} {one.seconds:6.1f} s  {what}", flush=True
    )
    if one.difference:
        print("".join(f"    | {line}\n" for line in one.difference.splitlines()), end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
