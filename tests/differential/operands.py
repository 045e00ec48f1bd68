"""Changes to a trial's tensors by role: computed, constant, absent, with different parameters, rank or scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from litecheck.checks.context import inferred_shapes
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.quantization import Quantization
from litecheck.reference.backends import BackendSet, backends_of
from litecheck.reference.engine.dispatch import find_kernel, signature
from tests.differential.one_operator import Trial
from tests.differential.shrink import Make

Random = np.random.Generator
Change = Callable[[Trial, Random], Trial]
#: Types with several values in a byte, which no operator computes.
PACKED = ("int4", "int2")
#: Every role of an operator.
ANY = ("any",)


def places(trial: Trial) -> dict[str, int]:
    """Return the tensors of the first operator by role."""
    graph = trial.model.subgraphs[0]
    operator = graph.operators[0]
    roles = signature(find_kernel(graph, operator).function)
    named = [
        *zip(roles.inputs, operator.inputs, strict=False),
        *zip(roles.outputs, operator.outputs, strict=False),
    ]
    return {role: index for role, index in named if index >= 0}


def given(trial: Trial, role: str) -> np.ndarray | None:
    """Return the values of an input, constant or of the first run."""
    graph, index = trial.model.subgraphs[0], places(trial).get(role, -1)
    return (
        trial.inputs[graph.inputs.index(index)]
        if index in graph.inputs
        else stored_integers(graph.tensors[index])
    )


def taking_backends(trial: Trial) -> BackendSet:
    """Return the backends that take the first operator."""
    graph = trial.model.subgraphs[0]
    operator = graph.operators[0]
    roles = signature(find_kernel(graph, operator).function)
    return backends_of(graph, operator, roles.inputs, roles.outputs)


def _with(trial: Trial, graph: Subgraph, runs: tuple[tuple[np.ndarray, ...], ...] | None = None) -> Trial:
    return replace(
        trial, model=replace(trial.model, subgraphs=(graph,)), runs=trial.runs if runs is None else runs
    )


def _changed(trial: Trial, index: int, title: str, change: Callable[[Tensor], Tensor]) -> Trial:
    graph = trial.model.subgraphs[0]
    tensors = tuple(change(t) if t.index == index else t for t in graph.tensors)
    return replace(_with(trial, replace(graph, tensors=tensors)), title=f"{trial.title}, {title}")


def computed(trial: Trial, role: str) -> Trial:
    """Return the trial with a constant input computed at run time; unchanged if it is not constant or absent."""
    graph, index = trial.model.subgraphs[0], places(trial).get(role, -1)
    if index < 0 or not graph.tensors[index].is_constant or graph.tensors[index].dtype in PACKED:
        return trial
    values = stored_integers(graph.tensors[index])
    assert values is not None
    made = _changed(trial, index, f"computed {role}", lambda t: replace(t, data=None, buffer=0))
    graph = replace(made.model.subgraphs[0], inputs=(*graph.inputs, index))
    return _with(made, graph, tuple((*run, values) for run in trial.runs))


def constant(trial: Trial, role: str) -> Trial:
    """Return the trial with a computed input as a constant, with the values of the first run; unchanged for a single
    input.
    """
    graph, index = trial.model.subgraphs[0], places(trial).get(role, -1)
    if index not in graph.inputs or len(graph.inputs) < 2:
        return trial
    at = graph.inputs.index(index)
    values, data = trial.inputs[at], np.frombuffer(trial.inputs[at].tobytes(), np.uint8)
    if not values.size or graph.tensors[index].dtype in PACKED:
        return trial
    buffers = (*trial.model.buffers, replace(trial.model.buffers[0], data=data))
    made = _changed(
        trial, index, f"constant {role}", lambda t: replace(t, data=data, buffer=len(buffers) - 1)
    )
    graph = replace(made.model.subgraphs[0], inputs=tuple(i for i in graph.inputs if i != index))
    kept = tuple(tuple(x for n, x in enumerate(run) if n != at) for run in trial.runs)
    return _with(replace(made, model=replace(made.model, buffers=buffers)), graph, kept)


def twice(trial: Trial) -> Trial:
    """Return the trial with the first input also as the second input, if both have the same shape."""
    graph = trial.model.subgraphs[0]
    operator = graph.operators[0]
    if (
        len(graph.inputs) != 2
        or operator.inputs != graph.inputs
        or trial.inputs[0].shape != trial.inputs[1].shape
    ):
        return trial
    first = graph.inputs[0]
    graph = replace(graph, inputs=(first,), operators=(replace(operator, inputs=(first, first)),))
    return replace(_with(trial, graph, tuple(run[:1] for run in trial.runs)), title=f"{trial.title}, twice")


def varied(make: Make, open_: tuple[str, ...] = (), held: tuple[str, ...] = (), share: float = 0.3) -> Make:
    """Return trials in which a constant role of ``open_`` may be computed, or a computed role of ``held`` constant.

    ``ANY`` stands for every role.
    """

    def drawn(random: Random) -> Trial:
        trial = make(random)
        if open_ and random.random() < share:
            roles = tuple(places(trial)) if open_ == ANY else open_
            for role in roles if random.random() < 0.2 else (str(random.choice(roles)),):
                trial = computed(trial, role)
        if held and random.random() < share:
            roles = tuple(places(trial)) if held == ANY else held
            trial = constant(trial, str(random.choice(roles)))
        return trial

    return drawn


def absent(trial: Trial, role: str) -> Trial:
    """Return the trial without an input."""
    graph, index = trial.model.subgraphs[0], places(trial).get(role, -1)

    def without(operator: Operator) -> Operator:
        return replace(operator, inputs=tuple(-1 if i == index else i for i in operator.inputs))

    operators = tuple(map(without, graph.operators))
    return replace(_with(trial, replace(graph, operators=operators)), title=f"{trial.title}, no {role}")


def with_options(trial: Trial, **fields: int) -> Trial:
    """Return the trial with changed options of the first operator."""
    graph = trial.model.subgraphs[0]
    first, *rest = graph.operators
    assert first.options is not None
    table = replace(first.options, fields={**first.options.fields, **fields})
    made = _with(trial, replace(graph, operators=(replace(first, options=table), *rest)))
    return replace(made, title=f"{trial.title}, {fields}")


def stated(trial: Trial, role: str, **fields: object) -> Trial:
    """Return the trial with changed fields of a role's quantization."""
    index = places(trial).get(role, -1)
    if index < 0 or (
        trial.model.subgraphs[0].tensors[index].quantization.scale.size != 1 and "axis" in fields
    ):
        return trial
    return _changed(
        trial,
        index,
        f"{role} states {fields}",
        lambda t: replace(t, quantization=replace(t.quantization, **fields)),
    )


