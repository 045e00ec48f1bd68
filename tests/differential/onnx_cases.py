"""Single-operator ONNX models in every version, type mix and granularity, and two engines that run them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from litecheck.quantizer.narrow_floats import round_to
from litecheck.quantizer.onnx import dequantize_linear, quantize_linear
from litecheck.quantizer.onnx_types import DEQUANTIZE, NUMBERS, QUANTIZE, RANGES, name_of, storage, type_name
from litecheck.quantizer.types import Parameters

F = np.float32
SHAPE = (10, 96)
#: Attributes and the shape of the scale for a tensor of SHAPE; both kinds of blocks have an uneven last block.
GRANULARITIES = (
    ({}, ()),
    ({}, (96,)),
    ({"axis": 0}, (10,)),
    ({"axis": -2}, (10,)),
    ({"block_size": 7}, (10, 14)),
    ({"block_size": 4, "axis": -2}, (3, 96)),
)
SUB_BYTE = {"int4", "uint4", "int2", "uint2", "float4e2m1"}


@dataclass(frozen=True, eq=False)
class Case:
    """Operator with constant inputs; ``types`` are the ONNX types by the names that defects use."""

    operator: str
    version: int
    inputs: tuple[np.ndarray, ...]
    attributes: dict[str, Any]
    types: dict[str, str]
    finish: str = ""

    def ours(self) -> np.ndarray:
        """Return litecheck's output as float64 values, then rounded to the type ``finish``."""
        function = {"QuantizeLinear": quantize_linear, "DequantizeLinear": dequantize_linear}[self.operator]
        with np.errstate(all="ignore"):
            y = function(*self.inputs, version=self.version, **self.attributes)
            return (round_to(y, self.finish) if self.finish else y).astype(np.float64)

    def quotient(self, name: str) -> np.ndarray:
        """Return the quotients of QuantizeLinear in a type of numpy or ml_dtypes, not rounded further."""
        x, scale = self.inputs[0], spread(self.inputs[1], self.attributes)
        with np.errstate(all="ignore"):
            return (x.astype(storage(name)) / scale.astype(storage(name))).astype(np.float64)


def real_values(rng, real, scale, target):
    """Return ties and limits of the target at these scales, their neighbors, special values, and random values."""
    shape = scale.shape
    with np.errstate(all="ignore"):
        low, high = RANGES.get(target, (-500, 500))
        spot = rng.integers(0, 5, shape)
        steps = rng.integers(low - 4, high + 5, shape) + rng.choice([0, 0.5], shape)
        x = steps * scale.astype(np.float64)
        x = np.where(
            spot == 0, rng.choice([low, high, low - 0.5, high + 0.5], shape) * scale.astype(np.float64), x
        )
        x = np.where(spot == 1, rng.normal(0, abs(high) / 2, shape) * scale.astype(np.float64), x)
        if real == "int32":
            x = np.where(spot == 2, rng.integers(-(2**31), 2**31, shape), np.rint(x))
            return np.clip(x, -(2**31), 2**31 - 1).astype(np.int32)
        x = np.where(spot == 2, rng.normal(0, 1, shape) * 2.0 ** rng.integers(-30, 30, shape), x)
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -6e-8, 1e38, -3e38, 65504, 3e9]
        x = np.where(spot == 3, rng.choice(special, shape), x)
        return x.astype(F).astype(storage(real))


def scales(rng, name, shape):
    if name == "float8e8m0":
        return (2.0 ** rng.integers(-6, 6, shape)).astype(F).astype(storage(name))
    if name == "int32":
        return np.asarray(rng.choice([1, 2, 3, 7, 1000, 2**20 + 1], shape), np.int32)
    values = np.where(
        rng.integers(0, 2, shape) == 0, 2.0 ** rng.integers(-6, 6, shape), rng.uniform(1e-3, 3, shape)
    )
    return np.asarray(values, F).astype(storage(name))


def stored_array(values, name):
    """Return values in the type of an ONNX tensor, of ml_dtypes for integers that numpy does not have."""
    if name in SUB_BYTE and name in RANGES:
        import ml_dtypes

        return np.asarray(values).astype(getattr(ml_dtypes, name))
    return np.asarray(values).astype(storage(name))


def zero_points(rng, name, shape, zero):
    if name not in RANGES:
        return stored_array(np.zeros(shape) if zero else rng.choice([-2, -0.5, 0, 1.5, 4], shape), name)
    low, high = RANGES[name]
    return stored_array(np.zeros(shape) if zero else rng.integers(low, high + 1, shape), name)


def spread(scale, attributes):
    """Return the scale of each element of SHAPE."""
    axis = attributes.get("axis", 1) if scale.ndim else None
    return np.broadcast_to(
        Parameters(scale, None, axis, attributes.get("block_size", 0)).broadcast_to(SHAPE)[0], SHAPE
    )


