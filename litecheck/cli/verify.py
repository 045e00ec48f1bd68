"""``litecheck verify``: a model on a device, operator by operator, against the bit-exact reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from litecheck.cli import complete
from litecheck.cli.console import Manner, NoColor, Verbose, console, ends_well
from litecheck.report import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from litecheck.devices.port import Device
    from litecheck.model.types import Model
    from litecheck.verify.outcome import Verification
    from litecheck.verify.settings import Settings

Device_ = Annotated[
    str,
    typer.Option(
        "--device",
        "-d",
        metavar="DEVICE",
        autocompletion=complete.devices,
        help="litert:reference, litert:optimized, litert:xnnpack, tflm, openvino, delegate:LIB.so[,key=value], "
        'command:"PROGRAM {model} {runs}", recorded:DIR, or an installed plugin\'s name.',
    ),
]
Build = Annotated[
    str,
    typer.Option("--device-version", metavar="TEXT", help="Which build of the device this is, for reports."),
]
Seconds = Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="What one invocation may take.")]
Megabytes = Annotated[int, typer.Option(metavar="MB", min=16, help="Memory one case may take.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Cases at the same time.")]


@ends_well
def verify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model.")],
    device: Device_,
    device_version: Build = "",
    arithmetic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A",
            autocompletion=complete.arithmetics,
            help="An admissible arithmetic, by name or file; repeatable. Default: litert-reference.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="P", autocompletion=complete.profiles, help="Tolerances: its conformance section."
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="NAME=FILE", help="Stored values of a model input; repeatable."),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Samples: .npz, a folder, or a script with get_calibration_data()."
        ),
    ] = None,
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="At most so many samples.")] = 4,
    random: Annotated[
        int, typer.Option(metavar="SEED", min=0, help="What random values are drawn from.")
    ] = 0,
    feed: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            autocompletion=complete.feeds,
            help="What each case is fed: propagated, random, directed; repeatable. Default: all three.",
        ),
    ] = None,
    signature: Annotated[str | None, typer.Option(metavar="S", help="Only this entry point.")] = None,
    member: Annotated[str, typer.Option(metavar="NAME", help="Which model of a bundle.")] = "",
    segment: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, show_default=False, help="So many operators at a time, for devices that fuse."
        ),
    ] = 0,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="TENSOR TENSOR", help="Only what lies between two tensors, by name or number."),
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="The whole model at once, end to end.")] = False,
    drift: Annotated[
        bool,
        typer.Option("--drift", help="Also feed the device its own outputs: where errors enter and grow."),
    ] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="OPERATOR", help="Only these, by kind (CONV_2D) or number; repeatable."),
    ] = None,
    element: Annotated[
        str | None,
        typer.Option(metavar="I,J,...", help="Explain this element of each output instead of the worst one."),
    ] = None,
    repeat: Annotated[int, typer.Option(metavar="N", min=1, help="How often each input is run.")] = 2,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="N|TIME",
            help="What the device may be asked: so many invocations, or as many as fit into 90s, 10m, 2h. They are "
            "spent where they notice most.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only count invocations, and make one or three to see how long they take."
        ),
    ] = False,
    timeout: Seconds = 60.0,
    memory: Megabytes = 4096,
    jobs: Jobs = 1,
    journal: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where results are noted as they come. Default: a cache folder."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a killed run stopped; nothing is run twice.")
    ] = False,
    reproduce: Annotated[
        str | None, typer.Option(metavar="DIR", help="Write a small reproducer of each failure here.")
    ] = None,
    scrub: Annotated[bool, typer.Option("--scrub", help="No names of the model in reproducers.")] = False,
    record: Annotated[
        str | None, typer.Option(metavar="DIR", help="Keep the device's outputs, for recorded:DIR.")
    ] = None,
    fail_on_fallback: Annotated[
        bool, typer.Option("--fail-on-fallback", help="Fail where the device did not take an operator.")
    ] = False,
    require_coverage: Annotated[
        bool, typer.Option("--require-coverage", help="Fail where there is nothing to compare with.")
    ] = False,
    claim: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OPERATOR",
            help="The device is said to have it, or all: not to support it fails; repeatable.",
        ),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT[:FILE]",
            autocompletion=complete.verification_formats,
            help="text, json, junit, sarif, gitlab, github, markdown, model-explorer, html; repeatable.",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only what fails, one line a case; no messages.")
    ] = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
) -> None:
    """Verify that a device computes a model exactly, and if not: which operator, which arithmetic, which input.

    Every operator is cut out into a model of its own and fed the reference's tensors, so that no error is inherited
    and no intermediate tensor need be visible. The device runs in processes of its own: a crash, a hang or a refusal
    is an outcome of that operator, and the run goes on.

    Exit codes: 0 every operator judged is exact or within its tolerance, 1 one is not, 2 nothing could be judged.

    \b
    [bold]Examples[/]
      litecheck verify model.tflite --device litert:xnnpack
      litecheck verify model.tflite -d delegate:./libacme.so,cores=2 --fail-on-fallback -j 2
      litecheck verify model.tflite -d 'command:./simulate {model} {runs}' --timeout 600 --resume
      litecheck verify model.tflite -d tflm --arithmetic tflm -f text -f html:report.html
      litecheck verify model.tflite -d delegate:./libacme.so --arithmetic device.arithmetic.yaml --reproduce failing/
    """
    from litecheck.cli.outputs import deliver, parse_outputs
    from litecheck.cli.threads import one_thread
    from litecheck.devices.port import Limits
    from litecheck.devices.registry import open_device
    from litecheck.model.load import load_model
    from litecheck.render import verification as rendering
    from litecheck.verify.budget import parse_budget
    from litecheck.verify.settings import Settings

    one_thread()
    manner = Manner(quiet=quiet, verbose=verbose, no_color=no_color)
    targets = parse_outputs(outputs or (), rendering.FORMATS)
    loaded = load_model(model, member)
    given, described = _samples(loaded, signature, inputs or [], calibration, samples, random)
    settings = Settings(
        arithmetics=tuple(arithmetic or ("litert-reference",)),
        profile=profile,
        signature=signature,
        samples=given,
        described=described,
        seed=random,
        kinds=_kinds(feed),
        segment=segment,
        between=between,
        whole=whole,
        drift=drift,
        select=tuple(select or ()),
        element=_element(element),
        repeat=repeat,
        jobs=jobs,
        fail_on_fallback=fail_on_fallback,
        require_coverage=require_coverage,
        claims=tuple(claim or ()),
        reproduce=reproduce,
        scrub=scrub,
        record=record,
        seconds=timeout,
        budget=parse_budget(budget) if budget else None,
    )
    opened = open_device(device, Limits(timeout, memory << 20), device_version)
    try:
        if dry_run:
            _foretell(loaded, opened, settings, manner)
            return
        report = _verified(loaded, opened, settings, journal, resume, manner)
    finally:
        opened.close()
    deliver(
        targets,
        lambda name: rendering.render(report, name),
        lambda: _print(report, manner),
        manner,
    )
    raise typer.Exit(report.exit_code)


def _samples(
    model: Model, signature: str | None, given: list[str], calibration: str | None, most: int, seed: int
) -> tuple[tuple[Mapping[str, NDArray[Any]], ...], str]:
    """The samples that options name, and in words where they come from; none where they name none."""
    from litecheck.cases.samples import samples
    from litecheck.cli.input_options import feed
    from litecheck.errors import ConfigError
    from litecheck.reference.engine.entry import entry

    if given and calibration:
        raise ConfigError("--input and --calibration: give one of them")
    if calibration:
        found = samples(calibration, entry(model, signature), signature, most)
        return found, f"{counted(len(found), 'sample')} of {calibration}"
    if not given:
        return (), ""
    fed = feed(model, signature, given, seed)
    return (fed.arrays,), "; ".join(f"{name} {source}" for name, source in fed.sources.items())


def _element(text: str | None) -> tuple[int, ...] | None:
    from litecheck.errors import ConfigError

    if text is None:
        return None
    parts = [part.strip() for part in text.strip("()[] ").split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise ConfigError(f"--element {text}: coordinates are numbers from 0, as in 0,3,4,17")
    return tuple(map(int, parts))


def _kinds(given: list[str] | None) -> tuple[str, ...]:
    from litecheck.cases.inputs import KINDS
    from litecheck.errors import ConfigError
    from litecheck.profile.yaml_reader import did_you_mean

    unknown = next((kind for kind in given or () if kind not in KINDS), None)
    if unknown is not None:
        raise ConfigError(f"--feed {unknown}: there are {', '.join(KINDS)}{did_you_mean(unknown, KINDS)}")
    return tuple(kind for kind in KINDS if not given or kind in given)


def _verified(
    model: Model, device: Device, settings: Settings, journal: str | None, resume: bool, manner: Manner
) -> Verification:
    from litecheck.cli.steps import steps
    from litecheck.devices.isolated import Isolated
    from litecheck.verify.campaign import run
    from litecheck.verify.selection import weights

    found = weights(model, settings)
    total = sum(found.values()) + (len(found) if settings.drift else 0)
    with steps(round(total), manner.no_color, found) as advance:
        if isinstance(device, Isolated) and settings.jobs == 1:
            device.progress = advance.within
        return run(model, device, settings, journal, resume, advance)


def _foretell(model: Model, device: Device, settings: Settings, manner: Manner) -> None:
    from litecheck.render.verification.forecast import print_forecast
    from litecheck.verify.forecast import forecast

    print_forecast(forecast(model, device, settings), console(manner.no_color), manner.verbose)


def _print(report: Verification, manner: Manner) -> None:
    from litecheck.render.verification import brief, text

    if manner.quiet:
        print(brief.render(report), end="")
    else:
        text.print_verification(report, console(manner.no_color), manner.verbose)
