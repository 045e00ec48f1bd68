"""YAML files besides profiles: arithmetics, claims and waivers."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import LIMITED, reports
from tests.fuzz.hostile.kinds.profiles import quoted
from tests.fuzz.hostile.mangle import nested, text
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special
from tests.fuzz.hostile.words import name
from tests.fuzz.seeds import FIXTURES


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a hostile arithmetic file or hostile claims."""
    claims = rng.random() < 0.5
    content = (stock / ("claims.yaml" if claims else "arithmetic.yaml")).read_bytes()
    lines = content.decode().splitlines()
    at = rng.randrange(len(lines))
    key = lines[at].partition(":")[0]
    hostile = rng.choice(
        (
            quoted(name(rng)[:20_000]),
            "9" * 5000,
            nested(5000),
            "../../secret.yaml",
            "x.yaml",
            "2099-99-99",
            "{a: &a [*a]}",
            "",
        )
    )
    lines[at] = f"{key}: {hostile}"
    changed = "\n".join(lines).encode() if rng.random() < 0.7 else text(rng, content)
    file = box.work / "x.yaml"
    if rng.random() < 0.15:
        special(box, "x.yaml", rng)
    else:
        file.write_bytes(changed)
    suite, results = str(stock / "suite"), str(stock / "results")
    model = str(FIXTURES / "fc_int8.tflite")
    options, files = reports(rng, "suite")
    argv, writes = rng.choice(
        (
            (["suite", "judge", suite, results, "--claims", "x.yaml", *options], files),
            (["suite", "judge", suite, results, "--waivers", "x.yaml", *options], files),
            (["certify", suite, results, "--claims", "x.yaml", "-o", "c.json"], ["c.json"]),
            (["suite", "diff", results, results, "--suite", suite, "--claims", "x.yaml"], []),
        )
        if claims
        else (
            (["run", model, "--seed", "0", "--arithmetic", "x.yaml", "-o", "o.npz"], ["o.npz"]),
            (["suite", "judge", suite, results, "--arithmetic", "x.yaml"], []),
            (
                [
                    "suite",
                    "make",
                    "-o",
                    "made",
                    "--level",
                    "smoke",
                    "--no-defects",
                    "--select",
                    "TANH",
                    "--arithmetic",
                    "x.yaml",
                ],
                ["made"],
            ),
            (
                [
                    "verify",
                    model,
                    "-d",
                    "litert:reference",
                    "--set",
                    "inputs=random",
                    "--budget",
                    "5",
                    *LIMITED,
                    "--arithmetic",
                    "x.yaml",
                ],
                [],
            ),
        )
    )
    return Case(f"{argv[0]}: {'claims' if claims else 'arithmetic'}", tuple(argv), tuple(writes))
