"""``litecheck validate``: check models and print verdicts."""

from __future__ import annotations

import os
from dataclasses import dataclass

import typer

from litecheck.cli import complete, config_outputs
from litecheck.cli import validate_options as options
from litecheck.cli.config import Options, is_profile_file, load_options
from litecheck.cli.console import (
    NoColor,
    OutputOptions,
    Quiet,
    Verbose,
    check_output,
    handle_errors,
    log,
    terminal_width,
)
from litecheck.errors import ConfigError
from litecheck.summary_text import count_of


@handle_errors
def validate(
    models: options.ModelFiles,
    profile: options.ProfileNames = None,
    select: options.Select = None,
    ignore: options.Ignore = None,
    level: options.Level = None,
    fail_on: options.FailOn = None,
    require_coverage: options.RequireCoverage = False,
    no_require_coverage: options.NoRequireCoverage = False,
    require_integer_io: options.RequireIntegerIo = False,
    allow_float: options.AllowFloat = False,
    fail_on_fallback: options.FailOnFallback = False,
    max_partitions: options.MaxPartitions = None,
    baseline: options.Baseline = None,
    write_baseline: options.WriteBaseline = None,
    reason: options.Reason = None,
    expires: options.Expires = None,
    outputs: options.Outputs = None,
    statistics: options.Statistics = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    compiled: options.Compile = False,
    jobs: options.Jobs = 1,
    config: options.ConfigFile = None,
    isolated: options.Isolated = False,
) -> None:
    """Check models against the rules of a runtime or an NPU.

    Every operator ends as conforms, violates, waived or not covered. A finding states the place, the value found, the
    value required, the reason and the line of the rule file. PATH names a requirement, CONV_2D/weight/zero_point. A
    PATH can have wildcards, and can stop early: CONV_2D names all requirements of this operator. With an NPU, --verbose
    lists the placement of each operator. Options are also read from \\[tool.litecheck] of pyproject.toml or from
    litecheck.toml; the command line has priority.

    \b
    [bold]Exit codes[/]
      0   every model conforms
      1   a model violates a rule
      2   a model was not checked: unreadable, float, or without a rule
      64  invalid command, option, configuration or profile
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck validate model.tflite
      litecheck validate models/ --profile litert-int8 --require-coverage -j 4
      litecheck validate 'out/**/*.tflite' -f text -f sarif:litecheck.sarif
      litecheck validate model.tflite --write-baseline known.json --reason TEXT
      litecheck validate model.tflite --write-baseline k.json --expires 2027-03-31
      litecheck validate model.tflite --baseline known.json --fail-on warning
      litecheck validate model.tflite --ignore '*/weight/granularity'
      litecheck validate model.tflite --require-integer-io
      litecheck validate models/ --allow-float
      litecheck validate model.tflite --profile ethos-u55 --fail-on-fallback
      litecheck validate model.tflite --profile ethos-u55 --verbose
    """
    told = Options(
        profile=tuple(profile or ()),
        format=tuple(outputs or ()),
        baseline=baseline,
        select=tuple(select or ()),
        ignore=tuple(ignore or ()),
        set_level=tuple(level or ()),
        fail_on=fail_on,
        require_integer_io=require_integer_io or None,
        allow_float=allow_float or None,
        fail_on_fallback=fail_on_fallback or None,
        max_partitions=None if max_partitions is None else int(max_partitions),
        compile=compiled or None,
        require_coverage=False if no_require_coverage else require_coverage or None,
    )
    manner = OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color)
    chosen = told.over(load_options(named=config, isolated=isolated))
    written = NewBaseline(write_baseline, reason, expires)
    raise typer.Exit(run(models, chosen, written, manner, statistics, jobs))


