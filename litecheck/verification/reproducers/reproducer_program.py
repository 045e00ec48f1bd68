"""Run the model in this folder on the device again and compare its outputs with the expected outputs.

reproduce.json names the device and the failure. The program needs numpy and the package that reproduce.json names.
Exit status: 0 reproduced, 1 not reproduced, 2 could not run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent

Arrays = Sequence[Any]


def load(name: str, count: int) -> list[Any]:
    """Load the arrays ``name_0.npy``, ``name_1.npy`` and so on."""
    return [np.load(HERE / f"{name}_{index}.npy") for index in range(count)]


def infer(facts: dict[str, Any], series: list[Arrays]) -> list[Arrays]:
    """Return the last outputs of a series of inferences, run ``times`` times."""
    runtimes = {"litert": litert, "tflm": tflm, "command": command}
    return runtimes[facts["driver"]["runtime"]](facts, facts["driver"], series)


def litert(facts: dict[str, Any], driver: dict[str, Any], series: list[Arrays]) -> list[Arrays]:
    """Run LiteRT, one interpreter for all; the command line can name a different library of the delegate."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType, load_delegate

    more = {}
    if "library" in driver:
        library = sys.argv[2] if len(sys.argv) > 2 else driver["library"]
        more = {"experimental_delegates": [load_delegate(library, driver["options"])]}
    interpreter = Interpreter(
        model_path=str(HERE / "model.tflite"),
        experimental_op_resolver_type=getattr(OpResolverType, driver["resolver"]),
        num_threads=driver["threads"],
        **more,
    )
    interpreter.allocate_tensors()
    return [in_a_row(facts, interpreter, series) for _ in range(facts["times"])]


def in_a_row(facts: dict[str, Any], interpreter: Any, series: list[Arrays]) -> Arrays:
    """Return the last outputs of consecutive inferences with state, from the given contents of variables."""
    for detail, values in zip(interpreter.get_input_details(), series[0], strict=True):
        if tuple(detail["shape"]) != values.shape:
            interpreter.resize_tensor_input(detail["index"], values.shape)
            interpreter.allocate_tensors()
    interpreter.reset_all_variables()
    for index in facts["starts"]:
        interpreter.set_tensor(index, np.load(HERE / f"start_{index}.npy"))
    for inputs in series:
        for detail, values in zip(interpreter.get_input_details(), inputs, strict=True):
            interpreter.set_tensor(detail["index"], values)
        interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def tflm(facts: dict[str, Any], driver: dict[str, Any], series: list[Arrays]) -> list[Arrays]:
    """Run TFLite for Microcontrollers, a new interpreter for each repetition."""
    from tflite_micro.python.tflite_micro import runtime

    made: list[Arrays] = []
    for _ in range(facts["times"]):
        model = (HERE / "model.tflite").read_bytes()
        interpreter = runtime.Interpreter.from_bytes(model, arena_size=driver["arena"])
        for inputs in series:
            for index, values in enumerate(inputs):
                interpreter.set_input(values, index)
            interpreter.invoke()
        made.append([interpreter.get_output(index).copy() for index in range(facts["outputs"])])
    return made


def command(facts: dict[str, Any], driver: dict[str, Any], series: list[Arrays]) -> list[Arrays]:
    """Run a program that writes outputs to a folder: started once for all inferences, or once for each inference."""
    times = facts["times"]
    if any("{runs}" in word for word in driver["words"]):
        reset = [n % len(series) == 0 for n in range(len(series) * times)]
        return start(facts, driver["words"], series * times, reset)[len(series) - 1 :: len(series)]
    made = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as state:
            made.append([start(facts, driver["words"], [inputs], [], state)[0] for inputs in series][-1])
    return made


def start(
    facts: dict[str, Any], words: list[str], series: list[Arrays], reset: list[bool], state: str = ""
) -> list[Arrays]:
    """Start the program once, for several inferences or a single inference.

    Several inferences add a dimension to each array; ``reset`` says for each inference if it starts from initial
    state.
    """
    runs, count = len(reset), facts["inputs"]
    with tempfile.TemporaryDirectory() as folder:
        given, taken = Path(folder, "inputs"), Path(folder, "outputs")
        given.mkdir()
        taken.mkdir()
        for index in range(count):
            values = np.stack([inputs[index] for inputs in series]) if runs else series[0][index]
            np.save(given / f"input_{index}.npy", values)
            (given / f"input_{index}.bin").write_bytes(values.tobytes())
        listed = {"runs": runs, "reset": reset, "inputs": [{}] * count, "outputs": [{}] * facts["outputs"]}
        Path(folder, "runs.json").write_text(json.dumps(listed))
        places = {"{model}": HERE / "model.tflite", "{inputs}": given, "{outputs}": taken, "{runs}": folder}
        for name, path in {**places, "{state}": state}.items():
            words = [word.replace(name, str(path)) for word in words]
        subprocess.run(words, check=True)
        made = [load_output(taken, index, runs) for index in range(facts["outputs"])]
        return list(zip(*made, strict=True)) if runs else [made]


