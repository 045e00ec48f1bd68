"""Shape functions and LiteRT: output shapes, and invalid combinations of inputs.

    python -m tests.differential.shapes --operator CONV_2D --cases 200 --seed 0 --all

Random models of one operator, most of them valid, some with a changed shape, number or option, run on three resolvers
in a child process. It returns shapes after allocation and after inference, or that the model is rejected (or crashes).
The shape function must raise ShapeError for exactly the models that LiteRT rejects, and return LiteRT's shapes. Lengths
that depend on values of computed inputs may be open; with these values they must be correct. Lengths hidden from the
shape function at random must cause neither ShapeError nor different lengths. ``REASONS`` lists intended deviations.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from litecheck.model.build import ModelBuilder
from litecheck.model.save import model_bytes
from litecheck.model.shapes import Call, Shape, ShapedOperand, ShapeError, Shapes
from litecheck.model.shapes.infer import bind
from litecheck.model.types import Model, Tensor
from tests.differential.oracle import RESOLVERS, SERVE, Oracle, Refused
from tests.differential.shapes_cases import CASES
from tests.differential.shapes_changes import changed
from tests.differential.shapes_draws import Draw, Random
from tests.differential.shapes_reasons import REASONS
from tests.differential.shapes_table import TABLE

_CHILD = r"""
import os, pickle, resource, struct, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
resolvers = {"reference": R.BUILTIN_REF, "optimized": R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "xnnpack": R.AUTO}
def shapes(i):
    return [tuple(int(n) for n in o["shape"]) for o in i.get_output_details()]
def answer(model, runs, resolver, keep):
    i = Interpreter(model_content=model, experimental_op_resolver_type=resolvers[resolver], num_threads=1)
    i.allocate_tensors()
    allocated = shapes(i)
    for d, x in zip(i.get_input_details(), runs[0]):
        i.set_tensor(d["index"], x)
    i.invoke()
    return [(allocated, shapes(i))]
def reply(request):
    try: return answer(*request)
    except (RuntimeError, ValueError, MemoryError) as error: return str(error) or type(error).__name__
