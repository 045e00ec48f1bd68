"""Arm's Vela compiler as a witness: what becomes of every operator of a model on an Ethos-U, asked in a child process.

Needs ``pip install ethos-u-vela``. The compiler loses its process with some models: such a model is ``crash``, the next
one gets a new process.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from litecheck.devices.port import DeviceError
from litecheck.errors import ModelError, Problem, install_hint
from litecheck.model.load import model_from
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.placement import Place
from litecheck.processes.child import ChildProcess, exit_name
from litecheck.processes.python import python_command

#: On the NPU; left to the CPU; in neither, being folded away; in a model the compiler refuses, or dies of.
Fate = Literal["npu", "cpu", "gone", "refused", "crash"]
#: What a profile says of an operator that Vela does this with.
PLACES: Mapping[Fate, Place] = {
    "npu": "npu", "gone": "npu", "cpu": "cpu", "refused": "refused", "crash": "crashes",
}  # fmt: skip
ACCELERATORS = {"ethos-u55": "EthosU55", "ethos-u65": "EthosU65", "ethos-u85": "EthosU85"}
#: Bytes of address space, and models until a process is started anew: each leaves a few hundred bytes behind.
_MEMORY = 8 << 30
_MODELS = 4000
#: Seconds after which the compiler's process ends itself, behind those that it is given.
_MARGIN = 10
#: The name of the custom operator that stands for what runs on the NPU.
_NPU = "ethos-u"


@dataclass(frozen=True, slots=True)
class Compilation:
    """What the compiler made of a model: each operator's fate, subgraph by subgraph in order, and what it said of it.

    ``partitions`` counts the stretches on the NPU; ``macs`` and ``memories``, peak usage in bytes by the memory's name,
    are the compiler's own. ``ending`` says why there is no compiled model, else it is empty.
    """

    fates: tuple[Fate, ...]
    said: str = ""
    ending: str = ""
    partitions: int = 0
    macs: int = 0
    memories: Mapping[str, int] = field(default_factory=dict)


def vela_version() -> str:
    """The installed compiler's version. Raises DeviceError with what to install where there is none."""
    try:
        return version("ethos-u-vela")
    except PackageNotFoundError:
        raise DeviceError(f"Vela needs the package ethos-u-vela: {install_hint('vela')}") from None


