"""Arrays of one inference: the inputs or the outputs of a model."""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
#: Inputs of one inference in the order of the model's inputs, or outputs in the order of the model's outputs.
Arrays: TypeAlias = tuple[Array, ...]
