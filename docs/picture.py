"""The picture of README: a real finding as the terminal shows it. ``python docs/picture.py`` writes docs/finding.svg."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from litecheck.checks.validate import validate_file
from litecheck.files import atomic_write
from litecheck.rendering.validation.text import print_report
from litecheck.report import ModelReport, Report
from litecheck.version import __version__

ROOT = Path(__file__).resolve().parent.parent
MODEL = "fixtures/broken_weight_zero_point.tflite"
PICTURE = ROOT / "docs" / "finding.svg"
#: Fonts that rich would load from a server.
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def picture() -> str:
    """Return the SVG of ``litecheck validate`` on a broken fixture."""
    console = Console(
        record=True, width=80, force_terminal=True, color_system="truecolor", file=io.StringIO()
    )
    console.print(f"$ litecheck validate {MODEL}", highlight=False)
    models = validate_file(ROOT / MODEL)
    report = Report(__version__, tuple(_renamed(model) for model in models))
    print_report(report, console)
    svg = console.export_svg(title="litecheck", unique_id="finding")
    return _FONTS.sub("", svg).replace("Fira Code", "monospace")


def _renamed(model: ModelReport) -> ModelReport:
    return replace(model, file=MODEL)


def main() -> int:
    """Write the picture, or with ``--check`` return 1 if it is not up to date."""
    text = picture()
    if "--check" in sys.argv[1:]:
        return int(PICTURE.read_text("utf-8") != text)
    atomic_write(PICTURE, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
