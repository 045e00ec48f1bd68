"""``--cluster`` of suite run."""

from __future__ import annotations

from litecheck.cli.suite_options import parse_cluster


def test_the_resource_of_a_cluster_is_optional() -> None:
    assert parse_cluster("tcp://10.0.0.1:8786") == ("tcp://10.0.0.1:8786", "")
    assert parse_cluster("tcp://10.0.0.1:8786,resource=board") == ("tcp://10.0.0.1:8786", "board")
