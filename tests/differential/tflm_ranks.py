"""Ranks that TFLM's operators support, measured on the runtime.

    python -m tests.differential.tflm_ranks ADD MUL

One-operator models of ranks 0 to 7, with equal shapes and with broadcasting, run on TFLM and on LiteRT. A rank is
supported if TFLM computes LiteRT's outputs. The verdict of the profile ``tflm`` must agree. The exit code is 1 if a
verdict is silent about an unsupported rank or false about a supported rank.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from litecheck.checks.validate import validate
from litecheck.model.build import qparams
from litecheck.model.save import model_bytes
from litecheck.model.shapes import ShapeError, lengths
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from tests.differential.operator_types.runtimes import Ran, Request, Runtimes
from tests.differential.shapes import answer, call_of, model_of
from tests.differential.shapes_cases import CASES
from tests.differential.shapes_draws import Draw, Part, Random, x
from tests.differential.shapes_table import TABLE

RANKS = range(8)
#: The kernel writes nothing, so that memory may have the right value.
_BY_CHANCE = {("LOG_SOFTMAX", 0)}
_FIXED = {
    "LOGISTIC": qparams(1 / 256, -128), "SOFTMAX": qparams(1 / 256, -128), "TANH": qparams(1 / 128, 0),
    "LOG_SOFTMAX": qparams(1 / 16, 127), "L2_NORMALIZATION": qparams(1 / 128, 0),
}  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """Model of a single operator at a rank, the outcome on TFLM, and the paths of the profile's violations."""

    opcode: str
    dtype: str
    rank: int
    form: str
    supported: bool | None
    """None if there are no outputs to compare with."""
    outcome: str
    violations: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """``silent`` or ``false`` if the verdict disagrees with the outcome, else ""."""
        if self.supported is None or self.supported != bool(self.violations):
            return ""
        return "false" if self.supported else "silent"


def constant(values: object) -> Part:
    """Return a constant of indices."""
    return Part(np.asarray(values, np.int32), None, True)


def ranked(opcode: str, dtype: str, rank: int, rng: Random) -> Iterator[tuple[str, Draw]]:
    """Yield valid operators with an input of a rank, each with the name of its form."""
    shape = (2, 1, 3, 2, 1, 2, 2)[:rank]
    whole = x(rng, shape, dtype)
    drawn = CASES[opcode][0](rng, dtype)
    results = tuple((name, _FIXED.get(opcode, q)) for name, q in drawn.results[:1])
    for form, parts, options in _forms(opcode, whole, shape, rng, dtype):
        many = 2 if opcode.startswith("SPLIT") else shape[0] if opcode == "UNPACK" else 1
        kept = {**drawn.options, **options}
        if "new_shape" in kept and "new_shape" not in options:
            kept.pop("new_shape")
        yield form, replace(drawn, parts=parts, results=results * many, options=kept)


def _forms(
    opcode: str, whole: Part, shape: tuple[int, ...], rng: Random, dtype: str
) -> Iterator[tuple[str, tuple[Part | None, ...], dict]]:
    law, rank = TABLE[opcode][0].__name__, len(shape)
    ones, last = (1,) * rank, max(rank - 1, 0)
    if opcode == "CAST" or law in ("elementwise", "at_least_1d", "shape_of"):
        yield "", (whole,), {}
    elif law in ("broadcast", "divide", "prelu", "select_v2", "sum_of_all", *lengths.__all__):
        yield from _spread(opcode, law, whole, shape, rng, dtype)
    elif law == "fill":
        yield "", (constant(shape), x(rng, (), dtype, True)), {}
    elif law == "batch_matmul" and rank >= 2:
        batch = shape[:-2]
        yield "", (x(rng, (*batch, 2, 3), dtype), x(rng, (*batch, 3, 2), dtype)), {"adj_x": 0, "adj_y": 0}
        if rank > 2:
            lhs = x(rng, (*[1] * len(batch), 2, 3), dtype)
            yield "broadcast", (lhs, x(rng, (*batch, 3, 2), dtype)), {"adj_x": 0, "adj_y": 0}
    elif law == "expand_dims":
        yield "", (whole, constant(0)), {}
    elif law == "reshape":
        yield "", (whole, constant([int(np.prod(shape))])), {}
    elif law == "squeeze":
        yield "", (whole,), {"squeeze_dims": [at for at, dim in enumerate(shape) if dim == 1]}
    elif law == "pack":
        yield "", (whole, whole), {"axis": 0, "values_count": 2}
    elif law == "broadcast_to":
        yield "", (x(rng, ones, dtype), constant(shape)), {}
    elif rank:
        yield from _along(law, whole, shape, rng, dtype, last)


def _spread(
    opcode: str, law: str, whole: Part, shape: tuple[int, ...], rng: Random, dtype: str
) -> Iterator[tuple[str, tuple[Part | None, ...], dict]]:
    """Yield operators that broadcast: equal shapes, one dimension broadcast, a scalar."""
    head = (x(rng, shape, "bool"),) if law == "select_v2" else ()
    others = [("", shape)]
    if law != "sum_of_all":
        others += [("broadcast", (*shape[:-1], 1)), ("scalar", ())] if shape else []
    if law == "prelu":
        others = [(form, other[1:]) for form, other in others if other]
    if law != "prelu" and len(shape) > 1:
        apart = x(rng, [1 + at % 2 for at in range(len(shape))], dtype)
        other = [2 - at % 2 for at in range(len(shape))]
        yield "alternating", ((x(rng, other, "bool"),) if head else ()) + (apart, x(rng, other, dtype)), {}
    for form, other in others:
        yield form, (*head, whole, x(rng, other, dtype)), {}


