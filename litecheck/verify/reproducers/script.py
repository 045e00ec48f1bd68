"""The program in a reproducer's folder: it needs numpy and what drives the device, and nothing of litecheck."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from litecheck.devices.spec import parse

#: What to install for each kind of device that a script can drive.
NEEDS = {
    "litert": "ai-edge-litert",
    "delegate": "ai-edge-litert",
    "tflm": "tflite-micro",
    "command": "numpy",
}

_HEAD = '''"""{title}

Needs {needs}. Exit status: 0 reproduced, 1 not reproduced, 2 it could not be tried.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
WANTED = {outcome!r}
INPUTS, OUTPUTS, TIMES = {inputs}, {outputs}, {times}
BEFORE, STARTS = {before}, {starts}  # inferences before, whose state is gone on from; variables that are given contents
TOLERANCE = {tolerance!r}  # for real values, relative to the largest of them
SECONDS = {seconds!r}

'''

_LITERT = '''
def infer(series):
    """The last outputs of each series of inferences; one interpreter makes them all."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(
        model_path=str(HERE / "model.tflite"),
        experimental_op_resolver_type=OpResolverType.{resolver},
        num_threads={threads},
    )
    interpreter.allocate_tensors()
    return [run(interpreter, series) for _ in range(TIMES)]
'''
_DELEGATE = '''
LIBRARY, OPTIONS = {library!r}, {options!r}


def infer(series):
    """The last outputs of each series of inferences under the delegate; another library may be named on the command line."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

    library = sys.argv[2] if len(sys.argv) > 2 else LIBRARY
    interpreter = Interpreter(
        model_path=str(HERE / "model.tflite"),
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        experimental_delegates=[load_delegate(library, OPTIONS)],
        num_threads=1,
    )
    interpreter.allocate_tensors()
    return [run(interpreter, series) for _ in range(TIMES)]
'''
_RUN = """

def run(interpreter, series):
    for detail, values in zip(interpreter.get_input_details(), series[0]):
        if tuple(detail["shape"]) != values.shape:
            interpreter.resize_tensor_input(detail["index"], values.shape)
            interpreter.allocate_tensors()
    interpreter.reset_all_variables()
    for index in STARTS:
        interpreter.set_tensor(index, np.load(HERE / f"start_{index}.npy"))
    for inputs in series:
        for detail, values in zip(interpreter.get_input_details(), inputs):
            interpreter.set_tensor(detail["index"], values)
        interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
"""
_TFLM = '''
def infer(series):
    """The last outputs of each series of inferences."""
    from tflite_micro.python.tflite_micro import runtime

    made = []
    for _ in range(TIMES):
        model = (HERE / "model.tflite").read_bytes()
        interpreter = runtime.Interpreter.from_bytes(model, arena_size={arena})
        for inputs in series:
            for index, values in enumerate(inputs):
                interpreter.set_input(values, index)
            interpreter.invoke()
        made.append([interpreter.get_output(index).copy() for index in range(OUTPUTS)])
    return made
'''
_COMMAND = '''
COMMAND = {words!r}


def infer(series):
    """The last outputs of each series of inferences, as the program leaves them in a folder."""
    if any("{{runs}}" in word for word in COMMAND):
        made = start(series * TIMES, [n % len(series) == 0 for n in range(len(series) * TIMES)])
        return made[len(series) - 1 :: len(series)]
    made = []
    for _ in range(TIMES):
        with tempfile.TemporaryDirectory() as state:
            made.append([start([inputs], [], state)[0] for inputs in series][-1])
    return made


def start(series, reset, state=""):
    """One start of the program: of runs that begin anew or not, whose arrays then have a dimension more, or of one run."""
    runs = len(reset)
    with tempfile.TemporaryDirectory() as folder:
        given, taken = Path(folder, "inputs"), Path(folder, "outputs")
        given.mkdir()
        taken.mkdir()
        for index in range(INPUTS):
            values = np.stack([inputs[index] for inputs in series]) if runs else series[0][index]
            np.save(given / f"input_{{index}}.npy", values)
            (given / f"input_{{index}}.bin").write_bytes(values.tobytes())
        listed = {{"runs": runs, "reset": reset, "inputs": [{{}}] * INPUTS, "outputs": [{{}}] * OUTPUTS}}
        Path(folder, "runs.json").write_text(json.dumps(listed))
        places = {{"{{model}}": HERE / "model.tflite", "{{inputs}}": given, "{{outputs}}": taken, "{{runs}}": folder}}
        places["{{state}}"] = state
        words = COMMAND
        for name, path in places.items():
            words = [word.replace(name, str(path)) for word in words]
        subprocess.run(words, check=True)
        made = [output(taken, index, runs) for index in range(OUTPUTS)]
        return list(zip(*made)) if runs else [made]


