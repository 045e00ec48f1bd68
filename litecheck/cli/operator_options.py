"""Options of ``litecheck convert`` that choose the quantization of single operators."""

from __future__ import annotations

from typing import Annotated

from litecheck.cli import panels
from litecheck.cli.convert_options import option

KeepFloat = Annotated[
    list[str] | None,
    option(
        "--keep-float",
        metavar="OPERATOR",
        panel=panels.CONVERSION,
        text="Keep these operators in float32, by number ('#12'), kind (CONV_2D), name or pattern. Repeatable.",
    ),
]
Int16x8 = Annotated[
    list[str] | None,
    option(
        "--int16x8",
        metavar="OPERATOR",
        panel=panels.CONVERSION,
        text="Compute these operators with int16 activations, chosen as in --keep-float. Repeatable.",
    ),
]
RecipeFile = Annotated[
    str | None,
    option(
        "--recipe",
        metavar="FILE",
        panel=panels.CONVERSION,
        text="Quantize each operator by the rules of a YAML file, or of ai-edge-quantizer's JSON, in place of --to.",
    ),
]
BudgetLimit = Annotated[
    str | None,
    option(
        "--budget",
        metavar="size=N|snr=DB",
        panel=panels.CONVERSION,
        text="Choose int8, int16x8 or float32 for each operator: the highest SNR in a file of at most N bytes (2MB), or the "
        "smallest file with an SNR.",
    ),
]
