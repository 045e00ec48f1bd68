"""Arm's Vela compiler as an oracle: the outcome of every operator of a model on an Ethos-U, from a child process.

Needs ``pip install ethos-u-vela``. Some models crash the compiler and its process: their outcome is ``crash``, and the next
model gets a new process.
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

#: On the NPU; on the CPU; optimized out; in a model that the compiler rejects; in a model that crashes the compiler.
CompilerOutcome = Literal["npu", "cpu", "optimized out", "refused", "crash"]
#: The place in a report for each outcome.
PLACES: Mapping[CompilerOutcome, Place] = {
    "npu": "npu", "optimized out": "npu", "cpu": "cpu", "refused": "refused", "crash": "crashes",
}  # fmt: skip
ACCELERATORS = {"ethos-u55": "EthosU55", "ethos-u65": "EthosU65", "ethos-u85": "EthosU85"}
#: Bytes of address space, and models per process: each model leaks a few hundred bytes.
_MEMORY = 8 << 30
_MODELS = 4000
#: Seconds after the time limit of a model at which the compiler's process ends itself.
_MARGIN = 10
#: Name of the custom operator that replaces the operators on the NPU.
_NPU = "ethos-u"


@dataclass(frozen=True, slots=True)
class Compilation:
    """The compilation of a model: the outcome of each operator, subgraph by subgraph, and the compiler's log.

    ``macs`` and ``memories``, the peak use in bytes by the memory's name, are the compiler's own numbers. ``ending`` is the
    reason where there is no compiled model, else it is empty.
    """

    outcomes: tuple[CompilerOutcome, ...]
    log: str = ""
    ending: str = ""
    partitions: int = 0
    macs: int = 0
    memories: Mapping[str, int] = field(default_factory=dict)


def vela_version() -> str:
    """Return the version of the installed compiler. Raise DeviceError, with the package to install, if there is none."""
    try:
        return version("ethos-u-vela")
    except PackageNotFoundError:
        raise DeviceError(f"Vela needs the package ethos-u-vela: {install_hint('vela')}") from None


class Vela:
    """The compiler for an accelerator. It compiles models in sequence, each within ``seconds``."""

    def __init__(self, accelerator: str, seconds: float = 60.0) -> None:
        """Start no process yet. Raises DeviceError."""
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
        """Compile a model and return the outcome of each operator."""
        count = sum(len(subgraph.operators) for subgraph in model.subgraphs)
        header, left = self._request(model_bytes(model))
        log = str(header.get("said", "")).strip()
        if "ending" in header:
            return Compilation(_same_outcomes("crash", count), log, str(header["ending"]))
        if "error" in header:
            return Compilation(_same_outcomes("refused", count), log, str(header["error"]))
        try:
            outcomes, partitions = _outcomes(model, frozenset(header["ran"]), left)
        except ModelError as error:
            return Compilation(_same_outcomes("crash", count), log, f"its output cannot be read: {error}")
        return Compilation(outcomes, log, "", partitions, int(header["macs"]), header["memories"])

    def output(self, model: Model) -> Model:
        """Return the compiled model. Raises DeviceError where there is none, ModelError where it cannot be read."""
        header, left = self._request(model_bytes(model))
        if why := header.get("ending") or header.get("error"):
            raise DeviceError(f"Vela compiled nothing: {why}")
        return model_from(left, "vela")

    def compile_models(self, models: Iterable[Model]) -> Iterator[Compilation]:
        """Compile many models in their order."""
        return map(self.compile, models)

    def _request(self, data: bytes) -> tuple[dict[str, Any], bytes]:
        if self._asked >= _MODELS:
            self.close()
        child = self._child = self._child or self._start_child()
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

    def _start_child(self) -> ChildProcess:
        late = str(int(self._seconds) + _MARGIN)
        command = python_command(
            "litecheck.targets.ethos_u.compiler.vela_child:main", self._arch, str(_MEMORY), late
        )
        return ChildProcess(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, patience=2.0)

    def close(self) -> None:
        """End the compiler's process."""
        child, self._child, self._asked = self._child, None, 0
        if child is not None:
            child.close()


def placement_differences(predicted: Sequence[Place], found: Compilation) -> dict[int, Place]:
    """Return the compiler's places of the operators that were predicted differently, by position.

    If the compiler rejects a model or crashes, a single operator with that prediction is enough.
    """
    actual = [PLACES[outcome] for outcome in found.outcomes]
    if {"refused", "crashes"} & {*actual} and actual[0] in predicted:
        return {}
    pairs = zip(predicted, actual, strict=True)
    return {n: place for n, (expected, place) in enumerate(pairs) if expected != place}


def _same_outcomes(outcome: CompilerOutcome, count: int) -> tuple[CompilerOutcome, ...]:
    return (outcome,) * count


def _outcomes(model: Model, ran: frozenset[int], left: bytes) -> tuple[tuple[CompilerOutcome, ...], int]:
    """Return the outcome of each operator and the number of partitions.

    Operators in the compiled model ``left`` are on the CPU. Operators that are neither there nor ran are optimized out.
    The compiler numbers the operators that ran within each subgraph. Raises ModelError if the subgraphs of the compiled
    model differ.
    """
    compiled = model_from(left, "vela").subgraphs
    if len(compiled) != len(model.subgraphs):
        what = f"{len(compiled)} subgraphs instead of {len(model.subgraphs)}"
        raise ModelError("vela", (Problem("other-subgraphs", "subgraphs", None, what),))
    partitions = sum(op.custom_code == _NPU for subgraph in compiled for op in subgraph.operators)
    outcomes: list[CompilerOutcome] = []
    for main, own in zip(model.subgraphs, compiled, strict=True):
        cpu = _remaining_operators(main, own, ran)
        outcomes += (
            "cpu" if op.index in cpu else "npu" if op.index in ran else "optimized out"
            for op in main.operators
        )
    return tuple(outcomes), partitions


def _remaining_operators(main: Subgraph, compiled: Subgraph, ran: frozenset[int]) -> set[int]:
    """Return the operators of ``main`` that are left in the compiled subgraph, by index.

    Operators match by type and output name; of several matches, the first that did not run. If the compiler has inserted a
    cast or removed the operator that named the tensor, they match by type and input names.
    """
    named: dict[tuple[str, str], list[int]] = {}
    for op in main.operators:
        for t in _names(main, op.outputs):
            named.setdefault((op.kind, t), []).append(op.index)
    left, unknown = set[int](), list[Operator]()
    for op in compiled.operators:
        every = (named.get((op.kind, t), ()) for t in _names(compiled, op.outputs))
        known = {
            min(free, key=ran.__contains__) for same in every if (free := [n for n in same if n not in left])
        }
        if op.custom_code != _NPU:
            left |= known
            unknown += [] if known else [op]
    for op in unknown:
        read = set(_names(compiled, op.inputs))
        alike = [o for o in main.operators if o.kind == op.kind and o.index not in left]
        alike.sort(key=lambda o: (o.index in ran, -len(read & {*_names(main, o.inputs)})))
        left.update(o.index for o in alike[:1])
    return left


def _names(subgraph: Subgraph, tensors: Iterable[int]) -> list[str]:
    return [subgraph.tensors[i].name for i in tensors if i >= 0]
