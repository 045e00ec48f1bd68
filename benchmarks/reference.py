"""Time of models in litecheck's kernels and in LiteRT: ``python benchmarks/reference.py``; exit code 1 if a goal fails.

The engines alternate in a run, with a single thread each: litecheck's interpreter with the arithmetic ``litert-reference``,
and LiteRT (ai-edge-litert) with its reference kernels, its optimized kernels and XNNPACK. Every engine is a separate
process. The time is the median of an inference without copies of inputs and outputs. CPU time is listed as well, because
wall time depends on further work. A check precedes the timing: the outputs equal those of LiteRT's reference kernels.

Goals for every model: at most 0.22 of the time of LiteRT's reference kernels with numpy, at most 0.13 with numba (extra
``speed``), and a peak of 200 MB for the whole process. If the reference kernels take less than 5 ms, calls cost more than
arithmetic, and a different goal applies: at most 30 us per operator beyond its arithmetic. It is measured if all operators
are dense layers, whose arithmetic is repeated in numpy. LITECHECK_MODELS names the folder of the models; see
docs/models.md.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import statistics
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

MODELS = ("tf2_mobilenet_v2_1.0_224_ptq", "pretrainedResnet_quant", "kws_ref_model", "ad01_int8")
OURS = {"numpy": 0.22, "numba": 0.13} if find_spec("numba") else {"numpy": 0.22}
THEIRS = ("reference", "optimized", "xnnpack")
ENGINES = (*OURS, *THEIRS)
GOAL_MEMORY = 200 << 20
#: Milliseconds of the reference kernels below which calls cost more than arithmetic.
SMALL = 5.0
#: Largest allowed microseconds per operator beyond its arithmetic, after preparation of the model.
GOAL_OVERHEAD = 30.0

#: Code of both kinds of children: it answers requests (function name, arguments) until the end of its input.
SERVE = r"""
import pickle, resource, struct, sys, time, os
channel = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
def timed(task, count):
    taken = []
    for _ in range(count):
        wall, cpu = time.perf_counter(), time.process_time()
        task()
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    return taken
def serve(functions):
    functions["peak"] = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    while len(head := sys.stdin.buffer.read(8)) == 8:
        name, arguments = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", head)[0]))
        data = pickle.dumps(functions[name](*arguments))
        channel.write(struct.pack("<Q", len(data)) + data); channel.flush()
"""
OUR_CODE = r"""
import litecheck
from litecheck.reference.numerics import numba_loops
from litecheck.reference.engine.interpreter import ReferenceInterpreter
path, how = sys.argv[1:]
numba_loops.WORTH = float("inf") if how == "numpy" else -1
interpreter = ReferenceInterpreter(litecheck.load_model(path), "litert-reference")
def first(x):
    global inputs
    inputs = x
    return list(interpreter.invoke(x).outputs.values())
def profile():
    kinds, last = {}, [time.process_time()]
    def seen(operator, outputs):
        now = time.process_time()
        kinds[operator.opcode] = kinds.get(operator.opcode, 0.0) + now - last[0]
        last[0] = time.process_time()
    interpreter.invoke(inputs, progress=seen)
    return kinds
def dense(operator):
    # Arithmetic of a dense layer: the product, then offset, rescaling, zero point and clamp of each sum.
    import numpy as np
    graph = interpreter.model.subgraphs[0]
    weight = interpreter.operand(graph, operator.inputs[1], {})
    (layer,) = weight.prepared.values()
    matrix, to = layer.filters.matrix, layer.rescale
    rows = np.ones((1, matrix.shape[1]), np.int8)
    constants, out = to.rescale.constants, np.empty((1, len(matrix)), to.dtype)
    def arithmetic():
        sums = (rows.astype(matrix.dtype) @ matrix.T).astype(np.int64)
        sums += layer.offset
        stored = to.rescale.step(sums, *constants)
        stored += to.zero_point
        kind = stored.dtype.type
        out[...] = stored.clip(kind(to.low), kind(to.high), out=stored)
    return arithmetic
