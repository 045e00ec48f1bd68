"""Models that violate a single requirement: the changes of ``rules_changes``, and changes for the remaining requirements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.model.types import Buffer, Model, Operator, Subgraph, Tensor
from litecheck.profile.types import OperatorRule, ProductOf, Roles
from litecheck.quantization import Quantization
from tests.differential.rules_cases import Case
from tests.differential.rules_changes import CHANGES, Change, parameters

#: Invalid scales: name and an example.
BAD_SCALES = {"zero": 0.0, "negative": -0.05, "nan": np.nan, "infinite": np.inf, "subnormal": 1e-40}


@dataclass(frozen=True)
class Mutant:
    """Changed model. ``shared``: all tensors with one quantization were changed equally."""

    name: str
    model: Model
    shared: bool = False


def _every(value: float) -> Change:
    return parameters(scale=lambda q: np.full_like(q.scale, value))


def _times(factor: float) -> Change:
    return parameters(scale=lambda q: (q.scale * factor).astype(np.float32))


def _along(axis: int) -> Change:
    """Return a change that moves the scales to a different dimension of the same length."""

    def change(t: Tensor) -> Tensor | None:
        q = t.quantization
        if q.scale.size < 2 or axis >= len(t.shape) or t.shape[axis] != q.scale.size or q.axis == axis:
            return None
        return replace(t, quantization=replace(q, axis=axis))

    return change


def _upright(t: Tensor) -> Tensor | None:
    """Return a vector as a matrix of a single row, with its scales along the row."""
    q = t.quantization
    if q.scale.size < 2 or len(t.shape) != 1:
        return None
    return replace(t, shape=(1, *t.shape), quantization=replace(q, axis=1))


def _values(low: int) -> Change:
    def change(t: Tensor) -> Tensor | None:
        if t.data is None or t.dtype != "int8":
            return None
        data = t.data.view(np.int8).copy()
        data[::3] = low
        return replace(t, data=data.view(np.uint8))

    return change


def _given(scale: float, zero_point: int) -> Change:
    def change(t: Tensor) -> Tensor | None:
        if t.quantization.scale.size:
            return None
        q = Quantization(np.float32([scale]), np.int64([zero_point]), 0)
        return replace(t, quantization=q)

    return change


def _retyped(dtype: str) -> Change:
    """Return a change of an unquantized output to a type that the operator does not write."""

    def change(t: Tensor) -> Tensor | None:
        if t.quantization.scale.size or t.is_constant or t.dtype in (dtype, "resource"):
            return None
        return replace(t, dtype=dtype)

    return change


MORE: dict[str, Change] = {
    **{f"all scales {name}": _every(value) for name, value in BAD_SCALES.items()},
    "scale*2": _times(2.0),
    "scale*256": _times(2.0**8),
    "scale/1e+04": _times(1e-4),
    "scale/1e+06": _times(1e-6),
    "scale*2**-17": _times(2.0**-17),
    "scale*2**-19": _times(2.0**-19),
    "scale*2**-25": _times(2.0**-25),
    "scale*2**-36": _times(2.0**-36),
    "scale*2**-48": _times(2.0**-48),
    "scale 1": _every(1.0),
    "scale 2": _every(2.0),
    "zp+7": parameters(zero_point=lambda q: q.zero_point + 7),
    "zp=100": parameters(zero_point=lambda q: np.full_like(q.zero_point, 100)),
    "zp=256": parameters(zero_point=lambda q: np.full_like(q.zero_point, 256)),
    "zp=-129": parameters(zero_point=lambda q: np.full_like(q.zero_point, -129)),
    "zp=128": parameters(zero_point=lambda q: np.full_like(q.zero_point, 128)),
    **{f"along {n}": _along(n) for n in range(4)},
    "as one row": _upright,
    "many -128": _values(-128),
    "quantized, zero point 3": _given(0.05, 3),
    **{f"as {dtype}": _retyped(dtype) for dtype in ("float32", "int16", "int32", "int64", "bool")},
}


def mutants(case: Case, rule: OperatorRule) -> Iterator[Mutant]:
    """Yield the unchanged model, for findings that it has, then every change of the case's operator."""
    yield Mutant("unchanged", case.model)
    graph, at = case.model.subgraphs[0], place(case)
    operator = graph.operators[at]
    for side in ("inputs", "outputs", "intermediates"):
        indexes, roles = getattr(operator, side), getattr(rule, side)
        if not roles:
            continue
        for number, index in enumerate(indexes):
            role = roles[min(number, len(roles) - 1)]
            for name, change in {**CHANGES, **MORE}.items():
                tensor = change(graph.tensors[index]) if index >= 0 else None
                if tensor is not None:
                    yield Mutant(f"{side[:-1]} {role} {name}", with_tensors(case.model, {index: tensor}))
            if index >= 0:
                gone = replace(operator, **{side: (*indexes[:number], -1, *indexes[number + 1 :])})
                yield Mutant(f"{side[:-1]} {role} absent -1", with_operator(case.model, at, gone))
        less = replace(operator, **{side: indexes[:-1]})
        yield Mutant(f"{side} one fewer", with_operator(case.model, at, less))
        if indexes:
            more = replace(operator, **{side: (*indexes, indexes[0])})
            yield Mutant(f"{side} one more", with_operator(case.model, at, more))
    yield from _shared(case, rule, operator)
    yield from _all_finer(case, rule, operator)
    yield from _following(case, rule, operator)
    yield from _options(case, operator, at)


