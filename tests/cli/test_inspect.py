"""litecheck inspect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import save_model

Run = Callable[..., Result]


def test_operators_and_ends(run: Run) -> None:
    result = run("inspect", "partial.tflite")
    assert result.exit_code == 0
    assert "operators    2: FULLY_CONNECTED 1, SOFTMAX 1" in result.stdout
    assert "inputs  tensor 0 int8 1x4, 0.5 zp -1, 'x'" in result.stdout
    assert "kernel" not in result.stdout


def test_tensors(run: Run) -> None:
    line = next(li for li in run("inspect", "good.tflite", "-t").stdout.splitlines() if "kernel" in li)
    assert line.split() == ["1", "int8", "2x4", "0.25", "zp", "0", "8", "bytes", "kernel"]


def test_one_operator(run: Run) -> None:
    text = run("inspect", "partial.tflite", "--operator", "1").stdout
    assert "SOFTMAX #1 'z', subgraph 0" in text
    assert "from FULLY_CONNECTED #0" in text


def test_json_has_all_details(run: Run) -> None:
    (model,) = json.loads(run("inspect", "good.tflite", "-f", "json").stdout)["models"]
    tensors = model["subgraphs"][0]["tensors"]
    assert tensors[1]["quantization"] == {"scale": [0.25], "zero_point": [0], "axis": 0}
    assert tensors[1]["constant_bytes"] == 8
    assert model["subgraphs"][0]["operators"][0]["inputs"] == [0, 1]


def test_json_of_one_operator_has_its_tensors_only(run: Run) -> None:
    (model,) = json.loads(run("inspect", "partial.tflite", "--operator", "1", "-f", "json").stdout)["models"]
    assert [t["name"] for t in model["subgraphs"][0]["tensors"]] == ["y", "z"]


def test_absent_operators_and_subgraphs_are_errors(run: Run) -> None:
    for arguments, message in (
        (("--operator", "7"), "there is no operator 7 in subgraph 0; it has 1"),
        (("--subgraph", "2"), "there is no subgraph 2; it has 1"),
        (("--operator", "#7"), "there is no operator 7 in subgraph 0; it has 1"),
    ):
        result = run("inspect", "good.tflite", *arguments)
        assert (result.exit_code, result.stdout) == (64, "")
        assert message in result.stderr


def test_damaged_files_get_their_problems(run: Run) -> None:
    result = run("inspect", "broken.tflite")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: broken.tflite: ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("xml", "unknown format 'xml': the formats are text, json"),
        ("jsn", "unknown format 'jsn': did you mean json?"),
        ("json:x", "--format json:x: got a file, expected text or json. Redirect stdout to a file"),
    ],
)
def test_other_formats_are_usage_errors(run: Run, name: str, message: str) -> None:
    result = run("inspect", "good.tflite", "-f", name)
    assert (result.exit_code, result.stderr) == (64, f"error: {message}\n")


def test_a_folder_is_no_model(run: Run, folder: Path) -> None:
    (folder / "models").mkdir()
    assert run("run", "models", "-o", "x.npz").stderr == "error: models: is a folder [not-a-file]\n"


def test_names_are_short_in_text_and_whole_in_json(run: Run, folder: Path) -> None:
    long = "a" * 5000
    builder = ModelBuilder(f"{long}description")
    main = builder.subgraph(f"{long}subgraph")
    x, y = (main.tensor(f"{long}{name}", (1, 4), "int8", qparams(0.5, 0)) for name in "xy")
    main.add("CUSTOM", [x], [y], custom_code=f"{long}code")
    main.inputs(x)
    main.outputs(y)
    builder.signature(f"{long}key", main, {f"{long}in": x}, {f"{long}out": y})
    builder.metadata(f"{long}metadata", b"x")
    save_model(builder.finish(), folder / "long.tflite")
    for more in ([], ["--tensors"], ["--operator", "0"]):
        text = run("inspect", "long.tflite", *more).stdout
        assert max(map(len, text.splitlines())) < 500
        assert "…" in text
    whole = run("inspect", "long.tflite", "-f", "json").stdout
    assert all(
        f"{long}{name}" in whole for name in ("x", "y", "subgraph", "code", "key", "in", "out", "metadata")
    )
