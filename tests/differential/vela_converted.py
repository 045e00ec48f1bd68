"""Float nets converted for a target: Vela places every operator of the conversion as the report states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from litecheck.conversion.calibration.methods import choose_ranges, inner_ranges, range_methods
from litecheck.conversion.calibration.observe import observe
from litecheck.conversion.convert_float import Conversion, Request, convert
from litecheck.errors import LitecheckError
from litecheck.model.types import Model, Tensor
from litecheck.reference.runtime_tensors import RunError
from litecheck.targets.ethos_u.compiler.vela import Vela
from tests.conversion.random_graphs import random_graph, random_inputs
from tests.differential.conversion import Runs, calibration_data, models
from tests.differential.vela_promises import Promises


def placed_conversion(model: Model, runs: Runs, target: str) -> Conversion:
    """Return a float model converted to int8 for a target, with int8 inputs and outputs."""
    statistics, methods = observe(model, calibration_data(model, runs), device="litecheck"), range_methods(())
    ranges, inner = choose_ranges(statistics, model, methods), inner_ranges(statistics, methods)
    request = Request(to="int8", profile=target, inputs="int8", outputs="int8")
    return convert(model, request, ranges, inner=inner)


def _patterned(graphs: int, only: str, first: int) -> Iterator[tuple[str, Model, Runs]]:
    for seed in range(first, first + graphs):
        if only in (name := f"pattern-{seed}"):
            model = random_graph(seed, patterned=True)
            yield name, model, tuple(random_inputs(model, seed, 4))


def batched(model: Model) -> Model:
    """Return a model with an open batch, as converters write it."""

    def opened(t: Tensor) -> Tensor:
        batch = t.data is None and not t.is_variable and t.shape[:1] == (1,)
        return replace(t, shape_signature=(-1, *t.shape[1:])) if batch else t

    subgraphs = (replace(s, tensors=tuple(map(opened, s.tensors))) for s in model.subgraphs)
    return replace(model, subgraphs=tuple(subgraphs))


def converted(target: str, graphs: int, first: int = 0, only: str = "") -> Promises:
    """Return the comparison for every operator with a float form, the nets in fixtures/convert, random graphs, and
    patterns.

    Every second model has an open batch. Models that the reference cannot run, or that have nothing to quantize, are
    left out.
    """
    promises = Promises()
    with Vela(target, seconds=20) as compiler:
        every = chain(models(graphs, only, first), _patterned(graphs, only, first))
        for number, (name, model, runs) in enumerate(every):
            try:
                done = placed_conversion(batched(model) if number % 2 else model, runs, target)
            except (LitecheckError, RunError):
                continue
            (predicted,) = done.report.targets
            promises.count(name, predicted, compiler.compile(done.model))
    return promises
