"""The options of ``litecheck convert``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.outputs import format_option
from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from litecheck.convert.formulas import Generation
    from litecheck.convert.via import Via

#: What ``--like`` takes, and which of TensorFlow's quantizers that is.
_LIKE: dict[str, Generation] = {
    "tensorflow": "verbatim", "tensorflow:new": "verbatim", "tensorflow:old": "old",
}  # fmt: skip

_CONVERTERS: tuple[Via, ...] = ("litecheck", "tensorflow", "ai-edge-quantizer")


def _kinds(incomplete: str) -> list[str]:
    return [
        kind for kind in ("int8", "int16x8", "uint8", "dynamic", "float16") if kind.startswith(incomplete)
    ]


def _likes(incomplete: str) -> list[str]:
    return [name for name in _LIKE if name.startswith(incomplete)]


def _methods(incomplete: str) -> list[str]:
    methods = ("minmax", "percentile:99.99", "mse", "entropy")
    return [name for name in methods if name.startswith(incomplete)]


def _devices(incomplete: str) -> list[str]:
    devices = ("auto", "litecheck", "litert:xnnpack", "litert:optimized", "litert:reference")
    return [name for name in devices if name.startswith(incomplete)]


def _converters(incomplete: str) -> list[str]:
    return [name for name in _CONVERTERS if name.startswith(incomplete)]


ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A float model: .tflite or, through TensorFlow, a SavedModel folder, .keras, .h5; or an old uint8 one.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT.tflite",
        help="The new model, written whole or not at all; it may be MODEL itself.",
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        autocompletion=_kinds,
        help="int8 (default), int16x8, uint8, dynamic (weights only), float16.",
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="P",
        autocompletion=complete.profiles,
        help="The rules to keep, by name or file. Default: LiteRT's own for this kind.",
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Option(
        metavar="D",
        help="Samples to calibrate on: .npz, .npy, a folder of these or of images, a script with "
        "get_calibration_data(); repeatable.",
    ),
]
Random = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Draw N samples: to try out a device, not for use.")
]
Seed = Annotated[int, typer.Option(metavar="SEED", min=0, help="What random samples are drawn from.")]
Samples = Annotated[int | None, typer.Option(metavar="N", min=1, help="At most so many of each --data.")]
Sequences = Annotated[
    bool, typer.Option("--sequences", help="Samples are sequences: state is kept from step to step.")
]
Preprocessing = Annotated[
    str,
    typer.Option(
        metavar="SCALE:OFFSET",
        help="What becomes of an image's 0..255: value x SCALE + OFFSET. Default: 0..1.",
    ),
]
Calibrate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[PATTERN=]METHOD",
        autocompletion=_methods,
        help="How ranges are chosen: minmax (default), percentile:P, mse, entropy; of tensors whose name fits a "
        "pattern, or of all; repeatable.",
    ),
]
Statistics = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Calibration statistics: read where the file exists, else written."),
]
ScalesFrom = Annotated[
    str | None,
    typer.Option(
        metavar="QUANTIZED",
        help="Take the activations' scales over from this quantized form of MODEL; then no data are needed.",
    ),
]
Plan = Annotated[str | None, typer.Option(metavar="FILE", help="Carry out this plan instead of making one.")]
SavePlan = Annotated[str | None, typer.Option(metavar="FILE", help="Write the plan, to edit and carry out.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what would become of every tensor; write no model.")
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OPERATOR",
        help="Stays float32: by number ('#12'), kind (CONV_2D) or name, with wildcards; repeatable.",
    ),
]
Equalize = Annotated[
    bool,
    typer.Option(
        "--equalize",
        help="Rescale channels between layers first: for devices with one scale for all weights.",
    ),
]
CorrectBias = Annotated[
    bool,
    typer.Option("--correct-bias", help="Take the mean error of each channel from its bias, where it helps."),
]
Int16x8 = Annotated[
    list[str] | None,
    typer.Option(
        "--int16x8",
        metavar="OPERATOR",
        help="Computes with 16-bit activations: by number, kind or name as for --keep; repeatable.",
    ),
]
Sensitivity = Annotated[
    str | None,
    typer.Option(
        metavar="N|all",
        help="Rank operators by what quantizing each alone costs: the N whose tensors are worst, or all.",
    ),
]
Inputs = Annotated[
    str | None, typer.Option(metavar="TYPE", help="What goes in: float32 (default), int8, uint8, int16.")
]
Outputs = Annotated[
    str | None, typer.Option(metavar="TYPE", help="What comes out: float32 (default), int8, uint8, int16.")
]
Like = Annotated[
    str | None,
    typer.Option(
        metavar="CONVERTER",
        autocompletion=_likes,
        help="Weights and biases to the last bit as tensorflow:new or tensorflow:old has them, slips included. Default: as "
        "tensorflow:new without its slip.",
    ),
]
Signature = Annotated[
    str | None,
    typer.Option(
        metavar="S", help="The data are for this entry point; of a SavedModel it alone is converted."
    ),
]
Member = Annotated[str, typer.Option(metavar="NAME", help="Which model of a bundle.")]
Device = Annotated[
    str,
    typer.Option(
        metavar="DEVICE",
        autocompletion=_devices,
        help="What runs the models: auto (LiteRT where it is installed), litecheck, litert:xnnpack, "
        "litert:optimized, litert:reference.",
    ),
]
NoAgreement = Annotated[
    bool, typer.Option("--no-agreement", help="Do not run both models on the data to compare them.")
]
ConverterName = Annotated[
    str,
    typer.Option(
        "--via",
        metavar="CONVERTER",
        autocompletion=_converters,
        help="Who converts: litecheck (default), tensorflow, ai-edge-quantizer; judged and compared all the same.",
    ),
]
Compare = Annotated[
    bool,
    typer.Option(
        "--compare",
        help="All three converters side by side on the same data: findings, size, time, memory, SNR.",
    ),
]
Reports = Annotated[list[str] | None, format_option("convert")]


def parse_like(text: str | None) -> Generation:
    """Which of TensorFlow's quantizers ``--like`` names. Raises ConfigError."""
    from litecheck.spelling import did_you_mean

    if text is None:
        return "new"
    if text not in _LIKE:
        hint = did_you_mean(text, _LIKE) or f"; there are {', '.join(_LIKE)}"
        raise ConfigError(f"--like {text}: no such converter{hint}")
    return _LIKE[text]


