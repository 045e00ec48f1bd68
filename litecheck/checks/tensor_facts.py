"""What verbs ask about a tensor, worked out once for each tensor of a subgraph."""

from __future__ import annotations

from litecheck.model.types import Tensor

_NAN = float("nan")


class TensorFacts:
    """A tensor's type and counts; its scale and zero point where it has exactly one of each (``single``).

    ``form`` is all that an operator's structure can depend on: type, shape, whether the file holds the values, and
    which tensor it is where those may be indices, being numbers without a scale. ``proved`` has a bit for everything
    that was asked of the tensor and is so.
    """

    __slots__ = (
        "details",
        "dtype",
        "form",
        "proved",
        "scale",
        "scales",
        "single",
        "tensor",
        "zero_point",
        "zero_points",
    )

    def __init__(self, tensor: Tensor) -> None:
        q = tensor.quantization
        self.tensor = tensor
        self.dtype = tensor.dtype
        self.details = q.details
        self.proved = 0
        self.scales = q.scale.size
        self.zero_points = q.zero_point.size
        self.single = self.scales == 1 and self.zero_points == 1
        self.scale = q.scale.item(0) if self.single else _NAN
        self.zero_point = q.zero_point.item(0) if self.single else 0
        steers = tensor.data is not None and not self.scales
        self.form = (
            tensor.dtype, tensor.shape, tensor.data is not None, tensor.is_variable, tensor.sparsity is not None,
            tensor.index if steers else -1,
        )  # fmt: skip

    @property
    def quantized(self) -> bool:
        """Whether the file states any parameter."""
        return bool(self.scales or self.zero_points or self.details is not None)
