"""Child process that loads and runs each file named on its input in LiteRT, as far as possible.

For every line, a path, it prints a line: the last stage and the message. LiteRT ends the process on some files; the
caller then starts a new child after this file.
"""

from __future__ import annotations

import sys

import numpy as np

#: LiteRT's message if its FlatBuffers verifier rejects a file; no further fault has it.
VERIFIER = "not a valid Flatbuffer"
#: Largest number of elements of a tensor that is filled.
ELEMENTS_MAX = 1 << 24


def stage(path: str) -> tuple[str, str]:
    """Return (``invalid``, ``refused``, ``unallocated``, ``failed``, ``not finite`` or ``ran``, message)."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    try:
        model = Interpreter(model_path=path, experimental_op_resolver_type=plain)
    except (ValueError, RuntimeError) as error:
        return ("invalid" if VERIFIER in str(error) else "refused"), str(error)
    try:
        if any(np.prod(t["shape"], dtype=float) > ELEMENTS_MAX for t in model.get_tensor_details()):
            return "unallocated", "too large to be tried"
        model.allocate_tensors()
    except (ValueError, RuntimeError) as error:
        return "unallocated", str(error)
    try:
        for i in model.get_input_details():
            model.set_tensor(i["index"], np.ones(tuple(i["shape"]), i["dtype"]))
        model.invoke()
        outputs = [model.get_tensor(o["index"]) for o in model.get_output_details()]
    except (ValueError, RuntimeError, TypeError) as error:
        return "failed", str(error)
    numbers = [o for o in outputs if o.dtype.kind in "fiu"]
    return ("ran" if all(np.isfinite(o).all() for o in numbers) else "not finite"), ""


def main() -> None:
    """Answer each line of stdin."""
    for line in sys.stdin:
        kind, message = stage(line.rstrip("\n"))
        print(f"END {kind}\t{' '.join(message.split())[:200]}", flush=True)


if __name__ == "__main__":
    main()