"""
#: Number of elements beyond which LiteRT is not asked for an output.
_MOST = 1 << 20


class ShapeOracle(Oracle):
    """LiteRT in a child process that returns output shapes after allocation and after inference."""

    program = _CHILD + SERVE


@dataclass(frozen=True)
class Finding:
    """Case and resolver with different answers of shape function and LiteRT; ``kind`` describes the difference."""

    draw: Draw
    resolver: str
    kind: str
    litert: str
    law: str

    @property
    def reason(self) -> str:
        """Name of the reason that explains the finding, or ""."""
        return next((name for name, accounts in REASONS.items() if accounts(self)), "")

    def __str__(self) -> str:
        parts = [
            None if p is None else f"{p.values.dtype}{list(p.values.shape)}" + (f"={p.values.tolist()}" if p.steers else "")
            + ("" if p.constant else "*") for p in self.draw.parts
        ]  # fmt: skip
        return (
            f"{self.kind}: {self.draw.opcode}{self.draw.title} {parts} {self.draw.options} [{self.resolver}]\n"
            f"    litert: {self.litert[:300]}\n    law:    {self.law}"
        )


def call_of(
    draw: Draw, constant: bool = False, hidden: Random | None = None, stated: Sequence[tuple[int, ...]] = ()
) -> Call:
    """Return the call of the shape function: ``constant`` makes all inputs constant, ``hidden`` hides lengths at random."""
    _, roles, results, repeated = TABLE[draw.opcode]
    operands: list[ShapedOperand | None] = []
    for at, part in enumerate(draw.parts):
        if part is None:
            operands.append(None)
            continue
        data = np.frombuffer(part.values.tobytes(), np.uint8) if part.constant or constant else None
        tensor = Tensor(at, "", part.values.dtype.name, part.values.shape, data=data)
        shape: Shape | None = part.values.shape
        if hidden is not None:
            shape = (
                None
                if hidden.random() < 0.1
                else tuple(None if hidden.random() < 0.4 else d for d in part.values.shape)
            )
        operands.append(ShapedOperand(tensor, shape))
    written: list[ShapedOperand | None] = [
        ShapedOperand(Tensor(0, "", kind, stated[at] if stated else ()), None)
        for at, (kind, _) in enumerate(draw.results)
    ]
    bound = bind(operands, roles, repeated) | bind(written, results, repeated)
    options = model_of(draw, None).subgraphs[0].operators[0].options
    return Call(draw.opcode, bound, options, len(draw.results))


def answer(call: Call) -> Shapes | ShapeError:
    """Return the output shapes of the shape function, or its error."""
    try:
        return TABLE[call.opcode][0](call)
    except ShapeError as misfit:
        return misfit


def model_of(draw: Draw, stated: list[tuple[int, ...]] | None) -> Model:
    """Return a model of a single operator with these stated output shapes."""
    builder = ModelBuilder(draw.opcode)
    graph = builder.subgraph("main")
    indexes, given = [], []
    for at, part in enumerate(draw.parts):
        if part is None:
            indexes.append(-1)
        elif part.constant:
            indexes.append(graph.constant(f"c{at}", part.values, part.quantization))
        else:
            name = part.values.dtype.name
            indexes.append(
                graph.tensor(f"x{at}", part.values.shape, name, part.quantization, is_variable=part.variable)
            )
            given += [] if part.variable else [indexes[-1]]
    shapes = stated or [(1,)] * len(draw.results)
    outputs = [
        graph.tensor(f"y{at}", s, k, q)
        for at, ((k, q), s) in enumerate(zip(draw.results, shapes, strict=True))
    ]
    graph.add(draw.opcode, indexes, outputs, version=draw.version, **draw.options)
    graph.inputs(*given)
    graph.outputs(*outputs)
    return builder.finish()


def unknown_operator(opcode: str, shape: tuple[int, ...]) -> bytes:
    """Return a model of any operator with one input and one output."""
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    x, y = graph.tensor("x", shape, "float32"), graph.tensor("y", shape, "float32")
    graph.add(opcode, [x], [y])
    graph.inputs(x)
    graph.outputs(y)
    return model_bytes(builder.finish())


def stated_shapes(rng: Random, draw: Draw, shapes: Shapes | ShapeError) -> list[tuple[int, ...]]:
    """Return the output shapes that the file states: those of the shape function, in some cases wrong with the same rank."""
    found = []
    for at in range(len(draw.results)):
        shape = None if isinstance(shapes, ShapeError) or at >= len(shapes) else shapes[at]
        known = (1,) if shape is None else tuple(1 if dim is None else dim for dim in shape)
        found.append(tuple(dim + int(rng.integers(0, 2)) for dim in known) if rng.random() < 0.2 else known)
    return found


def compare(litert: Oracle, rng: Random, draw: Draw) -> Iterator[Finding]:
    """Yield the differences between the shape function and all resolvers."""
    stated = stated_shapes(rng, draw, answer(call_of(draw, constant=True)))
    partial, full = answer(call_of(draw, stated=stated)), answer(call_of(draw, constant=True, stated=stated))
    if not isinstance(full, ShapeError) and any(_elements(shape) > _MOST for shape in full):
        return
    data = model_bytes(model_of(draw, stated))
    inputs = [
        part.values for part in draw.parts if part is not None and not part.constant and not part.variable
    ]
    for resolver in RESOLVERS:
        shapes = litert.run(data, inputs, resolver)
        kind = judged(shapes, partial, full)
        if kind:
            yield Finding(draw, resolver, kind, _shown(shapes), f"{_shown(partial)} / {_shown(full)}")
    masked = answer(call_of(draw, hidden=rng, stated=stated))
    if not isinstance(full, ShapeError) and not isinstance(partial, ShapeError):
        if isinstance(masked, ShapeError):
            yield Finding(draw, "law", "a hidden length is rejected", "", _shown(masked))
        elif not all(_within(m, f) for m, f in zip(masked, full, strict=True)):
            yield Finding(
                draw, "law", "a hidden length gives a different shape", _shown(full), _shown(masked)
            )


def judged(shapes: object, partial: Shapes | ShapeError, full: Shapes | ShapeError) -> str:
    """Return a description of the difference between shape function and LiteRT, or ""."""
    if isinstance(shapes, Refused):
        return (
            ""
            if isinstance(full, ShapeError) or isinstance(partial, ShapeError)
            else "LiteRT rejects, the shape function accepts"
        )
    assert isinstance(shapes, (list, tuple))
    if isinstance(partial, ShapeError):
        return "the shape function rejects, LiteRT accepts"
    # values of computed inputs are not checked where constants would be
    known = partial if isinstance(full, ShapeError) else full
    after = shapes[1]
    if (
        len(known) < len(after)
        or not all(map(_within, known, after))
        or not all(map(_within, partial, known))
    ):
        return "other shapes"
    return ""


def _within(shapes: Shape | None, actual: Shape | None) -> bool:
    """Return True if two shapes agree in all lengths that both know."""
    if shapes is None or actual is None:
        return True
    return len(shapes) == len(actual) and all(
        a is None or b is None or a == b for a, b in zip(shapes, actual, strict=True)
    )


def _elements(shape: Shape | None) -> int:
    return int(np.prod([d for d in shape or () if d is not None], dtype=object))


def _shown(shapes: object) -> str:
    return (
        f"refused: {shapes.message}"
        if isinstance(shapes, Refused)
        else f"misfit: {shapes.found}"
        if isinstance(shapes, ShapeError)
        else str(shapes)
    )


#: Options that the draws omit, with values to try.
EXTRA: dict[str, dict[str, tuple[int, ...]]] = {
    "CONV_2D": {"padding": (0, 1, 2, -1), "dilation_h_factor": (0, -1, 2), "stride_w": (0, -1, 1)},
    "DEPTHWISE_CONV_2D": {"padding": (0, 1, 2, -1), "dilation_h_factor": (0, -1, 2)},
    "CONV_3D": {"padding": (0, 1, 2), "dilation_d_factor": (0, -1, 2)},
    "TRANSPOSE_CONV": {"padding": (0, 1, 2)},
    "MAX_POOL_2D": {"padding": (0, 1, 2)},
    "AVERAGE_POOL_2D": {"padding": (0, 1, 2)},
    "L2_POOL_2D": {"padding": (0, 1, 2)},
    "MIRROR_PAD": {"mode": (0, 1, 2)},
}


def drawn(operator: str, dtype: str, rng: Random, cases: int) -> Iterator[Draw]:
    """Yield random cases of a single operator: half valid, half with one or two changes."""
    make = CASES[operator][0]
    for number in range(cases):
        draw = make(rng, dtype)
        for _ in range((0, 1, 0, 1, 0, 2)[number % 6]):
            draw = changed(rng, draw, EXTRA.get(draw.opcode, {}))
        yield replace(draw, title=f" {dtype}{draw.title}")


def sweep(litert: Oracle, operator: str, cases: int, seed: int) -> tuple[Counter[str], list[Finding]]:
    """Return the counts of accepted and rejected cases of a single operator with all types, and the differences."""
    counts: Counter[str] = Counter()
    found: list[Finding] = []
    kinds = CASES[operator][1]
    for dtype in kinds:
        rng = np.random.default_rng([seed, *operator.encode(), *dtype.encode()])
        for draw in drawn(operator, dtype, rng, cases // len(kinds)):
            counts["misfits" if isinstance(answer(call_of(draw, constant=True)), ShapeError) else "fits"] += 1
            found += compare(litert, rng, draw)
    return counts, found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--operator", help="run this operator [default: all]")
    parser.add_argument("--cases", type=int, default=100, help="cases of each operator [default: 100]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the cases [default: 0]")
    parser.add_argument(
        "--show", type=int, default=2, help="print this many findings of each kind [default: 2]"
    )
    parser.add_argument("--all", action="store_true", help="also print explained findings")
    wanted = parser.parse_args()
    open_, explained, total = 0, Counter[str](), Counter[str]()
    with ShapeOracle(timeout=20) as litert:
        for operator in [wanted.operator] if wanted.operator else CASES:
            counts, found = sweep(litert, operator, wanted.cases, wanted.seed)
            total += counts
            bad = [f for f in found if not f.reason]
            explained.update(f.reason for f in found if f.reason)
            open_ += len(bad)
            if bad or wanted.operator:
                print(f"{operator}: {dict(counts)}, {len(bad)} differences", flush=True)
            shown: Counter[str] = Counter()
            for finding in found if wanted.all else bad:
                group = finding.kind + re.sub(r"[-0-9, ]+", "", finding.litert)
                shown[group] += 1
                if shown[group] <= wanted.show:
                    print(f"  {finding.reason} {finding}", flush=True)
    print(f"{dict(total)}; {open_} differences; explained: {dict(explained)}")
    return 1 if open_ else 0


if __name__ == "__main__":
    sys.exit(main())