def granularities(facts):
    return GRANULARITIES[: 6 if facts.blocked else 4 if facts.per_axis else 1]


def quantize_cases() -> Iterator[Case]:
    """Yield all versions x type mixes x granularities; saturate, precision and the attribute of the type alternate."""
    rng = np.random.default_rng(20)
    for version, facts in QUANTIZE.items():
        turn = 0
        for real in facts.real:
            for scale_type in facts.scale or (real,):
                for target in facts.stored:
                    for place, shape in granularities(facts):
                        turn += 1
                        attributes = dict(place)
                        scale = scales(rng, scale_type, shape)
                        x = real_values(rng, real, spread(scale, place), target)
                        zero = turn % 3 == 0 if target in RANGES else turn % 3 != 0
                        inputs = (x, scale, zero_points(rng, target, shape, zero))
                        if "saturate" in facts.attributes and turn % 2:
                            attributes["saturate"] = 0
                        if "output_dtype" in facts.attributes and turn % 5 == 0:
                            inputs, attributes["output_dtype"] = inputs[:2], NUMBERS[target]
                        types = {"x": real, "scale": scale_type, "target": target}
                        if "precision" in facts.attributes and turn % 4 == 0:
                            types["precision"] = ("float32", "float16", "bfloat16")[turn // 4 % 3]
                            attributes["precision"] = NUMBERS[types["precision"]]
                        yield Case("QuantizeLinear", version, inputs, attributes, types)


def dequantize_cases() -> Iterator[Case]:
    rng = np.random.default_rng(21)
    for version, facts in DEQUANTIZE.items():
        for stored in facts.stored:
            for scale_type in facts.scale:
                for result in ("", *facts.real) if "output_dtype" in facts.attributes else ("",):
                    if not result and scale_type not in facts.real:
                        continue
                    for place, shape in granularities(facts):
                        attributes = {**place, "output_dtype": NUMBERS[result]} if result else dict(place)
                        if stored in RANGES:
                            low, high = RANGES[stored]
                            x = stored_array(rng.integers(low, high + 1, SHAPE), stored)
                        else:
                            count = 16 if stored in SUB_BYTE else 256
                            x = rng.integers(0, count, SHAPE).astype(np.uint8).view(storage(stored))
                        zero = stored == "int32" or rng.integers(0, 3) == (0 if stored in RANGES else 1)
                        zero = zero or (stored not in RANGES and rng.integers(0, 2) == 0)
                        inputs = (x, scales(rng, scale_type, shape), zero_points(rng, stored, shape, zero))
                        types = {"x": stored, "scale": scale_type, "target": result or scale_type}
                        yield Case("DequantizeLinear", version, inputs, attributes, types)


def graph(case: Case) -> Any:
    """Return the ONNX model: constants, the operator, and a Cast if numpy has no type for its output."""
    from onnx import helper, numpy_helper

    names = ["x", "scale", "zero_point"][: len(case.inputs)]
    number = NUMBERS[case.types["target"]]
    nodes = [helper.make_node(case.operator, names, ["y"], **case.attributes)]
    if case.types["target"] not in ("uint8", "int8", "uint16", "int16", "float32", "float16"):
        cast = NUMBERS["int8" if case.types["target"] in RANGES else "float32"]
        nodes.append(helper.make_node("Cast", ["y"], ["z"], to=cast))
        number = cast
    output = helper.make_tensor_value_info(nodes[-1].output[0], number, None)
    constants = [numpy_helper.from_array(v, n) for v, n in zip(case.inputs, names, strict=True)]
    return helper.make_model(
        helper.make_graph(nodes, "one", [], [output], constants),
        opset_imports=[helper.make_opsetid("", case.version)],
        ir_version=12 if case.version >= 25 else 10,
    )


def onnx_reference(case: Case) -> np.ndarray:
    """Return the output of onnx.reference's operator on the arrays, without a Cast."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    names = ["x", "scale", "zero_point"][: len(case.inputs)]
    node = helper.make_node(case.operator, names, ["y"], **case.attributes)
    infos = [
        helper.make_tensor_value_info(n, NUMBERS[type_name(name_of(v))], None)
        for n, v in zip(names, case.inputs, strict=True)
    ]
    output = helper.make_tensor_value_info("y", NUMBERS[case.types["target"]], None)
    model = helper.make_model(
        helper.make_graph([node], "one", infos, [output]),
        opset_imports=[helper.make_opsetid("", case.version)],
    )
    with np.errstate(all="ignore"):
        return (
            ReferenceEvaluator(model)
            .run(None, dict(zip(names, case.inputs, strict=True)))[0]
            .astype(np.float64)
        )


def onnxruntime(case: Case) -> np.ndarray:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    model = graph(case).SerializeToString()
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {})[0].astype(np.float64)