def _along(
    law: str, whole: Part, shape: tuple[int, ...], rng: Random, dtype: str, last: int
) -> Iterator[tuple[str, tuple[Part | None, ...], dict]]:
    """Yield operators with an axis, or with one number for each dimension."""
    rank, zeros = len(shape), [0] * len(shape)
    pairs = constant([[1, 0] if at == rank - 1 and dim > 1 else [0, 0] for at, dim in enumerate(shape)])
    same = x(rng, shape, dtype)
    forms: dict[str, tuple[tuple[Part | None, ...], dict]] = {
        "along_axis": ((whole, constant(0)), {}),
        "reduce": ((whole, constant([0])), {"keep_dims": True}),
        "arg_extreme": ((whole, constant(last)), {}),
        "transpose": ((whole, constant(range(rank)[::-1])), {}),
        "reverse": ((whole, constant([0])), {}),
        "slice_": ((whole, constant(zeros), constant([1, *shape[1:]])), {}),
        "strided_slice": (
            (whole, constant(zeros), constant([1, *shape[1:]]), constant([1] * rank)),
            {f"{name}_mask": 0 for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")},
        ),
        "split": ((constant(0), whole), {"num_splits": 2}),
        "split_v": ((whole, constant([1, 1]), constant(0)), {"num_splits": 2}),
        "dynamic_update_slice": ((whole, x(rng, (1, *shape[1:]), dtype), constant(zeros)), {}),
        "concatenation": ((whole, same), {"axis": 0, "fused_activation_function": 0}),
        "unpack": ((whole,), {"axis": 0, "num": shape[0]}),
        "tile": ((whole, constant([1] * rank)), {}),
        "pad": ((whole, pairs), {}),
        "mirror_pad": ((whole, pairs), {"mode": 1}),
        "gather": ((whole, constant([1, 0])), {"axis": 0, "batch_dims": 0}),
        "gather_nd": ((whole, constant([[1], [0]])), {}),
        "embedding_lookup": ((constant([1, 0]), replace(whole, constant=True)), {}),
    }
    found = forms.get(law)
    if found:
        yield "", *found


def models(opcode: str) -> Iterator[tuple[str, int, str, Draw, Model]]:
    """Yield the models of an operator: type, rank, form."""
    for dtype in CASES[opcode][1]:
        rng = np.random.default_rng(0)
        for rank in RANKS:
            for form, drawn in ranked(opcode, dtype, rank, rng):
                shapes = answer(call_of(drawn, constant=True))
                if opcode == "PADV2":
                    drawn = replace(drawn, parts=(*drawn.parts[:2], x(rng, (), dtype, True)))
                if not isinstance(shapes, ShapeError) and None not in shapes:
                    known = [tuple(dim or 0 for dim in shape or ()) for shape in shapes]
                    yield dtype, rank, form, drawn, model_of(drawn, known)


def operators() -> list[str]:
    """Return the operators that TFLM runs and that have draws."""
    types = load_profile("tflm").types
    assert types is not None
    return [opcode for opcode in CASES if opcode in types.operators and types.operators[opcode].runs]


def measure(runtimes: Runtimes, opcode: str) -> Iterator[Measured]:
    """Yield every model of an operator with its outcome and verdict."""
    made, profile = list(models(opcode)), load_profile("tflm")
    requests = [
        Request(
            model_bytes(model), tuple(p.values for p in drawn.parts if p is not None and not p.constant), PAIR
        )
        for *_, drawn, model in made
    ]
    for (dtype, rank, form, _, model), ran in zip(made, runtimes.run(requests), strict=True):
        tflm, litert = ran["tflm"], ran["optimized"]
        found = validate(model, [profile]).findings
        paths = tuple(dict.fromkeys(f.path for f in found if f.level == "violation" and not f.waiver))
        alike = agrees(tflm, litert) if litert.stage == "runs" else None
        supported = False if tflm.stage != "runs" else None if (opcode, rank) in _BY_CHANCE else alike
        yield Measured(opcode, dtype, rank, form, supported, f"{tflm.stage} {tflm.message}".strip(), paths)


PAIR = ("tflm", "optimized")


def agrees(tflm: Ran, litert: Ran) -> bool:
    """Return True if TFLM computes LiteRT's outputs, to 1 LSB or 1e-3."""
    return tflm.stage == litert.stage == "runs" and all(map(_close, tflm.outputs, litert.outputs))


def _close(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None or a.shape != b.shape:
        return a is b
    step = 1 if a.dtype.kind in "iu" else 1e-3
    return bool(np.allclose(a.astype(np.float64), b.astype(np.float64), rtol=1e-4, atol=step, equal_nan=True))


def main(wanted: Sequence[str]) -> int:
    """Print the supported ranks of each operator, and the models with a wrong verdict."""
    wrong = 0
    with Runtimes(4) as runtimes:
        for opcode in wanted or operators():
            ranks: dict[tuple[str, str], list[str]] = defaultdict(list)
            for m in measure(runtimes, opcode):
                word = {True: str(m.rank), False: f"({m.rank})", None: f"{m.rank}?"}[m.supported]
                ranks[m.dtype, m.form].append(word)
                if m.verdict:
                    wrong += 1
                    print(
                        f"  {m.verdict}: {m.opcode} {m.dtype} rank {m.rank} {m.form}: {m.outcome[:100]} {m.violations}"
                    )
            for (dtype, form), words in ranks.items():
                print(f"{opcode} {dtype} {form}: {' '.join(words)}", flush=True)
    print(f"{wrong} wrong verdicts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
