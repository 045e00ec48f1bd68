"""litecheck's QUANTIZE and DEQUANTIZE compared with LiteRT: ``python -m tests.differential.litert_quantize --elements
1000000``.

Every case is one operator in a separate model, run by ai-edge-litert in a child process: the formula on BUILTIN_REF,
the semantics of each interpreter on this interpreter. Lengths give values in the body and in the tail of a vector. Each
case also has wrong arithmetics (half to even, zero point + 1, scale * 1.001, ...): a case that does not distinguish
them proves nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from select import select

import numpy as np
from rich.progress import track

from litecheck.model.build import ModelBuilder
from litecheck.model.save import save_model
from litecheck.quantization import BITS
from litecheck.quantizer.litert_resolvers import RESOLVERS
from tests.differential.litert_cases import Array, Case, different, makers

#: Time limit of LiteRT for a single case, in seconds.
PATIENCE = 60.0
#: The child reads models and inputs by path, and writes the outputs, or the error, next to them.
CHILD = """
import sys
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
resolvers = {"reference": OpResolverType.BUILTIN_REF, "xnnpack": OpResolverType.AUTO,
             "optimized": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES}
for line in sys.stdin:
    folder = line.rstrip()
    model = Interpreter(folder + "/model.tflite", num_threads=1,
                        experimental_op_resolver_type=resolvers[sys.argv[1]])
    model.allocate_tensors()
    (given,), (made,) = model.get_input_details(), model.get_output_details()
    if not model.get_tensor_details()[given["index"]]["name"].startswith("constant"):
        model.set_tensor(given["index"], np.load(folder + "/x.npy"))
    model.invoke()
    np.save(folder + "/y.npy", model.get_tensor(made["index"]))
    print("done", flush=True)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Numbers of compared and different elements, and the wrong arithmetics that were not noticed."""

    elements: int
    different: int
    unnoticed: tuple[str, ...]


class Litert:
    """LiteRT interpreter in a child process; RuntimeError if it crashes or hangs."""

    def __init__(self, resolver: str = "reference") -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._said = (Path(self._folder.name) / "stderr").open("w+")
        command = [sys.executable, "-c", CHILD, resolver]
        self._child = subprocess.Popen(
            command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said
        )

    def __enter__(self) -> Litert:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.communicate()
        self._said.close()
        self._folder.cleanup()

    def outputs(self, case: Case) -> Array:
        """Return LiteRT's output of a case."""
        folder = Path(self._folder.name)
        _write(case, folder / "model.tflite")
        np.save(folder / "x.npy", case.x)
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{folder}\n")
        self._child.stdin.flush()
        if not select([self._child.stdout], [], [], PATIENCE)[0]:
            self._child.kill()
        if not self._child.stdout.readline():
            self._said.seek(0)
            raise RuntimeError(f"LiteRT ended on {case.title}: {self._said.read().strip()}")
        made: Array = np.load(folder / "y.npy")
        return made

    def compare(self, case: Case) -> Outcome:
        """Return the outcome of a case; floats are compared by their bits."""
        made = self.outputs(case)
        assert made.dtype == case.expected.dtype, f"{case.title}: {made.dtype}, not {case.expected.dtype}"
        missed = tuple(name for name, wrong in case.controls.items() if not different(made, wrong))
        return Outcome(made.size, different(made, case.expected), missed)


def _write(case: Case, path: Path) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    stages = [case.source, *([case.through] if case.through else []), case.target]
    tensors = [main.tensor(f"t{i}", case.x.shape, *stage) for i, stage in enumerate(stages)]
    if BITS[case.source[0]] < 8:
        tensors[0] = main.constant("constant", case.x, case.source[1], case.source[0])
    for i, (dtype, _) in enumerate(stages[1:]):
        main.add(
            "DEQUANTIZE" if dtype == "float32" else "QUANTIZE", [tensors[i]], [tensors[i + 1]], version=5
        )
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    save_model(builder.finish(), path)


def lengths(random: np.random.Generator) -> Iterator[int]:
    """Yield short lengths of every remainder, then endlessly long lengths."""
    yield from (*range(1, 41), 256, 7)
    while True:
        yield int(random.integers(60_000, 120_000))


def run(
    elements: int, seed: int, names: Sequence[str], resolver: str = ""
) -> Iterator[tuple[str, Case, Outcome]]:
    """Yield the outcomes of every kind in sequence, with ``elements`` divided among them."""
    known = makers(resolver)
    share = -(-elements // len(names))
    with Litert(resolver or "reference") as runtime:
        for name in names:
            random = np.random.default_rng([seed, *name.encode()])
            left = share
            for length in lengths(random):
                case = known[name](random, max(1, min(length, left + 100)))
                left -= case.x.size
                if case.x.size:
                    yield name, case, runtime.compare(case)
                if left <= 0:
                    break


def compare_semantics(elements: int, seed: int, resolver: str) -> tuple[int, int, bool]:
    """Compare one semantics with its interpreter, print a line for each kind, and return differences, elements, success."""
    names = tuple(makers(resolver))
    count: dict[str, Counter[str]] = {name: Counter() for name in names}
    shown = f"litert:{resolver}" if resolver else "litert"
    for name, case, outcome in track(run(elements, seed, names, resolver), shown, transient=True):
        seen = count[name]
        seen.update(elements=outcome.elements, different=outcome.different, unnoticed=len(outcome.unnoticed))
        seen.update(case.controls.keys() - outcome.unnoticed)
        if outcome.different:
            print(f"{outcome.different} of {outcome.elements} differ: {case.title}")
    all_equal = True
    print(shown)
    for name, seen in count.items():
        noticed = sum(seen[key] > 0 for key in ("zero point + 1", "scale * 1.001"))
        all_equal &= not seen["different"] and not seen["unnoticed"] and noticed == 2
        wrong = ", ".join(
            f"{key} {n}" for key, n in seen.items() if key not in ("elements", "different", "unnoticed")
        )
        print(f"  {name:28} {seen['different']} / {seen['elements']:,}; noticed: {wrong}")
    return (
        sum(seen["different"] for seen in count.values()),
        sum(seen["elements"] for seen in count.values()),
        all_equal,
    )


def main() -> int:
    """Compare and print a line for each kind; return 1 for a difference or an unnoticed wrong arithmetic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--elements",
        type=int,
        default=10_000_000,
        help="elements of each of the four semantics [default: 10000000]",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the cases [default: 0]")
    options = parser.parse_args()
    made = [compare_semantics(options.elements, options.seed, resolver) for resolver in ("", *RESOLVERS)]
    print(f"{sum(n for n, _, _ in made)} differences in {sum(n for _, n, _ in made):,} elements")
    return 0 if all(all_equal for _, _, all_equal in made) else 1


if __name__ == "__main__":
    sys.exit(main())
