"""``litecheck rules``: the available profiles, their operators, and the rule of each operator."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.complete import every, selected_profiles
from litecheck.cli.console import NoColor, PlainFormat, console, handle_errors, write_stdout
from litecheck.cli.panels import RULES, option


@handle_errors
def rules(
    operator: Annotated[
        str | None,
        typer.Argument(
            metavar="OPERATOR",
            autocompletion=complete.rule_subjects,
            help="Print the rule of this operator, such as CONV_2D; with --measurements, a part of their names.",
        ),
    ] = None,
    profile: Annotated[
        list[str] | None, complete.profile_option("all; those of validate with OPERATOR")
    ] = None,
    source: Annotated[
        bool,
        option(
            "--source", RULES, "Print the file of each --profile with the line numbers that findings state."
        ),
    ] = False,
    template: Annotated[
        bool,
        option("--template", RULES, "Print a commented profile to start your own from."),
    ] = False,
    schema: Annotated[
        bool,
        option("--schema", RULES, "Print the JSON Schema of profiles, for editors."),
    ] = False,
    measurements: Annotated[
        bool,
        option(
            "--measurements",
            RULES,
            "Print the measurements that 'limits:' of a profile can use, with their meaning.",
        ),
    ] = False,
    arithmetics: Annotated[
        bool,
        option("--arithmetics", RULES, "Print the names for --arithmetic of other commands."),
    ] = False,
    output: PlainFormat = "text",
    no_color: NoColor = False,
) -> None:
    """List profiles, their operators, or the rule of an operator.

    Without arguments, litecheck lists the profiles that it contains.

    \b
    [bold]Examples[/]
      litecheck rules
      litecheck rules --profile litert-int8
      litecheck rules CONV_2D
      litecheck rules SOFTMAX --profile litert-int8 -f json
      litecheck rules --source --profile litert-int8
      litecheck rules --measurements stride
      litecheck rules --arithmetics
      litecheck rules --template > acme-npu.yaml
      litecheck rules --schema > profile.schema.json
    """
    from litecheck.errors import ConfigError
    from litecheck.rendering import rule_files
    from litecheck.rendering import rules as layout

    if template + schema + source + measurements + arithmetics > 1 or (
        operator and (template or schema or source or arithmetics)
    ):
        raise ConfigError(
            "conflicting options: --template, --schema, --source, --measurements and --arithmetics print one thing "
            "each. Keep one of them, and an operator only with --measurements or without them."
        )
    if measurements:
        _measurements(operator or "", output, no_color)
        return
    if arithmetics:
        _arithmetics(output, no_color)
        return
    if source and not profile:
        raise ConfigError("--source: got no profile, expected one. Add --profile NAME.")
    if template or schema:
        write_stdout(rule_files.template() if template else rule_files.schema())
        return
    if source:
        write_stdout("".join(map(rule_files.number_lines, selected_profiles(profile))))
        return
    profiles = selected_profiles(profile) if profile or operator else every()
    if output == "json":
        write_stdout(layout.json_text(profiles, operator))
    elif operator:
        layout.print_rules(profiles, operator, console(no_color))
    elif profile:
        layout.print_operators(profiles, console(no_color))
    else:
        layout.print_profiles(profiles, console(no_color))


def _measurements(pattern: str, output: str, no_color: bool) -> None:
    from litecheck.rendering.measurements import measurements_json, print_measurements

    if output == "json":
        write_stdout(measurements_json(pattern))
    else:
        print_measurements(pattern, console(no_color))


def _arithmetics(output: str, no_color: bool) -> None:
    from litecheck.reference.engine.arithmetic import arithmetic_names, load_arithmetic
    from litecheck.rendering.listings import arithmetics_json, print_arithmetics

    found = tuple(map(load_arithmetic, arithmetic_names()))
    if output == "json":
        write_stdout(arithmetics_json(found))
    else:
        print_arithmetics(found, console(no_color))
