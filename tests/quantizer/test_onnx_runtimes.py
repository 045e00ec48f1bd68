"""Every version and type mix on onnx.reference and onnxruntime: equal bit for bit, or a listed defect."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from itertools import islice

import numpy as np
import pytest

from litecheck.quantizer.onnx_dynamic import dynamic_quantize_linear
from tests.differential import onnx_cases

pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
pytest.importorskip("onnx", reason="needs onnx")
pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from tests.differential.onnx_defects import DEFECTS, DYNAMIC, MEASURED, REFERENCE, RUNTIME

pytestmark = pytest.mark.slow

ENGINES = {REFERENCE: onnx_cases.onnx_reference, RUNTIME: onnx_cases.onnxruntime}
GENERATORS = {"QuantizeLinear": onnx_cases.quantize_cases, "DequantizeLinear": onnx_cases.dequantize_cases}


@dataclass
class Tally:
    """Counts of a comparison; ``seen`` counts rejected cases or explained elements, by position in DEFECTS."""

    cases: int = 0
    refused: int = 0
    elements: int = 0
    equal: int = 0
    unexplained: list[str] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)

    def see(self, index, count):
        self.seen[index] = self.seen.get(index, 0) + int(count)


def differ(a, b):
    return ~((a == b) | (np.isnan(a) & np.isnan(b)))


def spoiled(y):
    """Return an output with one element changed by 1."""
    y = y.copy()
    y[0, 0] = y[0, 0] + 1 if np.isfinite(y[0, 0]) and abs(y[0, 0]) < 2**40 else 0.0
    return y


#: Every STEP-th case is compared, all cases with --whole. Attributes change with periods of 2 to 6, so that a step of 7
#: reaches every pair of them.
STEP = 7


@pytest.fixture(scope="module")
def step(request):
    return 1 if request.config.getoption("--whole") else STEP


@cache
def cases(operator, step):
    """Return the cases, the same for every engine."""
    return tuple(islice(GENERATORS[operator](), 0, None, step))


@cache
def compare(engine, operator, step):
    """Return the counts of a comparison, and the counts with one wrong element in every output of litecheck.

    The engine computes each case once.
    """
    tally, control = Tally(), Tally()
    listed = [(i, d) for i, d in enumerate(DEFECTS) if (d.engine, d.operator) == (engine, operator)]
    for case in cases(operator, step):
        tally.cases += 1
        mine = [(i, d) for i, d in listed if d.cases(case)]
        refusing = [i for i, d in mine if d.refuses]
        title = f"{engine} {operator} {case.version} {case.types} {case.attributes}"
        try:
            theirs = ENGINES[engine](case)
        except Exception as error:  # each engine has its own kinds of exceptions
            tally.refused += 1
            if refusing:
                tally.see(refusing[0], 1)
            else:
                tally.unexplained.append(f"{title}: refused, {str(error)[:200]}")
            continue
        if refusing:
            tally.unexplained.append(f"{title}: computed, though listed as refused")
        own = Own.of(case, mine)
        explain(tally, case, mine, own, own.departed, theirs, title)
        explain(control, case, mine, own, spoiled(own.departed), theirs, title)
    return tally, control


@dataclass
class Own:
    """Output of litecheck: plain, with all defects that change the case, and the elements that each defect alone changes."""

    plain: np.ndarray
    departed: np.ndarray
    moved: dict[int, np.ndarray]

    @classmethod
    def of(cls, case, mine):
        plain, changed = case.ours(), case
        changing = [(i, d) for i, d in mine if d.changes]
        for _, defect in changing:
            changed = defect.changes(changed)
        departed = changed.ours() if changing else plain
        if len(changing) == 1:
            return cls(plain, departed, {changing[0][0]: differ(departed, plain)})
        return cls(plain, departed, {i: differ(d.changes(case).ours(), plain) for i, d in changing})


def explain(tally, case, mine, own, departed, theirs, title):
    """Count the elements that are equal, and the elements that the defects explain."""
    ours = own.plain
    wrong = differ(ours, theirs)
    tally.elements += ours.size
    tally.equal += int(np.count_nonzero(~wrong))
    left = differ(departed, theirs)
    for index, defect in mine:
        if defect.elements:
            explained = defect.elements(case)
            tally.see(index, np.count_nonzero(wrong & explained))
            left = left & ~explained
        elif defect.changes:
            tally.see(index, np.count_nonzero(wrong & own.moved[index]))
    if left.any():
        at = tuple(np.argwhere(left)[0])
        values = f"x {case.inputs[0][at]}, ours {ours[at]}, theirs {theirs[at]}"
        tally.unexplained.append(f"{title}: {np.count_nonzero(left)} elements, first {at}: {values}")


@pytest.mark.parametrize("operator", GENERATORS)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_unexplained_difference(engine, operator, step):
    tally, _ = compare(engine, operator, step)
    print(engine, operator, {k: v for k, v in vars(tally).items() if k != "unexplained"})
    assert tally.unexplained == []
    assert tally.cases > 3000 // step
    assert tally.equal > 450_000 // step


def measured():
    """Return True if the engines have the versions in which the defects were measured."""
    return all(metadata.version(name).startswith(versions) for name, versions in MEASURED.items())


def test_every_departure_is_seen(step):
    """A defect that no engine has any longer must leave the list."""
    if not measured():
        pytest.skip(f"the defects were seen in {MEASURED}")
    tallies = [compare(engine, operator, step)[0] for engine in ENGINES for operator in GENERATORS]
    seen = {i for tally in tallies for i, count in tally.seen.items() if count}
    assert [d for i, d in enumerate(DEFECTS) if i not in seen] == []


@pytest.mark.parametrize("operator", GENERATORS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_wrong_result_is_noticed(engine, operator, step):
    """A changed element in every output is noticed (negative control)."""

    tally, control = compare(engine, operator, step)
    assert len(control.unexplained) > 0.9 * (tally.cases - tally.refused)


# DynamicQuantizeLinear


def dynamic_tensors():
    """Yield random ranges of every size, ties of whole ranges, constants, limits of the type and special values."""
    rng = np.random.default_rng(30)
    for _ in range(1500):
        size = int(rng.integers(1, 400))
        scale = np.float32(2.0) ** np.float32(rng.integers(-140, 120))
        yield (rng.normal(rng.normal(), 1, size) * scale).astype(np.float32)
    for start in range(-255, 1):
        halves = np.arange(start, start + 255) + 0.5
        yield np.concatenate([[start, start + 255], halves]).astype(np.float32) * np.float32(2.0**-5)
    for constant in (1.0, -1.0, 3.3, -0.1, 1e-38, 1e-45, -1e-45, 3.4e38, 0.0, -0.0):
        yield np.full(9, constant, np.float32)
    for special in (
        [np.nan, 1],
        [np.inf, 1],
        [-np.inf, -1, 2],
        [np.inf, -np.inf],
        [3e38, -3e38],
        [np.nan] * 20,
    ):
        yield np.array(special, np.float32)


def dynamic_reference(x):
    from onnx.reference.ops.op_dynamic_quantize_linear import DynamicQuantizeLinear

    with np.errstate(all="ignore"):
        return DynamicQuantizeLinear.eval(x)


def dynamic_session():
    import onnxruntime as ort
    from onnx import TensorProto, helper

    outputs = [("y", TensorProto.UINT8), ("scale", TensorProto.FLOAT), ("zero_point", TensorProto.UINT8)]
    infos = [helper.make_tensor_value_info(n, t, None) for n, t in outputs]
    node = helper.make_node("DynamicQuantizeLinear", ["x"], [n for n, _ in outputs])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])
    graph = helper.make_graph([node], "one", [x], infos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return lambda values: session.run(None, {"x": values})


@pytest.mark.parametrize("engine", ENGINES)
def test_dynamic(engine):
    run = dynamic_reference if engine == REFERENCE else dynamic_session()
    listed = [d for d in DYNAMIC if d.engine == engine]
    tensors = elements = 0
    seen, unexplained = set(), []
    for x in dynamic_tensors():
        ours, theirs = dynamic_quantize_linear(x), run(x)
        tensors, elements = tensors + 1, elements + x.size
        if all(np.array_equal(a, b, equal_nan=True) for a, b in zip(ours, theirs, strict=True)):
            continue
        found = [d for d in listed if d.holds(x, ours, theirs)]
        seen.update(d.reason for d in found)
        if not found:
            unexplained.append((x, ours, theirs))
    print(engine, "DynamicQuantizeLinear", tensors, "tensors", elements, "elements")
    assert unexplained == []
    if measured():
        assert seen == {d.reason for d in listed}
    assert tensors > 1700
