"""The file of LiteRT's own faults: each says where, when, what, and how it was seen."""

from __future__ import annotations

import pytest
import yaml

from litecheck.data import rules_dir
from litecheck.reference.registry import kernels

FAULTS = yaml.safe_load((rules_dir() / "arithmetic" / "known-faults.yaml").read_text("utf-8"))["faults"]
NEEDED = {"operator", "types", "resolvers", "versions", "does", "evidence"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f['operator']} {'-'.join(f['resolvers'])}")
def test_a_fault_is_told_in_full(fault: dict[str, object]) -> None:
    assert fault.keys() - {"see", "outcome", "beside"} == NEEDED
    assert isinstance(fault["resolvers"], list)
    assert set(fault["resolvers"]) <= {"reference", "optimized", "xnnpack", "tflm"}
    assert all(isinstance(fault[key], str) and fault[key] for key in NEEDED - {"types", "resolvers"})
    assert set(str(fault["operator"]).split(", ")) <= kernels().keys()


def test_no_fault_is_told_twice() -> None:
    told = [(f["operator"], tuple(f["types"]), tuple(f["resolvers"]), f["does"]) for f in FAULTS]
    assert len(set(told)) == len(told)
