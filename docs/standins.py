"""Stand-ins for files that a page names: models, a delegate, a simulator; and changes of commands."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Models in the text of pages, with the fixture used for each.
MODELS = {
    "model.tflite": "fc_int8.tflite",
    "a.tflite": "fc_int8.tflite",
    "b.tflite": "conv_int8.tflite",
    "more.tflite": "conv_int8.tflite",
    "models/keywords.tflite": "fc_int8.tflite",
    "models/more.tflite": "conv_int8.tflite",
    "build/model.tflite": "fc_int8.tflite",
    "float.tflite": "float_detector.tflite",
    "samples.npz": "float_detector.npz",
    "other.npz": "float_detector.npz",
    "good.tflite": "conv_int8.tflite",
    "bad.tflite": "conv_int8.tflite",
}
#: A complete suite and a start for each run take minutes, so the replay runs less. Its delegate has options that
#: differ from the page's.
CHANGED = (
    (
        re.compile(r"^(litecheck suite judge suite results --arithmetic tflm)$"),
        r"litecheck suite run suite --device litert:reference -o results; \1",
    ),
    (
        re.compile(r"(litecheck suite make (?!.*(--stream|--select|chip\.yaml)).*)"),
        r"\1 --select ADD --level smoke",
    ),
    (re.compile(r"libacme\.so,cores=2"), "libacme.so"),
    (
        re.compile(r"(litecheck verify .*command:\./(simulate|board).*)"),
        r"\1 --set inputs=propagated --set repeat=1",
    ),
)
#: A simulator behind ``{model} {inputs} {outputs}``.
_SIMULATE = """#!{python}
import json, pathlib, sys
import numpy, litecheck
model, inputs, outputs = map(pathlib.Path, sys.argv[1:4])
count = len(json.loads((inputs / "inputs.json").read_text()))
given = tuple(numpy.load(inputs / f"input_{{n}}.npy") for n in range(count))
for n, values in enumerate(litecheck.run(litecheck.load_model(model), given).outputs.values()):
    numpy.save(outputs / f"output_{{n}}.npy", values)
"""
#: An input and an output that an app saved.
_PHONE = """
import numpy, litecheck
values = numpy.arange(6, dtype="int8")[None]
done = litecheck.run(litecheck.load_model("model.tflite"), (values,), arithmetic="litert-xnnpack")
numpy.save("phone_input.npy", values)
numpy.save("phone_output.npy", *done.outputs.values())
"""


def made(text: str, folder: Path, python: Path) -> None:
    """Write the files of a page to a folder: fixtures and examples, and stand-ins for the reader's files."""
    named = set(re.findall(r"(?:fixtures|rules|examples)/[\w./-]*\w", text))
    for name in sorted(named):
        if (ROOT / name).is_file():
            _copy(ROOT / name, folder / name)
    for name, fixture in MODELS.items():
        if _mentions(text, name) or (name.startswith("models/") and "models/" in text):
            _copy(ROOT / "fixtures" / fixture, folder / name)
    for name, make in _OTHERS.items():
        if name in text:
            make(folder / name, text, python)


def _mentions(text: str, name: str) -> bool:
    """Return True if a text names a file. Example: ``fixtures/float.tflite`` does not name ``float.tflite``."""
    return re.search(rf"(?<![\w/.-]){re.escape(name)}", text) is not None


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _delegate(target: Path, text: str, python: Path) -> None:
    """Compile the delegate of the tests, which computes as LiteRT's reference kernels."""
    target.parent.mkdir(exist_ok=True)
    sources = sorted(map(str, (ROOT / "tests" / "delegate").glob("*.c")))
    flags = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared"]
    subprocess.run(["cc", *flags, *sources, "-o", str(target), "-lm"], check=True)


def _simulator(target: Path, text: str, python: Path) -> None:
    source = ROOT / "examples" / "simulator.c"
    subprocess.run(["cc", "-std=c99", "-O2", str(source), "-o", str(target), "-lm"], check=True)


def _board(target: Path, text: str, python: Path) -> None:
    source = ROOT / "examples" / "device.c"
    subprocess.run(["cc", "-std=c99", "-O2", str(source), "-o", str(target), "-lm"], check=True)


def _simulate(target: Path, text: str, python: Path) -> None:
    target.write_text(_SIMULATE.format(python=python), "utf-8")
    target.chmod(0o755)


def _claims(target: Path, text: str, python: Path) -> None:
    """Write the claims that the page shows, or the template."""
    shown = re.search(r"^```yaml\n(claims.*?)^```$", text, re.MULTILINE | re.DOTALL)
    template = ROOT / "rules" / "suite" / "claims-template.yaml"
    target.write_text(shown[1] if shown else template.read_text("utf-8"), "utf-8")


def _block(start: str) -> Callable[[Path, str, Path], None]:
    """Return a function that writes the file with this start from the page, or a minimal file."""

    def make(target: Path, text: str, python: Path) -> None:
        shown = re.findall(rf"^```yaml\n({start}.*?)^```$", text, re.MULTILINE | re.DOTALL)
        least = f"{start}: acme\ntitle: Acme\nsource: https://example.org/acme\nextends: litert-reference\n"
        target.write_text(shown[0] if shown else least, "utf-8")

    return make


def _phone(target: Path, text: str, python: Path) -> None:
    """Write an input of ``model.tflite`` and the output of a phone that computes as XNNPACK."""
    subprocess.run([str(python), "-c", _PHONE], cwd=target.parent, check=True)


def _converted(target: Path, text: str, python: Path) -> None:
    """Write a quantized form of ``float.tflite``, whose kind is the name of the file."""
    if _mentions(text, target.name) and _mentions(text, "float.tflite"):
        source = ROOT / "fixtures" / "float_detector.tflite"
        options = ["-o", target.name, "--to", target.stem, "--data", str(source.with_suffix(".npz"))]
        subprocess.run(
            [str(python), "-m", "litecheck", "convert", str(source), *options],
            cwd=target.parent,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def _chip(target: Path, text: str, python: Path) -> None:
    """Copy the profile of docs/your-chip.md."""
    _copy(ROOT / "rules" / "examples" / "per-tensor-npu.yaml", target)


_OTHERS: dict[str, Callable[[Path, str, Path], None]] = {
    "libacme.so": _delegate,
    "build/libacme.so": _delegate,
    "simulator": _simulator,
    "simulate": _simulate,
    "board": _board,
    "claims.yaml": _claims,
    "phone_input.npy": _phone,
    "chip.yaml": _chip,
    "int8.tflite": _converted,
    "int16x8.tflite": _converted,
    "acme.yaml": _block("arithmetic"),
    "device.arithmetic.yaml": _block("arithmetic"),
    "acme-npu.arithmetic.yaml": _block("arithmetic"),
}
