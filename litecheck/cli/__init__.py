"""The command line: load, call one library function, render, exit."""

from __future__ import annotations

import gc
import os
import sys

#: What OpenBLAS, MKL and Accelerate read when numpy loads them, and what they all fall back on.
OWN = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
SHARED = "OMP_NUM_THREADS"


def main() -> None:
    """The program ``litecheck``: runs the command in ``sys.argv`` and exits; 2 if litecheck itself fails."""
    for stream in (sys.stdout, sys.stderr):
        # Names in a model are whatever its maker wrote; a narrow terminal shall not stop the report.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        from litecheck.cli.console import without_escapes

        if without_escapes():
            os.environ.setdefault("_TYPER_FORCE_DISABLE_TERMINAL", "1")  # for the help
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


def one_thread() -> None:
    """Ask for one thread unless the user has asked for some number; has no effect once numpy is imported.

    A layer's matrices are small: a second thread gains little, and where another process keeps its core busy, both
    threads wait for each other.
    """
    if not any(name in os.environ for name in (*OWN, SHARED)):
        os.environ.update(dict.fromkeys(OWN, "1"))
