"""Biases of edited plans: their scales follow the edited scales of inputs and weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fixtures.detector import float_detector, samples
from litecheck import convert_model
from litecheck.conversion.convert_float import Conversion, replay
from litecheck.conversion.plan_file import plan_json, read_plan


@pytest.fixture
def done(tmp_path: Path) -> Conversion:
    (tmp_path / "x.npz").write_bytes(samples())
    data = (str(tmp_path / "x.npz"),)
    return convert_model(
        float_detector(), data=data, samples=4, agreement=False, device="litecheck"
    ).conversion


def tensor(conversion: Conversion, name: str) -> np.ndarray:
    return next(t for t in conversion.model.subgraphs[0].tensors if t.name == name).quantization.scale


def test_bias_scales_follow_an_edited_input(done: Conversion) -> None:
    values = json.loads(plan_json(done.plan))
    (image,) = (one for one in values["tensors"] if one["name"] == "image")
    image["forms"][0]["scale"] = [2 * image["forms"][0]["scale"][0]]
    again = replay(done.source, read_plan(json.dumps(values), "plan.json"), done.request)
    first = done.model.subgraphs[0].operators[1]
    assert first.opcode == "CONV_2D"
    bias = done.model.subgraphs[0].tensors[first.inputs[2]].name
    assert np.array_equal(tensor(again, bias), 2 * tensor(done, bias))
    assert again.conforms
    assert [note for note in again.plan.notes if note not in done.plan.notes] == [
        f"'{bias}': scale follows the edited scales of CONV_2D #0"
    ]


def test_an_unedited_plan_stays(done: Conversion) -> None:
    again = replay(done.source, read_plan(plan_json(done.plan), "plan.json"), done.request)
    assert plan_json(again.plan) == plan_json(done.plan)
