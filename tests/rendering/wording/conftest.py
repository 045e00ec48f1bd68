"""The verification for the tests of wording."""

from __future__ import annotations

from tests.rendering.verification.conftest import good, sample, unjudged

__all__ = ["good", "sample", "unjudged"]