class Vela:
    """The compiler for one accelerator; models one after the other, each within ``seconds``."""

    def __init__(self, accelerator: str, seconds: float = 60.0) -> None:
        """Starts nothing yet. Raises DeviceError."""
        vela_version()
        if accelerator not in ACCELERATORS:
            raise DeviceError(f"Vela compiles for {', '.join(ACCELERATORS)}, not for {accelerator!r}")
        self._arch, self._seconds = ACCELERATORS[accelerator], seconds
        self.u85 = self._arch == ACCELERATORS["ethos-u85"]
        self._child: ChildProcess | None = None
        self._asked = 0

    def __enter__(self) -> Vela:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compile(self, model: Model) -> Compilation:
        """What becomes of a model's operators."""
        count = sum(len(subgraph.operators) for subgraph in model.subgraphs)
        header, left = self._answered(model_bytes(model))
        said = str(header.get("said", "")).strip()
        if "ending" in header:
            return Compilation(_all("crash", count), said, str(header["ending"]))
        if "error" in header:
            return Compilation(_all("refused", count), said, str(header["error"]))
        try:
            fates, partitions = _fates(model, frozenset(header["ran"]), left)
        except ModelError as error:
            return Compilation(_all("crash", count), said, f"what it wrote cannot be read: {error}")
        return Compilation(fates, said, "", partitions, int(header["macs"]), header["memories"])

    def output(self, model: Model) -> Model:
        """The compiled model. Raises DeviceError where there is none, ModelError where it cannot be read."""
        header, left = self._answered(model_bytes(model))
        if why := header.get("ending") or header.get("error"):
            raise DeviceError(f"Vela compiled nothing: {why}")
        return model_from(left, "vela")

    def compiled(self, models: Iterable[Model]) -> Iterator[Compilation]:
        """The same for many models, in their order."""
        return map(self.compile, models)

    def _answered(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        if self._asked >= _MODELS:
            self.close()
        child = self._child = self._child or self._started()
        self._asked += 1
        with suppress(OSError), child.time_limit(self._seconds) as limit:
            child.stdin.write(b"%d\n" % len(data) + data)
            child.stdin.flush()
            line = child.stdout.readline()
            if line:
                header = json.loads(line)
                return header, child.stdout.read(header["bytes"])
        code = child.process.wait()
        self.close()
        return {"ending": f"no end after {self._seconds:g} s" if limit.exceeded else exit_name(code)}, b""

    def _started(self) -> ChildProcess:
        late = str(int(self._seconds) + _MARGIN)
        command = python_command("litecheck.devices.vela_child:main", self._arch, str(_MEMORY), late)
        return ChildProcess(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, patience=2.0)

    def close(self) -> None:
        """Ends the compiler's process."""
        child, self._child, self._asked = self._child, None, 0
        if child is not None:
            child.close()


def placed_otherwise(said: Sequence[Place], found: Compilation) -> dict[int, Place]:
    """The places of those operators that the compiler did not give the place that was said. Where it refuses a model, or
    dies of it, one operator is enough of which that was said."""
    done = [PLACES[fate] for fate in found.fates]
    if {"refused", "crashes"} & {*done} and done[0] in said:
        return {}
    pairs = zip(said, done, strict=True)
    return {n: place for n, (told, place) in enumerate(pairs) if told != place}


def _all(fate: Fate, count: int) -> tuple[Fate, ...]:
    return (fate,) * count


def _fates(model: Model, ran: frozenset[int], left: bytes) -> tuple[tuple[Fate, ...], int]:
    """What is left in the compiler's model is the CPU's; what never ran and is not left was folded away. The compiler takes
    subgraphs one by one, and numbers what ran within them: of several, one may stand for another.

    Raises ModelError where the compiler wrote something else.
    """
    made = model_from(left, "vela").subgraphs
    if len(made) != len(model.subgraphs):
        what = f"{len(made)} subgraphs instead of {len(model.subgraphs)}"
        raise ModelError("vela", (Problem("other-subgraphs", "subgraphs", None, what),))
    partitions = sum(op.custom_code == _NPU for subgraph in made for op in subgraph.operators)
    fates: list[Fate] = []
    for main, own in zip(model.subgraphs, made, strict=True):
        cpu = _left(main, own, ran)
        fates += ("cpu" if op.index in cpu else "npu" if op.index in ran else "gone" for op in main.operators)
    return tuple(fates), partitions


def _left(main: Subgraph, made: Subgraph, ran: frozenset[int]) -> set[int]:
    """The operators that the compiler left. They are known by their kinds and the names of their results, of several
    alike the first that did not run; where the compiler has put a conversion behind, or folded away what gave the name, by
    their kinds and the names they read."""
    named: dict[tuple[str, str], list[int]] = {}
    for op in main.operators:
        for t in _names(main, op.outputs):
            named.setdefault((op.kind, t), []).append(op.index)
    left, unknown = set[int](), list[Operator]()
    for op in made.operators:
        every = (named.get((op.kind, t), ()) for t in _names(made, op.outputs))
        known = {
            min(free, key=ran.__contains__) for same in every if (free := [n for n in same if n not in left])
        }
        if op.custom_code != _NPU:
            left |= known
            unknown += [] if known else [op]
    for op in unknown:
        read = set(_names(made, op.inputs))
        alike = [o for o in main.operators if o.kind == op.kind and o.index not in left]
        alike.sort(key=lambda o: (o.index in ran, -len(read & {*_names(main, o.inputs)})))
        left.update(o.index for o in alike[:1])
    return left


def _names(subgraph: Subgraph, tensors: Iterable[int]) -> list[str]:
    return [subgraph.tensors[i].name for i in tensors if i >= 0]