def output(folder, index, runs):
    if (folder / f"output_{{index}}.npy").exists():
        return np.load(folder / f"output_{{index}}.npy")
    expected = np.load(HERE / f"expected_{{index}}.npy")
    raw = (folder / f"output_{{index}}.bin").read_bytes()
    return np.frombuffer(raw, expected.dtype).reshape((runs, *expected.shape) if runs else expected.shape)
'''
_TAIL = '''

def child(target):
    names = [*(f"before_{n}" for n in range(BEFORE)), "input"]
    series = [[np.load(HERE / f"{name}_{index}.npy") for index in range(INPUTS)] for name in names]
    runs = infer(series)
    np.savez(target, **{f"{n}_{k}": array for n, run in enumerate(runs) for k, array in enumerate(run)})


def main():
    """Run in a process of its own, which may crash or hang; say what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "outputs.npz")
        command = [sys.executable, __file__, f"--child={target}", *sys.argv[1:]]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return report("timed out", f"no answer after {SECONDS:g} s")
        if "ModuleNotFoundError" in done.stderr:
            print(done.stderr.strip().splitlines()[-1])
            return 2
        if done.returncode < 0:
            return report("crashed", f"ended by signal {-done.returncode}")
        if done.returncode or not target.exists():
            last = done.stderr.strip().splitlines()[-1:] or [f"ended with status {done.returncode}"]
            said = done.stderr.lower().replace("_", " ")
            memory = any(words in said for words in ("memoryerror", "bad alloc", "out of memory", "allocate"))
            outcome = "refused" if done.returncode else "crashed"
            return report("out of memory" if memory else outcome, last[0])
        return judge(dict(np.load(target)))


def judge(arrays):
    for name, array in sorted(arrays.items()):
        number, index = map(int, name.split("_"))
        expected = np.load(HERE / f"expected_{index}.npy")
        if array.shape != expected.shape or array.dtype != expected.dtype:
            return report("wrong shape or type", f"{array.dtype}{array.shape}, not {expected.dtype}{expected.shape}")
        if number and WANTED == "flaky" and not np.array_equal(array, arrays[f"0_{index}"]):
            return report("flaky", f"inference {number} differs from the first")
    for index in range(OUTPUTS):
        expected, actual = np.load(HERE / f"expected_{index}.npy"), arrays[f"0_{index}"]
        off = actual.astype(np.float64) - expected.astype(np.float64)
        bound = TOLERANCE * np.abs(expected).max(initial=0) if expected.dtype.kind == "f" else 0
        wrong = np.argwhere(np.abs(off) > bound)
        if len(wrong):
            at = tuple(int(n) for n in wrong[0])
            first = f"output {index} at {at}: expected {expected[at]}, the device gives {actual[at]}"
            return report("mismatch", f"{len(wrong)} of {off.size} differ; {first}")
    return report("exact", "every output is as expected")


def report(outcome, words):
    print(f"{outcome}: {words}")
    print("reproduced" if outcome == WANTED else f"not reproduced: {WANTED} was expected")
    return 0 if outcome == WANTED else 1


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("--child="):
        child(sys.argv[1].partition("=")[2])
    else:
        raise SystemExit(main())
'''
_RESOLVERS = {"reference": "BUILTIN_REF", "optimized": "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "xnnpack": "AUTO"}


def script(device: str, facts: Mapping[str, Any]) -> str | None:
    """The program for a device; None for kinds that only litecheck can drive (plugins, recordings).

    ``facts`` gives title, outcome, inputs, outputs, times, before, starts, tolerance and seconds.
    """
    spec = parse(device)
    if spec.kind not in NEEDS:
        return None
    needs = " and ".join(dict.fromkeys((NEEDS[spec.kind], "numpy")))
    head = _HEAD.format_map({**facts, "title": _quoted(facts["title"]), "needs": needs})
    options = dict(spec.options)
    if spec.kind == "litert":
        threads = int(options.get("threads", 1))
        body = _LITERT.format(resolver=_RESOLVERS[spec.argument], threads=threads) + _RUN
    elif spec.kind == "delegate":
        body = _DELEGATE.format(library=spec.argument, options=options) + _RUN
    elif spec.kind == "tflm":
        body = _TFLM.format(arena=int(options.get("arena", 1 << 26)))
    else:
        body = _COMMAND.format(words=shlex.split(spec.argument))
    return f"{head}{body}{_TAIL}"


def _quoted(text: str) -> str:
    """Any text inside of a docstring: backslashes, quotes and what is not ASCII stand behind backslashes."""
    return ascii(text)[1:-1].replace('"', '\\"')
