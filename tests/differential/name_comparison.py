"""Comparison of ai-edge-quantizer beside ``trace``: tensors matched by name, in runs of the whole models.

ai-edge-quantizer runs in a separate Python, because its runtime may have a different version than the tests. It lists
the error of every tensor, without an order of operators. The operator named first writes the tensor with the largest
mean squared error (its default measure) or with the lowest SNR.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from litecheck.arrays import Arrays
from litecheck.model.save import save_model
from litecheck.model.types import Model, Signature

#: Columns of the table, with the metric and the sign that makes the worst tensor the largest.
COLUMNS = {"ai-edge MSE": ("mse", 1), "ai-edge SNR": ("snr", -1)}
_FILES = "reference.tflite", "target.tflite", "samples.npz"
_PROGRAM = """
import json, pathlib, sys
import numpy as np
from ai_edge_quantizer import model_validator
from ai_edge_quantizer.utils.validation_utils import ValidationErrorMetric as Metric

for line in sys.stdin:
    folder = pathlib.Path(line.strip())
    reference, target, samples = (folder / name for name in FILES)
    arrays = dict(np.load(samples))
    count = len(next(iter(arrays.values())))
    fed = [{name: array[n] for name, array in arrays.items()} for n in range(count)]
    try:
        found = model_validator.compare_model(
            reference.read_bytes(), target.read_bytes(), {"main": fed}, [Metric.MSE, Metric.SNR], num_threads=1
        ).get_signature_comparison_result("main")
        print(json.dumps({**found.intermediate_tensors, **found.output_tensors}), flush=True)
    except Exception as error:
        print(json.dumps({"": str(error)}), flush=True)
"""


class NameComparison:
    """Process that compares models by the names of their tensors. ``python`` has ai-edge-quantizer."""

    def __init__(self, python: str) -> None:
        self._command = [python, "-c", _PROGRAM.replace("FILES", repr(_FILES))]
        self._child: subprocess.Popen[str] | None = None

    def named_first(self, real: Model, quantized: Model, samples: Sequence[Arrays]) -> dict[str, int]:
        """Return the operator of the quantized model that each column names first, -1 if it names none."""
        main, writers = quantized.subgraphs[0], dict[str, int]()
        for operator in main.operators:
            writers.update({main.tensors[index].name: operator.index for index in operator.outputs})
        tensors = self._errors(real, quantized, samples)
        found = {}
        for column, (metric, sign) in COLUMNS.items():
            errors = {writers[name]: sign * one[metric] for name, one in tensors.items() if name in writers}
            found[column] = max(errors, key=errors.__getitem__, default=-1)
        return found

    def _errors(
        self, real: Model, quantized: Model, samples: Sequence[Arrays]
    ) -> Mapping[str, Mapping[str, float]]:
        """Return the measures of each tensor by its name; none if the process rejects the models or crashes."""
        with tempfile.TemporaryDirectory() as folder:
            for name, model in zip(_FILES, (real, quantized), strict=False):
                save_model(_with_signature(model), Path(folder, name))
            inputs = {f"in{n}": np.stack(arrays) for n, arrays in enumerate(zip(*samples, strict=True))}
            np.savez(Path(folder, _FILES[2]), **inputs)  # type: ignore[arg-type]
            answer = json.loads(self._answer(folder) or "{}")
        return {} if "" in answer else answer

    def _answer(self, folder: str) -> str:
        if self._child is None or self._child.poll() is not None:
            self._child = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )  # fmt: skip
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{folder}\n")
        self._child.stdin.flush()
        return self._child.stdout.readline()

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()


def _with_signature(model: Model) -> Model:
    """Return the model with a single entry point whose names do not depend on the file."""
    main = model.subgraphs[0]
    inputs = tuple((f"in{n}", index) for n, index in enumerate(main.inputs))
    outputs = tuple((f"out{n}", index) for n, index in enumerate(main.outputs))
    return replace(model, signatures=(Signature("main", 0, inputs, outputs),))
