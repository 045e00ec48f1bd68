"""Where a model's operators run on a target, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from litecheck.files import bytes_text
from litecheck.placement import Place, TargetReport
from litecheck.report import counted

_TEXTS: Mapping[Place, str] = {
    "npu": "on the NPU", "cpu": "stay on the CPU", "refused": "refused by the compiler", "crashes": "crash the compiler",
}  # fmt: skip


def target_text(target: TargetReport) -> str:
    """How many operators run where, NPU partitions, the share of multiply-accumulates, and the largest live set."""
    told = ", ".join(f"{n:,} {_TEXTS[p]}" for p, n in target.places.items() if n) or "no operators"
    return (
        f"{target.target}: {told}; {counted(target.partitions, 'NPU partition')}; {100 * target.share:.1f} % of "
        f"multiply-accumulates on the NPU; largest live set {bytes_text(target.live)}"
    )
