"""Failed gates of a model are in every format that CI reads, and placements are in every format."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from litecheck import render
from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.placement import CompilerReport
from litecheck.profile.load import load_profile
from litecheck.report import Report

TOLD = "2 NPU partitions, this run allows 1"
PLACES = "2 on the NPU, 1 on the CPU; 2 NPU partitions; peak activation memory 8 bytes"


def chain() -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    tensors = [main.tensor(f"t{n}", (1, 4), "int8", qparams(1 / 128)) for n in range(4)]
    for opcode, a, b in zip(("TANH", "SQRT", "TANH"), tensors, tensors[1:], strict=False):
        main.add(opcode, [a], [b])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    return builder.finish()


@pytest.fixture(scope="module")
def failing() -> Report:
    return Report("0", (validate(chain(), [load_profile("ethos-u55")]),), max_partitions=1)


def test_junit(failing: Report) -> None:
    root = ET.fromstring(render(failing, "junit"))
    failures = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    assert failures["gate: partitions"].get("message") == TOLD
    assert root.get("failures") == "1"
    assert any(p.get("value") == PLACES for p in root.iter("property"))
    kept = ET.fromstring(render(replace(failing, max_partitions=2), "junit"))
    assert kept.get("failures") == "0"
    (case,) = [c for c in kept.iter("testcase") if c.get("name") == "gate: partitions"]
    assert case.findtext("system-out") == "2 NPU partitions"


def test_sarif(failing: Report) -> None:
    (run,) = json.loads(render(failing, "sarif"))["runs"]
    (result,) = [r for r in run["results"] if r["level"] == "error"]
    assert result["ruleId"] == run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "gate/partitions"
    assert TOLD in result["message"]["text"]
    assert run["properties"]["models"][0]["targets"] == {"ethos-u55": PLACES}


def test_gitlab(failing: Report) -> None:
    (issue,) = [i for i in json.loads(render(failing, "gitlab")) if i["severity"] == "major"]
    assert TOLD in issue["description"]


def test_github(failing: Report) -> None:
    lines = render(failing, "github").splitlines()
    assert [line for line in lines if line.startswith("::error")] == [
        f"::error file=,title=gate%3A partitions::{TOLD}"
    ]
    assert any(line.startswith("::notice file=,title=ethos-u55::2 on the NPU") for line in lines)


def test_json(failing: Report) -> None:
    (model,) = json.loads(render(failing, "json"))["models"]
    assert model["gates"] == [
        {"name": "partitions", "kept": False, "found": "2 NPU partitions", "required": "allows 1"}
    ]
    (target,) = model["targets"]
    assert [op["partition"] for op in target["operators"]] == [1, None, 2]
    assert target["macs_share"] is None


def test_page_and_document(failing: Report) -> None:
    page = render(failing, "html")
    assert PLACES in page
    assert '"place": "NPU, partition 2"' in page or '"place":"NPU, partition 2"' in page
    assert PLACES in render(failing, "markdown")


@pytest.mark.parametrize(
    ("ending", "otherwise", "words"),
    [
        (
            "",
            (),
            "vela 1: placement as predicted; 2 NPU partitions; 7 MACs; peak use 1.5 kB of Sram",
        ),
        ("died", (), "vela 1: no compiled model, as predicted: died"),
        ("", (2,), "vela 1: 1 operator placed differently: TANH #2 on the CPU; 2 NPU partitions; "),
    ],
)
def test_results_of_the_compiler(
    failing: Report, ending: str, otherwise: tuple[int, ...], words: str
) -> None:
    (model,) = failing.models
    (target,) = model.targets
    others = tuple(replace(target.operators[n], place="cpu") for n in otherwise)
    found = CompilerReport("vela 1", ending, others, 2, 7, {"Sram": 1536, "shram": 0})
    asked = replace(failing, models=(replace(model, targets=(replace(target, compiler=found),)),))
    assert words in " ".join(render(asked, "text").split())
    (values,) = json.loads(render(asked, "json"))["models"][0]["targets"]
    assert values["compiler"]["memories"] == {"Sram": 1536, "shram": 0}
