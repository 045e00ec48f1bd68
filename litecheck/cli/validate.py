"""``litecheck validate``: check models and print verdicts."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete, config_outputs, panels
from litecheck.cli.config import MOST, Options, configured
from litecheck.cli.console import NoColor, OutputOptions, Quiet, Verbose, handle_errors, log
from litecheck.cli.outputs import format_option
from litecheck.summary_text import counted

ModelFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...", help="Read .tflite files, folders (recursive), globs, or - for stdin."
    ),
]
ProfileNames = Annotated[list[str] | None, complete.profile_option("by the type of activations")]
Outputs = Annotated[list[str] | None, format_option("validate")]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline", metavar="FILE", rich_help_panel=panels.FAILURE, help="Waive the findings in this file."
    ),
]
WriteBaseline = Annotated[
    str | None,
    typer.Option(
        "--write-baseline",
        metavar="FILE",
        rich_help_panel=panels.FAILURE,
        help="Write all findings to this file and waive them.",
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="PATH",
        autocompletion=complete.paths,
        rich_help_panel=panels.RULES,
        help="Report only findings of these requirements. Repeatable. [default: all]",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="PATH",
        autocompletion=complete.paths,
        rich_help_panel=panels.RULES,
        help="Waive findings of these requirements. Repeatable.",
    ),
]
Level = Annotated[
    list[str] | None,
    typer.Option(
        "--set-level",
        metavar="PATH=LEVEL",
        autocompletion=complete.levelled_paths,
        rich_help_panel=panels.RULES,
        help="Set the level of findings of these requirements: violation, warning or note. Repeatable.",
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="LEVEL",
        autocompletion=complete.levels,
        rich_help_panel=panels.FAILURE,
        help="Fail if a finding has this level or a higher one: violation, warning or note. [default: violation]",
    ),
]
RequireCoverage = Annotated[
    bool,
    typer.Option(
        "--require-coverage",
        rich_help_panel=panels.FAILURE,
        help="Fail if an operator is not covered by a rule.",
    ),
]
FailOnFallback = Annotated[
    bool,
    typer.Option(
        "--fail-on-fallback",
        rich_help_panel=panels.FAILURE,
        help="Fail if an operator does not run on the NPU of the profile but on the CPU.",
    ),
]


def _check_count(text: str | None) -> str | None:
    if text is not None and not (text.isdecimal() and len(text) <= len(str(MOST))):
        raise typer.BadParameter(f"'{text}' is no whole number from 0 to {MOST:,}")
    return text


#: A text, because typer would import pydantic to read a number.
MaxPartitions = Annotated[
    str | None,
    typer.Option(
        "--max-partitions",
        metavar="N",
        callback=_check_count,
        rich_help_panel=panels.FAILURE,
        help="Fail if a model has more than N partitions on the NPU.",
    ),
]
Compile = Annotated[
    bool,
    typer.Option(
        "--compile",
        rich_help_panel=panels.ADVANCED,
        help="Ask the compiler of the NPU for placement, partitions and memory.",
    ),
]
NoRequireCoverage = Annotated[
    bool,
    typer.Option(
        "--no-require-coverage", hidden=True, help="Ignore require-coverage of the configuration file."
    ),
]
ConfigFile = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        rich_help_panel=panels.ADVANCED,
        help="Read options from this file. [default: the nearest litecheck.toml or pyproject.toml]",
    ),
]
Isolated = Annotated[
    bool,
    typer.Option("--isolated", rich_help_panel=panels.ADVANCED, help="Ignore configuration files."),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        rich_help_panel=panels.ADVANCED,
        help="Run N checks in parallel, each of one model. [default: 1]",
    ),
]
Statistics = Annotated[
    bool,
    typer.Option(
        "--statistics",
        rich_help_panel=panels.OUTPUT,
        help="Print statistics in place of findings: violations by requirement.",
    ),
]


@handle_errors
def validate(
    models: ModelFiles,
    profile: ProfileNames = None,
    select: Select = None,
    ignore: Ignore = None,
    level: Level = None,
    fail_on: FailOn = None,
    require_coverage: RequireCoverage = False,
    no_require_coverage: NoRequireCoverage = False,
    fail_on_fallback: FailOnFallback = False,
    max_partitions: MaxPartitions = None,
    baseline: Baseline = None,
    write_baseline: WriteBaseline = None,
    outputs: Outputs = None,
    statistics: Statistics = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    compiled: Compile = False,
    jobs: Jobs = 1,
    config: ConfigFile = None,
    isolated: Isolated = False,
) -> None:
    """Check models against the rules of a runtime or an NPU.

    Every operator ends as conforms, violates, waived or not covered. A finding states the place, the value found, the
    value required, the reason and the line of the rule file. PATH names a requirement, CONV_2D/weight/zero_point. A
    PATH can have wildcards, and can stop early: CONV_2D names all requirements of this operator. Options are also read
    from \\[tool.litecheck] of pyproject.toml or from litecheck.toml; the command line has priority.

    \b
    [bold]Exit codes[/]
      0   every model conforms
      1   a model violates a rule
      2   a model was not checked
      64  invalid command, option, configuration or profile
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck validate model.tflite
      litecheck validate models/ --profile litert-int8 --require-coverage -j 4
      litecheck validate 'out/**/*.tflite' -f text -f sarif:litecheck.sarif
      litecheck validate model.tflite --write-baseline known.json
      litecheck validate model.tflite --baseline known.json --fail-on warning
      litecheck validate model.tflite --ignore '*/weight/granularity'
      litecheck validate model.tflite --profile ethos-u55 --fail-on-fallback
    """
    told = Options(
        profile=tuple(profile or ()),
        format=tuple(outputs or ()),
        baseline=baseline,
        select=tuple(select or ()),
        ignore=tuple(ignore or ()),
        set_level=tuple(level or ()),
        fail_on=fail_on,
        fail_on_fallback=fail_on_fallback or None,
        max_partitions=None if max_partitions is None else int(max_partitions),
        compile=compiled or None,
        require_coverage=False if no_require_coverage else require_coverage or None,
    )
    manner = OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color)
    options = told.over(configured(named=config, isolated=isolated))
    raise typer.Exit(run(models, options, write_baseline, manner, statistics, jobs))


def run(
    models: list[str],
    options: Options,
    write_baseline: str | None,
    manner: OutputOptions,
    statistics: bool = False,
    jobs: int = 1,
) -> int:
    """Check the options, check the models, and report. Return the exit code. Raises LitecheckError."""
    from litecheck.checks import baseline, policy
    from litecheck.cli import outputs
    from litecheck.cli.validate_models import check_models
    from litecheck.files import check_writable
    from litecheck.model_files import find_models

    targets = outputs.parse_outputs(options.format, "validate")
    levels = tuple(map(policy.parse_level, options.set_level))
    ignored = options.origin("ignore")
    choices = policy.Policy(
        options.select, options.ignore, levels, options.per_file_ignores, f"ignore{ignored}" if ignored else "--ignore",
        options.origin("per-file-ignores"),
    )  # fmt: skip
    known = baseline.read(options.baseline) if options.baseline else ()
    if write_baseline:
        check_writable(write_baseline)
    if of_targets := _of_targets(options):
        policy.check_gate(of_targets[0], complete.selected(options.profile) if options.profile else ())
    if options.select or options.ignore or levels or options.per_file_ignores:
        policy.check_patterns(choices, complete.selected(options.profile))
    survey = any(target.format == "html" for target in targets)
    report = policy.apply(check_models(find_models(models), options, manner, survey, jobs), choices)
    if write_baseline:
        known = baseline.entries(report, keep=known)
        baseline.write(write_baseline, known)
        log(f"wrote {counted(len(known), 'finding')} to {write_baseline}", manner.quiet)
    if file := write_baseline or options.baseline:
        report = baseline.apply(report, known, file, "" if write_baseline else options.origin("baseline"))
    report = policy.apply_selection(report, choices)
    if statistics:
        from litecheck.rendering.validation.violation_statistics import statistics as counts

        print(counts(report), end="")
        targets = tuple(target for target in targets if target.file or target.format != "text")
    if options.configuration:
        config_outputs.check_outputs(options.configuration)
    outputs.write(report, targets, manner)
    return report.exit_code


def _of_targets(options: Options) -> list[str]:
    """Return the given options that need a target."""
    given = {
        "--fail-on-fallback": options.fail_on_fallback,
        "--max-partitions": options.max_partitions is not None,
        "--compile": options.compile,
    }
    return [option for option, asked in given.items() if asked]
