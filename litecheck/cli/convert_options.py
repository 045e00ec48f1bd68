"""Options of ``litecheck convert``."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.convert_values import CONVERTERS, MATCHES
from litecheck.cli.outputs import format_option
from litecheck.cli.panels import ADVANCED, CONVERSION, FAILURE, INPUTS, OUTPUT, SCOPE, option

_kinds = complete.choices("int8", "int16x8", "uint8", "dynamic", "float16")
_methods = complete.choices("minmax", "percentile:99.99", "mse", "entropy")
_devices = complete.choices("auto", "litecheck", "litert:xnnpack", "litert:optimized", "litert:reference")


ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="Read a float model: .tflite or, through TensorFlow, a SavedModel folder, .keras, .h5; or an old uint8 model.",
    ),
]
Target = Annotated[
    str | None,
    option("--output -o OUT.tflite", OUTPUT, "Write the new model to this file, completely or not at all."),
]
To = Annotated[
    str | None,
    option(
        "--to KIND",
        CONVERSION,
        "Convert to int8, int16x8, uint8, dynamic (int8 weights) or float16. [default: int8]",
        autocompletion=_kinds,
    ),
]
Profile = Annotated[
    str | None,
    option(
        "--profile -p PROFILE",
        CONVERSION,
        f"{complete.PROFILE_HELP} [default: that of LiteRT for --to]",
        autocompletion=complete.profiles,
    ),
]
Data = Annotated[
    list[str] | None,
    option(
        "--data PATH",
        INPUTS,
        "Use samples of a .npz or .npy file, a folder of these or of images, or a script with get_calibration_data(). "
        "Repeatable. random:N draws N samples: to test a device, not for use.",
    ),
]
Samples = Annotated[
    int | None,
    option(
        "--samples N",
        INPUTS,
        "Use at most N samples of each --data. convert with --budget or --sensitivity: for the search only. [default: all]",
        min=1,
    ),
]
Preprocessing = Annotated[
    str,
    option(
        "--preprocessing --scale-input SCALE:OFFSET",
        INPUTS,
        "Compute an input from an image or uint8 value as value x SCALE + OFFSET. [default: 1/255:0 for images]",
    ),
]
Sequences = Annotated[
    bool,
    option(
        "--sequences",
        ADVANCED,
        "Read arrays as (sequences, samples, ...): the state continues within a sequence.",
    ),
]
ScalesFrom = Annotated[
    str | None,
    option(
        "--scales-from QUANTIZED",
        ADVANCED,
        "Copy the scales of activations from this quantized form of MODEL, matched by structure; needs no data.",
    ),
]
Plan = Annotated[
    str | None,
    option("--plan FILE", ADVANCED, "Follow this plan instead of a new one."),
]
SavePlan = Annotated[
    str | None,
    option("--save-plan FILE", ADVANCED, "Write the plan to this file, for edits and --plan."),
]
DryRun = Annotated[bool, option("--dry-run", OUTPUT, "Print only the plan of every tensor; write no model.")]
Equalize = Annotated[
    bool | None,
    option(
        "--equalize/--no-equalize",
        CONVERSION,
        "Rescale the channels of a layer to equal weight ranges first, for devices with one scale per weight tensor. "
        "[default: outlier channels alone, by powers of two]",
    ),
]
ForRuntimes = Annotated[
    str,
    option(
        "--for RUNTIMES",
        CONVERSION,
        "Keep operators in float32 that meet a known fault of one of these runtimes: reference, optimized, xnnpack, "
        "tflm. Example: --for reference,tflm. [default: none; faults are warnings]",
    ),
]
Tie = Annotated[
    list[str] | None,
    option(
        "--tie NAME=NAME",
        ADVANCED,
        "Use one scale for an input and an output that are one state: --tie state_in=state_out. Repeatable. "
        "[default: equal names of all signatures]",
    ),
]
CorrectBias = Annotated[
    bool,
    option(
        "--correct-bias", ADVANCED, "Subtract the mean error of each channel from its bias, if that helps."
    ),
]
Sensitivity = Annotated[
    str | None,
    option(
        "--sensitivity N|all",
        OUTPUT,
        "Rank operators by the loss at the outputs when each is quantized alone; list N, or all.",
    ),
]
MaxFloat = Annotated[
    int | None,
    option(
        "--max-float N",
        FAILURE,
        "Fail and write nothing if more than N operators stay float32. [default: no limit]",
        min=0,
    ),
]
MinSnr = Annotated[
    float | None,
    option(
        "--min-snr DB",
        FAILURE,
        "Fail and write nothing if an output of the model has a lower SNR. [default: no limit]",
    ),
]
Force = Annotated[bool, option("--force", FAILURE, "Write a model that fails a gate; the exit code stays 1.")]
InputDtype = Annotated[
    str | None,
    option(
        "--input-dtype TYPE",
        CONVERSION,
        "Set the type of model inputs: float32, int8, uint8 or int16. [default: float32]",
    ),
]
OutputDtype = Annotated[
    str | None,
    option(
        "--output-dtype TYPE",
        CONVERSION,
        "Set the type of model outputs: float32, int8, uint8 or int16. [default: float32]",
    ),
]
Match = Annotated[
    str | None,
    option(
        "--match CONVERTER",
        ADVANCED,
        "Match the weights and biases of TensorFlow's converter bit for bit: tensorflow:new or tensorflow:old. "
        "[default: as tensorflow:new, without its known error in scales raised for a bias]",
        autocompletion=complete.choices(*MATCHES),
    ),
]
Signature = Annotated[
    str | None,
    option(
        "--signature NAME",
        SCOPE,
        "Select the signature (entry point) of --data; of a SavedModel, only this signature is converted.",
    ),
]
Member = Annotated[
    str,
    option("--member NAME", SCOPE, "Select a model of a .task or .litertlm bundle."),
]
Device = Annotated[
    str,
    option(
        "--device DEVICE",
        INPUTS,
        "Run models on this device: auto (LiteRT if installed), litecheck, litert:xnnpack, litert:optimized, "
        "litert:reference. [default: auto]",
        autocompletion=_devices,
    ),
]
NoAgreement = Annotated[
    bool, option("--no-agreement", OUTPUT, "Skip the comparison of both models on the samples.")
]
ConverterName = Annotated[
    str,
    option(
        "--via CONVERTER",
        ADVANCED,
        "Convert with litecheck, tensorflow or ai-edge-quantizer. [default: litecheck]",
        autocompletion=complete.choices(*CONVERTERS),
    ),
]
Compare = Annotated[
    bool,
    option(
        "--compare",
        ADVANCED,
        "Compare all three converters on the same data: findings, size, time, memory, SNR.",
    ),
]
Reports = Annotated[list[str] | None, format_option("convert")]
KeepFloat = Annotated[
    list[str] | None,
    option(
        "--keep-float OPERATOR",
        CONVERSION,
        "Keep these operators in float32, by number ('#12'), kind (CONV_2D), name or pattern. Repeatable.",
    ),
]
Int16x8 = Annotated[
    list[str] | None,
    option(
        "--int16x8 OPERATOR",
        CONVERSION,
        "Compute these operators with int16 activations, chosen as in --keep-float. Repeatable.",
    ),
]
RecipeFile = Annotated[
    str | None,
    option(
        "--recipe FILE",
        CONVERSION,
        "Quantize each operator by the rules of a YAML file, or of ai-edge-quantizer's JSON, in place of --to.",
    ),
]
BudgetLimit = Annotated[
    str | None,
    option(
        "--budget size=N|snr=DB",
        CONVERSION,
        "Choose int8, int16x8 or float32 for each operator: the highest SNR in a file of at most N bytes (2MB), or the "
        "smallest file with an SNR.",
    ),
]
Calibrate = Annotated[
    list[str] | None,
    option(
        "--calibrate [NAME=]METHOD",
        ADVANCED,
        "Choose ranges by minmax, percentile:P, mse or entropy, of all tensors or of those with this name or pattern. "
        "Repeatable. [default: minmax]",
        autocompletion=_methods,
    ),
]
CalibrationCache = Annotated[
    str | None,
    option(
        "--calibration-cache FILE",
        ADVANCED,
        "Read calibration statistics from this file, or write them if it does not exist.",
    ),
]
Ranges = Annotated[
    list[str] | None,
    option(
        "--range NAME=LOW:HIGH",
        ADVANCED,
        "Use this range of a tensor, by name or pattern, in place of the observed range: --range image=0:1. "
        "Repeatable. [default: observed ranges]",
    ),
]
Evaluate = Annotated[
    list[str] | None,
    option(
        "--evaluate PATH",
        INPUTS,
        "Compare both models on these samples as well, which are not used for calibration: --evaluate test.npz. "
        "Repeatable. [default: only --data]",
    ),
]
