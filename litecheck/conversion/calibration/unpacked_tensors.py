"""Tensors that XNNPACK never writes: it unpacks constants behind DEQUANTIZE and DENSIFY when it loads a model."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from litecheck.conversion.calibration.statistics import Place
from litecheck.devices.adapters.litert import RESOLVERS, open_interpreter
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.submodels import cut_operators
from litecheck.profile.unpacked_constants import unpacking_operators


def unpacked_tensors(path: str) -> dict[Place, NDArray[Any]]:
    """Return the tensors with unpacked constants of the model in a file, as LiteRT's optimized kernels compute them."""
    model, found = load_model(path), {}
    for subgraph in model.subgraphs:
        operators = unpacking_operators(subgraph)
        if not operators:
            continue
        outputs = [operator.outputs[0] for operator in operators]
        part = cut_operators(model, subgraph, operators, outputs)
        interpreter = open_interpreter(model_bytes(part.model), RESOLVERS["optimized"])
        interpreter.allocate_tensors()
        interpreter.invoke()
        for index in outputs:
            found[subgraph.index, index] = interpreter.get_tensor(part.tensors[index])
    return found
