"""A browser for the tests of pages, and screens to look at them on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from litecheck.rendering.formats import render


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start Chromium with an empty profile."""
    from tests.rendering import browser as driving

    program = next((found for name in driving.NAMES if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs Chromium and chromedriver on the path")
    options = driving.webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*driving.FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = driving.webdriver.Chrome(
        options=options, service=driving.webdriver.ChromeService(executable_path=driver)
    )
    opened.get("about:blank")
    yield opened
    opened.quit()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[[Any], Any]]:
    """Return a function that opens a report's page. The page must log no error and request no file."""
    from tests.rendering.browser import Page

    file = tmp_path / "page.html"

    def opened(report: Any) -> Any:
        file.write_text(render(report, "html"), encoding="utf-8")
        browser.get(file.as_uri())
        return Page(browser)

    for log in ("browser", "performance"):
        browser.get_log(log)
    yield opened
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
    assert asked <= {file.as_uri(), "data:,"}
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


@pytest.fixture
def telephone(browser: Any) -> Iterator[None]:
    """Set a screen width of 390 pixels, below the minimum width of a browser window."""
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def evening(browser: Any) -> Iterator[None]:
    """Set a dark color scheme, and reset it and the stored settings afterwards."""

    def prefer(*features: dict[str, str]) -> None:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    prefer({"name": "prefers-color-scheme", "value": "dark"})
    yield
    browser.execute_script("localStorage.clear()")
    prefer()
