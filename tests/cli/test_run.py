"""litecheck run."""

from __future__ import annotations

import itertools
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.save import save_model
from litecheck.quantizer.array_files import read_tensor

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    """Write relu.tflite: y = max(x, 0), z = max(y, 0), with an equals sign in a name, and a signature."""
    builder = ModelBuilder()
    main = builder.subgraph("main")
    q = qparams(0.5, -1)
    x, y, z = (main.tensor(name, (1, 4), "int8", q) for name in ("a=x", "y", "z"))
    main.add("RELU", [x], [y])
    main.add("RELU", [y], [z])
    main.inputs(x)
    main.outputs(z)
    builder.signature("serve", main, {"into": x}, {"out": z})
    save_model(builder.finish(), "relu.tflite")
    np.save("x.npy", np.array([[-128, -1, 5, 127]], np.int8))
    np.save("real.npy", np.zeros((1, 4), np.float32))
    np.array([-128, -1, 5, 127], np.int8).tofile("x.bin")


def arrays(file: str = "out.npz") -> dict[str, np.ndarray]:
    """Return the arrays of a file by name, using the index in the file."""
    with np.load(file, allow_pickle=False) as found:
        names = json.loads(found["names.json"])
        assert sorted(found.files) == sorted([*names, "names.json"])
        return {name: found[entry] for entry, name in names.items()}


def test_archive_entries_are_numbers_for_any_tensor_names(run: Run) -> None:
    """Entries of an archive are numbers, because unpacking programs write to the paths in the entries."""
    names = ["../../x", "/etc/passwd", "C:\\y", "a/../../b", "nul\0", "\udc80", "0"]
    builder = ModelBuilder()
    main = builder.subgraph()
    tensors = [main.tensor(name, (1, 4), "int8", qparams(0.5, 0)) for name in names]
    for one, other in itertools.pairwise(tensors):
        main.add("RELU", [one], [other])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    save_model(builder.finish(), "evil.tflite")
    kept = load_model("evil.tflite").subgraphs[0].tensors
    assert run("run", "evil.tflite", "--seed", "0", "--outputs", "all", "-o", "evil.npz").exit_code == 0
    with zipfile.ZipFile("evil.npz") as archive:
        assert archive.namelist() == ["names.json", *(f"{n}.npy" for n in range(len(names)))]
    found = arrays("evil.npz")
    assert sorted(found) == sorted(tensor.name for tensor in kept)
    for tensor in kept:
        assert (read_tensor(f"evil.npz:{tensor.name}").values == found[tensor.name]).all()
    assert run("compare", "evil.npz:../../x", "evil.npz:../../x").exit_code == 0


@pytest.mark.parametrize("given", ["a=x=x.npy", "0=x.npy", "a=x=x.bin", "x.npy"])
def test_inputs_from_files(run: Run, given: str) -> None:
    result = run("run", "relu.tflite", "--input", given, "-o", "out.npz")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "relu.tflite: 2 operators by litert-reference",
        f"  input   int8 1x4 'a=x', from {given.rpartition('=')[2]}",
        "  output  int8 1x4 'z'",
        "wrote out.npz: 1 array",
    ]
    assert {name: array.tolist() for name, array in arrays().items()} == {"z": [[-1, -1, 5, 127]]}


def test_random_inputs_are_the_same_again(run: Run) -> None:
    for file in ("a.npz", "b.npz"):
        assert run("run", "relu.tflite", "--seed", "3", "--outputs", "all", "-o", file).exit_code == 0
    assert Path("a.npz").read_bytes() == Path("b.npz").read_bytes()
    assert sorted(arrays("a.npz")) == ["a=x", "y", "z"]
    run("run", "relu.tflite", "--seed", "4", "--outputs", "all", "-o", "c.npz")
    assert (arrays("c.npz")["a=x"] != arrays("a.npz")["a=x"]).any()


def test_a_signature_has_its_own_names(run: Run) -> None:
    result = run(
        "run", "relu.tflite", "--signature", "serve", "--input", "into=x.npy", "-o", "out.npz", "-f", "json"
    )
    document = json.loads(result.stdout)
    assert document["litecheck_run"] == 1
    assert (document["signature"], document["arithmetic"], document["operators"]) == (
        "serve",
        "litert-reference",
        2,
    )
    assert document["inputs"] == [{"name": "into", "tensor": 0, "dtype": "int8", "source": "from x.npy"}]
    assert document["written"] == {"file": "out.npz", "arrays": {"out": {"dtype": "int8", "shape": [1, 4]}}}
    assert list(arrays()) == ["out"]


