"""Measure the blocks of ``litecheck/`` that each test file executes: ``python -m tests.mutation.measure FOLDER``.

The program runs the quick tests of each file in a process of its own and adds a line to ``FOLDER/files.jsonl``.
A second start continues. ``--unreached`` lists the blocks that no test file executes.
"""

from __future__ import annotations

import argparse
import json
import marshal
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.mutation.probes import compile_with_probes, install
from tests.mutation.reach import Reach
from tests.mutation.run import run_in_child, wait_for, warm_up
from tests.mutation.targets import ROOT

#: Seconds that the tests of a file may take.
_LIMIT = 900.0
#: Folders of tests that mirror no package.
_NOT_MIRRORED = ("differential", "fuzz", "mutation", "portable", "delegate", "golden")


def build(folder: Path, root: Path = ROOT) -> None:
    """Compile every module with probes into ``folder``."""
    (folder / "code").mkdir(parents=True)
    blocks: list[str] = []
    for path in sorted((root / "litecheck").rglob("*.py")):
        relative = path.relative_to(root)
        code, names = compile_with_probes(path.read_text("utf-8"), str(path), len(blocks))
        blocks += (f"{relative.as_posix()}:{name}" for name in names)
        dotted = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
        (folder / "code" / f"{dotted}.code").write_bytes(marshal.dumps(code))
        (folder / "code" / f"{dotted}.path").write_text(str(path), "utf-8")
    (folder / "files.jsonl").write_text("", "utf-8")
    (folder / "blocks.json").write_text(json.dumps(blocks), "utf-8")


def measure(folder: Path, count: int, file: str) -> dict[str, object]:
    """Run the quick tests of a file and return the blocks that they execute."""
    own, start = Path(tempfile.mkdtemp(prefix="reach-")), time.monotonic()
    try:
        pid = os.fork()
        if pid == 0:
            prepare = partial(install, folder / "code", own / "numbers", count)
            run_in_child(prepare, ("-m", "not slow", file), own)
        code = wait_for(pid, _LIMIT)
        numbers = own / "numbers"
        found = {int(n) for n in numbers.read_bytes().split()} if numbers.exists() else set()
        return {
            "file": file,
            "code": code,
            "seconds": round(time.monotonic() - start, 2),
            "blocks": sorted(found),
        }
    finally:
        shutil.rmtree(own, ignore_errors=True)


def find_test_files(packages: Sequence[str], root: Path = ROOT) -> tuple[str, ...]:
    """Return the test files of packages, e.g. those of ``tests/model`` for ``model``; of all packages without names."""
    paths = (path.relative_to(root) for path in sorted((root / "tests").rglob("test_*.py")))
    mirrored = (path for path in paths if path.parts[1] not in _NOT_MIRRORED)
    return tuple(path.as_posix() for path in mirrored if not packages or path.parts[1] in packages)


def main(arguments: Sequence[str]) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser("python -m tests.mutation.measure", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the measurement")
    parser.add_argument("--jobs", type=int, default=2, help="test files at the same time [default: 2]")
    parser.add_argument(
        "--package", action="append", default=[], help="package to measure (repeatable) [default: all]"
    )
    parser.add_argument("--unreached", action="store_true", help="list the blocks that no test file executes")
    options = parser.parse_args(arguments)
    if not (options.folder / "blocks.json").exists():
        build(options.folder)
    reach = Reach(options.folder)
    if options.unreached:
        print(*reach.unreached(), sep="\n")
        return 0
    warm_up()
    files = [file for file in find_test_files(options.package) if file not in reach.files]
    one = partial(measure, options.folder.resolve(), len(reach.blocks))
    with (
        (options.folder / "files.jsonl").open("a", encoding="utf-8", buffering=1) as output,
        multiprocessing.get_context("fork").Pool(options.jobs) as pool,
    ):
        for number, found in enumerate(pool.imap_unordered(one, files), 1):
            output.write(json.dumps(found) + "\n")
            print(f"{number} of {len(files)}: {found['file']}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
