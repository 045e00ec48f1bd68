"""Names of new models: suffixes of other formats are errors, unknown suffixes are allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.target_name import check_target
from litecheck.errors import ConfigError
from tests.conversion.classifiers import classifier


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


@pytest.mark.parametrize(
    "name",
    ["m.tflite", "M.TFLITE", "m.lite", "m.tfl", "m", "m.bin", "m.tflite.new", "/dev/null", "v1.2", "h5"],
)
def test_other_names_are_allowed(name: str) -> None:
    assert check_target(name) == name
