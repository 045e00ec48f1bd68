"""Random operators compared with LiteRT: ``python -m tests.differential affine binary --cases 200``.

Every trial is a model of a single operator. It runs on LiteRT's three resolvers, or with ``--resolver tflm`` on LiteRT
for Microcontrollers (the package tflite_micro), and on litecheck with the arithmetic of each. As a control, litecheck
also computes it wrongly (changed input, zero point + 1, scale * 1.01, wrong roundings). A comparison that does not
notice a control proves nothing. Each difference is minimized and printed.
"""

from __future__ import annotations

import argparse
import sys

from rich.progress import track

from tests.differential import (
    affine,
    backends,
    binary,
    chains,
    detection,
    empties,
    hybrid,
    movement,
    recurrent,
    recurrent_float,
    reduce,
    spread,
    stablehlo,
    unary,
)
from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.sweep import CONTROLS, Family, Found, sweep
from tests.differential.tflm import Tflm, served

FAMILIES: dict[str, Family] = {
    "affine": affine.FAMILY, "binary": binary.FAMILY, "unary": unary.FAMILY, "reduce": reduce.FAMILY,
    "movement": movement.FAMILY, "recurrent": recurrent.FAMILY, "hybrid": hybrid.FAMILY,
    "spread": spread.FAMILY, "stablehlo": stablehlo.FAMILY, "detection": detection.FAMILY,
    "recurrent_float": recurrent_float.FAMILY, "backends": backends.FAMILY, "chains": chains.FAMILY,
}  # fmt: skip
FAMILIES["empties"] = empties.emptied(FAMILIES)


def show(kind: str, resolver: str, found: Found) -> None:
    """Print a line of results, and the minimized failures."""
    score = found.score
    refused = "; ".join(f"{n} x {reason}" for reason, n in score.refused.items())
    noticed = ", ".join(f"{name} {found.noticed[name]}" for name in CONTROLS if found.noticed[name])
    print(
        f"{kind:36} {resolver:10} {score.different:,} of {score.compared:,} in {score.trials} trials differ, at most "
        f"{score.worst:g}; noticed: {noticed or 'nothing'}{f'; refused: {refused}' if refused else ''}",
        flush=True,
    )
    for text in (*score.examples[: len(found.small)], *found.small):
        print("    " + text.replace("\n", "\n    "))


def main() -> int:
    """Print a line for each kind and resolver; return 1 for a difference or if nothing was compared."""
    if sys.argv[1:2] == ["vela"]:
        from tests.differential import vela

        return vela.main(sys.argv[2:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"{', '.join(FAMILIES)} [default: all]")
    parser.add_argument("--only", default="", help="run kinds with this text in their name")
    parser.add_argument("--cases", type=int, default=200, help="trials of each kind [default: 200]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the trials [default: 0]")
    parser.add_argument(
        "--resolver", choices=(*RESOLVERS, "tflm"), action="append", help="run this resolver (repeatable)"
    )
    parser.add_argument("--controls", type=int, help="trials of each kind with controls [default: all]")
    given = parser.parse_args()
    if unknown := [name for name in given.families if name not in FAMILIES]:
        parser.error(f"unknown family {unknown[0]!r}; available: {', '.join(FAMILIES)}, vela")
    different = 0
    with Oracle() as litert, Tflm() as tflm:
        for family in (FAMILIES[name] for name in given.families or FAMILIES):
            kinds = [kind for kind in family.kinds if given.only in kind]
            for kind in track(kinds, transient=True, disable=not sys.stderr.isatty()):
                for resolver in given.resolver or RESOLVERS:
                    oracle, drawn = (tflm, served(family)) if resolver == "tflm" else (litert, family)
                    if kind in drawn.kinds and (kind, resolver) not in drawn.faulty:
                        found = sweep(
                            drawn, kind, resolver, oracle, given.cases, given.seed, controlled=given.controls
                        )
                        # TFLM has few types; a kind may have no trial
                        nothing = found.score.trials == 0 and resolver != "tflm"
                        different += found.score.different + nothing
                        show(kind, resolver, found)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
