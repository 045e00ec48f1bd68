"""Published runtimes on suites made with the default options: each conforms, and the reports agree with ``verify``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litecheck.comparison.admitted_arithmetics import PUBLISHED, admitted_arithmetics
from litecheck.devices.port import Limits
from litecheck.devices.registry import open_device
from litecheck.suite.manifest import Suite, read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.run_comparison import JudgedRun, compare_runs
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, make
from litecheck.suite.verdict import SuiteReport

pytestmark = [pytest.mark.runtime, pytest.mark.slow]

DEVICES = ("litert:reference", "litert:optimized", "litert:xnnpack", "tflm")
#: Operators with optional cases, a known fault, and invalid models that crash or are rejected at random.
SELECTED = (
    "SOFTMAX/int8/ties*",
    "SUM/int8/all-*",
    "CONV_2D/int8/no-bias*",
    "ADD/int8/refuse-lhs*",
    "ADD/int8/same*",
)


def judged(device: str, suite: Suite, folder: Path) -> SuiteReport:
    opened = open_device(device, Limits(60.0, 4 << 30))
    try:
        run(suite, opened, folder)
    finally:
        opened.close()
    return judge(suite, read_results(folder, suite))


@pytest.fixture(scope="module")
def slice_of(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("stock") / "suite"
    make(Scope(select=SELECTED, flags=False), folder)
    return read_suite(folder)


@pytest.mark.parametrize("device", DEVICES)
def test_a_published_runtime_conforms_twice_to_its_own_arithmetic(
    device: str, slice_of: Suite, tmp_path: Path
) -> None:
    first, again = (judged(device, slice_of, tmp_path / name) for name in ("first", "again"))
    assert (first.exit_code, first.arithmetics) == (0, admitted_arithmetics(device))
    compared = compare_runs(*(JudgedRun("", device, "", report.cases) for report in (first, again)))
    assert (compared.regressions, compared.changed, compared.fixed) == ((), (), ())


@pytest.mark.parametrize("device", DEVICES)
def test_a_published_runtime_passes_the_whole_default_suite(
    device: str, beyond_the_slice: Callable[[], None], tmp_path: Path
) -> None:
    beyond_the_slice()
    make(Scope(flags=False), tmp_path / "suite", jobs=2)
    report = judged(device, read_suite(tmp_path / "suite"), tmp_path / "results")
    assert [case.name for case in report.cases if case.fails] == []
    assert report.exit_code == 0


def test_a_smoke_suite_does_not_name_an_arithmetic_that_it_cannot_distinguish(tmp_path: Path) -> None:
    """Smoke cases of ADD fit every published arithmetic; those of level standard identify XNNPACK's."""
    found = {}
    for level in ("smoke", "standard"):
        make(Scope(level=level, select=("ADD/int8/[!r]*",), flags=False), tmp_path / level)
        suite = read_suite(tmp_path / level)
        results = tmp_path / f"{level}-results"
        report = judged("litert:xnnpack", suite, results)
        any_device = judge(suite, read_results(results, suite), PUBLISHED)
        found[level] = any_device.agreement.identified
        assert report.exit_code == any_device.exit_code == 0
    assert found == {"smoke": "", "standard": "litert-xnnpack"}
