"""The tests of a module: the mirrored file, or the fallback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.targets import MirroredTests, find_modules, find_package_tests, find_tests, package_of

FILES = {
    "litecheck/__init__.py": "",
    "litecheck/leaf.py": "",
    "litecheck/a/b.py": "",
    "litecheck/a/c.py": "",
    "litecheck/a/d.py": "",
    "litecheck/a/e/f.py": "",
    "tests/a/test_b.py": "from litecheck.a.c import name\n",
    "tests/a/test_other.py": "from litecheck.a import b, c\n",
    "tests/a/test_third.py": "'the text litecheck.a.d, and import of nothing'\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("module", "files", "mirrored"),
    [
        ("litecheck/a/b.py", ("tests/a/test_b.py",), True),
        ("litecheck/a/c.py", ("tests/a/test_b.py", "tests/a/test_other.py"), False),
        ("litecheck/a/d.py", ("tests/a/test_b.py", "tests/a/test_other.py", "tests/a/test_third.py"), False),
        (
            "litecheck/a/e/f.py",
            ("tests/a/test_b.py", "tests/a/test_other.py", "tests/a/test_third.py"),
            False,
        ),
    ],
)
def test_tests_of_a_module(root: Path, module: str, files: tuple[str, ...], mirrored: bool) -> None:
    assert find_tests(module, root) == MirroredTests(files, mirrored)


@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("litecheck/a/c.py", "a/test_b a/test_other a/test_third a/e/test_g"),
        ("litecheck/a/e/f.py", "a/e/test_g a/test_b a/test_other a/test_third"),
        ("litecheck/leaf.py", "test_leaf"),
    ],
)
def test_nearest_tests_of_a_package_come_first(root: Path, module: str, files: str) -> None:
    for name in ("tests/a/e/test_g.py", "tests/test_leaf.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("")
    assert find_package_tests(module, root) == tuple(f"tests/{name}.py" for name in files.split())


def test_modules_are_selected_by_patterns(root: Path) -> None:
    every = (
        "litecheck/a/b.py",
        "litecheck/a/c.py",
        "litecheck/a/d.py",
        "litecheck/a/e/f.py",
        "litecheck/leaf.py",
    )
    assert find_modules(root) == every
    assert find_modules(root, ("*/leaf.py", "*/b.py")) == ("litecheck/a/b.py", "litecheck/leaf.py")
    assert find_modules(root, (), ("litecheck/a/*",)) == ("litecheck/leaf.py",)


def test_packages() -> None:
    assert package_of("litecheck/a/e/f.py") == "a"
    assert package_of("litecheck/leaf.py") == "litecheck"
