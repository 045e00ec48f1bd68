"""Profiles of a kind of conversion."""

from __future__ import annotations

import pytest

from litecheck.conversion.plan_profiles import rules_for
from litecheck.errors import ConfigError


def test_an_unknown_kind_is_an_error_before_and_after_known_kinds() -> None:
    with pytest.raises(ConfigError, match="there is no conversion to 'int4'"):
        rules_for("int4")
    assert rules_for("int8")[0].name == "litert-runtime"
