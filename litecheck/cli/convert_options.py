"""Options of ``litecheck convert``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from litecheck.cli import complete, panels
from litecheck.cli.convert_values import CONVERTERS, MATCHES
from litecheck.cli.outputs import format_option

_kinds = complete.choices("int8", "int16x8", "uint8", "dynamic", "float16")
_devices = complete.choices("auto", "litecheck", "litert:xnnpack", "litert:optimized", "litert:reference")


def option(*names: str, metavar: str, panel: str, text: str, **more: Any) -> Any:
    """Return an option with a value."""
    return typer.Option(*names, metavar=metavar, rich_help_panel=panel, help=text, **more)


def _flag(name: str, panel: str, text: str) -> Any:
    return typer.Option(name, rich_help_panel=panel, help=text)


ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="Read a float model: .tflite or, through TensorFlow, a SavedModel folder, .keras, .h5; or an old uint8 model.",
    ),
]
Target = Annotated[
    str | None,
    option(
        "--output",
        "-o",
        metavar="OUT.tflite",
        panel=panels.OUTPUT,
        text="Write the new model to this file, completely or not at all.",
    ),
]
To = Annotated[
    str | None,
    option(
        "--to",
        metavar="KIND",
        panel=panels.CONVERSION,
        text="Convert to int8, int16x8, uint8, dynamic (int8 weights) or float16. [default: int8]",
        autocompletion=_kinds,
    ),
]
Profile = Annotated[
    str | None,
    option(
        "--profile",
        "-p",
        metavar="PROFILE",
        panel=panels.CONVERSION,
        text=f"{complete.PROFILE_HELP} [default: that of LiteRT for --to]",
        autocompletion=complete.profiles,
    ),
]
Data = Annotated[
    list[str] | None,
    option(
        "--data",
        metavar="PATH",
        panel=panels.INPUTS,
        text="Use samples of a .npz or .npy file, a folder of these or of images, or a script with get_calibration_data(). "
        "Repeatable. random:N draws N samples: to test a device, not for use.",
    ),
]
Samples = Annotated[
    int | None,
    option(
        "--samples",
        metavar="N",
        panel=panels.INPUTS,
        text="Use at most N samples of each --data. [default: all]",
        min=1,
    ),
]
Preprocessing = Annotated[
    str,
    option(
        "--preprocessing",
        "--scale-input",
        metavar="SCALE:OFFSET",
        panel=panels.INPUTS,
        text="Compute an input from an image or uint8 value as value x SCALE + OFFSET. [default: 1/255:0 for images]",
    ),
]
Sequences = Annotated[
    bool,
    _flag(
        "--sequences",
        panels.ADVANCED,
        "Read arrays as (sequences, samples, ...): the state continues within a sequence.",
    ),
]
ScalesFrom = Annotated[
    str | None,
    option(
        "--scales-from",
        metavar="QUANTIZED",
        panel=panels.ADVANCED,
        text="Copy the scales of activations from this quantized form of MODEL, matched by structure; needs no data.",
    ),
]
Plan = Annotated[
    str | None,
    option("--plan", metavar="FILE", panel=panels.ADVANCED, text="Follow this plan instead of a new one."),
]
SavePlan = Annotated[
    str | None,
    option(
        "--save-plan",
        metavar="FILE",
        panel=panels.ADVANCED,
        text="Write the plan to this file, for edits and --plan.",
    ),
]
DryRun = Annotated[
    bool, _flag("--dry-run", panels.OUTPUT, "Print only the plan of every tensor; write no model.")
]
Equalize = Annotated[
    bool,
    _flag(
        "--equalize",
        panels.CONVERSION,
        "Rescale the channels of a layer to equal weight ranges first, for devices with one scale per weight tensor.",
    ),
]
ForRuntimes = Annotated[
    str,
    option(
        "--for",
        metavar="RUNTIMES",
        panel=panels.CONVERSION,
        text="Keep operators in float32 that meet a known fault of one of these runtimes: reference, optimized, xnnpack, "
        "tflm. Example: --for reference,tflm. [default: none; faults are warnings]",
    ),
]
Tie = Annotated[
    list[str] | None,
    option(
        "--tie",
        metavar="NAME=NAME",
        panel=panels.ADVANCED,
        text="Use one scale for an input and an output that are one state: --tie state_in=state_out. Repeatable. "
        "[default: equal names of all signatures]",
    ),
]
CorrectBias = Annotated[
    bool,
    _flag(
        "--correct-bias",
        panels.ADVANCED,
        "Subtract the mean error of each channel from its bias, if that helps.",
    ),
]
Sensitivity = Annotated[
    str | None,
    option(
        "--sensitivity",
        metavar="N|all",
        panel=panels.OUTPUT,
        text="Rank operators by the loss at the outputs when each is quantized alone; list N, or all.",
    ),
]
MaxFloat = Annotated[
    int | None,
    option(
        "--max-float", metavar="N", panel=panels.FAILURE, min=0,
        text="Fail and write nothing if more than N operators stay float32. [default: no limit]",
    ),
]  # fmt: skip
MinSnr = Annotated[
    float | None,
    option(
        "--min-snr",
        metavar="DB",
        panel=panels.FAILURE,
        text="Fail and write nothing if an output of the model has a lower SNR. [default: no limit]",
    ),
]
Force = Annotated[
    bool, _flag("--force", panels.FAILURE, "Write a model that fails a gate; the exit code stays 1.")
]
InputDtype = Annotated[
    str | None,
    option(
        "--input-dtype",
        metavar="TYPE",
        panel=panels.CONVERSION,
        text="Set the type of model inputs: float32, int8, uint8 or int16. [default: float32]",
    ),
]
OutputDtype = Annotated[
    str | None,
    option(
        "--output-dtype",
        metavar="TYPE",
        panel=panels.CONVERSION,
        text="Set the type of model outputs: float32, int8, uint8 or int16. [default: float32]",
    ),
]
Match = Annotated[
    str | None,
    option(
        "--match",
        metavar="CONVERTER",
        panel=panels.ADVANCED,
        text="Match the weights and biases of TensorFlow's converter bit for bit: tensorflow:new or tensorflow:old. "
        "[default: as tensorflow:new, without its known error in scales raised for a bias]",
        autocompletion=complete.choices(*MATCHES),
    ),
]
Signature = Annotated[
    str | None,
    option(
        "--signature",
        metavar="NAME",
        panel=panels.SCOPE,
        text="Select the signature (entry point) of --data; of a SavedModel, only this signature is converted.",
    ),
]
Member = Annotated[
    str,
    option(
        "--member", metavar="NAME", panel=panels.SCOPE, text="Select a model of a .task or .litertlm bundle."
    ),
]
Device = Annotated[
    str,
    option(
        "--device",
        metavar="DEVICE",
        panel=panels.INPUTS,
        text="Run models on this device: auto (LiteRT if installed), litecheck, litert:xnnpack, litert:optimized, "
        "litert:reference. [default: auto]",
        autocompletion=_devices,
    ),
]
NoAgreement = Annotated[
    bool, _flag("--no-agreement", panels.OUTPUT, "Skip the comparison of both models on the samples.")
]
ConverterName = Annotated[
    str,
    option(
        "--via",
        metavar="CONVERTER",
        panel=panels.ADVANCED,
        text="Convert with litecheck, tensorflow or ai-edge-quantizer. [default: litecheck]",
        autocompletion=complete.choices(*CONVERTERS),
    ),
]
Compare = Annotated[
    bool,
    _flag(
        "--compare",
        panels.ADVANCED,
        "Compare all three converters on the same data: findings, size, time, memory, SNR.",
    ),
]
Reports = Annotated[list[str] | None, format_option("convert")]
