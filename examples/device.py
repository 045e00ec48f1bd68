#!/usr/bin/env python3
"""Device as a Python program that computes all runs of a case in a single start.

    litecheck verify model.tflite --device 'command:python3 examples/device.py {model} {runs}'

LiteRT's interpreter takes the place of the hardware. For a board, replace the parts marked BOARD.
"""

import json
import sys
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

#: Exit code for a model with an operator that the device does not support.
NOT_SUPPORTED = 77
#: BOARD: the supported operators.
OPERATORS = {"ADD", "AVERAGE_POOL_2D", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "RESHAPE", "SVDF"}


def open_board(model: Path) -> Interpreter:
    """Load a model, once for all runs of a case. BOARD: replace this function."""
    interpreter = Interpreter(
        model_path=str(model), experimental_op_resolver_type=OpResolverType.BUILTIN_REF, num_threads=1
    )
    missing = {op["op_name"] for op in interpreter._get_ops_details()} - OPERATORS
    if missing:
        print(f"there is no {', '.join(sorted(missing))}", file=sys.stderr)
        raise SystemExit(NOT_SUPPORTED)
    interpreter.allocate_tensors()
    return interpreter


def infer(board: Interpreter, inputs: list[np.ndarray], reset: bool) -> list[np.ndarray]:
    """Compute an inference. BOARD: replace this function. ``reset`` sets all variables to their initial values first."""
    if reset:
        board.reset_all_variables()
    for detail, values in zip(board.get_input_details(), inputs, strict=True):
        board.set_tensor(detail["index"], values)
    board.invoke()
    return [board.get_tensor(detail["index"]) for detail in board.get_output_details()]


def main() -> int:
    """Compute all runs of a case in order."""
    if sys.argv[1:] == ["--version"]:
        print(f"example device 1.0 (ai-edge-litert {version('ai-edge-litert')})")
        return 0
    model, runs = map(Path, sys.argv[1:])
    board = open_board(model)
    facts = json.loads((runs / "runs.json").read_text())
    given = [np.load(runs / "inputs" / f"input_{n}.npy") for n in range(len(facts["inputs"]))]
    with ExitStack() as stack:
        taken = [
            stack.enter_context(open(runs / "outputs" / f"output_{n}.bin", "wb", buffering=0))
            for n in range(len(facts["outputs"]))
        ]
        for run, reset in enumerate(facts["reset"]):
            made = infer(board, [values[run] for values in given], reset)
            # Written outputs end a run: --timeout applies to each run.
            for file, values in zip(taken, made, strict=True):
                file.write(values.tobytes())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
