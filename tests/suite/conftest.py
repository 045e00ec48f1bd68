"""A small suite, made once."""

from __future__ import annotations

import pytest

from litecheck.suite.make import Scope, make
from litecheck.suite.manifest import Suite, read_suite
from tests.suite.recorded import small_suite

#: Few cases each, of which an accumulator, a table and a window are one.
SELECTED = ("TRANSPOSE_CONV", "TANH")


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """Two operators of litert-int8, with flags."""
    folder = tmp_path_factory.mktemp("suite") / "suite"
    make(Scope("litert-runtime", select=SELECTED), folder)
    return read_suite(folder)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """LOGISTIC and QUANTIZE of litert-int8 with the answers of two arithmetics: whole in less than a second."""
    return small_suite(tmp_path_factory.mktemp("small") / "suite")
