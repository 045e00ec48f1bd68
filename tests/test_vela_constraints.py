"""Constraints that Arm's Vela prints: each is in the profiles of its targets."""

from __future__ import annotations

import pytest

from docs.vela import TARGETS, constraints, demanded, matching_paths
from litecheck.targets.ethos_u.compiler.vela import ACCELERATORS

#: The compiler's names of operators that are not those of the file format.
NAMES = {"ARGMAX": "ARG_MAX"}

#: Vela prints a stride constraint for these operators, which have no stride, so that it requires nothing.
STRIDELESS = {"FULLY_CONNECTED", "REDUCE_MAX", "REDUCE_MIN", "SUM", "ARG_MAX"}


@pytest.mark.parametrize("key", TARGETS)
def test_every_path_of_the_table_is_a_requirement_of_the_profile(key: str) -> None:
    paths = demanded(TARGETS[key])
    assert not [
        pattern for one in constraints() for pattern in one.paths[key] if not matching_paths(pattern, paths)
    ]


def test_a_constraint_without_a_path_has_a_reason() -> None:
    assert all(bool(one.nothing) != any(one.paths.values()) for one in constraints())


@pytest.mark.parametrize("key", TARGETS)
def test_no_constraint_that_the_compiler_prints_is_missing(key: str) -> None:
    regor = pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    printed = regor.tflite_operator_constraints(ACCELERATORS[TARGETS[key]])
    texts = {text for several in printed.values() for text in several}
    missing, extra = [], []
    for text in texts:
        found = [one for one in constraints() if one.names(text)]
        missing += [text] if len(found) != 1 or not (found[0].paths[key] or found[0].nothing) else []
    for one in constraints():
        extra += [one.says] if one.paths[key] and not any(one.names(text) for text in texts) else []
    assert (missing, extra) == ([], [])
    assert len(texts) == {"u55": 55, "u85": 50}[key]


@pytest.mark.parametrize("key", TARGETS)
def test_every_constraint_of_every_operator_is_in_its_entry(key: str) -> None:
    regor = pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    printed = regor.tflite_operator_constraints(ACCELERATORS[TARGETS[key]])
    paths, missing, pairs = demanded(TARGETS[key]), set(), 0
    for name, texts in printed.items():
        opcode = NAMES.get(name, name)
        own = frozenset(path for path in paths if path.startswith(opcode + "/"))
        pairs += len(texts)
        for text in texts:
            one = next(one for one in constraints() if one.names(text))
            if not one.nothing and not any(matching_paths(pattern, own) for pattern in one.paths[key]):
                missing.add((opcode, one.says))
    stride = {(opcode, "Kernel stride must be in the range (1,3)") for opcode in STRIDELESS}
    assert missing == (stride if key == "u55" else set())
    assert pairs == {"u55": 653, "u85": 763}[key]