def unscaled(trial: Trial, role: str) -> Trial:
    """Return the trial without quantization of a role."""
    index = places(trial).get(role, -1)
    return _changed(trial, index, f"no scale of {role}", lambda t: replace(t, quantization=Quantization()))


def rescaled(trial: Trial, role: str, scale: float) -> Trial:
    """Return the trial with a different scale of a role."""
    return stated(trial, role, scale=np.array([scale], np.float32))


def ranked(trial: Trial, rank: int) -> Trial:
    """Return the trial with leading dimensions of length 1 for computed inputs of fewer dimensions than ``rank``.

    Outputs have the inferred shapes. Example: the sum of (7,) along axis 0 has shape (), that of (1, 7) shape (7,).
    TFLM writes an output of the shape that the file states.
    """
    graph = trial.model.subgraphs[0]

    def longer(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (1,) * (rank - len(shape)) + tuple(shape)

    tensors = tuple(
        replace(t, shape=longer(t.shape)) if t.index in graph.inputs else t for t in graph.tensors
    )
    runs = tuple(tuple(x.reshape(longer(x.shape)) for x in run) for run in trial.runs)
    made = _with(trial, replace(graph, tensors=tensors), runs)
    return replace(_with(made, _followed(made.model)), title=f"{trial.title}, rank {rank}")


def _followed(model: Model) -> Subgraph:
    """Return the first subgraph with inferred output shapes."""
    graph = model.subgraphs[0]
    tensors = list(graph.tensors)
    for index in graph.outputs:
        shape = inferred_shapes(model, graph).shapes[index]
        assert shape is not None
        tensors[index] = replace(tensors[index], shape=tuple(dim for dim in shape if dim is not None))
        assert len(tensors[index].shape) == len(shape)
    return replace(graph, tensors=tuple(tensors))


def scales(trial: Trial, role: str) -> int:
    """Return the number of scales of a role."""
    return int(trial.model.subgraphs[0].tensors[places(trial)[role]].quantization.scale.size)


def scale_of(trial: Trial, role: str) -> np.float32:
    """Return the first scale of a role."""
    tensor = trial.model.subgraphs[0].tensors[places(trial)[role]]
    return np.float32(tensor.quantization.scale[0])


def only(make: Make, condition: Callable[[Trial], bool]) -> Make:
    """Return the trials of a kind that satisfy a condition."""

    def drawn(random: Random) -> Trial:
        while not condition(trial := make(random)):
            pass
        return trial

    return drawn
