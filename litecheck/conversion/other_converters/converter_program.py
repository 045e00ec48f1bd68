"""Program of a conversion's child process: it imports a converter, runs it on a request, and writes the outcome."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litecheck.processes.memory import peak_memory
from litecheck.processes.posix import limit_memory, set_alarm

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Files in the child's folder.
REQUEST, SAMPLES, MODEL, END, LOG = "request.json", "samples.npz", "model.tflite", "end.json", "log"

#: A program: from the request and the file of samples to the bytes of a model.
Program = Callable[[Mapping[str, Any], Path], bytes]


def main() -> None:
    """Run the program. Arguments: program ``module:function``, folder."""
    reference, folder = sys.argv[1], Path(sys.argv[2])
    facts: dict[str, Any] = {}
    try:
        request = json.loads((folder / REQUEST).read_text("utf-8"))
        set_alarm(int(request["seconds"]) + 60)
        for needed in request["imports"]:
            import_module(needed)
        module, _, name = reference.partition(":")
        run: Program = getattr(import_module(module), name)
        limit_memory(int(request["memory"]))
        (folder / MODEL).write_bytes(run(request, folder / SAMPLES))
    except BaseException as error:  # a converter may raise anything, sys.exit included
        kind = "missing module" if isinstance(error, ModuleNotFoundError) else type(error).__name__
        facts = {"error": kind, "message": str(getattr(error, "name", None) or error)}
    facts["peak"] = peak_memory()
    (folder / END).write_text(json.dumps(facts), "utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    # Objects of a converter may crash at exit.
    os._exit(0)


def samples_of(file: Path) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the calibration samples by the inputs' names."""
    import numpy as np  # not before the program, which may have to start something first

    with np.load(file) as arrays:
        stacked = dict(arrays)
    for at in range(len(next(iter(stacked.values())))):
        yield {name: values[at] for name, values in stacked.items()}
