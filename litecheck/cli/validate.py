"""``litecheck validate``: models in, verdicts out."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from litecheck.cli import complete, config_outputs
from litecheck.cli.config import MOST, Options, configured
from litecheck.cli.console import Manner, NoColor, Quiet, Verbose, ends_well, say
from litecheck.cli.outputs import format_option
from litecheck.errors import ModelError
from litecheck.report import ModelReport, Report
from litecheck.tallies import counted

ModelFiles = Annotated[
    list[str],
    typer.Argument(metavar="MODEL...", help="Files, folders (searched recursively), globs, or - for a pipe."),
]
ProfileNames = Annotated[
    list[str] | None,
    complete.profile_option("A profile's name or file; repeatable. Default: by the activations' type."),
]
Outputs = Annotated[list[str] | None, format_option("validate")]
Baseline = Annotated[
    str | None, typer.Option(metavar="FILE", help="Waive the findings that this file knows.")
]
WriteBaseline = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write today's findings to this file and waive them.")
]
Select = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", autocompletion=complete.paths, help="Only these; repeatable."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", autocompletion=complete.paths, help="Waive these; repeatable."),
]
Level = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH=LEVEL",
        autocompletion=complete.levelled_paths,
        help="Another level for these: violation, warning or note; repeatable.",
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL",
        autocompletion=complete.levels,
        help="The mildest level that fails: violation (default), warning or note.",
    ),
]
RequireCoverage = Annotated[
    bool, typer.Option("--require-coverage", help="Fail where an operator is not covered.")
]
FailOnFallback = Annotated[
    bool, typer.Option("--fail-on-fallback", help="Fail where a target leaves an operator to the CPU.")
]


def _check_count(text: str | None) -> str | None:
    if text is not None and not (text.isdecimal() and len(text) <= len(str(MOST))):
        raise typer.BadParameter(f"'{text}' is no whole number from 0 to {MOST:,}")
    return text


#: A text, as typer would import pydantic to read a number.
MaxPartitions = Annotated[
    str | None,
    typer.Option(
        metavar="N", callback=_check_count, help="Fail where a model falls into more NPU partitions."
    ),
]
Compile = Annotated[
    bool,
    typer.Option("--compile", help="Ask the target's own compiler, too: its places, partitions and memory."),
]
NoRequireCoverage = Annotated[
    bool, typer.Option("--no-require-coverage", hidden=True, help="Undo the configuration file's.")
]
ConfigFile = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Read options from this file. \\[default: the nearest litecheck.toml or pyproject.toml]",
    ),
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Ignore configuration files.")]

Statistics = Annotated[
    bool, typer.Option("--statistics", help="In text, only how often each requirement is not kept.")
]


@ends_well
def validate(
    models: ModelFiles,
    profile: ProfileNames = None,
    outputs: Outputs = None,
    baseline: Baseline = None,
    write_baseline: WriteBaseline = None,
    select: Select = None,
    ignore: Ignore = None,
    level: Level = None,
    fail_on: FailOn = None,
    require_coverage: RequireCoverage = False,
    no_require_coverage: NoRequireCoverage = False,
    fail_on_fallback: FailOnFallback = False,
    max_partitions: MaxPartitions = None,
    compiled: Compile = False,
    config: ConfigFile = None,
    isolated: Isolated = False,
    statistics: Statistics = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
) -> None:
    """Judge models by the rules of a profile.

    Every operator ends as conforms, violates, waived or not covered; every finding says where, what was
    found, what is required, why, and which line of which rule file demands it. Options may also stand in
    \\[tool.litecheck] of pyproject.toml or in litecheck.toml; the command line wins. A PATH names a
    requirement, CONV_2D/weight/zero_point; it may have wildcards and may stop early (CONV_2D).

    Exit codes: 0 conforms, 1 violates, 2 could not be judged, 64 the command is wrong, 74 the disk is full.

    \b
    [bold]Examples[/]
      litecheck validate model.tflite
      litecheck validate models/ --profile litert-int8 --require-coverage
      litecheck validate 'out/**/*.tflite' -f text -f sarif:litecheck.sarif
      litecheck validate model.tflite -f text -f html:model.html
      litecheck validate model.tflite --write-baseline known.json
      litecheck validate model.tflite --baseline known.json --fail-on warning
      litecheck validate model.tflite --ignore '*/weight/granularity'
      litecheck validate model.tflite --profile ethos-u55 --fail-on-fallback
      litecheck validate model.tflite --profile ethos-u55 --compile
    """
    told = Options(
        profile=tuple(profile or ()),
        format=tuple(outputs or ()),
        baseline=baseline,
        select=tuple(select or ()),
        ignore=tuple(ignore or ()),
        level=tuple(level or ()),
        fail_on=fail_on,
        fail_on_fallback=fail_on_fallback or None,
        max_partitions=None if max_partitions is None else int(max_partitions),
        compile=compiled or None,
        require_coverage=False if no_require_coverage else require_coverage or None,
    )
    manner = Manner(quiet=quiet, verbose=verbose, no_color=no_color)
    options = told.over(configured(named=config, isolated=isolated))
    raise typer.Exit(run(models, options, write_baseline, manner, statistics))


def run(
    models: list[str],
    options: Options,
    write_baseline: str | None,
    manner: Manner,
    statistics: bool = False,
) -> int:
    """Check all that can be wrong with the options, judge, report; the exit code. Raises LitecheckError."""
    from litecheck.checks import baseline, policy
    from litecheck.cli import outputs
    from litecheck.files import check_writable
    from litecheck.model_files import find_models

    targets = outputs.parse_outputs(options.format, "validate")
    levels = tuple(map(policy.parse_level, options.level))
    ignored = options.origin("ignore")
    choices = policy.Policy(
        options.select, options.ignore, levels, options.per_file_ignores, f"ignore{ignored}" if ignored else "--ignore",
        options.origin("per-file-ignores"),
    )  # fmt: skip
    known = baseline.read(options.baseline) if options.baseline else ()
    if write_baseline:
        check_writable(write_baseline)
    if of_targets := _of_targets(options):
        policy.check_gate(of_targets[0], complete.chosen(options.profile) if options.profile else ())
    if options.select or options.ignore or levels or options.per_file_ignores:
        policy.check_patterns(choices, complete.chosen(options.profile))

    drawn = any(target.format == "html" for target in targets)
    report = policy.apply(_judge(find_models(models), options, manner, drawn), choices)
    if write_baseline:
        known = baseline.entries(report, keep=known)
        baseline.write(write_baseline, known)
        say(f"wrote {counted(len(known), 'finding')} to {write_baseline}", manner.quiet)
    if file := write_baseline or options.baseline:
        report = baseline.apply(report, known, file, "" if write_baseline else options.origin("baseline"))
    report = policy.apply_selection(report, choices)
    if statistics:
        from litecheck.rendering.validation.statistics import statistics as counts

        print(counts(report), end="")
        targets = tuple(target for target in targets if target.file or target.format != "text")
    if options.configuration:
        config_outputs.check_outputs(options.configuration)
    outputs.write(report, targets, manner)
    return report.exit_code


def _of_targets(options: Options) -> list[str]:
    """The options that only a target can answer."""
    given = {
        "--fail-on-fallback": options.fail_on_fallback,
        "--max-partitions": options.max_partitions is not None,
        "--compile": options.compile,
    }
    return [option for option, asked in given.items() if asked]


def _judge(found: tuple[str | ModelError, ...], options: Options, manner: Manner, survey: bool) -> Report:
    from litecheck.checks.policy import as_level
    from litecheck.checks.validate import unreadable, validate_file
    from litecheck.cli.progress import progress
    from litecheck.version import __version__

    fail_on = as_level(options.fail_on or "violation")
    profiles = complete.chosen(options.profile) if options.profile else None
    beside = None
    if options.compile:
        from litecheck.checks.compilation import compilers_of, with_compiler_reports

        beside = partial(with_compiler_reports, compilers_of(profiles or ()))
    judged: dict[str, tuple[ModelReport, ...]] = {}
    judged |= {one.file: (unreadable(one, one.file),) for one in found if isinstance(one, ModelError)}
    names = [one.file if isinstance(one, ModelError) else one for one in found]
    with progress([name for name in names if name not in judged], manner) as one_by_one:
        judged |= {file: validate_file(file, profiles, survey=survey, beside=beside) for file in one_by_one}
    models = tuple(model for name in names for model in judged[name])
    return Report(
        __version__, models, fail_on, bool(options.require_coverage), (), bool(options.fail_on_fallback),
        options.max_partitions, options.configuration,
    )  # fmt: skip
