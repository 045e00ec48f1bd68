"""Whole plans and models of small conversions: every form, decision, operator and note."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest

from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.plan_file import plan_values
from litecheck.model.types import Model
from tests.conversion.mobile_nets import mobile_net
from tests.conversion.random_graphs import random_graph
from tests.conversion.small_models import branch, loop, masked, recurrent, streaming
from tests.conversion.test_convert_float import calibrated
from tests.whole import digits, operator_text

MODELS: dict[str, Callable[[], Model]] = {
    "branch": branch,
    "loop": loop,
    "masked": masked,
    "streaming": streaming,
    "recurrent": lambda: recurrent(projection=True, peephole=True, norm=True),
    "mobile": lambda: mobile_net(0, "RELU6", blocks=2),
    "random-1": lambda: random_graph(1),
    "random-2": lambda: random_graph(2),
}


#: Line of a rule, which changes with the file.
LINE = r"(?<=yaml):\d+"
INT16 = ("branch", "mobile", "random-1")


def lines(conversion: Conversion) -> Iterator[str]:
    """Yield a line for each entry of the plan, then for each operator and constant of the model."""
    for key, value in plan_values(conversion.plan).items():
        entries = value if isinstance(value, list) else [value]
        texts = (json.dumps(digits(entry, longest=4)) for entry in entries)
        yield from (f"{key}: {re.sub(LINE, '', each)}" for each in texts)
    for subgraph in conversion.model.subgraphs:
        yield f"subgraph {subgraph.name}: {subgraph.inputs} -> {subgraph.outputs}"
        yield from map(operator_text, subgraph.operators)
        for tensor in subgraph.tensors:
            first = tensor.data[:4].tolist() if tensor.data is not None and tensor.dtype != "float32" else ""
            yield f"{tensor.index} {tensor.name}: {tensor.dtype} {tensor.shape} {first}"


@pytest.mark.parametrize(
    ("name", "to"), [*((name, "int8") for name in MODELS), *((name, "int16x8") for name in INT16)]
)
def test_whole_plans(name: str, to: str, golden: Callable[[str, str], None]) -> None:
    golden(f"plan.{name}.{to}.txt", "".join(f"{line}\n" for line in lines(calibrated(MODELS[name](), to))))
