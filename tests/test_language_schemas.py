"""Plain technical English in the descriptions and titles of the JSON schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from litecheck.data import schemas_dir
from tests.test_language import banned

#: Words that do not name a subject, as the first word of a description.
NO_SUBJECT = re.compile(r"(?:What|Which|Whether|Why|Where|When|How|Of|By|In|As|The|It|Its|Their|Those)\b")


def schema_texts(node: object) -> Iterator[str]:
    """Yield the descriptions and titles of a JSON schema."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):  # type: ignore[arg-type]
        if isinstance(value, str):
            yield from [value] if key in ("description", "title") else ()
        elif isinstance(value, (dict, list)):
            yield from schema_texts(value)


@pytest.mark.parametrize("file", sorted(schemas_dir().glob("*.json")), ids=lambda file: file.name)
def test_descriptions_name_their_subject_in_the_terms_of_the_glossary(file: Path) -> None:
    texts = list(schema_texts(json.loads(file.read_text("utf-8"))))
    assert len(texts) > 4
    assert [text for text in texts if NO_SUBJECT.match(text)] == []
    assert [(text, found) for text in texts for found in banned(text)] == []


def test_a_description_without_a_subject_is_seen() -> None:
    schema = {
        "title": "A title",
        "properties": {"title": {"description": "Of its manifest."}},
        "allOf": [{"title": "b"}],
    }
    assert list(schema_texts(schema)) == ["A title", "Of its manifest.", "b"]
    assert NO_SUBJECT.match("Of its manifest.")
    assert not NO_SUBJECT.match("Index of the operator.")
