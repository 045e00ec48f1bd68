"""The help of a command, laid out here: every few versions of typer lay it out in another way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.panel import Panel

Row = tuple[str, ...]

#: A paragraph that begins with it keeps its line ends.
VERBATIM = "\b"


class HelpfulCommand:
    """Mixed into typer's commands and groups: their help is what :func:`help_text` makes of them."""

    def get_usage(self, ctx: Any) -> str:
        """The line above an error."""
        return f"Usage: {usage(self, ctx)}"

    def get_help_option(self, ctx: Any) -> Any:
        """The option ``--help``: its text keeps the colors that it was rendered with."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.callback = _show_help
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Hand the text to the formatter, which prints it."""
        formatter.write(help_text(self, ctx))


def _show_help(context: Any, parameter: Any, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        print_help(context.command, context)
        context.exit()


def print_help(command: Any, context: Any) -> None:
    """Print the help of a command to stdout."""
    from litecheck.cli.console import write_styled

    write_styled(help_text(command, context).rstrip("\n") + "\n")


def help_text(command: Any, context: Any) -> str:
    """Usage, what the command does, examples, then its arguments, options and commands, as wide as the terminal."""
    from rich.text import Text

    from litecheck.cli.console import console

    file = StringIO()
    page = console(file=file)
    page.print(Text.assemble((" Usage: ", "bold yellow"), (usage(command, context), "bold")))
    for paragraph in (command.help or "").split("\n\n"):
        page.print()
        _print_paragraph(page, paragraph)
    page.print()
    for panel in _panels(command, context):
        page.print(panel)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def usage(command: Any, context: Any) -> str:
    """``litecheck validate [OPTIONS] MODEL...``."""
    parameters = command.get_params(context)
    arguments = [_argument(p) for p in parameters if p.param_type_name == "argument" and not p.hidden]
    rest = ["COMMAND [ARGS]..."] if hasattr(command, "list_commands") else []
    return " ".join((context.command_path, "[OPTIONS]", *arguments, *rest))


def _argument(parameter: Any) -> str:
    name = _placeholder(parameter)
    return name if parameter.required else f"[{name}]"


def _placeholder(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _print_paragraph(page: Console, paragraph: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    verbatim = paragraph.startswith(VERBATIM)
    text = Text.from_markup(paragraph.lstrip(f"{VERBATIM}\n"))
    if verbatim:
        text.no_wrap, text.overflow = False, "fold"
    page.print(Padding(text, (0, 1)))


def _panels(command: Any, context: Any) -> Iterator[Panel]:
    shown = [p for p in command.get_params(context) if not p.hidden]
    arguments = [(_placeholder(p), _described(p)) for p in shown if p.param_type_name == "argument"]
    options = [(*_names(p), _value(p), _described(p)) for p in shown if p.param_type_name == "option"]
    commands = [(name, _summary(command.get_command(context, name))) for name in _commands(command, context)]
    for title, rows in (("Arguments", arguments), ("Options", options), ("Commands", commands)):
        if rows:
            yield _panel(title, rows)


def _commands(command: Any, context: Any) -> Sequence[str]:
    return command.list_commands(context) if hasattr(command, "list_commands") else ()


def _names(option: Any) -> tuple[str, str]:
    """The long names and the short ones: ``--profile`` and ``-p``."""
    names = (*option.opts, *option.secondary_opts)
    longs = [name for name in names if name.startswith("--")]
    return ",".join(longs), ",".join(name for name in names if name not in longs)


def _value(option: Any) -> str:
    return "" if option.is_flag else _placeholder(option)


def _described(parameter: Any) -> str:
    return f"{parameter.help or ''} [dim]\\[required][/]" if parameter.required else parameter.help or ""


def _summary(command: Any) -> str:
    """The first sentence of a command's help."""
    return str(command.help or "").split("\n\n")[0]


def _panel(title: str, rows: Sequence[Row]) -> Panel:
    """A frame around rows whose last cell is a text and whose others are names."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    used = [n for n in range(len(rows[0])) if any(row[n] for row in rows)]
    table = Table.grid(padding=(0, 2), expand=True)
    for n in used:
        last = n == used[-1]
        table.add_column(ratio=1 if last else None, no_wrap=not last, style="" if last else "bold cyan")
    for row in rows:
        table.add_row(*(Text.from_markup(row[n]) if n == used[-1] else Text(row[n]) for n in used))
    return Panel(table, title=title, title_align="left", border_style="dim")
