"""Types that LiteRT and TFLM support: the tables of ``rules/types``, and the verdicts of litecheck on the runtimes.

python -m tests.differential.operator_types --write --operator ADD --jobs 2     # measure, and write the tables
python -m tests.differential.operator_types --cases 20000 --seed 0              # random types: runtimes, verdicts
"""

from __future__ import annotations

import argparse
import sys

from tests.differential.operator_types.sweep import report, sweep
from tests.differential.operator_types.write import write


def main() -> int:
    """Write the tables, or print the verdicts and outcomes of random combinations; return 1 if they disagree."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.operator_types")
    parser.add_argument("--write", action="store_true", help="write rules/types/*.json")
    parser.add_argument(
        "--kept", action="store_true", help="write impacts of types with kept parameters only"
    )
    parser.add_argument("--operator", default="*", help="pattern, or several separated by | [default: *]")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes [default: 2]")
    parser.add_argument("--cases", type=int, default=20_000, help="random combinations [default: 20000]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the combinations [default: 0]")
    given = parser.parse_args()
    if given.write or given.kept:
        write(given.operator, given.jobs, given.kept)
        return 0
    outcomes = sweep(given.cases, given.seed, given.operator, given.jobs)
    print("\n".join(report(outcomes)))
    return int(any(o.disagrees for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
