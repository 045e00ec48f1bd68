"""A page as text: its elements and their content."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pprint import pformat


class Read(HTMLParser):
    """Elements with their attributes, and the text that follows their start tags directly."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[-1] += data

    def text(self, tag: str, **attributes: str) -> str:
        """Return the text of the only element with this tag and these attributes."""
        (found,) = (
            text
            for (name, attrs), text in zip(self.elements, self.texts, strict=True)
            if name == tag and all(attrs.get(key) == value for key, value in attributes.items())
        )
        return found


def program(page: Read) -> str:
    scripts = zip(page.elements, page.texts, strict=True)
    (found,) = (text for (tag, attrs), text in scripts if tag == "script" and not attrs)
    return found


def content(page: str) -> str:
    """Return the body of a page without its program: markup, then the data of each script."""
    body = page.partition("<body")[2]
    data = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', body, re.DOTALL)
    markup = re.sub(r"<script.*?</script>", "", body, flags=re.DOTALL)
    shown = (pformat(json.loads(each), width=118, compact=True, sort_dicts=False) for each in data)
    return "\n".join([markup, *shown]) + "\n"