def test_stats(run: Run) -> None:
    result = run("run", "relu.tflite", "--input", "x.npy", "--statistics")
    assert result.exit_code == 0
    heads, *rows = result.stdout.splitlines()[4:]
    assert heads.split()[:3] == ["#", "operator", "type"]
    assert rows[1].split() == [
        "1",
        "RELU",
        "int8",
        "-1..127",
        "0..64",
        "0",
        "%",
        "25",
        "%",
        "253",
        "of",
        "256",
        "z",
    ]
    assert run("run", "relu.tflite", "--input", "x.npy").stdout == result.stdout
    document = json.loads(run("run", "relu.tflite", "--input", "x.npy", "-f", "json").stdout)
    last = document["statistics"][-1]
    assert last["saturated"] == {"low": 0, "high": 1, "low_share": 0.0, "high_share": 0.25}
    assert (last["stored"], last["real"], last["codes"]["unused"]) == ([-1, 127], [0.0, 64.0], 253)
    assert document["written"] is None


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["-o", "out.npz"], "input 'a=x' is missing; give it by --input, or --seed SEED", 64),
        (["--arithmetic", "cmsis"], "no arithmetic 'cmsis'", 64),
        (
            ["--seed", "0", "-o", "out.npy"],
            "out.npy: arrays with names are written to a .npz file, also a single array",
            64,
        ),
        (["--seed", "0", "-o", "relu.tflite/out.npz"], "relu.tflite is not a folder", 64),
        (["--input", "b=x.npy", "--statistics"], "there is no input 'b'", 64),
        (["--input", "x.npy", "--input", "a=x=x.npy", "--statistics"], "the same input is given twice", 64),
        (
            ["--input", "real.npy", "--statistics"],
            "litecheck quantize --like relu.tflite:0 makes such values",
            2,
        ),
        (["--input", "none.npy", "--statistics"], "none.npy: no such file", 64),
        (["--seed", "0", "--statistics", "--arithmetic", "litert"], "no arithmetic 'litert'", 64),
        (
            ["--seed", "0", "--statistics", "--signature", "no"],
            "there is no signature 'no'; there are serve",
            64,
        ),
    ],
)
def test_errors_of_a_run(run: Run, arguments: list[str], message: str, code: int) -> None:
    result = run("run", "relu.tflite", *arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert not Path("out.npz").exists()


def test_a_model_of_a_bundle(run: Run) -> None:
    bundle = str(Path(__file__).resolve().parents[2] / "fixtures" / "bundle.task")
    assert run("run", bundle, "--seed", "0", "--statistics").exit_code == 2
    result = run("run", bundle, "--member", "fc.tflite", "--seed", "0", "--statistics")
    assert (result.exit_code, "FULLY_CONNECTED" in result.stdout) == (0, True)


def test_bad_words_and_models(run: Run) -> None:
    assert run("run", "relu.tflite", "--seed", "0", "--outputs", "some", "-o", "out.npz").exit_code == 64
    assert run("run", "relu.tflite", "--seed", "-1", "--statistics").exit_code == 64
    assert run("run", "broken.tflite", "--seed", "0", "--statistics").exit_code == 2
    assert run("run", "none.tflite", "--seed", "0", "--statistics").exit_code == 2


def test_a_run_has_a_document_in_markdown_and_as_a_page(run: Run) -> None:
    done = run(
        "run",
        "relu.tflite",
        "--seed",
        "0",
        "--statistics",
        "-o",
        "out.npz",
        "-f",
        "markdown",
        "-f",
        "html:run.html",
    )
    assert done.exit_code == 0
    assert "## `relu.tflite`" in done.stdout
    assert "- wrote: out.npz: 1 array" in done.stdout
    assert "| 1 | RELU | int8 |" in done.stdout
    page = Path("run.html").read_text()
    assert page.count("<tr>") == 3
    assert "<script" not in page