def parse_sensitivity(text: str | None) -> int:
    """How many operators ``--sensitivity`` ranks, -1 for all. Raises ConfigError."""
    if text is None:
        return 0
    if text != "all" and not (text.isascii() and text.isdigit() and int(text)):
        raise ConfigError(f"--sensitivity {text}: give a number of operators, or all")
    return -1 if text == "all" else int(text)


def parse_vias(text: str, compare: bool) -> tuple[Via, ...]:
    """The converters to ask: all, or the one that ``--via`` names. Raises ConfigError."""
    from litecheck.spelling import did_you_mean

    found = tuple(name for name in _CONVERTERS if compare or name == text)
    if text not in _CONVERTERS:
        hint = did_you_mean(text, _CONVERTERS) or f"; there are {', '.join(_CONVERTERS)}"
        raise ConfigError(f"--via {text}: no such converter{hint}")
    if compare and text != "litecheck":
        raise ConfigError("--compare asks all converters, --via one: give one of them")
    return found


def check_others(own: Mapping[str, object], target: str | None, compare: bool) -> None:
    """Raise ConfigError for what only litecheck's own conversion does, and for a file where none is written, or none is
    named for one that is."""
    asked = next((name for name, value in own.items() if value), None)
    if asked:
        raise ConfigError(
            f"{asked}: other converters do not take this; it goes with litecheck's own conversion"
        )
    if compare and target:
        raise ConfigError(
            "--compare writes no model; -o OUT.tflite goes with --via or litecheck's own conversion"
        )
    if not compare and not target:
        raise ConfigError("give -o OUT.tflite for the new model")


def check_targets(target: str | None, dry_run: bool, decided: Mapping[str, object], plan: str | None) -> None:
    """Raise ConfigError where it is not clear what to do: where to write, or who decides."""
    if target and dry_run:
        raise ConfigError(f"-o {target} and --dry-run, which writes no model: give one of them")
    if not target and not dry_run:
        raise ConfigError("give -o OUT.tflite for the new model, or --dry-run, which writes none")
    twice = next((name for name, value in decided.items() if value), None)
    if plan and twice:
        raise ConfigError(f"--plan and {twice}: the plan has decided that")


def check_apart(written: Mapping[str, str | None], read: Iterable[str]) -> None:
    """Raise ConfigError where two things would be written to one file, or one over what is read."""
    places = {os.path.realpath(file): file for file in read}
    for name, file in written.items():
        place = os.path.realpath(file) if file else None
        if file and place in places:
            raise ConfigError(f"{name} {file}: this file is read or written as well; name another one")
        if file and place:
            places[place] = file
