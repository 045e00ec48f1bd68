"""Headless Chromium: the visible content of a page, and a reader's actions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium to drive a browser")
waiting = pytest.importorskip("selenium.webdriver.support.wait", reason="needs selenium")
Keys = webdriver.Keys

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1300,1000"),
)


class Page:
    """An open page: positions of elements, and a reader's actions."""

    def __init__(self, browser: Any, table: str = "#cases") -> None:
        self.browser = browser
        self.table = table

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.browser.find_elements("css selector", selector)
        return found

    def one(self, selector: str) -> Any:
        return self.browser.find_element("css selector", selector)

    def run(self, script: str, *given: object) -> Any:
        return self.browser.execute_script(script, *given)

    def texts(self, selector: str) -> list[str]:
        """Return the complete text of each element, also of abbreviated and hidden elements."""
        script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)"
        found: list[str] = self.run(script, selector)
        return found

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def column(self, position: int) -> list[str]:
        """Return a column of the visible rows."""
        return self.texts(f"{self.table} tr.case:not([hidden]) > :nth-child({position})")

    def reloaded(self) -> Page:
        self.browser.refresh()
        return self

    @property
    def focused(self) -> str:
        """Return the first cell of the focused row."""
        script = "return document.activeElement.closest('tr.case')?.firstChild.textContent ?? ''"
        found: str = self.run(script)
        return found

    @property
    def ground(self) -> str:
        found: str = self.run("return getComputedStyle(document.body).backgroundColor")
        return found


#: Elements, and texts in pictures, that extend beyond the screen although they could wrap.
BEYOND = """return [...document.querySelectorAll("body *")].filter((node) => {
  const box = node.getBoundingClientRect();
  return box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((node) => `${node.tagName} ${node.id} ${node.textContent.slice(0, 30)}`)"""
#: Overlapping pairs of labels of the same picture.
OVERLAPPING = """return [...document.querySelectorAll("svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  return texts.flatMap(([one, a], n) => texts.slice(n + 1)
    .filter(([, b]) => a.width && a.left < b.right - 1 && b.left < a.right - 1)
    .filter(([, b]) => a.top < b.bottom - 4 && b.top < a.bottom - 4)
    .map(([other]) => `${one} and ${other}`));
})"""
#: Outcomes with text that is separated from its sign or broken within a word.
BROKEN = """return [...document.querySelectorAll("tr.case > td.outcome")].filter((cell) => {
  const sign = cell.querySelector(".sign").getBoundingClientRect(), words = document.createRange();
  words.selectNodeContents(cell.lastChild);
  const lines = [...words.getClientRects()];
  return lines[0].top > sign.bottom || lines.length > cell.lastChild.textContent.split(" ").length;
}).map((cell) => cell.textContent)"""


def axe() -> str:
    """Return the program axe-core, which finds accessibility problems of a page; skip the test without it.

    ``npm install axe-core`` installs it in ``node_modules``; LITECHECK_AXE is the path of a copy elsewhere.
    """
    file = Path(os.environ.get("LITECHECK_AXE", "node_modules/axe-core/axe.min.js"))
    if not file.is_file():
        pytest.skip(f"needs axe-core: npm install axe-core, or LITECHECK_AXE ({file} is missing)")
    return file.read_text(encoding="utf-8")


def violations(page: Page, program: str) -> list[str]:
    """Return the serious and critical problems that axe-core reports: the rule and the first element."""
    page.run(program)
    script = """const done = arguments[0];
    axe.run(document).then(({ violations }) => done(violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes[0].html}`)))"""
    found: list[str] = page.browser.execute_async_script(script)
    return found
