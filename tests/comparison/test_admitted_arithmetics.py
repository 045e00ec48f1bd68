"""Rules shared by verify, suite judge and diagnose: admitted arithmetics, ties and mixed numerics."""

from __future__ import annotations

import pytest

from litecheck.comparison.admitted_arithmetics import PUBLISHED, admitted_arithmetics, agreement
from litecheck.devices.adapters import litert, tflm


@pytest.mark.parametrize(
    ("device", "known", "expected"),
    [
        ("litert:xnnpack", PUBLISHED, ("litert-xnnpack",)),
        ("litert:reference,threads=2", PUBLISHED, ("litert-reference",)),
        ("tflm,arena=9", PUBLISHED, ("tflm",)),
        ("delegate:libacme.so", PUBLISHED, PUBLISHED),
        ("recorded:tflm", PUBLISHED, PUBLISHED),
        ("tflm", ("acme", "litert-reference"), ("acme", "litert-reference")),
    ],
)
def test_admitted(device: str, known: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert admitted_arithmetics(device, known) == expected


def test_each_kernel_set_of_a_published_runtime_has_its_own_arithmetic() -> None:
    devices = [*(f"{litert.KIND.name}:{name}" for name in litert.KIND.choices), tflm.KIND.name]
    assert sorted(map(admitted_arithmetics, devices)) == sorted((name,) for name in PUBLISHED)


@pytest.mark.parametrize(
    ("exact", "groups", "identified"),
    [
        ([], [], ""),
        ([("ADD", "b"), ("TANH", "ab")], [("b", "ADD TANH")], "b"),
        ([("ADD", "ba"), ("TANH", "abc")], [("ab", "ADD TANH")], ""),
        ([("ADD", "a"), ("MUL", "b"), ("SUB", "b")], [("b", "MUL SUB"), ("a", "ADD")], ""),
        ([("ADD", "a"), ("MUL", ""), ("ADD", "a")], [("a", "ADD")], "a"),
        ([("ADD", "z"), ("MUL", "az")], [("z", "ADD MUL")], "z"),
    ],
)
def test_agreement(exact: list[tuple[str, str]], groups: list[tuple[str, str]], identified: str) -> None:
    """Arithmetics are letters here."""
    found = agreement(exact, order="abc")
    assert [("".join(g.arithmetics), " ".join(g.operators)) for g in found.groups] == groups
    assert (found.identified, found.mixed) == (identified, len(groups) > 1)