def overhead(count):
    operators = interpreter.model.subgraphs[0].operators
    if any(operator.opcode != "FULLY_CONNECTED" for operator in operators):
        return None
    replayed = [dense(operator) for operator in operators]
    def bare():
        for arithmetic in replayed:
            arithmetic()
    # Other work only adds time, so the minimum counts. Both measurements alternate.
    pairs = [(timed(lambda: interpreter.invoke(inputs), 2)[1][0], timed(bare, 2)[1][0]) for _ in range(count)]
    whole, alone = (min(times) for times in zip(*pairs))
    return 1e6 * (whole - alone) / len(operators)
def bound():
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return None
    return threadpool_limits(1)
limits = bound()
run = lambda count: timed(lambda: interpreter.invoke(inputs), count)
serve({"first": first, "profile": profile, "overhead": overhead, "run": run})
"""
THEIR_CODE = r"""
from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
path, resolver = sys.argv[1:]
resolvers = {"reference": R.BUILTIN_REF, "optimized": R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "xnnpack": R.AUTO}
runtime = Interpreter(path, experimental_op_resolver_type=resolvers[resolver], num_threads=1)
runtime.allocate_tensors()
def first(x):
    for detail, value in zip(runtime.get_input_details(), x):
        runtime.set_tensor(detail["index"], value)
    runtime.invoke()
    return [runtime.get_tensor(detail["index"]) for detail in runtime.get_output_details()]
serve({"first": first, "run": lambda count: timed(runtime.invoke, count)})
"""


class Engine:
    """Child process with a model in an engine."""

    def __init__(self, path: Path, name: str) -> None:
        code = SERVE + (OUR_CODE if name in OURS else THEIR_CODE)
        single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        self.child = subprocess.Popen(
            [sys.executable, "-c", code, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **single},
        )

    def ask(self, function: str, *arguments: Any) -> Any:
        """Return the value of a function of the child. Raise RuntimeError if the child has ended."""
        assert self.child.stdin
        assert self.child.stdout
        data = pickle.dumps((function, arguments))
        try:
            self.child.stdin.write(struct.pack("<Q", len(data)) + data)
            self.child.stdin.flush()
            (size,) = struct.unpack("<Q", self.child.stdout.read(8))
        except (BrokenPipeError, struct.error):
            raise RuntimeError(f"the engine ended with {self.child.wait()}") from None
        return pickle.loads(self.child.stdout.read(size))

    def close(self) -> None:
        """End the child."""
        self.child.kill()
        self.child.wait()


@dataclass(frozen=True)
class Measured:
    """Measurements of a model: median milliseconds by engine; peak bytes and differing outputs with numpy and numba."""

    model: str
    wall: dict[str, float]
    cpu: dict[str, float]
    peak: dict[str, int]
    different: dict[str, int]
    profile: dict[str, dict[str, float]]
    overhead: dict[str, float | None]
    """Microseconds per operator beyond its arithmetic; None if the arithmetic cannot be repeated."""

    @property
    def small(self) -> bool:
        """True if calls cost more than arithmetic."""
        return self.cpu["reference"] < SMALL

    def ratios(self, way: str) -> tuple[float, float]:
        """Return the share of the reference kernels' time, as wall time and as CPU time."""
        return self.wall[way] / self.wall["reference"], self.cpu[way] / self.cpu["reference"]

    def reached(self, way: str) -> bool:
        """Return True if the outputs are exact and the goals are met."""
        overhead = self.overhead[way]
        fast = (overhead or 0.0) <= GOAL_OVERHEAD if self.small else self.ratios(way)[0] <= OURS[way]
        return not self.different[way] and fast and self.peak[way] <= GOAL_MEMORY


def inputs(path: Path) -> tuple[np.ndarray, ...]:
    """Return random values for every input, over the full range of integer types."""
    import litecheck

    random = np.random.default_rng(0)
    graph = litecheck.load_model(path).subgraphs[0]
    made = []
    for tensor in (graph.tensors[i] for i in graph.inputs):
        if tensor.dtype == "float32":
            made.append(random.standard_normal(tensor.shape).astype(np.float32))
        else:
            ends = np.iinfo(tensor.dtype)
            made.append(random.integers(ends.min, ends.max, tensor.shape, tensor.dtype, endpoint=True))
    return tuple(made)


