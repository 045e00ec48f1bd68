"""Measurement of a task in a separate process: ``python readers.py TASK MODEL`` prints seconds as JSON.

The time is processor time, which excludes further programs. It includes the model, but neither imports nor schema
tables. Files are memory-mapped.
"""

from __future__ import annotations

import json
import mmap
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

#: Function that prepares everything independent of the file's content, and returns the timed function.
Task = Callable[[str], Callable[[], object]]


def verify(path: str) -> Callable[[], object]:
    """Return the structural verification of a file."""
    from litecheck.flatbuffer.containers import open_models
    from litecheck.flatbuffer.schema import load_schema
    from litecheck.flatbuffer.tables import Bytes
    from litecheck.flatbuffer.verifier import verify as check

    schema = load_schema("tflite")

    def run() -> object:
        (member,) = open_models(path)
        assert not isinstance(member, Exception)
        tables, problems = check(schema, Bytes(member.data, member.start))
        assert not problems
        return tables.total()

    return run


def validate(path: str) -> Callable[[], object]:
    """Return a complete ``validate``: reading, rules, and a scan of every weight."""
    from litecheck.checks.validate import validate_file
    from litecheck.flatbuffer.schema import load_schema
    from litecheck.report import Report

    load_schema("tflite")

    def run() -> object:
        report = Report("", validate_file(path))
        assert report.exit_code == 0, report.models[0].problems or report.models[0].findings[:3]
        return report

    return run


def npmin(path: str) -> Callable[[], object]:
    """Return ``np.min`` over the constants that ``validate`` scans, mapped again."""
    from litecheck.model.load import load_model

    model = load_model(path)
    scanned = [b.data.view(np.int8) for b in model.buffers if len(b.data) >= 1 << 20]
    return lambda: min((int(np.min(values)) for values in scanned), default=0)


def interpreter(path: str) -> Callable[[], object]:
    """Return the construction of LiteRT's interpreter from a file, without allocation of tensors."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    return lambda: Interpreter(model_path=path, experimental_op_resolver_type=plain)


def accessors(path: str) -> Callable[[], object]:
    """Return a listing of all tensors and operators by the accessors generated from LiteRT's schema."""
    from ai_edge_litert import schema_py_generated as schema

    data = _mapped(path)

    def run() -> object:
        model = schema.Model.GetRootAs(data)
        codes = [model.OperatorCodes(i).BuiltinCode() for i in range(model.OperatorCodesLength())]
        listed = []
        for number in range(model.SubgraphsLength()):
            subgraph = model.Subgraphs(number)
            tensors = (subgraph.Tensors(i) for i in range(subgraph.TensorsLength()))
            listed += [_tensor(tensor) for tensor in tensors]
            operators = (subgraph.Operators(i) for i in range(subgraph.OperatorsLength()))
            listed += [(codes[op.OpcodeIndex()], op.InputsAsNumpy(), op.OutputsAsNumpy()) for op in operators]
        return len(listed)

    return run


def _tensor(tensor: Any) -> tuple[object, ...]:
    q = tensor.Quantization()
    stated = (q.ScaleAsNumpy(), q.ZeroPointAsNumpy()) if q is not None else ()
    return tensor.Name(), tensor.ShapeAsNumpy(), tensor.Type(), stated


def quantizer(path: str) -> Callable[[], object]:
    """Return ai-edge-quantizer's reader, which makes Python objects of the whole model."""
    from ai_edge_quantizer.utils import tfl_flatbuffer_utils

    return lambda: tfl_flatbuffer_utils.read_model(path)


def _mapped(path: str) -> mmap.mmap:
    with Path(path).open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


TASKS: dict[str, Task] = {
    task.__name__: task for task in (verify, validate, npmin, interpreter, accessors, quantizer)
}


def anonymous_memory() -> int:
    """Return the current anonymous memory of this process in bytes."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("RssAnon"))


def main() -> None:
    run = TASKS[sys.argv[1]](sys.argv[2])
    start = time.process_time()
    result = run()
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "anonymous": anonymous_memory()}))
    del result


if __name__ == "__main__":
    main()
