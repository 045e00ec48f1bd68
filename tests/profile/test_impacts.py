"""Impacts of the rules against LiteRT: a model that violates a single requirement ends as its finding states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

import litecheck
from litecheck.finding import IGNORED
from litecheck.model.build import qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from tests.differential.oracle import RESOLVERS
from tests.differential.rules_cases import Case, cases
from tests.differential.structure_oracle import StructureOracle
from tests.profile.impact_models import ImpactModel, litert_models

#: Impact to the ends with the reference kernels, the optimized kernels and the default interpreter. ``same``: the
#: outputs are those of the valid model.
ENDS = {
    "fails to load": ("refused", "refused", "refused"),
    "rejected without the default delegate": ("rejected", "rejected", "runs"),
    "fails at run time": ("fails", "fails", "fails"),
    "rejected by the reference resolver only": ("refused", "same", "same"),
    IGNORED: ("same", "same", "same"),
    "outside the specification": ("same", "same", "same"),
    "rejected by the default interpreter only": ("same", "same", "refused"),
    "crashes the reference resolver only": ("crashes", "runs", "runs"),
    "wrong results": ("runs", "runs", "runs"),
    "": ("same", "same", "same"),
}
#: End to the observations that it describes.
MEANING = {
    "refused": ("refused",),
    "fails": ("fails",),
    "rejected": ("refused", "fails"),
    "runs": ("same", "differs"),
    "same": ("same",),
    "crashes": ("crashes",),
}
#: Resolver with kernels for an operator that a resolver's delegate rejects.
FALLBACK = {"reference": (), "optimized": (), "xnnpack": ("optimized",)}
ABSENT = Quantization()
NO_DELEGATE, REFERENCE = "rejected without the default delegate", "rejected by the reference resolver only"
#: Operator, type of the inputs, changed field, value, path of the finding, impact.
CHANGES = [
    ("TILE", "int8", "version", 3, "limits/reference_version", REFERENCE),
    ("DEPTH_TO_SPACE", "int8", "version", 2, "limits/reference_version", REFERENCE),
    ("DEPTHWISE_CONV_2D", "int8", "c1", ABSENT, "weight/granularity", "fails to load"),
    ("DEPTHWISE_CONV_2D", "int8", "c1", qparams(np.array([1, 2])), "weight/granularity", "fails to load"),
    ("DEPTHWISE_CONV_2D", "int8", "c2", ABSENT, "bias/granularity", "outside the specification"),
    ("TRANSPOSE_CONV", "int16", "quantized_bias_type", 2, "limits/bias_type_mismatch", "fails to load"),
    ("CONV_2D", "int16", "quantized_bias_type", 2, "limits/bias_type_mismatch", "fails to load"),
    ("FULLY_CONNECTED", "int16", "quantized_bias_type", 2, "limits/bias_type_mismatch", "fails to load"),
    ("CONV_2D", "int16", "c2", "int32", "limits/bias_type_mismatch", "wrong results"),
    ("REDUCE_MAX", "int8", "y0", qparams(0.02, 3), "same_quantization", NO_DELEGATE),
    ("REDUCE_MIN", "int8", "y0", qparams(0.05, 9), "same_quantization", NO_DELEGATE),
    ("REDUCE_MAX", "int16", "y0", qparams(0.02), "same_quantization", "fails at run time"),
    ("LOGISTIC", "int8", "y0", qparams(1 / 128, -128), "output/scale", NO_DELEGATE),
    ("LOGISTIC", "int8", "y0", qparams(0.0, -128), "output/scale", "fails to load"),
    ("LOGISTIC", "int8", "y0", qparams(np.nan, -128), "output/scale", "fails to load"),
    ("CONCATENATION", "int8", "fused_activation_function", 1, "limits/fused_activation", NO_DELEGATE),
    ("CONCATENATION", "int16", "fused_activation_function", 1, "limits/fused_activation", "fails to load"),
    ("CONCATENATION", "int8", "fused_activation_function", 100, "limits/fused_activation", IGNORED),
    ("CONCATENATION", "int16", "fused_activation_function", 100, "limits/fused_activation", IGNORED),
    ("RESIZE_BILINEAR", "int8", "align_corners", True, "shapes", NO_DELEGATE),
    ("RESIZE_BILINEAR", "int16", "align_corners", True, "shapes", "fails to load"),
    ("FULLY_CONNECTED", "int8", "fused_activation_function", 4, "limits/fused_activation", "fails to load"),
    ("FULLY_CONNECTED", "int8", "fused_activation_function", 100, "limits/fused_activation", IGNORED),
    ("ADD", "int8", "y0", "int32", "output/dtype", "outside the specification"),
    ("SUB", "int8", "y0", "float32", "output/dtype", "outside the specification"),
    ("MUL", "int8", "y0", "int32", "output/dtype", "wrong results"),
    ("ARG_MAX", "int8", "y0", "float32", "output/dtype", IGNORED),
    ("ARG_MIN", "int8", "y0", "bool", "output/dtype", IGNORED),
    ("SHAPE", "int8", "y0", "float32", "output/dtype", IGNORED),
    ("LOGISTIC", "int8", "y0", qparams(1e-40, -128), "output/scale", "fails to load"),
    ("SOFTMAX", "int8", "x0", qparams(0.0), "input/scale", "crashes the reference resolver only"),
    (
        "LOG_SOFTMAX",
        "int8",
        "x0",
        qparams(2.0**-30),
        "limits/input.scale",
        "crashes the reference resolver only",
    ),
    ("LOG_SOFTMAX", "int8", "x0", qparams(5e4), "limits/input.scale", "wrong results"),
    (
        "DEPTHWISE_CONV_2D",
        "int8",
        "c2",
        qparams(np.full(6, np.inf)),
        "bias/scale",
        "outside the specification",
    ),
    ("SCATTER_ND", "int8", "y0", qparams(0.05, 200), "output/zero_point", "wrong results"),
    ("ONE_HOT", "int8", "c3", ABSENT, "off_value/granularity", "wrong results"),
]
MODELS = tuple(litert_models())


@pytest.fixture(scope="module")
def litert() -> Iterator[StructureOracle]:
    with StructureOracle(20) as started:
        yield started


@cache
def sound(dtype: str) -> dict[str, Case]:
    """Return the valid model of each operator."""
    return {case.name: case for case in cases(dtype)}


def changed(model: Model, field: str, value: object) -> Model:
    """Return the model with a changed quantization or type of a tensor, or a changed version or option of its
    operator."""
    graph = model.subgraphs[0]
    (operator,) = graph.operators
    if isinstance(value, (Quantization, str)):
        key = "dtype" if isinstance(value, str) else "quantization"
        tensors = tuple(replace(t, **{key: value}) if t.name == field else t for t in graph.tensors)
        return replace(model, subgraphs=(replace(graph, tensors=tensors),))
    if field == "version":
        operator = replace(operator, version=value)
    else:
        assert operator.options is not None
        operator = replace(
            operator, options=replace(operator.options, fields={**operator.options.fields, field: value})
        )
    return replace(model, subgraphs=(replace(graph, operators=(operator,)),))


@pytest.mark.parametrize(("name", "dtype", "field", "value", "path", "impact"), CHANGES)
def test_a_violating_model_ends_as_stated(
    litert: StructureOracle, name: str, dtype: str, field: str, value: object, path: str, impact: str
) -> None:
    case = sound(dtype)[name]
    model = changed(case.model, field, value)
    found = {f.path: f.effect for f in litecheck.validate(model).findings}
    assert found[f"{case.opcode}/{path}"] == impact
    ends = [_end(litert, model, case.model, case.inputs, resolver) for resolver in RESOLVERS]
    assert all(end in MEANING[stated] for end, stated in zip(ends, ENDS[impact], strict=True)), ends


@pytest.mark.parametrize("case", MODELS, ids=lambda case: case.name)
def test_a_built_model_ends_as_stated(litert: StructureOracle, case: ImpactModel) -> None:
    found = {f.path: f.effect for f in litecheck.validate(case.broken).findings if f.level == "violation"}
    assert found.get(case.path) == case.impact if case.path else not found
    ends = [_end(litert, case.broken, case.sound, case.inputs, resolver) for resolver in RESOLVERS]
    assert all(end in MEANING[stated] for end, stated in zip(ends, ENDS[case.impact], strict=True)), ends
    if case.impact == "wrong results" and case.sound is not None:
        assert set(ends) == {"differs"}


def _end(
    litert: StructureOracle, model: Model, sound: Model | None, inputs: tuple[np.ndarray, ...], resolver: str
) -> str:
    """Return the end of a model under a resolver. Without a valid model, any outputs count as the same."""
    fate = litert.fate(model_bytes(model), inputs, resolver)
    if fate.word != "runs" or sound is None:
        return "same" if fate.word == "runs" else fate.word
    known = (
        litert.fate(model_bytes(sound), inputs, r) for r in dict.fromkeys((resolver, *FALLBACK[resolver]))
    )
    return "same" if any(_alike(fate.outputs, k.outputs) for k in known) else "differs"


def _alike(outputs: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(outputs, others, strict=True))


def test_depthwise_weights_with_one_scale_run(litert: StructureOracle) -> None:
    case = sound("int8")["DEPTHWISE_CONV_2D"]
    several, one = (
        changed(changed(case.model, "c1", qparams(np.full(n, 0.01), 0, 3)), "c2", qparams(np.full(n, 0.0005)))
        for n in (6, 1)
    )
    (finding,) = litecheck.validate(one).findings
    assert (finding.path, finding.effect) == (
        "DEPTHWISE_CONV_2D/weight/granularity",
        "outside the specification",
    )
    for resolver in RESOLVERS:
        got, wanted = (litert.fate(model_bytes(m), case.inputs, resolver) for m in (one, several))
        assert got.word == "runs"
        np.testing.assert_array_equal(got.outputs, wanted.outputs)
