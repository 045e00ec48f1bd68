"""LiteRT for Microcontrollers as an oracle, from the package tflite_micro: ``with Tflm() as tflm: tflm.run(...)``.

It runs in a child process, which it ends where an assertion of its own does not hold.
"""

from __future__ import annotations

from tests.differential.oracle import Oracle

_CHILD = r"""
import os, pickle, struct, sys, tempfile
out = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
from tflite_micro.python.tflite_micro import runtime
from tflite_micro.tensorflow.lite.micro.python.schema_py_generated import Model
log = tempfile.TemporaryFile()
os.dup2(log.fileno(), 1); os.dup2(log.fileno(), 2)
def answer(model, runs):
    outputs = Model.GetRootAs(model).Subgraphs(0).OutputsLength()
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=1 << 24)
    results = []
    for inputs in runs:
        interpreter.reset()
        for at, x in enumerate(inputs): interpreter.set_input(x, at)
        interpreter.invoke()
        results.append([interpreter.get_output(at).copy() for at in range(outputs)])
    return results
while True:
    head = sys.stdin.buffer.read(8)
    if len(head) < 8: break
    model, runs, _, _ = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", head)[0]))
    log.seek(0); log.truncate()
    try: reply = answer(model, runs)
    except (RuntimeError, ValueError) as error:
        log.seek(0)
        reply = log.read().decode(errors="replace").split("\n")[0] or str(error)
    data = pickle.dumps(reply, 5)
    out.write(struct.pack("<Q", len(data)) + data); out.flush()
"""


class Tflm(Oracle):
    """TFLM's interpreter, whatever the resolver; it shows no variables."""

    program = _CHILD
    shows_variables = False
