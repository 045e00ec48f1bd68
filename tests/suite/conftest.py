"""A small suite, made once."""

from __future__ import annotations

import pytest

from litecheck.suite.manifest import Suite, read_suite
from litecheck.suite.suite_writer import Scope, make
from tests.suite.recorded import small_suite

#: Few cases, of sums that are rescaled and of a table.
SELECTED = (
    "TRANSPOSE_CONV/int8/*ties*", "TRANSPOSE_CONV/int8/multipliers*", "TRANSPOSE_CONV/int8/random*", "TANH/int8/all*",
    "TANH/int8/65*",
)  # fmt: skip


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """Return the valid cases of two operators of litert-runtime, with flags."""
    return _made(tmp_path_factory, SELECTED)


@pytest.fixture(scope="session")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """Return the invalid models of TANH and a valid case."""
    return _made(tmp_path_factory, ("TANH/int8/refuse*", "TANH/int8/65-536*"))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """Return a suite of LOGISTIC and QUANTIZE of litert-int8 with outputs of two arithmetics, made in less than a
    second."""
    return small_suite(tmp_path_factory.mktemp("small") / "suite")


def _made(factory: pytest.TempPathFactory, select: tuple[str, ...]) -> Suite:
    folder = factory.mktemp("suite") / "suite"
    make(Scope("litert-runtime", select=select), folder)
    return read_suite(folder)
