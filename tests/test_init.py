"""The public API: every listed name exists and keeps its meaning in any order of imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

import litecheck

ORDERS = [
    "import litecheck; litecheck.render; litecheck.render(r(litecheck), 'json')",
    "import litecheck, litecheck.rendering.formats.text; litecheck.render(r(litecheck), 'json')",
    "from litecheck import render; render(r(__import__('litecheck')), 'json')",
]


@pytest.mark.parametrize("program", ORDERS)
def test_render_is_a_function_after_any_order_of_imports(program: str) -> None:
    report = "r = lambda litecheck: litecheck.Report('1', ())\n"
    done = subprocess.run([sys.executable, "-c", report + program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", litecheck.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(litecheck, name) is not None


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'validat'"):
        _ = litecheck.validat
