"""Many cases side by side: each is drawn, run in a sandbox of its own, and checked."""

from __future__ import annotations

import multiprocessing
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Result
from tests.fuzz.hostile.checks import Run, faults
from tests.fuzz.hostile.kinds import KINDS, draw
from tests.fuzz.hostile.kinds.mutants import prepare
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.server import adopt_orphans, run


@dataclass(frozen=True, slots=True)
class Campaign:
    """The settings of a campaign: the seed, the folder of sound files, the only kind, the folder for failing cases.

    ``always`` keeps the files of cases without a fault, too.
    """

    seed: int
    stock: Path
    only: str = ""
    keep: Path | None = None
    always: bool = False


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a case. Example: ``0-17-models``."""

    seed: int
    number: int
    kind: str

    def __str__(self) -> str:
        return f"{self.seed}-{self.number}-{self.kind}"

    @classmethod
    def parsed(cls, text: str) -> Identity:
        """Return the identity that a text states. Raises ValueError."""
        seed, number, kind = text.split("-", 2)
        if kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r}; available: {', '.join(KINDS)}")
        return cls(int(seed), int(number), kind)


def identify(campaign: Campaign, number: int) -> Identity:
    """Return the identity of a case of a campaign: its kind is drawn, unless the campaign has only one."""
    kind = campaign.only or draw(Random(f"kind {campaign.seed} {number}"))
    return Identity(campaign.seed, number, kind)


def run_case(identity: Identity, campaign: Campaign) -> Result:
    """Make a case, run it and check it. Needs ``adopt_orphans`` before."""
    with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as folder:
        box = Sandbox(Path(folder).resolve() / "box").make()
        make, _ = KINDS[identity.kind]
        case = make(Random(f"case {identity}"), box, campaign.stock)
        before = box.states()
        ending = run(case, box)
        found = faults(Run(case, box, before, box.states(), ending))
        result = Result(identity.number, identity.kind, case, found, ending)
        if campaign.keep and (found or campaign.always):
            result = replace(result, kept=_keep(campaign.keep / str(identity), box, result))
        return result


def _keep(folder: Path, box: Sandbox, result: Result) -> Path:
    """Copy the sandbox of a case and write down the command and the faults."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    os.system(f"cp -a {shlex.quote(str(box.root))} {shlex.quote(str(folder))}")
    told = [f"{fault.check}: {fault.evidence}" for fault in result.faults]
    lines = [shlex.join(("litecheck", *result.case.argv)), f"exit code {result.ending.code}", *told]
    (folder / "case.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", errors="backslashreplace")
    return folder


def results(campaign: Campaign, numbers: Iterable[int], jobs: int) -> Iterator[Result]:
    """Yield the results of cases in the order in which they end. The cases run in ``jobs`` processes side by side."""
    prepare(campaign.stock)  # before the processes are forked
    work = ((identify(campaign, number), campaign) for number in numbers)
    with multiprocessing.get_context("fork").Pool(jobs, adopt_orphans) as pool:
        yield from pool.imap_unordered(_run_pair, work)


def _run_pair(pair: tuple[Identity, Campaign]) -> Result:
    return run_case(*pair)
