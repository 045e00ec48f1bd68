"""Hints of profiles: a rewritten model runs on the NPU with the same outputs, or with a documented difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck.data import rules_dir
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.yaml_reader import entries, read_yaml
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.interpreter import run
from litecheck.reference.runtime_tensors import RunError
from litecheck.targets.ethos_u.compiler.vela import Vela
from litecheck.targets.ethos_u.placement import place_model
from tests.differential import vela_hints
from tests.differential.vela_hints_moved import MOVED

#: By requirement, models that violate it and models that satisfy it.
CASES = {**vela_hints.CASES, **MOVED}
TARGETS = ("ethos-u55", "ethos-u65", "ethos-u85")


def hinted(target: str) -> dict[str, str]:
    """Return the hint of each requirement that has a hint and a case."""
    profile = load_profile(target)
    every = {r.path: r.hint for r in profile.requirements()}
    every |= {f"{op}/unsupported": hint for op, hint in profile.unlisted_hints.items()}
    return {path: every[path] for path in CASES if every.get(path)}


@pytest.mark.parametrize("file", ["ethos-u55", "ethos-u85"])
def test_every_hint_has_a_case(file: str) -> None:
    """A pattern of named operators has a case for each operator; a pattern of all operators has a case."""
    top = read_yaml(rules_dir() / "targets" / f"{file}.yaml", file)
    patterns = entries(top.get("hints"), file).values
    assert patterns
    for pattern in patterns:
        operators, *rest = pattern.split("/")
        tried = {path.split("/")[0] for path in CASES if path.split("/")[1:] == rest}
        assert tried >= set(operators.split("|")) - {"*"}
        assert tried


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_model_rewritten_by_the_hint_runs_on_the_npu(target: str) -> None:
    pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    profile, hints = load_profile(target), hinted(target)
    assert hints
    with Vela(target) as compiler:
        for path, hint in hints.items():
            before, after = CASES[path](False), CASES[path](True)
            _, found = place_model(before, profile)
            assert {f.path: f.hint for f in found} == {path: hint}
            assert set(compiler.compile(before).outcomes) & {"cpu", "refused"}, path
            assert place_model(after, profile)[1] == [], path
            assert set(compiler.compile(after).outcomes) <= {"npu", "optimized out"}, path


Values = NDArray[np.generic]
Reals = NDArray[np.float64]


def drawn(model: Model, seed: int = 1) -> list[Values]:
    """Return inputs over the whole range of their types; with more than two elements they include both limits."""
    rng, main = np.random.default_rng(seed), model.subgraphs[0]
    values = []
    for tensor in (main.tensors[i] for i in main.inputs):
        ends = INTEGER_RANGES[tensor.dtype]
        drawn = rng.integers(*ends, tensor.shape, tensor.dtype, endpoint=True)
        if drawn.size > 2:
            drawn.reshape(-1)[:2] = ends
        values.append(drawn)
    return values


def computed(model: Model, values: list[Values]) -> Values:
    """Return the only output of a model on these inputs, in the model's shapes, computed by the reference."""
    main = model.subgraphs[0]
    given = [main.tensors[i] for i in main.inputs]
    inputs = {t.name: v.reshape(t.shape) for t, v in zip(given, values, strict=True)}
    (result,) = run(model, inputs).outputs.values()
    return result


def reals(model: Model, values: list[Values]) -> list[Reals]:
    """Return the real values of a model's integer inputs."""
    return _stood_for(model, model.subgraphs[0].inputs, values)


def _stood_for(model: Model, tensors: Sequence[int], values: list[Values]) -> list[Reals]:
    stated = [model.subgraphs[0].tensors[i].quantization for i in tensors]
    return [
        (v.astype(np.float64) - float(q.zero_point[0])) * float(q.scale[0])
        for v, q in zip(values, stated, strict=True)
    ]


def off(model: Model, result: Values, wanted: Reals) -> float:
    """Return the largest difference of an output from these numbers, in output steps; numbers outside the type are
    clipped."""
    main = model.subgraphs[0]
    tensor = main.tensors[main.outputs[0]]
    low, high = INTEGER_RANGES[tensor.dtype]
    scale, zero = float(tensor.quantization.scale[0]), float(tensor.quantization.zero_point[0])
    exact = np.clip(wanted.reshape(result.shape) / scale + zero, low, high)
    return float(np.abs(result.astype(np.float64) - exact).max())