def place(case: Case) -> int:
    """Return the index of the case's operator."""
    operators = case.model.subgraphs[0].operators
    return next(n for n, operator in enumerate(operators) if operator.opcode == case.opcode)


SHARED: dict[str, Change] = {
    **{f"all scales {name}": _every(value) for name, value in BAD_SCALES.items()},
    **{name: CHANGES[name] for name in ("zp=200", "zp=-200", "zp=40000", "zp 2**33", "no-quant", "per-axis")},
    **{name: MORE[name] for name in ("zp=128", "zp=-129", "zp=100")},
}


def _shared(case: Case, rule: OperatorRule, operator: Operator) -> Iterator[Mutant]:
    """Yield mutants in which all tensors that share one quantization are changed equally and still share it."""
    graph = case.model.subgraphs[0]
    for group in (r.value for r in rule.requirements if isinstance(r.value, Roles)):
        indexes = [index for role, index in bound(rule, operator) if role in group.roles]
        for name, change in SHARED.items():
            changed = {index: change(graph.tensors[index]) for index in indexes}
            if all(t is not None for t in changed.values()):
                yield Mutant(f"shared {name}", with_tensors(case.model, changed), shared=True)  # type: ignore[arg-type]


def _all_finer(case: Case, rule: OperatorRule, operator: Operator) -> Iterator[Mutant]:
    """Yield mutants with the scales of all inputs below the resolution of the kernel."""
    graph = case.model.subgraphs[0]
    indexes = [i for role, i in bound(rule, operator) if role in rule.activations and role in rule.inputs]
    for name in ("scale*2**-25", "scale*2**-36", "scale*2**-48"):
        changed = {i: MORE[name](graph.tensors[i]) for i in indexes}
        if len(changed) > 1 and all(t is not None for t in changed.values()):
            yield Mutant(f"inputs {name}", with_tensors(case.model, changed))  # type: ignore[arg-type]


def _following(case: Case, rule: OperatorRule, operator: Operator) -> Iterator[Mutant]:
    """Yield mutants with an invalid scale of a factor and the resulting product: one fault, of the factor."""
    graph, index = case.model.subgraphs[0], dict(bound(rule, operator))
    products = [r for r in rule.all_requirements() if isinstance(r.value, ProductOf) and r.role in index]
    products = [r for r in products if all(not isinstance(f, str) or f in index for f in r.value.factors)]  # type: ignore[union-attr]
    for r in products:
        assert isinstance(r.value, ProductOf)
        for role in (f for f in r.value.factors if isinstance(f, str) and f in index):
            for name, bad in BAD_SCALES.items():
                for first in (False, True):
                    factor, result = graph.tensors[index[role]], graph.tensors[index[str(r.role)]]
                    scale = factor.quantization.scale.copy()
                    scale[: 1 if first else None] = bad
                    if first and scale.size == 1:
                        continue
                    changed = {factor.index: _scaled(factor, scale)}
                    follow = {**{i: graph.tensors[i] for i in index.values()}, **changed}
                    changed[result.index] = _scaled(result, _product(r.value, index, follow))
                    scale_text = "first scale" if first else "all scales"
                    yield Mutant(
                        f"{role} {scale_text} {name}, {r.role} follows", with_tensors(case.model, changed)
                    )


def _product(value: ProductOf, index: dict[str, int], tensors: dict[int, Tensor]) -> np.ndarray:
    exact = np.ones(1)
    with np.errstate(all="ignore"):
        for f in value.factors:
            exact = exact * (
                tensors[index[f]].quantization.scale.astype(np.float64) if isinstance(f, str) else float(f)
            )
        return exact.astype(np.float32)


def _scaled(tensor: Tensor, scale: np.ndarray) -> Tensor:
    return replace(tensor, quantization=replace(tensor.quantization, scale=scale))


def bound(rule: OperatorRule, operator: Operator) -> Iterator[tuple[str, int]]:
    """Yield each present tensor with its role."""
    for side in ("inputs", "outputs", "intermediates"):
        roles = getattr(rule, side)
        for number, index in enumerate(getattr(operator, side)):
            if index >= 0 and roles:
                yield roles[min(number, len(roles) - 1)], index


def _options(case: Case, operator: Operator, at: int) -> Iterator[Mutant]:
    """Yield counts in the options that differ from the number of tensors."""
    options = operator.options
    for name in ("num_splits", "num", "values_count"):
        if options and name in options.fields:
            for n in (1, 3):
                fields = {**options.fields, name: n}
                other = replace(operator, options=Table(options.type, fields))
                yield Mutant(f"option {name}={n}", with_operator(case.model, at, other))


def with_operator(model: Model, at: int, operator: Operator) -> Model:
    """Return the model with a replaced operator."""
    graph = model.subgraphs[0]
    operators = (*graph.operators[:at], operator, *graph.operators[at + 1 :])
    return replace(model, subgraphs=(replace(graph, operators=operators), *model.subgraphs[1:]))


def with_tensors(model: Model, changed: dict[int, Tensor]) -> Model:
    """Return the model with replaced tensors in the main subgraph."""
    graph: Subgraph = model.subgraphs[0]
    buffers, tensors = list(model.buffers), list(graph.tensors)
    for index, tensor in changed.items():
        if tensor.data is not None:
            buffers[tensor.buffer] = Buffer(tensor.data)
        tensors[index] = tensor
    graph = replace(graph, tensors=tuple(tensors))
    return replace(model, buffers=tuple(buffers), subgraphs=(graph, *model.subgraphs[1:]))
