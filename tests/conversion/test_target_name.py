"""Names of new models: suffixes of other formats are errors, unknown suffixes are allowed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.target_name import check_target
from litecheck.errors import ConfigError
from tests.conversion.classifiers import classifier, narrow_and_wide


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("model.h5", "-o model.h5: got the suffix of Keras, expected .tflite: convert writes LiteRT models"),
        ("a/MODEL.ONNX", "got the suffix of ONNX"),
        ("model.tflite.json", "-f json:FILE writes the report, --save-plan FILE the plan"),
        ("report.html", "-f html:FILE writes the report"),
        ("model.cc", "'xxd -i int8.tflite' writes a model as a C array"),
        ("model.task", "got the suffix of bundles"),
    ],
)
def test_a_suffix_of_another_format_is_an_error(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        check_target(name)
    assert says in str(refused.value)
    target = tmp_path / Path(name).name
    with pytest.raises(ConfigError, match=r"expected \.tflite"):
        convert_model(classifier(), str(target), to="dynamic")
    assert not target.exists()


@pytest.mark.skipif(shutil.which("xxd") is None, reason="xxd is not installed")
def test_the_printed_command_writes_the_bytes_of_a_model_as_a_c_array(tmp_path: Path) -> None:
    convert_model(classifier(), str(tmp_path / "int8.tflite"), data=narrow_and_wide()[0], device="litecheck")
    with pytest.raises(ConfigError) as refused:
        check_target("model.cc")
    command = str(refused.value).split("'")[1].split()
    text = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    written = bytes(int(value, 16) for value in re.findall(r"0x([0-9a-f]{2})\b", text))
    assert written == (tmp_path / "int8.tflite").read_bytes()


@pytest.mark.parametrize(
    "name",
    ["m.tflite", "M.TFLITE", "m.lite", "m.tfl", "m", "m.bin", "m.tflite.new", "/dev/null", "v1.2", "h5"],
)
def test_other_names_are_allowed(name: str) -> None:
    assert check_target(name) == name