def measure(path: Path, rounds: int) -> Measured:
    """Check a model, then time all engines alternately in ``rounds`` rounds."""
    engines = {name: Engine(path, name) for name in ENGINES}
    try:
        x = inputs(path)
        outputs = {name: engine.ask("first", x) for name, engine in engines.items()}
        different = {
            way: sum(
                int(np.count_nonzero(a != b)) for a, b in zip(outputs[way], outputs["reference"], strict=True)
            )
            for way in OURS
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ENGINES}
        for _ in range(rounds):
            for name, engine in engines.items():
                # The first of two inferences fills the caches, which further engines have overwritten.
                taken[name].append(engine.ask("run", 2)[1])
        wall, cpu = (
            {name: 1e3 * statistics.median(t[column] for t in times) for name, times in taken.items()}
            for column in (0, 1)
        )
        profile = {way: profiled(engines[way], rounds) for way in OURS}
        overhead = {way: engines[way].ask("overhead", 20 * rounds) for way in OURS}
        peak = {way: engines[way].ask("peak") for way in OURS}
        return Measured(path.stem, wall, cpu, peak, different, profile, overhead)
    finally:
        for engine in engines.values():
            engine.close()


def profiled(engine: Engine, rounds: int) -> dict[str, float]:
    """Return the median CPU milliseconds by operator kind."""
    profiles = [engine.ask("profile") for _ in range(rounds)]
    return {kind: 1e3 * statistics.median(p[kind] for p in profiles) for kind in profiles[0]}


def show(console: Console, results: Sequence[Measured], profile: bool) -> None:
    """Print the times of all engines and the goals, and with ``profile`` the time of each operator kind."""
    times = Table(title=f"one inference, median ms, one thread; load {os.getloadavg()[0]:.1f}")
    goals = Table(
        title="litecheck's share of the reference kernels' time; us of an operator above its arithmetic"
    )
    for table, headings in (
        (times, ENGINES),
        (goals, ("way", "share", "in CPU time", "goal", "us above", "peak MB", "different", "")),
    ):
        table.add_column("model")
        for heading in headings:
            table.add_column(heading, justify="right")
    for found in results:
        times.add_row(found.model, *(f"{found.wall[name]:.3f}" for name in ENGINES))
        for way, goal in OURS.items():
            shares = (f"{share:.3f}" for share in found.ratios(way))
            verdict = "reached" if found.reached(way) else "missed"
            peak = f"{found.peak[way] / 2**20:.0f}"
            above = "-" if (us := found.overhead[way]) is None else f"{us:.0f}"
            share = "-" if found.small else str(goal)
            goals.add_row(found.model, way, *shares, share, above, peak, str(found.different[way]), verdict)
    console.print(times, goals)
    for found in results if profile else ():
        kinds = Table("operator", *OURS, title=f"{found.model}: CPU ms")
        for kind in sorted(found.profile["numpy"], key=lambda kind: -found.profile["numpy"][kind]):
            kinds.add_row(kind, *(f"{found.profile[way][kind]:.3f}" for way in OURS))
        console.print(kinds)


def main() -> int:
    """Measure all models and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", type=Path, help=".tflite files in place of the default models")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--profile", action="store_true", help="print time by operator kind")
    options = parser.parse_args()
    folder = Path(os.environ.get("LITECHECK_MODELS", "."))
    paths = options.models or [folder / f"{name}.tflite" for name in MODELS]
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        print(f"not found: {', '.join(missing)} (set LITECHECK_MODELS)", file=sys.stderr)
        return 1
    results = [measure(path, options.rounds) for path in paths]
    if options.json:
        goals = {"ratio": OURS, "overhead": GOAL_OVERHEAD, "memory": GOAL_MEMORY}
        rows = [{**asdict(r), "reached": {way: r.reached(way) for way in OURS}} for r in results]
        print(json.dumps({"goals": goals, "load": os.getloadavg(), "models": rows}, indent=2))
    else:
        show(Console(), results, options.profile)
    return 0 if all(result.reached(way) for result in results for way in OURS) else 1


if __name__ == "__main__":
    sys.exit(main())
