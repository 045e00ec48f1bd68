"""Arrays of one inference: the operands a model takes, or the outputs it gives."""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
#: The operands of one inference, in the order of the model's inputs; or its outputs in the order of the model's.
Arrays: TypeAlias = tuple[Array, ...]
