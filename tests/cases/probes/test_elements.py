"""Stored values, positions, lengths and ties that probes of operators on elements reach."""

from __future__ import annotations

import re

import numpy as np
import pytest

from litecheck.cases.probes.elements import PRODUCTS, SUMS
from tests.cases.probes.fingerprint import fingerprint, of_family

#: The same options give the same bytes (docs/suite.md).
RECORDED = {
    ("sums_of_two", "ADD"): "5948e7b543e1",
    ("products_of_two", "MUL"): "67c9419d9843",
    ("products_of_two", "SQUARED_DIFFERENCE"): "4d0b00a883cc",
    ("rescaling", "RELU"): "b6d49e0e07ab",
    ("leaky_relu", "LEAKY_RELU"): "48b268181ff2",
    ("elu", "ELU"): "4150f643d104",
    ("gelu", "GELU"): "fa4e448103bb",
    ("logistic", "LOGISTIC"): "45e7e4f3dc5b",
    ("tanh", "TANH"): "ac6e2976e0d1",
    ("softmax", "SOFTMAX"): "3f5a1a901417",
    ("quantize", "QUANTIZE"): "8495310957b1",
    ("dequantize", "DEQUANTIZE"): "2e9aa30ee2be",
}

UNARY = ("rescaling", "RELU"), ("leaky_relu", "LEAKY_RELU"), ("logistic", "LOGISTIC"), ("gelu", "GELU")
EVERY = {*range(-128, 128)}


@pytest.mark.parametrize(("family", "opcode"), RECORDED)
def test_the_same_seed_draws_the_same_probes(family: str, opcode: str) -> None:
    assert fingerprint(of_family(family, opcode)) == RECORDED[family, opcode]


@pytest.mark.parametrize("family", ["sums_of_two", "products_of_two"])
def test_every_pair_of_stored_values_occurs_under_each_triple_of_scales(family: str) -> None:
    """256 * 256 pairs and 7 further elements, which a vectorized loop computes in its tail."""
    opcode, table = ("ADD", SUMS) if family == "sums_of_two" else ("MUL", PRODUCTS)
    pairs = [p for p in of_family(family, opcode) if p.name.startswith("all pairs")]
    assert len(pairs) == len(table)
    for each, scales in zip(pairs, table, strict=True):
        lhs, rhs = each.runs[0]
        assert lhs.shape == rhs.shape == (1, 65_543)
        assert len({*zip(lhs.ravel().tolist(), rhs.ravel().tolist(), strict=True)}) == 65_536
        stated = [
            (float(t.quantization.scale[0]), int(t.quantization.zero_point[0])) for t in each.subgraph.tensors
        ]
        assert stated == [(float(np.float32(scale)), zero) for scale, zero in scales]


def test_activations_are_set_only_for_operators_that_fuse_them() -> None:
    """No activation three times, then RELU6 and RELU; SQUARED_DIFFERENCE has none."""
    names = [p.name.rpartition(" ")[2] for p in of_family("sums_of_two", "ADD") if "activation" in p.name]
    assert names == ["NONE", "NONE", "NONE", "RELU6", "RELU", "NONE", "NONE"]
    plain = [p for p in of_family("products_of_two", "SQUARED_DIFFERENCE") if "activation" in p.name]
    assert all(p.name.endswith("activation NONE") for p in plain)
    for each in of_family("sums_of_two", "ADD"):
        options = each.subgraph.operators[0].options
        assert options is not None
        message = re.search("activation (.*)", each.name)
        code = {"NONE": 0, "RELU": 1, "RELU6": 3}[message[1] if message else "NONE"]
        assert options.get("fused_activation_function", 0) == code


def test_short_arrays_do_not_fill_a_vector_of_32() -> None:
    """Over all runs each stored value is in an array of 31 elements at several positions."""
    short = [p for p in of_family("sums_of_two", "ADD") if p.name.startswith("arrays of 31")]
    assert len(short) == 3
    for each in short:
        assert {values.shape for run in each.runs for values in run} == {(1, 31)}
        assert {v for run in each.runs for v in run[0].ravel().tolist()} == EVERY


def test_broadcast_shapes() -> None:
    """The second operand is a single element or a single row. In the last pair, each operand is broadcast."""
    shapes = [tuple(v.shape for v in p.runs[0]) for p in of_family("sums_of_two", "ADD")[-3:]]
    assert shapes == [((9, 27), (1, 1)), ((1, 9, 27), (1, 1, 27)), ((5, 1, 27), (1, 9, 1))]


