"""Recipe files: every key read, every error with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from litecheck.conversion.recipe import OperatorScheme, OperatorSelector, RecipeRule
from litecheck.conversion.recipe_file import read_recipe
from litecheck.data import schemas_dir
from litecheck.errors import ProfileError

WHOLE = """\
rules:
  - to: int8
    calibrate: percentile:99.9
  - to: dynamic
    opcode: FULLY_CONNECTED
    name: ["mlp/*", head]
    index: [2, 5..7]
    depth: -2..-1
    weights: int4
    granularity: blockwise
    block_size: 32
    weight_range: mse
    algorithm: gptq
  - {to: weight-only, operator: "#3", min_elements: 0, granularity: per-tensor, algorithm: nearest}
"""


def written(folder: Path, text: str) -> str:
    file = folder / "r.yaml"
    file.write_text(text)
    return str(file)


def test_every_key(tmp_path: Path) -> None:
    file = written(tmp_path, WHOLE)
    blocks = OperatorScheme("dynamic", "int4", "blockwise", 32, "mse", 1024, "gptq")
    selector = OperatorSelector(
        (), ("FULLY_CONNECTED",), ("mlp/*", "head"), "", ((2, 2), (5, 7)), ((-2, -1),)
    )
    assert read_recipe(file).rules == (
        RecipeRule(OperatorScheme("int8"), place=f"{file}:2", calibrate="percentile:99.9"),
        RecipeRule(blocks, selector, f"{file}:4"),
        RecipeRule(OperatorScheme("weight-only", "", "per-tensor"), OperatorSelector(("#3",)), f"{file}:14"),
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1", 1, "unknown key 'a'"),
        ("rules: []", 1, "at least one"),
        ("rules: [int8]", 1, "expected a rule"),
        ("rules:\n  - weights: int4", 2, "a rule needs 'to'"),
        ("rules:\n  - to: int9", 2, "to: 'int9' is unknown; did you mean 'int8'?"),
        ("rules:\n  - to: int8\n    opcod: ADD", 3, "unknown key 'opcod'"),
        ("rules:\n  - to: int8\n    opcode: ''", 3, "opcode: expected a value"),
        ("rules:\n  - to: int8\n    index: 7..5", 3, "index: got '7..5'"),
        ("rules:\n  - to: int8\n    index: -1", 3, "index: got '-1'"),
        ("rules:\n  - to: int8\n    depth: x", 3, "depth: got 'x'"),
        ("rules:\n  - to: int8\n    weights: int2", 3, "weights: 'int2' is unknown"),
        ("rules:\n  - to: int8\n    calibrate: most", 3, "no method 'most'"),
        ("rules:\n  - to: dynamic\n    calibrate: mse", 3, "a rule for dynamic does not take 'calibrate'"),
        ("rules:\n  - to: float32\n    weights: int8", 3, "a rule for float32 does not take 'weights'"),
        ("rules:\n  - to: dynamic\n    min_elements: -1", 3, "min_elements: got '-1'"),
        ("rules:\n  - to: dynamic\n    granularity: blockwise", 3, "belong together"),
        ("rules:\n  - to: dynamic\n    weights: int4\n    block_size: 32", 4, "belong together"),
        ("rules:\n  - to: int8\n    granularity: blockwise\n    block_size: 32", 3, "only for 'to: dynamic'"),
        ("rules:\n  - to: dynamic\n    block_size: 16", 3, "block_size: '16' is unknown"),
    ],
)
def test_errors_have_a_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ProfileError) as caught:
        read_recipe(file)
    assert (caught.value.file, caught.value.line) == (file, line)
    assert message in caught.value.message


def test_the_published_schema_agrees_with_the_recipe_reader(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((schemas_dir() / "recipe.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(yaml.safe_load(WHOLE))
    for wrong in ("rules: []", "rules: [{to: int9}]", "rules: [{to: int8, opcod: ADD}]"):
        assert not validator.is_valid(yaml.safe_load(wrong))
        with pytest.raises(ProfileError):
            read_recipe(written(tmp_path, wrong))


def test_json_is_a_recipe_of_ai_edge_quantizer(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    file.write_text('[{"regex": "a", "operation": "*", "algorithm_key": "no_quantize"}]')
    (rule,) = read_recipe(str(file)).rules
    assert (rule.scheme.to, rule.selector.search, rule.place) == ("float32", "a", f"{file}: rule 1")
