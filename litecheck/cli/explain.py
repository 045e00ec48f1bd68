"""``litecheck explain``: one requirement, or all of an operator's, in full."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.console import NoColor, judges_well, terminal_width


@judges_well
def explain(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", autocompletion=complete.paths, help="A path, an operator, or wildcards."
        ),
    ],
    profile: Annotated[
        list[str] | None,
        complete.profile_option(
            "Only this profile, a name or a file; repeatable. Default: those that validate judges by."
        ),
    ] = None,
    no_color: NoColor = False,
) -> None:
    """Explain a requirement: what it demands, why, who says so, and how a finding reads.

    A path is what findings are named by, CONV_2D/weight/zero_point. It may have wildcards, and it may stop
    early: CONV_2D explains all that is demanded of that operator.

    \b
    [bold]Examples[/]
      litecheck explain CONV_2D/weight/zero_point
      litecheck explain SOFTMAX --profile litert-int8
      litecheck explain '*/same_quantization'
    """
    from litecheck.rendering.explain import explain as explained

    print(explained(path, complete.chosen(profile), min(terminal_width() or 80, 120)), end="")