@pytest.mark.parametrize(("family", "opcode"), UNARY)
def test_each_value_is_in_the_tail_of_an_array_of_all_values(family: str, opcode: str) -> None:
    """The tail is the last 7 of 263 elements: the remainder after vectors of 8, 16 or 32."""
    probes = [p for p in of_family(family, opcode) if p.name.startswith("all values")]
    for each in probes:
        runs = [run[0].ravel().tolist() for run in each.runs]
        assert {len(run) for run in runs} == {263}
        assert all({*run[:256]} == EVERY for run in runs)
        assert {v for run in runs for v in run[-7:]} == EVERY
    assert [p.runs[0][0].size for p in of_family(family, opcode)[-2:]] == [65_536, 65_537]


def test_outputs_of_functions_onto_an_interval() -> None:
    """LOGISTIC gives 0..1 in steps of 1/256 from -128, TANH -1..1 in steps of 1/128 around 0."""
    for family, opcode, stated in (("logistic", "LOGISTIC", (1 / 256, -128)), ("tanh", "TANH", (1 / 128, 0))):
        for each in of_family(family, opcode):
            (output,) = each.subgraph.outputs
            q = each.subgraph.tensors[output].quantization
            assert (q.scale.tolist(), q.zero_point.tolist()) == ([stated[0]], [stated[1]])


def test_options_of_functions() -> None:
    """Slopes of LEAKY_RELU lie on both sides of 1; GELU runs with and without its approximation."""
    options = [p.subgraph.operators[0].options for p in of_family("leaky_relu", "LEAKY_RELU")]
    slopes = {round(float(o.get("alpha")), 4) for o in options if o is not None}
    assert min(slopes) < 1 < max(slopes)
    told = [p.name.rpartition(" ")[2] for p in of_family("leaky_relu", "LEAKY_RELU") if "alpha" in p.name]
    assert {*map(float, told)} == slopes
    gelu = [p.subgraph.operators[0].options for p in of_family("gelu", "GELU")]
    assert [bool(o.get("approximate")) for o in gelu if o is not None][:4] == [False, True, False, True]


def test_reals_lie_in_the_middle_of_two_steps() -> None:
    """Half of the first 600 are k + 1/2 steps, and they reach beyond int8 on both sides."""
    reals = [p for p in of_family("quantize", "QUANTIZE") if p.name.startswith("reals")]
    assert len(reals) == 3
    for each in reals:
        (output,) = each.subgraph.outputs
        q = each.subgraph.tensors[output].quantization
        x = each.runs[0][0].ravel().astype(np.float64) / float(q.scale[0])
        assert x.size % 8 == 6  # an odd number of pairs in the tail of each vector
        doubled = np.rint(2 * x[:600])
        assert np.abs(2 * x[:600] - doubled).max() < 1e-4
        assert (doubled % 2 == 1).sum() == 300
        assert x.min() + q.zero_point[0] < -128
        assert x.max() + q.zero_point[0] > 127


def test_dequantized_values() -> None:
    found = of_family("dequantize", "DEQUANTIZE")
    assert {v for run in found[0].runs for v in run[0].ravel().tolist()} == EVERY
    assert [p.runs[0][0].size for p in found] == [263, 263, 65_536, 65_537]
    assert {p.subgraph.tensors[p.subgraph.outputs[0]].dtype for p in found} == {"float32"}


def test_rows_of_softmax() -> None:
    by_name = {p.name: p for p in of_family("softmax", "SOFTMAX")}
    pairs = by_name["pairs at every distance, scale 0.1"].runs[0][0].astype(int)
    assert {*(pairs[:, 0] - pairs[:, 1]).tolist()} == {*range(256)}
    # 512 equal values give 1/512 each, half of the output's step 1/256.
    (ties,) = (p.runs[0][0] for name, p in by_name.items() if name.startswith("ties"))
    assert ties.shape == (3, 512)
    assert all(len({*row.tolist()}) == 1 for row in ties)
    sizes = {
        int(re.sub(",", "", name.split()[0])): p.runs[0][0].size
        for name, p in by_name.items()
        if "outputs" in name
    }
    assert sizes == {65_536: 65_536, 65_544: 65_544}
    uneven = [p for name, p in by_name.items() if "beta" in name]
    assert [p.subgraph.operators[0].options.get("beta") for p in uneven] == [0.5, 4.0]  # type: ignore[union-attr]
    assert all((np.diff(p.runs[0][0].astype(int), axis=0) >= 0).all() for p in uneven)
    assert {name.rpartition(" ")[2] for name in by_name} == {"0.1", "0.0455", "0.0229"}
