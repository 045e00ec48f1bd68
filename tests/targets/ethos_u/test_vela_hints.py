"""What a profile hints at, tried: rewritten so, a model runs on the NPU, and computes the same, or it is said why not."""

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

#: By requirement, the model that does not keep it and the one that does.
CASES = {**vela_hints.CASES, **MOVED}
TARGETS = ("ethos-u55", "ethos-u65", "ethos-u85")


def hinted(target: str) -> dict[str, str]:
    """The hint of each requirement that has one, of all those a case stands for."""
    profile = load_profile(target)
    every = {r.path: r.hint for r in profile.requirements()}
    every |= {f"{op}/unsupported": hint for op, hint in profile.unlisted_hints.items()}
    return {path: every[path] for path in CASES if every.get(path)}


@pytest.mark.parametrize("file", ["ethos-u55", "ethos-u85"])
def test_every_hint_is_tried(file: str) -> None:
    """Of a pattern that names operators each is tried, of one for all operators one."""
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
def test_a_model_rewritten_as_the_hint_says_runs_on_the_npu(target: str) -> None:
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
    """Inputs over the whole range of their types, the lowest and the highest value among them where there is room."""
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
    """The one result of a model on these inputs, in its own shapes, by the reference."""
    main = model.subgraphs[0]
    given = [main.tensors[i] for i in main.inputs]
    inputs = {t.name: v.reshape(t.shape) for t, v in zip(given, values, strict=True)}
    (result,) = run(model, inputs).outputs.values()
    return result


def reals(model: Model, values: list[Values]) -> list[Reals]:
    """What the integers of a model's inputs stand for."""
    return _stood_for(model, model.subgraphs[0].inputs, values)


def _stood_for(model: Model, tensors: Sequence[int], values: list[Values]) -> list[Reals]:
    stated = [model.subgraphs[0].tensors[i].quantization for i in tensors]
    return [
        (v.astype(np.float64) - float(q.zero_point[0])) * float(q.scale[0])
        for v, q in zip(values, stated, strict=True)
    ]


def off(model: Model, result: Values, wanted: Reals) -> float:
    """How far a result is from these numbers at most, in its own steps; what it cannot hold is cut."""
    main = model.subgraphs[0]
    tensor = main.tensors[main.outputs[0]]
    low, high = INTEGER_RANGES[tensor.dtype]
    scale, zero = float(tensor.quantization.scale[0]), float(tensor.quantization.zero_point[0])
    exact = np.clip(wanted.reshape(result.shape) / scale + zero, low, high)
    return float(np.abs(result.astype(np.float64) - exact).max())


def swish(x: Reals) -> Reals:
    return x * np.clip(x + 3, 0, 6) / 6


#: Rewritten models that do not compute the same: LiteRT computes the first one otherwise than its parameters say, or not
#: at all. By requirement, the real values that the parameters stand for, and by how many steps the rewritten model may
#: miss them: half a step for each time that a number is rounded.
APART: dict[str, tuple[Callable[..., Reals], float]] = {
    # LiteRT copies the stored integers, whatever they stand for.
    "RESHAPE/limits/io_scale_mismatch": (lambda x: x, 0.5),
    "SQUEEZE/limits/io_scale_mismatch": (lambda x: x, 0.5),
    "EXPAND_DIMS/limits/io_scale_mismatch": (lambda x: x, 0.5),
    # LiteRT compares the stored integers, whatever they stand for.
    "MAXIMUM/limits/feature_map_quantizations": (np.maximum, 0.5),
    "MINIMUM/limits/feature_map_quantizations": (np.minimum, 0.5),
    # LiteRT has no kernel for int16. A step of the inner int8 is 16 of the result's: half of one goes in, times the
    # steepest slope of 1.5, and one and a half come out.
    "HARD_SWISH/limits/input_dtype": (lambda x: swish(np.clip(x, -8, 127 / 16)).clip(-8, 127 / 16), 36.0),
}


#: Those of which LiteRT computes the first model not at all.
KERNELLESS = {"HARD_SWISH/limits/input_dtype"}


#: Rewritten models that round otherwise: by how many steps their results may be apart.
NEAR = {"DIV/unsupported": 1}


def both(path: str, values: list[Values], moved: list[Values]) -> tuple[Values, Values]:
    """What the first model makes of these integers and the rewritten one of those, flat, with floats for integers where the
    first one has them."""
    before, after = CASES[path](False), CASES[path](True)
    given = [before.subgraphs[0].tensors[i] for i in before.subgraphs[0].inputs]
    floats = [v.astype(np.float32) for v in reals(after, values)] if given[0].dtype == "float32" else values
    ours, theirs = computed(before, floats), computed(after, moved)
    if ours.dtype == np.float32:
        (theirs,) = (v.astype(np.float32) for v in _stood_for(after, after.subgraphs[0].outputs, [theirs]))
    assert ours.dtype == theirs.dtype
    return ours.reshape(-1), theirs.reshape(-1)


@pytest.mark.parametrize("path", sorted(set(CASES) - set(APART)))
def test_a_rewritten_model_computes_the_same(path: str) -> None:
    values = drawn(CASES[path](True))
    ours, theirs = both(path, values, values)
    assert len(np.unique(ours)) > 1 or ours.size == 1
    apart = np.abs(ours.astype(np.float64) - theirs).max()
    assert apart == NEAR.get(path, 0)


@pytest.mark.parametrize("path", APART)
def test_a_rewritten_model_that_computes_otherwise_keeps_the_real_values(path: str) -> None:
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
def test_other_inputs_are_seen(path: str) -> None:
    """The control: they give other results, so equal results mean something."""
    values = drawn(CASES[path](True))
    moved = [np.where(v == INTEGER_RANGES[str(v.dtype)][1], v - 9, v + 9).astype(v.dtype) for v in values]
    ours, theirs = both(path, values, moved)
    assert np.abs(ours.astype(np.float64) - theirs).max() > NEAR.get(path, 0)
