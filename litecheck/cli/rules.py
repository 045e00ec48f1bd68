"""``litecheck rules``: the profiles there are, their operators, and each operator's rule."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.complete import chosen, every
from litecheck.cli.console import NoColor, PlainFormat, console, ends_well, write_stdout


@ends_well
def rules(
    operator: Annotated[
        str | None,
        typer.Argument(
            metavar="[OPERATOR]",
            autocompletion=complete.rule_subjects,
            help="Such as CONV_2D; of --measurements a part of their names, or wildcards.",
        ),
    ] = None,
    profile: Annotated[
        list[str] | None, complete.profile_option("This profile, a name or a file; repeatable.")
    ] = None,
    source: Annotated[
        bool,
        typer.Option(
            "--source", help="The file of each --profile, with the line numbers that findings cite."
        ),
    ] = False,
    template: Annotated[
        bool, typer.Option("--template", help="A commented profile to start your own from.")
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="The JSON Schema of profiles, for editors.")
    ] = False,
    measurements: Annotated[
        bool, typer.Option("--measurements", help="The measurements that limits may name.")
    ] = False,
    output: PlainFormat = "text",
    no_color: NoColor = False,
) -> None:
    """List the profiles, the operators of a profile, or the rule of an operator.

    Without arguments: the profiles that come with litecheck. With --profile: its operators. With an
    operator: what each profile demands of it, line by line (default: the profiles validate judges by).
    With --source: the rule file itself, as findings cite it. With --measurements: what a rule's limits
    can speak of.

    \b
    [bold]Examples[/]
      litecheck rules
      litecheck rules --profile litert-int8
      litecheck rules CONV_2D
      litecheck rules SOFTMAX --profile litert-int8 -f json
      litecheck rules --source --profile litert-int8
      litecheck rules --measurements stride
      litecheck rules --template > acme-npu.yaml
      litecheck rules --schema > profile.schema.json
    """
    from litecheck.errors import ConfigError
    from litecheck.rendering import rule_files
    from litecheck.rendering import rules as layout

    if template + schema + source + measurements > 1 or (operator and (template or schema or source)):
        raise ConfigError(
            "--template, --schema, --source and --measurements print one thing each: give one of them, and an "
            "operator only without them"
        )
    if measurements:
        _measurements(operator or "", output, no_color)
        return
    if source and not profile:
        raise ConfigError("--source: whose? Name a profile by --profile")
    if template or schema:
        write_stdout(rule_files.template() if template else rule_files.schema())
        return
    if source:
        write_stdout("".join(map(rule_files.numbered, chosen(profile))))
        return
    profiles = chosen(profile) if profile or operator else every()
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