def swish(x: Reals) -> Reals:
    return x * np.clip(x + 3, 0, 6) / 6


#: Rewritten models with different outputs, because LiteRT computes the original model differently from its
#: parameters, or has no kernel. By requirement: the real values of the parameters, and the allowed difference in
#: steps, which is half a step for each rounding.
APART: dict[str, tuple[Callable[..., Reals], float]] = {
    # LiteRT copies the stored integers and ignores their scales.
    "RESHAPE/limits/io_scale_mismatch": (lambda x: x, 0.5),
    "SQUEEZE/limits/io_scale_mismatch": (lambda x: x, 0.5),
    "EXPAND_DIMS/limits/io_scale_mismatch": (lambda x: x, 0.5),
    # LiteRT compares the stored integers and ignores their scales.
    "MAXIMUM/limits/feature_map_quantizations": (np.maximum, 0.5),
    "MINIMUM/limits/feature_map_quantizations": (np.minimum, 0.5),
    # LiteRT has no int16 kernel. A step of the inner int8 is 16 output steps: half an inner step in the input, times
    # the steepest slope of 1.5, and 1.5 inner steps in the output.
    "HARD_SWISH/limits/input_dtype": (lambda x: swish(np.clip(x, -8, 127 / 16)).clip(-8, 127 / 16), 36.0),
}


#: Requirements with an original model that LiteRT has no kernel for.
KERNELLESS = {"HARD_SWISH/limits/input_dtype"}


#: Rewritten models with a different rounding: allowed difference of outputs in steps.
NEAR = {"DIV/unsupported": 1}


def both(path: str, values: list[Values], moved: list[Values]) -> tuple[Values, Values]:
    """Return the flat outputs of the original and of the rewritten model.

    If the original model is a float model, it gets the real values of the inputs, and the rewritten outputs become
    real values.
    """
    before, after = CASES[path](False), CASES[path](True)
    given = [before.subgraphs[0].tensors[i] for i in before.subgraphs[0].inputs]
    floats = [v.astype(np.float32) for v in reals(after, values)] if given[0].dtype == "float32" else values
    ours, theirs = computed(before, floats), computed(after, moved)
    if ours.dtype == np.float32:
        (theirs,) = (v.astype(np.float32) for v in _stood_for(after, after.subgraphs[0].outputs, [theirs]))
    assert ours.dtype == theirs.dtype
    return ours.reshape(-1), theirs.reshape(-1)


@pytest.mark.parametrize("path", sorted(set(CASES) - set(APART)))
def test_a_rewritten_model_has_equal_outputs(path: str) -> None:
    values = drawn(CASES[path](True))
    ours, theirs = both(path, values, values)
    assert len(np.unique(ours)) > 1 or ours.size == 1
    apart = np.abs(ours.astype(np.float64) - theirs).max()
    assert apart == NEAR.get(path, 0)


@pytest.mark.parametrize("path", APART)
def test_a_rewritten_model_with_different_outputs_keeps_the_real_values(path: str) -> None:
    before, after = CASES[path](False), CASES[path](True)
    wanted, most = APART[path]
    values = drawn(before)
    assert off(after, computed(after, values), wanted(*reals(before, values))) <= most
    if path in KERNELLESS:
        with pytest.raises(RunError, match="no kernel"):
            computed(before, values)
    else:
        assert off(before, computed(before, values), wanted(*reals(before, values))) > most


@pytest.mark.parametrize("path", sorted(set(CASES) - set(APART)))
def test_changed_inputs_give_different_outputs(path: str) -> None:
    """Control: changed inputs give different outputs, so that equal outputs are significant."""
    values = drawn(CASES[path](True))
    moved = [np.where(v == INTEGER_RANGES[str(v.dtype)][1], v - 9, v + 9).astype(v.dtype) for v in values]
    ours, theirs = both(path, values, moved)
    assert np.abs(ours.astype(np.float64) - theirs).max() > NEAR.get(path, 0)
