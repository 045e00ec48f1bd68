"""The options of ``litecheck verify``, and those of a device, which ``litecheck diagnose`` has too."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.outputs import format_option

DeviceName = Annotated[
    str,
    typer.Option(
        "--device",
        "-d",
        metavar="DEVICE",
        autocompletion=complete.devices,
        help="litert:reference, litert:optimized, litert:xnnpack, tflm, openvino, vela:ethos-u55, "
        "delegate:LIB.so[,key=value], "
        'command:"PROGRAM {model} {runs}", recorded:DIR, or an installed plugin\'s name.',
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=0.1,
        help="Limit the time of an invocation. More than 600 also raises the limit on an operator in the reference.",
    ),
]
Megabytes = Annotated[
    int,
    typer.Option(
        metavar="MB",
        min=16,
        help="Limit the memory of a case, on Linux. More than 4096 also raises the limit on tensors in the reference.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Cases at the same time.")]
Build = Annotated[
    str,
    typer.Option("--device-version", metavar="TEXT", help="Which build of the device this is, for reports."),
]
ModelFiles = Annotated[
    list[str],
    typer.Argument(metavar="MODEL...", help="Files, folders (searched recursively), globs, or - for a pipe."),
]
Arithmetics = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A",
        autocompletion=complete.arithmetics,
        help="An admissible arithmetic, by name or file; repeatable. Default: litert-reference.",
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(metavar="P", autocompletion=complete.profiles, help="Tolerances: its conformance section."),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", metavar="NAME=FILE", help="Stored values of a model input; repeatable."),
]
Calibration = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Samples: .npz, a folder, or a script with get_calibration_data()."),
]
Samples = Annotated[int, typer.Option(metavar="N", min=1, help="At most so many samples.")]
Seed = Annotated[int, typer.Option(metavar="SEED", min=0, help="What random values are drawn from.")]
Feed = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND",
        autocompletion=complete.feeds,
        help="What each case is fed: propagated, random, directed; repeatable. Default: all three.",
    ),
]
Signature = Annotated[str | None, typer.Option(metavar="S", help="Only this entry point.")]
Member = Annotated[str, typer.Option(metavar="NAME", help="Which model of a bundle.")]
Segment = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, show_default=False, help="So many operators at a time, for devices that fuse."
    ),
]
Between = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="TENSOR TENSOR", help="Only what lies between two tensors, by name or number."),
]
Whole = Annotated[bool, typer.Option("--whole", help="The whole model at once, end to end.")]
Drift = Annotated[
    bool,
    typer.Option("--drift", help="Also feed the device its own outputs: where errors enter and grow."),
]
Selection = Annotated[
    list[str] | None,
    typer.Option(metavar="OPERATOR", help="Only these, by kind (CONV_2D) or number; repeatable."),
]
Element = Annotated[
    str | None,
    typer.Option(metavar="I,J,...", help="Explain this element of each output instead of the worst one."),
]
Repeat = Annotated[int, typer.Option(metavar="N", min=1, help="How often each input is run.")]
Budget = Annotated[
    str | None,
    typer.Option(
        metavar="N|TIME",
        help="What the device may be asked: so many invocations, or as many as fit into 90s, 10m, 2h. They are "
        "spent where they notice most.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Only count invocations, and make one or three to see how long they take."
    ),
]
Journal = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Where results are noted as they come. Default: a cache folder."),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on where a killed run stopped; nothing is run twice.")
]
Reproduce = Annotated[
    str | None, typer.Option(metavar="DIR", help="Write a small reproducer of each failure here.")
]
Scrub = Annotated[bool, typer.Option("--scrub", help="No names of the model in reproducers.")]
Record = Annotated[
    str | None, typer.Option(metavar="DIR", help="Keep the device's outputs, for recorded:DIR.")
]
FailOnFallback = Annotated[
    bool, typer.Option("--fail-on-fallback", help="Fail where the device did not take an operator.")
]
RequireCoverage = Annotated[
    bool, typer.Option("--require-coverage", help="Fail where there is nothing to compare with.")
]
Claim = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OPERATOR",
        help="The device is said to have it, or all: not to support it fails; repeatable.",
    ),
]
Outputs = Annotated[list[str] | None, format_option("verify")]
QuietCases = Annotated[
    bool, typer.Option("--quiet", "-q", help="Only what fails, one line a case; no messages.")
]


def parse_element(text: str | None) -> tuple[int, ...] | None:
    """``0,3,4,17`` as coordinates. Raises ConfigError."""
    from litecheck.errors import ConfigError

    if text is None:
        return None
    parts = [part.strip() for part in text.strip("()[] ").split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise ConfigError(f"--element {text}: coordinates are numbers from 0, as in 0,3,4,17")
    return tuple(map(int, parts))


def parse_kinds(given: list[str] | None) -> tuple[str, ...]:
    """What ``--feed`` names; all there is where it names nothing. Raises ConfigError."""
    from litecheck.cases.inputs import KINDS
    from litecheck.errors import ConfigError
    from litecheck.spelling import did_you_mean

    unknown = next((kind for kind in given or () if kind not in KINDS), None)
    if unknown is not None:
        raise ConfigError(f"--feed {unknown}: there are {', '.join(KINDS)}{did_you_mean(unknown, KINDS)}")
    return tuple(kind for kind in KINDS if not given or kind in given)
