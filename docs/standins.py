"""What a replayed page takes for there: a model of one's own, a delegate, a simulator; and commands changed to suit."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What a page's text calls its own, and the fixture that stands for it.
MODELS = {
    "model.tflite": "fc_int8.tflite",
    "a.tflite": "fc_int8.tflite",
    "b.tflite": "conv_int8.tflite",
    "more.tflite": "conv_int8.tflite",
    "models/keywords.tflite": "fc_int8.tflite",
    "models/more.tflite": "conv_int8.tflite",
    "build/model.tflite": "fc_int8.tflite",
}
#: A whole suite takes many minutes, and so does a start for each run: the replay asks for less. Its delegate has other
#: options than the page's.
CHANGED = (
    (re.compile(r"(litecheck suite make (?!.*(--stream|--select)).*)"), r"\1 --select ADD --level smoke"),
    (re.compile(r"libacme\.so,cores=2"), "libacme.so"),
    (re.compile(r"(litecheck verify .*command:\./simulate.*)"), r"\1 --set inputs=propagated --set repeat=1"),
)
#: A simulator or board behind ``{model} {inputs} {outputs}``.
_SIMULATE = """#!{python}
import json, pathlib, sys
import numpy, litecheck
model, inputs, outputs = map(pathlib.Path, sys.argv[1:4])
count = len(json.loads((inputs / "inputs.json").read_text()))
given = tuple(numpy.load(inputs / f"input_{{n}}.npy") for n in range(count))
for n, values in enumerate(litecheck.run(litecheck.load_model(model), given).outputs.values()):
    numpy.save(outputs / f"output_{{n}}.npy", values)
"""


def made(text: str, folder: Path, python: Path) -> None:
    """Put into the folder what a page speaks of: fixtures and examples, and what stands for the reader's own files."""
    named = set(re.findall(r"(?:fixtures|rules|examples)/[\w./-]*\w", text))
    for name in sorted(named):
        if (ROOT / name).is_file():
            _copy(ROOT / name, folder / name)
    for name, fixture in MODELS.items():
        if name in text or (name.startswith("models/") and "models/" in text):
            _copy(ROOT / "fixtures" / fixture, folder / name)
    for name, make in _OTHERS.items():
        if name in text:
            make(folder / name, text, python)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _delegate(target: Path, text: str, python: Path) -> None:
    """The delegate that the tests compile, which computes as LiteRT's reference kernels do."""
    target.parent.mkdir(exist_ok=True)
    sources = sorted(map(str, (ROOT / "tests" / "delegate").glob("*.c")))
    flags = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared"]
    subprocess.run(["cc", *flags, *sources, "-o", str(target), "-lm"], check=True)


def _simulator(target: Path, text: str, python: Path) -> None:
    source = ROOT / "examples" / "simulator.c"
    subprocess.run(["cc", "-std=c99", "-O2", str(source), "-o", str(target), "-lm"], check=True)


def _simulate(target: Path, text: str, python: Path) -> None:
    target.write_text(_SIMULATE.format(python=python), "utf-8")
    target.chmod(0o755)


def _block(start: str) -> Callable[[Path, str, Path], None]:
    """The file that the page shows, where it shows one that begins so, or one that says nothing of its own."""

    def make(target: Path, text: str, python: Path) -> None:
        shown = re.findall(rf"^```yaml\n({start}.*?)^```$", text, re.MULTILINE | re.DOTALL)
        least = f"{start}: acme\ntitle: Acme\nsource: https://example.org/acme\nextends: litert-reference\n"
        target.write_text(shown[0] if shown else least, "utf-8")

    return make


_OTHERS: dict[str, Callable[[Path, str, Path], None]] = {
    "libacme.so": _delegate,
    "build/libacme.so": _delegate,
    "simulator": _simulator,
    "simulate": _simulate,
    "claims.yaml": _block("claims"),
    "acme.yaml": _block("arithmetic"),
    "device.arithmetic.yaml": _block("arithmetic"),
    "acme-npu.arithmetic.yaml": _block("arithmetic"),
}
