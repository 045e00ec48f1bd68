"""The command line: load, call one library function, render, exit."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """The program ``litecheck``: runs the command in ``sys.argv`` and exits; 2 if litecheck itself fails."""
    for stream in (sys.stdout, sys.stderr):
        # Names in a model are whatever its maker wrote; a narrow terminal shall not stop the report.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        from litecheck.cli.app import app

        app(prog_name="litecheck")
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:
        # Not 1, which says that a model violates its rules.
        import traceback

        traceback.print_exc()
        print("\nThis is a mistake in litecheck, not in your model; please report it.", file=sys.stderr)
        sys.exit(2)
    finally:
        gc.freeze()  # Python would look for cycles on its way out, which takes longer than judging a model
