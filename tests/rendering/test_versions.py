"""Versions of JSON documents: the schema of a document states the version that the document has."""

from __future__ import annotations

import json

import pytest

from litecheck.data import schemas_dir
from litecheck.rendering.certificate_check import VERSION as CERTIFICATE_CHECK
from litecheck.rendering.comparison import VERSION as COMPARISON
from litecheck.rendering.diagnosis import VERSION as DIAGNOSIS
from litecheck.rendering.mutation_coverage import VERSION as KILLS
from litecheck.rendering.parameters import VERSION as QUANTIZED
from litecheck.rendering.run import VERSION as RUN


@pytest.mark.parametrize(
    ("schema", "version"), [("comparison", COMPARISON), ("kills", KILLS)], ids=["comparison", "kills"]
)
def test_the_schema_states_the_version(schema: str, version: int) -> None:
    properties = json.loads((schemas_dir() / f"{schema}.schema.json").read_text("utf-8"))["properties"]
    assert properties[f"litecheck_{schema.replace('-', '_')}"]["const"] == version


def test_documents_without_a_schema() -> None:
    """Readers of these documents depend on the numbers: a change needs a line in the changelog."""
    assert (CERTIFICATE_CHECK, QUANTIZED, RUN, DIAGNOSIS) == (1, 1, 1, 3)
