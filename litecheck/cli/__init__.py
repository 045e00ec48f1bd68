"""Command line: load, call one library function, render, exit."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings

#: Variables that OpenBLAS, MKL and Accelerate read when numpy loads them.
OWN = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
SHARED = "OMP_NUM_THREADS"


def main() -> None:
    """Run the command in ``sys.argv`` and exit with its code, or with 2 if litecheck itself fails."""
    stops = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if stops:  # an exception between two imports would be a traceback
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from litecheck.cli.streams import guard_streams, open_closed_streams

    one_thread()
    open_closed_streams()
    with guard_streams():
        code = _run(stops)
    gc.freeze()  # Python would search for reference cycles at exit, which takes longer than checking a model
    sys.exit(code)


def _run(stops: bool) -> int:
    from typer import Exit

    from litecheck.cli.console import INTERRUPTED, failures_told, is_plain_terminal, tell_defect, tell_warning

    warnings.showwarning = tell_warning
    if hasattr(signal, "SIGBREAK"):  # Ctrl-Break on Windows ends a run as Ctrl-C does
        signal.signal(signal.SIGBREAK, signal.default_int_handler)
    try:
        with failures_told():
            if is_plain_terminal():
                os.environ.setdefault("_TYPER_FORCE_DISABLE_TERMINAL", "1")  # no escape codes in the help
            from litecheck.cli.app import app

            if stops:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                app(prog_name="litecheck")
            finally:
                sys.stdout.flush()
    except Exit as end:
        return end.exit_code
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if _is_interrupted(error):
            return INTERRUPTED
        # Not 1, which means that a model violates its rules.
        tell_defect(error)
        return 2
    return 0


def _is_interrupted(error: BaseException | None) -> bool:
    """Return True if Ctrl-C caused an error: Python 3.11 wraps an exception of ``__set_name__`` in a class during an
    import."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False


def one_thread() -> None:
    """Set one thread for numpy's libraries unless the user set a number. Without effect after numpy is imported.

    A layer's matrices are small, so a second thread gains little. If another process keeps a core busy, both threads
    wait for each other.
    """
    if not any(name in os.environ for name in (*OWN, SHARED)):
        os.environ.update(dict.fromkeys(OWN, "1"))
