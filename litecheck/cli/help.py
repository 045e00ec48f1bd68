"""Layout of the help of a command, because versions of typer differ in their layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from litecheck.cli.panels import OUTPUT

if TYPE_CHECKING:
    from rich.console import Console
    from rich.panel import Panel

Row = tuple[str, str]

#: Title of options without a group.
OPTIONS = "Options"

#: Start of a paragraph that keeps its line ends.
VERBATIM = "\b"
#: Heading of the paragraph that is printed after the options, where a terminal still shows it.
EXAMPLES = "[bold]Examples[/]"


class HelpfulCommand:
    """Mixin for typer's commands and groups: their help is :func:`help_text`."""

    def get_usage(self, ctx: Any) -> str:
        """Return the usage line above an error."""
        return f"Usage: {usage(self, ctx)}"

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option ``--help``. Its text keeps its rendered colors."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.callback = _show_help
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Pass the text to the formatter, which prints it."""
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
    """Return usage, purpose, arguments, groups of options, commands and examples, as wide as the terminal."""
    from rich.text import Text

    from litecheck.cli.console import console

    file = StringIO()
    page = console(file=file)
    page.print(Text.assemble((" Usage: ", "bold yellow"), (usage(command, context), "bold")))
    paragraphs = (command.help or "").split("\n\n")
    examples = [paragraph for paragraph in paragraphs if EXAMPLES in paragraph]
    for paragraph in paragraphs:
        if paragraph not in examples:
            page.print()
            _print_paragraph(page, paragraph)
    page.print()
    for panel in _panels(command, context):
        page.print(panel)
    for paragraph in examples:
        page.print()
        _print_paragraph(page, paragraph)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def usage(command: Any, context: Any) -> str:
    """Return the usage. Example: ``litecheck validate [OPTIONS] MODEL...``."""
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
    arguments = [(_placeholder(p), _parameter_help(p)) for p in shown if p.param_type_name == "argument"]
    options = [p for p in shown if p.param_type_name == "option"]
    commands = [(name, _summary(command.get_command(context, name))) for name in _commands(command, context)]
    if arguments:
        yield _panel("Arguments", arguments)
    yield from _option_panels(options)
    if commands:
        yield _panel("Commands", commands)


def _option_panels(options: Sequence[Any]) -> Iterator[Panel]:
    """Yield a frame for each group, in order of first options. The texts of all groups start in the same column."""
    groups: dict[str, list[Row]] = {}
    for option in options:
        title = getattr(option, "rich_help_panel", None) or (OUTPUT if OUTPUT in groups else OPTIONS)
        groups.setdefault(title, []).extend(_option_rows(option))
    width = max((len(name) for group in groups.values() for name, _ in group), default=0)
    for title, group in groups.items():
        yield _panel(title, group, width)


def _commands(command: Any, context: Any) -> Sequence[str]:
    return command.list_commands(context) if hasattr(command, "list_commands") else ()


def _option_rows(option: Any) -> list[Row]:
    """Return the row of an option. Lines of its help below the first are rows, as ``NAME: TEXT``."""
    names = ", ".join(
        sorted((*option.opts, *option.secondary_opts), key=lambda name: not name.startswith("--"))
    )
    first, *rest = _parameter_help(option).split("\n")
    more = (line.partition(": ") for line in rest)
    return [
        (names if option.is_flag else f"{names} {_placeholder(option)}", first),
        *((f"  {name}", text) for name, _, text in more),
    ]


def _parameter_help(parameter: Any) -> str:
    from rich.markup import escape

    text = escape(parameter.help or "")
    return f"{text} [dim]\\[required][/]" if parameter.required else text


def _summary(command: Any) -> str:
    """Return the first sentence of a command's help."""
    return str(command.help or "").split("\n\n")[0]


def _panel(title: str, rows: Sequence[Row], width: int = 0) -> Panel:
    """Return a frame around rows of a name and a text; ``width`` is the least width of the names."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True, style="bold cyan")
    table.add_column(ratio=1)
    for name, text in rows:
        # Padded here: versions of rich count a least width with or without the padding of the column.
        table.add_row(Text(name.ljust(width)), Text.from_markup(text))
    return Panel(table, title=title, title_align="left", border_style="dim")
