"""Negative controls: each function switches a protection of litecheck off, so that cases must find faults."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def isolation() -> None:
    """Let child processes import a module before the current folder leaves their search path."""
    module = importlib.import_module("litecheck.processes.python")
    module._SAFE_PATH = ()  # type: ignore[attr-defined]
    module._PROGRAM = f"import json\n{module._PROGRAM}"  # type: ignore[attr-defined]


def configuration() -> None:
    """Let a configuration file name output files anywhere."""
    replace("litecheck.cli.config_outputs", "check_output", lambda *arguments: None)


def escaping() -> None:
    """Print text without escaping."""
    replace("litecheck.rendering.escape", "escape_text", lambda text, **options: text)


def limits() -> None:
    """Let no computation exceed a limit."""
    replace("litecheck.reference.compute_limits", "check_limit", lambda *arguments: None)


def reader() -> None:
    """Open devices, FIFOs and links like files."""
    replace("litecheck.files", "open_file", lambda path, piped=False: Path(path).open("rb"))  # noqa: SIM115
    replace("litecheck.files", "check_regular", lambda descriptor, piped=False: None)


def replace(module: str, name: str, other: Callable[..., Any]) -> None:
    """Replace a function in its module and in all modules that imported it by name."""
    function = getattr(importlib.import_module(module), name)
    for loaded in list(sys.modules.values()):
        if (
            getattr(loaded, "__name__", "").startswith("litecheck")
            and getattr(loaded, name, None) is function
        ):
            setattr(loaded, name, other)


#: Protections by name, with the kind of cases that must find faults without the protection, and the check that fires.
FIXES: dict[str, tuple[Callable[[], None], str, str]] = {
    "isolation": (isolation, "modules", "foreign code"),
    "configuration": (configuration, "configurations", "elsewhere"),
    "escaping": (escaping, "models", "printed"),
    "limits": (limits, "bombs", "limits"),
    "reader": (reader, "documents", "limits"),
}
