"""The public functions: accepted arguments, errors for other types, annotations, and the recipe for test
suites."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest

import litecheck

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
BROKEN = FIXTURES / "broken_weight_zero_point.tflite"
MODEL = litecheck.load_model(BROKEN)
#: Arguments of wrong types.
WRONG = cast(Any, "model.tflite")
NUMBER = cast(Any, 5)


@pytest.mark.parametrize("kind", [str, Path, bytes, bytearray, memoryview, io.BytesIO, "open"])
def test_a_model_comes_from_a_path_bytes_or_a_file(kind: Any) -> None:
    if kind in (str, Path):
        source = kind(BROKEN)
    elif kind == "open":
        source = BROKEN.open("rb")
    else:
        source = kind(BROKEN.read_bytes())
    model = litecheck.load_model(source)
    assert model.size == BROKEN.stat().st_size
    assert model.file == (str(BROKEN) if kind in (str, Path, "open") else "<bytes>")
    assert [f.fingerprint for f in litecheck.validate(model).findings] == [
        f.fingerprint for f in litecheck.validate(MODEL).findings
    ]


def test_bytes_that_change_later_do_not_change_the_model() -> None:
    content = bytearray(BROKEN.read_bytes())
    model = litecheck.load_model(content)
    content[:] = bytes(len(content))
    assert litecheck.model_bytes(model) == litecheck.model_bytes(MODEL)


def test_bundles_come_as_bytes_too() -> None:
    content = (FIXTURES / "bundle.task").read_bytes()
    found = [model for model in litecheck.load_models(content) if isinstance(model, litecheck.Model)]
    assert [model.member for model in found] == ["conv.tflite", "fc.tflite"]
    assert litecheck.load_model(content, member="fc.tflite").member == "fc.tflite"
    with pytest.raises(litecheck.ModelError, match=r"<bytes>: .*holds the models"):
        litecheck.load_model(content)


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "empty-file"), (b"abc", "not-a-model"), (BROKEN.read_bytes()[:300], "")]
)
def test_invalid_bytes_are_a_model_error(content: bytes, code: str) -> None:
    with pytest.raises(litecheck.ModelError, match=r"^<bytes>: ") as caught:
        litecheck.load_model(content)
    assert code in ("", caught.value.problems[0].code)


CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: litecheck.load_model(NUMBER), r"load_model\(\) takes a path, bytes .*, not int: litecheck\."),
    (lambda: litecheck.load_models(NUMBER), r"load_models\(\) takes a path"),
    (lambda: litecheck.load_model(cast(Any, io.StringIO())), r"open\(path, 'rb'\)"),
    (lambda: litecheck.validate(WRONG), r"litecheck\.validate\(litecheck\.load_model\("),
    (lambda: litecheck.validate(MODEL, WRONG), r"\[litecheck\.load_profile\("),
    (lambda: litecheck.validate(MODEL, [WRONG]), r"not str: .*\[litecheck\.load_profile\("),
    (lambda: litecheck.validate(MODEL, cast(Any, litecheck.load_profile("litert-int8"))), "not Profile"),
    (lambda: litecheck.validate_file(cast(Any, b"TFL3")), r"validate\(litecheck\.load_model\(content\)\)"),
    (lambda: litecheck.render(cast(Any, MODEL)), "not Model"),
    (lambda: litecheck.run(WRONG, ()), r"run\(\) takes a Model, not str"),
    (lambda: litecheck.run(MODEL, NUMBER), r"takes arrays.*not int"),
    (lambda: litecheck.run(MODEL, cast(Any, [[1, 2]])), r"takes arrays.*not list"),
    (lambda: litecheck.verify(WRONG, "litert"), r"verify\(\) takes a Model, not str"),
    (lambda: litecheck.verify(MODEL, NUMBER), "not int"),
    (lambda: litecheck.verify(MODEL, max, select="ADD"), r"select=\('ADD',\)"),
    (lambda: litecheck.open_device(NUMBER), "not int"),
    (lambda: litecheck.diagnose(max, cast(Any, MODEL)), r"\[model\]"),
    (lambda: litecheck.convert(cast(Any, b"TFL3")), r"convert\(\) takes a Model or a path, not bytes"),
    (lambda: litecheck.save_model(WRONG, cast(Any, MODEL)), r"save_model\(model, 'model\.tflite'\)"),
    (lambda: litecheck.inspect(WRONG), r"inspect\(\) takes a Model"),
    (lambda: litecheck.explain(NUMBER), r"explain\(\) takes a requirement's path"),
    (lambda: litecheck.load_profile(NUMBER), r"load_profile\(\) takes"),
    (lambda: litecheck.load_arithmetic(NUMBER), r"load_arithmetic\(\) takes"),
    (lambda: litecheck.compare(cast(Any, [1]), cast(Any, [1])), r"compare\(\) takes numpy arrays, not list"),
    (lambda: litecheck.quantize("x", 1.0), r"quantize\(\) takes an array of numbers, not str"),
    (lambda: litecheck.quantize([1.0], cast(Any, "x")), "not str"),
    (lambda: litecheck.filter_report(litecheck.validate(MODEL), ignore="ADD"), r"ignore=\["),
    (lambda: litecheck.filter_report(WRONG), r"filter_report\(\) takes a Report or a ModelReport"),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_another_type_is_answered_with_the_right_call(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_a_finding_is_its_sentence() -> None:
    (finding,) = litecheck.validate(MODEL).active
    assert str(finding).startswith(
        "CONV_2D #0 'conv_2d_0', weight 'weight': zero point is 3 at channel 2 of 4; litert-int8 requires "
    )
    assert str(finding).endswith(finding.sentence)


def test_parts_of_reports_are_rendered() -> None:
    report = litecheck.validate(MODEL)
    whole = litecheck.Report(litecheck.__version__, (report,))
    assert litecheck.render(report, "json") == litecheck.render(whole, "json")
    compared = litecheck.compare(np.array([1, 2], np.int8), np.array([1, 3], np.int8))
    assert litecheck.render(compared).startswith("actual against expected: differs\n")


def test_inspect_and_explain_give_the_text_of_the_commands() -> None:
    assert litecheck.inspect(MODEL)["subgraphs"][0]["operators"][0]["opcode"] == "CONV_2D"
    told = litecheck.explain("CONV_2D/weight/zero_point", [litecheck.load_profile("litert-int8")])
    assert told.startswith("CONV_2D/weight/zero_point (litert-int8)\n  required     zero point 0 of weight\n")
    with pytest.raises(litecheck.ConfigError, match="no requirement has this path"):
        litecheck.explain("CONV_2D/weight/zero_pint")


def test_functions_stay_functions_when_their_packages_are_imported() -> None:
    program = (
        "import litecheck.verification.settings, litecheck.comparison.types, litecheck.conversion.settings\n"
        "import litecheck, numpy\n"
        "assert litecheck.verification.settings.Settings is litecheck.Settings\n"
        "a = numpy.zeros(3, numpy.int8)\n"
        "assert litecheck.compare(a, a).exit_code == 0\n"
        "from litecheck import verify, diagnose, convert\n"
        f"model = litecheck.load_model({str(FIXTURES / 'fc_int8.tflite')!r})\n"
        "assert verify(model, lambda *x: None).verdict == 'fails'\n"
        "assert callable(diagnose) and callable(convert)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [n for n in litecheck.__all__ if n[0].islower()])
def test_public_functions_are_plain_functions(name: str) -> None:
    assert isinstance(getattr(litecheck, name), FunctionType)


def test_type_checkers_see_only_the_public_names(tmp_path: Path) -> None:
    """Only ``litecheck/__init__.py`` is type-checked here, because the test is about the names that it
    exports."""
    pytest.importorskip("mypy", reason="needs mypy")
    names = [name for name in litecheck.__all__ if name != "__version__"]
    used = "".join(f"litecheck.{name}\nfrom litecheck import {name} as _{name}\n" for name in names)
    (tmp_path / "snippet.py").write_text(f"import litecheck\n{used}litecheck.validat()\n")
    options = ["--strict", "--follow-imports=skip", "--config-file=", "--cache-dir", str(tmp_path / "cache")]
    command = [sys.executable, "-m", "mypy", *options, "snippet.py", str(ROOT / "litecheck/__init__.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    complaints = [line for line in done.stdout.splitlines() if line.startswith("snippet.py")]
    assert len(complaints) == 1, done.stdout + done.stderr
    assert 'Module has no attribute "validat"' in complaints[0]


def test_the_five_scripts_are_short() -> None:
    """tests/test_documentation.py runs the same five scripts of docs/library.md."""
    text = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    part = text.partition("## Five scripts\n")[2].partition("\n## ")[0]
    scripts = re.findall(r"```python\n(.*?)```", part, re.DOTALL)
    lengths = [len(re.findall(r"^(?:>>>|\.\.\.) ", script, re.MULTILINE)) for script in scripts]
    assert len(lengths) == 5
    assert max(lengths) < 10
    assert all(script.startswith(">>> import litecheck") for script in scripts)


@pytest.mark.slow
@pytest.mark.slow
def test_the_recipe_for_test_suites_works(tmp_path: Path) -> None:
    text = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    (recipe,) = (
        block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "@pytest.fixture" in block
    )
    recipe = recipe.replace('"build/model.tflite"', "__import__('os').environ['BUILT']")
    own = "lambda *inputs: litecheck.run(model, inputs).outputs"
    (tmp_path / "test_model.py").write_text(recipe.replace('"delegate:./libacme.so"', own))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_model.py"]
    environment = {"BUILT": str(BROKEN), "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "weight zero point would require" in done.stdout
