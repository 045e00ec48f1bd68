"""The installed package: version, public names, type marker, data files."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import litecheck
from litecheck.data import rules_dir, schemas_dir

ROOT = Path(__file__).resolve().parent.parent


def test_the_version_is_stated_once_and_the_same() -> None:
    assert not re.search(r"^version\b", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version("litecheck") == litecheck.__version__
    assert litecheck.__version__ in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("name", litecheck.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(litecheck, name)
    if name == "__version__":
        assert re.fullmatch(r"\d+\.\d+\.\d+", value)
        return
    assert callable(value)
    # The default docstring of a dataclass is its signature.
    assert value.__doc__
    assert not value.__doc__.startswith(f"{name}(")


def test_the_public_names_are_those_type_checkers_see() -> None:
    source = inspect.getsource(litecheck)
    seen = re.findall(
        r"^    (?:from litecheck\.\S+ import \w+ as ([^_]\w*)|(\w+) = _\2)$", source, re.MULTILINE
    )
    seen = [name or other for name, other in seen]
    assert sorted(seen) == sorted(set(litecheck.__all__) - {"__version__"})
    assert set(litecheck.__all__) <= set(dir(litecheck))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lode_model'"):
        _ = litecheck.lode_model


def test_types_travel_along() -> None:
    assert (Path(litecheck.__file__).parent / "py.typed").is_file()


@pytest.mark.slow
def test_the_wheel_holds_every_data_file(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="needs hatchling to build the wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"litecheck-{litecheck.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder, place in ((rules_dir(), "litecheck/rules"), (schemas_dir(), "litecheck/schemas")):
        files = {f"{place}/{f.relative_to(folder).as_posix()}" for f in folder.rglob("*") if f.is_file()}
        assert files
        assert files <= names
    assert "litecheck/py.typed" in names
    page = Path(litecheck.__file__).parent / "rendering/verification/page"
    assert {f"litecheck/rendering/verification/page/{f.name}" for f in page.iterdir()} <= names
    assert not [name for name in names if not name.startswith(("litecheck/", "litecheck-"))]
