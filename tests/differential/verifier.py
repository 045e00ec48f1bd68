"""litecheck's reader and LiteRT's verifier: ``python -m tests.differential.verifier --mutants 5000``.

litecheck must reject every file that LiteRT's FlatBuffers verifier rejects. Files that only litecheck rejects are
counted by litecheck's code, with the stage that LiteRT reaches.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from select import select

from rich.progress import track

from litecheck.errors import ModelError
from litecheck.model.load import load_models
from tests.fuzz.atlas import Seed
from tests.fuzz.mutate import Mutant, mutant
from tests.fuzz.seeds import everything

CHILD = Path(__file__).with_name("litert_child.py")
#: Time limit of LiteRT for a single file, in seconds.
PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Outcomes of a single file: litecheck's codes (empty if accepted), LiteRT's stage and message."""

    mutant: Mutant
    codes: tuple[str, ...]
    stage: str
    message: str

    @property
    def missed(self) -> bool:
        """True if litecheck accepts a file that the verifier rejects."""
        return self.stage == "invalid" and not self.codes

    @property
    def suspicious(self) -> bool:
        """True if litecheck rejects a file that LiteRT runs with finite outputs."""
        return self.stage == "ran" and bool(self.codes)


class Litert:
    """LiteRT in a child process; ``stage`` is ``died`` or ``hung`` if the child ends or hangs."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def stage(self, path: Path) -> tuple[str, str]:
        """Return the stage that LiteRT reaches with a file, and its message."""
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, str(CHILD)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        assert self._child.stdin is not None
        with suppress(BrokenPipeError):  # the child has ended: its missing answer shows it
            os.write(self._child.stdin.fileno(), f"{path}\n".encode())
        kind, _, message = self._answer().partition("\t")
        if kind in ("died", "hung"):
            self.close()
        return kind, message

    def _answer(self) -> str:
        """Return the line of the child's answer; LiteRT may print further lines before it."""
        assert self._child is not None
        assert self._child.stdout is not None
        message = b""
        while select([self._child.stdout], [], [], PATIENCE)[0]:
            part = os.read(self._child.stdout.fileno(), 65536)
            if not part:
                return f"died\texit status {self._child.wait()}"
            message += part
            for line in message.split(b"\n")[:-1]:
                if line.startswith(b"END "):
                    return line[4:].decode("utf-8", "replace")
        return "hung"

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


def compare(seeds: Sequence[Seed], seed: int, numbers: range) -> Iterator[Pair]:
    """Yield the outcomes of each mutant that is a plain flatbuffer; LiteRT reads no bundles."""
    litert = Litert()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mutant.tflite")
        for number in numbers:
            made = mutant(seeds, seed, number)
            if made.content[4:8] != b"TFL3":
                continue
            path.write_bytes(made.content)
            codes = codes_of(path)
            yield Pair(made, codes, *litert.stage(path))
    litert.close()


def codes_of(path: Path) -> tuple[str, ...]:
    """Return the codes of litecheck's rejection of a file, empty if it accepts the file."""
    found = [m for m in load_models(path) if isinstance(m, ModelError)]
    return tuple(sorted({p.code for error in found for p in error.problems}))


def summary(pairs: Sequence[Pair]) -> str:
    """Return the counts of both directions as text."""
    by_stage = Counter((pair.stage, "rejects" if pair.codes else "accepts") for pair in pairs)
    lines = [f"{len(pairs)} mutants"]
    lines += [
        f"LiteRT {stage:12} litecheck {verdict}: {n}" for (stage, verdict), n in sorted(by_stage.items())
    ]
    lines.append("files that litecheck rejects and LiteRT's verifier accepts, by code and LiteRT's stage:")
    stages = Counter((code, p.stage) for p in pairs if p.stage != "invalid" for code in p.codes)
    for code in sorted({code for code, _ in stages}):
        each = ", ".join(f"{stage} {n}" for (c, stage), n in sorted(stages.items()) if c == code)
        lines.append(f"  {code}: {each}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the program; return 1 if litecheck accepts a file that the verifier rejects."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.differential.verifier", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--mutants", type=int, default=5000, help="number of mutants [default: 5000]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the mutants [default: 1]")
    parser.add_argument(
        "--out", type=Path, default=Path("verifier-differences"), help="folder of wrongly accepted files"
    )
    options = parser.parse_args(arguments)
    numbers = range(options.mutants)
    found = compare(everything(), options.seed, numbers)
    pairs = list(
        track(found, "mutants", total=options.mutants, transient=True, disable=not sys.stdout.isatty())
    )
    for pair in pairs:
        if pair.missed or pair.suspicious:
            options.out.mkdir(parents=True, exist_ok=True)
            kind = "missed" if pair.missed else "suspicious"
            name = f"{kind}-{'+'.join(pair.codes) or 'accepted'}-{pair.mutant.number}.tflite"
            (options.out / name).write_bytes(pair.mutant.content)
    print(summary(pairs))
    return int(any(pair.missed for pair in pairs))


if __name__ == "__main__":
    sys.exit(main())
