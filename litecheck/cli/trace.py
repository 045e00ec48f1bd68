"""``litecheck trace``: the operator and the cause where a quantized model loses accuracy."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli import convert_options as options
from litecheck.cli.console import NoColor, OutputOptions, Quiet, Verbose, handle_errors
from litecheck.cli.input_options import Seed
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import format_option, parse_outputs, write
from litecheck.cli.panels import DEVICE, FAILURE, SCOPE, option

DeviceName = Annotated[
    str | None,
    option(
        "--device -d DEVICE",
        DEVICE,
        "Run models on this device as well, operator by operator: litert:xnnpack, tflm, ... "
        "'litecheck devices' lists them. [default: none]",
        autocompletion=complete.devices,
    ),
]
MinSnr = Annotated[
    float | None,
    option(
        "--min-snr DB",
        FAILURE,
        "Fail if an output of the model has a lower SNR. [default: fail if an operator is a culprit]",
    ),
]
MaxLoss = Annotated[
    float | None,
    option(
        "--max-loss DB",
        FAILURE,
        "Fail if an operator has a larger avoidable loss. [default: fail if an operator is a culprit, from 3 dB]",
    ),
]
Against = Annotated[
    str | None,
    option("--against OTHER", SCOPE, "Compare with another quantized form of FLOAT. [default: none]"),
]
NoFix = Annotated[
    bool,
    option("--no-fix", SCOPE, "Skip the conversions that are tried as a fix."),
]


@handle_errors
def trace(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="[FLOAT] INT8",
            help="Read the float model and its quantized form. INT8 alone measures saturation and resolution only.",
        ),
    ],
    data: options.Data = None,
    samples: options.Samples = None,
    seed: Seed = 0,
    preprocessing: options.Preprocessing = "",
    device: DeviceName = None,
    arithmetic: Annotated[
        str,
        option(
            "--arithmetic ARITHMETIC",
            DEVICE,
            "Compute INT8 with this arithmetic, a name or a file. [default: litert-reference]",
            autocompletion=complete.arithmetics,
        ),
    ] = "litert-reference",
    against: Against = None,
    no_fix: NoFix = False,
    min_snr: MinSnr = None,
    max_loss: MaxLoss = None,
    outputs: Annotated[list[str] | None, format_option("trace")] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
) -> None:
    """Find the operator where an int8 model loses accuracy, and why.

    litecheck runs both models on samples, and each quantized operator alone on the float model's tensors. The float
    model as 'litecheck convert' converts it shows the unavoidable loss. The report starts with the culprits, the
    operators with an avoidable loss of 3 dB, each with the cause, and with a command that was tried. Files of any
    converter are accepted.

    \b
    [bold]Exit codes[/]
      0   no avoidable loss of 3 dB reaches the outputs, or the limits are met
      1   an avoidable loss does, or a limit is exceeded
      2   no trace: unreadable file, or models or data that do not fit
      64  invalid command or option, or no data
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck trace float.tflite int8.tflite --data samples.npz
      litecheck trace float.tflite int8.tflite --data x.npz --min-snr 20
      litecheck trace float.tflite int8.tflite --data x.npz -d litert:xnnpack
      litecheck trace float.tflite int8.tflite --data x.npz -f html:trace.html
      litecheck trace int8.tflite --data samples.npz
    """
    from litecheck.errors import ConfigError

    if len(models) > 2:
        raise ConfigError(
            f"expected a float and a quantized model, got {len(models)} files; samples are --data FILE"
        )
    alone = {"--device": device, "--against": against, "--min-snr": min_snr, "--max-loss": max_loss}
    if len(models) == 1 and (given := [name for name, value in alone.items() if value is not None]):
        raise ConfigError(f"{given[0]} needs the float model: litecheck trace FLOAT INT8")
    limit_reference(memory, timeout)
    from litecheck.cli.convert_values import parse_data
    from litecheck.cli.progress import samples_done
    from litecheck.devices.port import Limits
    from litecheck.devices.registry import open_device
    from litecheck.tracing.trace_session import trace as traced

    manner = OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color)
    targets = parse_outputs(outputs or (), "trace")
    paths, random = parse_data(data)
    with ExitStack() as stack:
        opened = open_device(device, Limits(timeout, memory << 20)) if device else None
        if opened is not None:
            stack.callback(opened.close)
        tell = stack.enter_context(samples_done(None, manner))
        found = traced(
            models[0] if len(models) == 2 else None,
            models[-1],
            device=opened,
            against=against,
            tell=tell,
            data=paths,
            random=random,
            seed=seed,
            samples=samples,
            preprocessing=preprocessing,
            arithmetic=arithmetic,
            fix=not no_fix,
            min_snr=min_snr,
            max_loss=max_loss,
        )
    write(found, targets, manner)
    raise typer.Exit(found.exit_code)
