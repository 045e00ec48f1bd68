"""Groups of options in ``--help``, in the order of a command's signature, common options first; options of a group."""

from __future__ import annotations

from typing import Any, Final

import typer

RULES: Final = "Rules"
DEVICE: Final = "Device and reference"
PARAMETERS: Final = "Quantization parameters"
CONVERSION: Final = "Conversion"
SCOPE: Final = "Scope"
INPUTS: Final = "Inputs"
CHECK: Final = "Check of a certificate"
STREAM: Final = "Stream for a simulator"
FAILURE: Final = "Failure conditions"
LIMITS: Final = "Time and memory"
OUTPUT: Final = "Output"
ADVANCED: Final = "Advanced"


def option(usage: str, group: str, text: str, **more: Any) -> Any:
    """Return an option as its usage states it: names, then the placeholder of its value. ``more`` is passed to typer.

    For example, ``--output -o FILE`` is an option with a value, and ``--quiet -q`` is a flag.
    """
    words = usage.split()
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :]) or None
    return typer.Option(*names, metavar=metavar, rich_help_panel=group, help=text, **more)
