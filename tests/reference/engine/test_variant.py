"""A variant is added in two places: a function in the table of variants, and the arithmetic that uses the variant."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
import numpy as np
from litecheck.reference.numerics.fixedpoint import quantize_multipliers
from litecheck.reference.numerics.rescale import Rescale, variant

@variant("ceiling", fixed=True)
def ceiling(real, scales):
    m, shift = quantize_multipliers(real)
    return Rescale(lambda x, m, right: -(-x * m >> right), (m, 31 - shift))

from litecheck import run
from litecheck.model.build import ModelBuilder, qparams

builder = ModelBuilder()
main = builder.subgraph()
x = main.tensor("x", (1, 1, 1, 2), "int8", qparams(0.5))
w = main.constant("w", np.ones((2, 1, 1, int(sys.argv[1])), np.int8), qparams(0.5))
y = main.tensor("y", (1, 1, 1, 2), "int8", qparams(4.0))
main.add("CONV_2D", [x, w], [y], padding="VALID", stride_h=1, stride_w=1)
main.inputs(x)
main.outputs(y)
for arithmetic in ("litert-reference", sys.argv[2]):
    print(run(builder.finish(), (np.ones((1, 1, 1, 2), np.int8),), arithmetic=arithmetic).outputs["y"].ravel())
"""
ARITHMETIC = """\
arithmetic: acme
extends: litert-reference
operators:
  CONV_2D: {requantize: {grouped: ceiling}}
"""


def test_a_user_defined_variant_computes_under_its_condition(tmp_path: Path) -> None:
    """A sixteenth or an eighth of an output step rounds to 0 to nearest, and to 1 upwards."""
    (tmp_path / "acme.yaml").write_text(ARITHMETIC)
    printed = {}
    for depth in ("1", "2"):
        command = [sys.executable, "-c", PROGRAM, depth, str(tmp_path / "acme.yaml")]
        printed[depth] = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )
    assert printed == {"1": ["[0 0]", "[1 1]", ""], "2": ["[0 0]", "[0 0]", ""]}
