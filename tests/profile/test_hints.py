"""Hints: inherited with the requirement, stated by pattern, and rejected if the pattern matches no requirement."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.placement import place_model


def hints(name: str | Path) -> dict[str, str]:
    return {r.path: r.hint for r in load_profile(name).requirements() if r.hint}


def test_a_profile_inherits_the_hints_of_the_one_it_extends() -> None:
    assert hints("ethos-u55")
    assert hints("ethos-u65") == hints("ethos-u55")


def test_a_child_replaces_a_hint(tmp_path: Path) -> None:
    file = tmp_path / "npu.yaml"
    file.write_text(
        "profile: npu\ntitle: t\nextends: ethos-u55\nhints:\n  ABS/limits/rank0_inputs: leave it out\n"
    )
    own, parent = hints(file), hints("ethos-u55")
    assert own.pop("ABS/limits/rank0_inputs") == "leave it out"
    assert parent.pop("ABS/limits/rank0_inputs") == "give the tensor the shape [1]"
    assert own == parent


def test_a_hint_for_no_requirement_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "npu.yaml"
    file.write_text(
        "profile: npu\ntitle: t\nextends: litert-int8\nhints:\n  ABS/limits/nothing: leave it out\n"
    )
    with pytest.raises(ProfileError, match=r"npu.yaml:5: no requirement 'ABS/limits/nothing'"):
        load_profile(file)


def test_an_operator_without_an_entry_has_one_where_that_decides_where_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "npu.yaml"
    file.write_text(
        "profile: npu\ntitle: t\njudges: placement\nactivations: any\nunlisted: stays on the CPU\n"
        "hints:\n  DIV|SQRT/unsupported: leave it out\n"
    )
    profile = load_profile(file)
    assert profile.unlisted_hints == {"DIV": "leave it out", "SQRT": "leave it out"}
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (main.tensor(name, (1, 4), "int8", qparams(0.5)) for name in "xyz")
    main.add("SQRT", [x], [y])
    main.add("RSQRT", [y], [z])
    main.inputs(x)
    main.outputs(z)
    assert [f.hint for f in place_model(builder.finish(), profile)[1]] == ["leave it out", ""]


def test_a_hint_for_no_operator_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "npu.yaml"
    file.write_text("profile: npu\ntitle: t\nextends: ethos-u55\nhints:\n  DIVV/unsupported: leave it out\n")
    with pytest.raises(ProfileError, match=r"npu.yaml:5: no requirement 'DIVV/unsupported'"):
        load_profile(file)


def test_without_placement_an_operator_without_an_entry_has_none(tmp_path: Path) -> None:
    file = tmp_path / "npu.yaml"
    file.write_text(
        "profile: npu\ntitle: t\nextends: litert-int8\nhints:\n  FLOOR/unsupported: leave it out\n"
    )
    with pytest.raises(ProfileError, match=r"npu.yaml:5: no requirement 'FLOOR/unsupported'"):
        load_profile(file)