@dataclass(frozen=True, slots=True)
class NewBaseline:
    """The baseline to write, if any, and the reason and the last day of its new entries."""

    file: str | None = None
    reason: str | None = None
    expires: str | None = None

    def last_day(self) -> str:
        """Return the last day, ISO; "" without any. Raise ConfigError for a text that is not a date."""
        if not self.expires:
            return ""
        from litecheck.dates import iso_date

        try:
            return iso_date(self.expires)
        except ConfigError as error:
            raise ConfigError(f"--expires: {error}") from None


def run(
    models: list[str],
    options: Options,
    written: NewBaseline,
    manner: OutputOptions,
    statistics: bool = False,
    jobs: int = 1,
) -> int:
    """Check the options, check the models, and report. Return the exit code. Raise LitecheckError."""
    from litecheck.checks import baseline, policy
    from litecheck.cli import outputs
    from litecheck.cli.file_conflicts import check_conflicts
    from litecheck.cli.validate_models import check_models
    from litecheck.model_files import find_models

    targets = outputs.parse_outputs(options.format, "validate")
    if options.configuration:  # the files of the command line alone are checked before every command
        written_files = [("--format", target.file) for target in targets if target.file]
        check_conflicts(written_files, models, _read_by(options))
    levels = tuple(map(policy.parse_level, options.set_level))
    ignored = options.origin("ignore")
    choices = policy.Policy(
        options.select, options.ignore, levels, options.per_file_ignores, f"ignore{ignored}" if ignored else "--ignore",
        options.origin("per-file-ignores"),
    )  # fmt: skip
    earlier = _earlier(options.baseline, written.file)
    known = baseline.read_baseline(earlier) if earlier else ()
    last_day = written.last_day()
    if written.file:
        check_output(written.file)
    elif option := "--reason" if written.reason else "--expires" if written.expires else "":
        raise ConfigError(f"{option}: got no --write-baseline FILE, expected the file of the new entries")
    if of_targets := _target_options(options):
        policy.check_gate(
            of_targets[0], complete.selected_profiles(options.profile) if options.profile else ()
        )
    if options.select or options.ignore or levels or options.per_file_ignores:
        policy.check_patterns(choices, complete.selected_profiles(options.profile))
    survey = any(target.format == "html" for target in targets)
    report = policy.apply(check_models(find_models(models), options, manner, survey, jobs), choices)
    if written.file and all(model.problems for model in report.models):
        log(f"warning: {written.file} is not written, because no model was read", False)
    elif written.file:
        known = baseline.entries(report, known, options.select, written.reason or "", last_day)
        baseline.write(written.file, known)
        log(f"wrote {count_of(len(known), 'finding')} to {written.file}", manner.quiet)
    if file := written.file or options.baseline:
        report = baseline.apply(report, known, file, "" if written.file else options.origin("baseline"))
        if told := baseline.other_path_sentence(report, known):
            log(f"note: {file}: {told}", manner.quiet)
    report = policy.apply_selection(report, choices)
    if statistics:
        from litecheck.rendering.validation.violation_statistics import statistics as counts

        print(counts(report, terminal_width()), end="")
        targets = tuple(target for target in targets if target.file or target.format != "text")
    if options.configuration:
        config_outputs.check_outputs(options.configuration)
    outputs.write(report, targets, manner)
    return report.exit_code


def _earlier(named: str | None, written: str | None) -> str | None:
    """Return the baseline to read: the named one, else the one to write; None if that does not exist yet."""
    if written and (named is None or os.path.abspath(named) == os.path.abspath(written)):
        return written if os.path.isfile(written) else None
    return named


def _read_by(options: Options) -> list[str]:
    """Return the files that the options name as inputs, also those of a configuration file."""
    found = options.configuration
    profiles = filter(is_profile_file, options.profile)
    return [file for file in (options.baseline, *profiles, found and str(found.file)) if file]


def _target_options(options: Options) -> list[str]:
    """Return the given options that need a target."""
    given = {
        "--fail-on-fallback": options.fail_on_fallback,
        "--max-partitions": options.max_partitions is not None,
        "--compile": options.compile,
    }
    return [option for option, asked in given.items() if asked]
