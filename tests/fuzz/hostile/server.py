"""Creation and execution of cases in a process that has imported litecheck: each case is a fork of the process."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pkgutil
import shutil
import sys
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.fuzz.hostile import process, without
from tests.fuzz.hostile.case import Result
from tests.fuzz.hostile.checks import Run, faults
from tests.fuzz.hostile.kinds import KINDS
from tests.fuzz.hostile.process import Limits
from tests.fuzz.hostile.sandbox import Sandbox


def kind_of(seed: int, number: int, only: tuple[str, ...] = ()) -> str:
    """Return the kind of a case; ``only`` restricts the draw to some kinds."""
    chosen = {name: share for name, (share, _) in KINDS.items() if not only or name in only}
    return Random(f"hostile kind {seed} {number}").choices(list(chosen), list(chosen.values()))[0]


def prepare() -> None:
    """Import all modules that commands import, so that a fork starts quickly."""
    from litecheck.cli import one_thread

    one_thread()
    sys.path[:] = [os.path.abspath(p) for p in sys.path if p]
    for package in (
        "litecheck.cli",
        "litecheck.rendering",
        "litecheck.suite",
        "litecheck.conversion",
        "litecheck.verification",
    ):
        module = importlib.import_module(package)
        for found in pkgutil.walk_packages(module.__path__, f"{package}."):
            if not found.name.endswith(("_program", "_programs", ".run", "_main")):
                importlib.import_module(found.name)
    multiprocessing.set_start_method(None, force=True)  # a spawned process would make spawning its default
    process.adopt_orphans()


def run_case(seed: int, number: int, kind: str, folder: Path, stock: Path, limits: Limits) -> Result:
    """Write the case of this number into ``folder``, run and check it. The folder is removed if there is no fault."""
    shutil.rmtree(folder, ignore_errors=True)
    box = Sandbox(folder / "box").make()
    rng = Random(f"hostile {seed} {number} {kind}")
    try:
        case = KINDS[kind][1](rng, box, stock)
    except Exception as error:
        raise RuntimeError(f"case {kind}-{number} of seed {seed} could not be made") from error
    captured = folder / "said"
    captured.mkdir()
    before = box.states()
    ended = process.execute(case, box, captured, limits)
    out, err = ((captured / name).read_bytes()[: 20 << 20] for name in ("stdout", "stderr"))
    run = Run(case, box, ended.code, ended.limit, out, err, before, box.states(), ended.leftovers)
    found = faults(run)
    if not found:
        shutil.rmtree(folder, ignore_errors=True)
    where = folder if found else None
    return Result(number, kind, case, found, ended.code, ended.seconds, ended.peak, where)


def results(
    numbers: Iterable[int], seed: int, only: tuple[str, ...], folder: Path, stock: Path, limits: Limits
) -> Iterator[Result]:
    """Run cases in forks of this process; call ``prepare`` first."""
    for number in numbers:
        kind = kind_of(seed, number, only)
        yield run_case(seed, number, kind, folder / f"{kind}-{number}", stock, limits)


def serve(
    pipe: Connection,
    numbers: range,
    seed: int,
    only: tuple[str, ...],
    folder: Path,
    stock: Path,
    limits: Limits,
    off: tuple[str, ...],
) -> None:
    """Run a server process: send a Result for each number, then None."""
    prepare()
    for fix in off:
        without.FIXES[fix][0]()
    for result in results(numbers, seed, only, folder, stock, limits):
        pipe.send(result)
    pipe.send(None)
