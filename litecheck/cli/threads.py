"""How many threads linear algebra takes in the commands that compute."""

from __future__ import annotations

import os

#: What OpenBLAS, MKL and Accelerate read when numpy loads them, and what they all fall back on.
OWN = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
SHARED = "OMP_NUM_THREADS"


def one_thread() -> None:
    """Ask for one thread unless the user has asked for some number; has no effect once numpy is imported.

    A layer's matrices are small: a second thread gains little, and where another process keeps its core busy, both
    threads wait for each other.
    """
    if not any(name in os.environ for name in (*OWN, SHARED)):
        os.environ.update(dict.fromkeys(OWN, "1"))