def load_output(folder: Path, index: int, runs: int) -> Any:
    """Load one output that the program wrote, of all inferences."""
    if (folder / f"output_{index}.npy").exists():
        return np.load(folder / f"output_{index}.npy")
    expected = np.load(HERE / f"expected_{index}.npy")
    raw = (folder / f"output_{index}.bin").read_bytes()
    return np.frombuffer(raw, expected.dtype).reshape((runs, *expected.shape) if runs else expected.shape)


def child(facts: dict[str, Any], target: str) -> None:
    """Run the inferences in a child process and save the outputs."""
    series: list[Arrays] = [
        load(name, facts["inputs"]) for name in (*(f"before_{n}" for n in range(facts["before"])), "input")
    ]
    runs = infer(facts, series)
    arrays: dict[str, Any] = {f"{n}_{k}": array for n, run in enumerate(runs) for k, array in enumerate(run)}
    np.savez(target, **arrays)


def main(facts: dict[str, Any]) -> int:
    """Run the inferences in a child process, which can crash or hang, and report the outcome."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "outputs.npz")
        words = [sys.executable, __file__, f"--child={target}", *sys.argv[1:]]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=facts["seconds"])
        except subprocess.TimeoutExpired:
            return report(facts, "timed out", f"no answer after {facts['seconds']:g} s")
        if "ModuleNotFoundError" in done.stderr:
            print(f"not run: {printable(done.stderr.strip().splitlines()[-1])}")
            return 2
        if done.returncode < 0:
            return report(facts, "crashed", f"ended by signal {-done.returncode}")
        if done.returncode or not target.exists():
            last = done.stderr.strip().splitlines()[-1:] or [f"ended with status {done.returncode}"]
            said = done.stderr.lower().replace("_", " ")
            memory = any(words in said for words in ("memoryerror", "bad alloc", "out of memory", "allocate"))
            outcome = "refused" if done.returncode else "crashed"
            return report(facts, "out of memory" if memory else outcome, last[0])
        return judge(facts, dict(np.load(target)))


def judge(facts: dict[str, Any], arrays: dict[str, Any]) -> int:
    """Compare computed outputs, by name ``inference_output``, with the expected outputs."""
    wanted = load("expected", facts["outputs"])
    for name, array in sorted(arrays.items()):
        number, index = map(int, name.split("_"))
        like = wanted[index]
        if array.shape != like.shape or array.dtype != like.dtype:
            told = f"{array.dtype}{array.shape}, not {like.dtype}{like.shape}"
            return report(facts, "wrong shape or type", told)
        if number and facts["outcome"] == "flaky" and not np.array_equal(array, arrays[f"0_{index}"]):
            return report(facts, "flaky", f"inference {number} differs from the first")
    for index, expected in enumerate(wanted):
        actual = arrays[f"0_{index}"]
        off = actual.astype(np.float64) - expected.astype(np.float64)
        real = expected.dtype.kind == "f"
        wrong = np.argwhere(
            np.abs(off) > (facts["tolerance"] * np.abs(expected).max(initial=0) if real else 0)
        )
        if len(wrong):
            at = tuple(int(n) for n in wrong[0])
            first = f"output {index} at {at}: expected {expected[at]}, the device gives {actual[at]}"
            return report(facts, "mismatch", f"{len(wrong)} of {off.size} differ; {first}")
    return report(facts, "exact", "every output is as expected")


def printable(text: str) -> str:
    """Return the text in one line without control characters or build log commands: the text can come from the device."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text.replace("##", "#\\x23")


def report(facts: dict[str, Any], outcome: str, words: str) -> int:
    """Print the outcome and a comparison with the earlier failure; return the exit status."""
    print(f"{outcome}: {printable(words)}")
    same = outcome == facts["outcome"]
    print("reproduced" if same else f"not reproduced: {facts['outcome']} was expected")
    return 0 if same else 1


if __name__ == "__main__":
    described = json.loads((HERE / "reproduce.json").read_text("utf-8"))
    if len(sys.argv) > 1 and sys.argv[1].startswith("--child="):
        child(described, sys.argv[1].partition("=")[2])
    else:
        raise SystemExit(main(described))
