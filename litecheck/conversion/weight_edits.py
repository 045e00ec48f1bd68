"""Changes of a float model's constants before they are stored: channels multiplied by factors, biases corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.errors import ConfigError
from litecheck.model.edit import with_subgraphs
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model, Tensor


def with_edited_weights(model: Model, changes: Sequence[ConstantChange]) -> Model:
    """Return the model with its constants changed. Changes apply in order, each rounded once to float32.

    Raises ConfigError for a change of a tensor that is not a float32 constant with the right number of channels.
    """
    if not changes:
        return model
    tensors = [list(subgraph.tensors) for subgraph in model.subgraphs]
    for change in changes:
        where = f"tensor {change.tensor} of subgraph {change.subgraph}"
        if not (0 <= change.subgraph < len(tensors) and 0 <= change.tensor < len(tensors[change.subgraph])):
            raise ConfigError(f"the plan changes {where}, which there is not")
        tensor = tensors[change.subgraph][change.tensor]
        tensors[change.subgraph][change.tensor] = _change_constant(tensor, change, where)
    subgraphs = [replace(s, tensors=tuple(own)) for s, own in zip(model.subgraphs, tensors, strict=True)]
    return with_subgraphs(model, subgraphs)


def _change_constant(tensor: Tensor, change: ConstantChange, where: str) -> Tensor:
    values = stored_integers(tensor) if tensor.dtype == "float32" else None
    fits = values is not None and 0 <= change.axis < values.ndim
    if values is None or not fits or values.shape[change.axis] != change.values.size:
        raise ConfigError(
            f"the plan changes {where}, which has not {change.values.size} channels of constants"
        )
    along = change.values.reshape([-1 if n == change.axis else 1 for n in range(values.ndim)])
    wide = values.astype(np.float64)
    changed = (wide * along if change.multiplies else wide + along).astype(np.float32)
    return replace(tensor, data=bytes_of(changed), buffer=0)
