"""``litecheck explain``: full text of one requirement, or of all requirements of an operator."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.console import NoColor, handle_errors, terminal_width
from litecheck.errors import ConfigError
from litecheck.files import STDIN


@handle_errors
def explain(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            autocompletion=complete.paths,
            help="Explain this requirement, an operator, or wildcards; - reads paths from stdin, a line each.",
        ),
    ],
    profile: Annotated[list[str] | None, complete.profile_option("those of validate")] = None,
    no_color: NoColor = False,
) -> None:
    """Explain a requirement: value, reason, source, and a finding.

    PATH is the name of a finding, CONV_2D/weight/zero_point. A PATH can have wildcards, and can stop early: CONV_2D
    explains all requirements of this operator. Of more than 12 requirements, each has one line.

    \b
    [bold]Examples[/]
      litecheck explain CONV_2D/weight/zero_point
      litecheck explain SOFTMAX --profile litert-int8
      litecheck explain '*/same_quantization'
    """
    from litecheck.rendering.explain import NARROWEST
    from litecheck.rendering.explain import explain as explained

    profiles, width = complete.selected_profiles(profile), max(NARROWEST, min(terminal_width() or 80, 120))
    paths = _paths_from_stdin() if path == STDIN else [path]
    print("\n".join(explained(one, profiles, width) for one in paths), end="")


def _paths_from_stdin() -> list[str]:
    """Return the paths from stdin, without duplicates. Raise ConfigError if there are none."""
    paths = dict.fromkeys(line.strip() for line in sys.stdin if line.strip())
    if not paths:
        raise ConfigError("no path is piped to the program")
    return list(paths)
