"""Reports of a trace: the answer first, then the fix; the same facts in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from litecheck.data import schemas_dir
from litecheck.model.tensor_matching import NO_PARTNER
from litecheck.rendering.formats import formats, render
from litecheck.rendering.tracing.text import print_report
from litecheck.rendering.tracing.wording import facts
from litecheck.tracing.distribution import TensorDistribution
from litecheck.tracing.trace_result import CAUSES, Trace, TracedOutput
from tests.rendering.page_reader import Read, content
from tests.rendering.tracing.traces import BAD, CULPRIT, GOOD

SCHEMA = json.loads((schemas_dir() / "trace.schema.json").read_text("utf-8"))


#: Formats with the ends of their golden files.
ENDS = {
    "text": "txt", "markdown": "md", "json": "json", "html": "html", "junit": "junit.xml", "sarif": "sarif",
    "github": "github.txt", "gitlab": "gitlab.json", "model-explorer": "explorer.json",
}  # fmt: skip
#: A device, a subgraph, parts of tensors, an earlier model, and all content of notes.
ROW = replace(BAD.operators[1], subgraph=1, operator=30, opcode="FULLY_CONNECTED", name="end", twin_snr=None)
HELD = TensorDistribution(
    0, 1, "CONV_2D", "deep", "output", "int8", -1.5, 2.5, (0, 3, 40, 12), 0.125, 0.0, (6.5,)
)
FULL = replace(
    BAD,
    operators=(*BAD.operators, ROW, replace(ROW, operator=31, accumulated_snr=None, avoidable_db=0.0)),
    outputs=(TracedOutput("y", 8.0), TracedOutput("z", 31.25)),
    against=GOOD, min_snr=20.0, leading=(0, 0.75), explained=0.9, doubt="a doubt",
    distributions=(HELD, replace(HELD, role="weight", bits=(6.5, 3.5, 7.0))),
    missing=((0, 5, "ADD", "no partner"),),
)  # fmt: skip


def values(trace: Trace) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(trace, "json"))
    return found


@pytest.mark.parametrize(
    "trace", [BAD, GOOD, replace(GOOD, against=BAD, min_snr=40.0)], ids=["bad", "good", "against"]
)
def test_json_follows_the_schema(trace: Trace) -> None:
    jsonschema.validate(values(trace), SCHEMA)


def test_every_format_has_a_golden_file() -> None:
    assert set(ENDS) == set(formats("trace"))


@pytest.mark.parametrize("form", ENDS)
def test_whole_reports(form: str, golden: Callable[[str, str], None]) -> None:
    """Style and program of the page are omitted."""
    text = render(FULL, form)
    golden(f"trace.{ENDS[form]}", content(text) if form == "html" else text)


def test_whole_reports_with_every_detail(golden: Callable[[str, str], None]) -> None:
    file = StringIO()
    print_report(FULL, Console(file=file, width=110, color_system=None, _environ={}), verbose=True)
    golden("trace.verbose.txt", file.getvalue())


def test_the_schema_knows_every_cause() -> None:
    assert SCHEMA["$defs"]["culprit"]["properties"]["cause"]["enum"] == list(CAUSES)


def test_json_has_the_culprits_with_their_fix() -> None:
    (culprit,) = values(BAD)["culprits"]
    assert (culprit["operator"], culprit["cause"], culprit["avoidable_db"]) == (1, "weight_scale", 14.0)
    assert culprit["fix"] == {
        "command": BAD.fix and BAD.fix.command,
        "before": 8.0,
        "after": 21.5,
        "samples": 4,
        "gains": [
            {"source": "per-channel weights", "gain": 14.5},
            {"source": "new ranges", "gain": -1.0},
        ],
        "runtime": "",
    }
    assert values(GOOD)["culprits"] == []


@pytest.mark.parametrize(
    ("trace", "first"),
    [
        (BAD, "CONV_2D #1 loses 14 dB more than it must: 3 of 64 weight scales are 2 times too large"),
        (
            GOOD,
            "no operator loses 3 dB more than it must; 75 % of the outputs' error comes from CONV_2D #0 'stem'",
        ),
        (
            replace(GOOD, fix=BAD.fix, leading=None),
            "no operator loses 3 dB more than it must, but another conversion gains 13.5 dB: "
            "+14.5 dB from per-channel weights, -1.0 dB from new ranges",
        ),
        (
            replace(BAD, culprits=(replace(CULPRIT, cause="arithmetic", detail="the device differs"),)),
            "CONV_2D #1 loses 14 dB in its kernel: the device differs",
        ),
        (
            replace(GOOD, reference=""),
            "1 output saturated in at least 1 % of values, most CONV_2D #0 with 12 %; no output with unused resolution",
        ),
        (replace(GOOD, leading=(0, 0.004)), "no operator loses 3 dB more than it must"),
        (
            replace(GOOD, min_snr=31.0, leading=None),
            "SNR of the outputs is 30.0 dB, required at least 31 dB; no operator loses 3 dB more than it must",
        ),
        (
            replace(BAD, doubt="wrong data?"),
            "CONV_2D #1 loses 14 dB more than it must: 3 of 64 weight scales are 2 times too large",
        ),
        (
            replace(BAD, doubt="wrong data?", culprits=(replace(CULPRIT, cause="output_range"),)),
            "wrong data?",
        ),
        (replace(GOOD, reference="", doubt="wrong data?"), "wrong data?"),
        (replace(BAD, parent="another model?", doubt="wrong data?"), "another model?"),
        (
            replace(GOOD, outputs=(TracedOutput("y", 9.0),), leading=None),
            "no operator loses 3 dB more than it must, yet the SNR of the outputs is 9.0 dB",
        ),
        (
            replace(GOOD, outputs=(TracedOutput("y", 9.0),), missing=((0, 4, "ADD", NO_PARTNER),)),
            "SNR of the outputs is 9.0 dB, and ADD #4 of the float model has no partner to compare with",
        ),
        (
            replace(BAD, load_faults=("CONV_2D #1: bias: it is absent",)),
            "LiteRT does not load int8.tflite (CONV_2D #1: bias: it is absent); "
            "CONV_2D #1 loses 14 dB more than it must: 3 of 64 weight scales are 2 times too large",
        ),
        (
            replace(GOOD, invalid=((0, 1, "LSTM", "scale is 0.1"),), leading=None),
            "LSTM #1 cannot be computed: scale is 0.1 ('litecheck validate' states the rule); "
            "no operator loses 3 dB more than it must",
        ),
    ],
    ids=[
        "culprit",
        "none",
        "fix",
        "device",
        "ranges",
        "small share",
        "limit",
        "weights and data",
        "range and data",
        "data",
        "another model",
        "bad output",
        "no partner",
        "does not load",
        "invalid",
    ],
)
def test_the_answer_comes_first(trace: Trace, first: str) -> None:
    assert values(trace)["answer"] == first
    words = " ".join(render(trace).split())
    assert words.startswith(" ".join(first.split()))
    assert ("of the outputs' error comes from" in words) is ("comes from" in first)


def test_a_limit_of_the_snr_is_stated_once() -> None:
    shown = render(replace(GOOD, min_snr=31.0, max_loss=-1.0))
    assert shown.count("required at least 31 dB") == 1
    assert "fails     avoidable loss is 0.0 dB" in shown


def test_the_answer_is_never_shortened() -> None:
    trace = replace(BAD, culprits=(replace(CULPRIT, detail=" ".join(map(str, range(100, 250)))),))
    assert " ".join(render(trace).split()).startswith(" ".join(str(values(trace)["answer"]).split()))


def test_data_are_doubted_once() -> None:
    for trace in (replace(BAD, doubt="wrong data?"), replace(GOOD, doubt="wrong data?")):
        assert render(trace).count("wrong data?") == 1


def test_the_fix_comes_second() -> None:
    assert (
        "fix litecheck convert float.tflite -o fixed.tflite --data x.npz (lowest channel 8.0 dB -> 21.5 dB on 4 samples, "
        "tried) gain +14.5 dB from per-channel weights, -1.0 dB from new ranges"
        in " ".join(render(BAD).split("\n\n")[0].split())
    )


def test_the_samples_of_a_fix_are_beside_its_numbers() -> None:
    part = "on 4 of 9 samples"
    shown = " ".join(render(replace(BAD, samples=9)).split())
    assert f"21.5 dB {part}, tried)" in shown
    assert f"(tried: +13.5 dB {part})" in shown
    assert f"gains 13.5 dB {part}: " in values(replace(GOOD, samples=9, fix=BAD.fix))["answer"]
    assert "of 4 samples" not in render(BAD)


def test_the_gain_is_stated_once() -> None:
    gain = "14.5 dB from per-channel weights"
    for trace in (BAD, replace(BAD, min_snr=5.0), MINOR, replace(GOOD, fix=BAD.fix)):
        assert " ".join(render(trace).split()).count(gain) == 1


MINOR = replace(BAD, culprits=(replace(CULPRIT, share=0.004, fix=None),), leading=(0, 0.75))


def test_a_loss_that_does_not_reach_the_outputs_is_no_failure() -> None:
    assert MINOR.exit_code == 0
    assert values(MINOR)["answer"] == (
        "no avoidable loss reaches the outputs (CONV_2D #1 loses 14 dB more than it must), but another conversion gains "
        "13.5 dB: +14.5 dB from per-channel weights, -1.0 dB from new ranges; "
        "75 % of the outputs' error comes from CONV_2D #0 'stem'"
    )
    assert "less than 1 % of the outputs' error with this error alone" in " ".join(render(MINOR).split())
    assert json.loads(render(MINOR, "sarif"))["runs"][0]["results"][0]["level"] == "warning"


def test_culprits_that_are_not_shown_are_counted() -> None:
    many = replace(BAD, culprits=tuple(replace(CULPRIT, operator=n) for n in range(7)))
    assert "and 2 culprits more" in render(many)
    assert "culprits more" not in render(replace(BAD, culprits=many.culprits[:5]))


def test_a_failed_limit_is_reported() -> None:
    failed = replace(GOOD, min_snr=40.0)
    assert failed.exit_code == 1
    assert "SNR of the outputs is 30.0 dB, required at least 40 dB" in " ".join(render(failed).split())
    assert json.loads(render(failed, "json"))["failures"]
    assert "trace/limit" in render(failed, "sarif")


@pytest.mark.parametrize("form", sorted(formats("trace")))
def test_every_format_names_the_culprit(form: str) -> None:
    text = render(BAD, form)
    assert "\x1b" not in text
    assert text.endswith("\n")
    assert ("weight scale" in text) or form == "model-explorer"
    assert "<b>\\x1b" not in text or form != "html"


SERIES = ("whole", "alone", "twin", "device")


def test_the_page_has_a_mark_for_each_operator() -> None:
    page = Read(render(BAD, "html"))
    circles = [attributes for name, attributes in page.elements if name == "circle"]
    assert [one.get("class") for one in circles] == [None, "culprit", None]
    lines = {
        at["class"]: at["d"] or ""
        for name, at in page.elements
        if name == "path" and at.get("class") in SERIES
    }
    assert {name: path.count("M") for name, path in lines.items()} == dict.fromkeys(lines, 1)
    assert len(lines) == 3
    assert [label in render(BAD, "html") for label in ("#0</text>", "#1</text>", "#2</text>")] == [True] * 3


def test_a_line_of_the_plot_has_gaps_at_unknown_values() -> None:
    first = BAD.operators[0]
    known = [replace(first, operator=n, twin_snr=None if n == 2 else 30.0) for n in range(5)]
    page = Read(render(replace(BAD, operators=tuple(known)), "html"))
    (path,) = [at["d"] or "" for name, at in page.elements if (name, at.get("class")) == ("path", "twin")]
    assert (path.count("M"), path.count("L")) == (2, 2)


def test_the_table_of_the_page_is_open_and_has_no_empty_column() -> None:
    operators = tuple(replace(one, device_snr=None, name=80 * "n") for one in BAD.operators)
    page = Read(render(replace(BAD, operators=operators), "html"))
    assert "open" in next(at for name, at in page.elements if name == "details")
    shown = render(replace(BAD, operators=operators), "html")
    assert ">device</th>" not in shown
    assert 80 * "n" not in shown.split("<tbody>")[1].split("</tbody>")[0]


def test_nodes_color_the_culprit() -> None:
    results = json.loads(render(BAD, "model-explorer"))["main"]["results"]
    assert results["1"]["bgColor"] == "#c44400"
    assert results["0"]["value"] == 31.5
    assert results["0"]["bgColor"] != results["1"]["bgColor"]


def test_a_narrow_table_keeps_names_and_drops_bars() -> None:
    row = replace(
        BAD.operators[1], opcode="FULLY_CONNECTED", name="classifier", device_snr=None, saturated=0.5
    )
    table = render(replace(BAD, operators=(row,))).split("SNR dB")[1]
    assert "classifier" in table
    assert not {"██", "24.0"} & set(table.split())


def test_a_narrow_table_has_no_empty_column() -> None:
    row = replace(GOOD.operators[0], opcode="AVERAGE_POOL_2D", name="average_pooling")
    console = Console(width=40, file=StringIO())
    print_report(replace(GOOD, operators=(row,)), console)
    assert isinstance(console.file, StringIO)
    assert "device" not in console.file.getvalue()


def test_long_tables_are_shortened() -> None:
    many = replace(BAD, operators=tuple(replace(BAD.operators[0], operator=n) for n in range(60)))
    assert "and 20 more" not in render(BAD)
    assert "and 20 operators more" in render(many)


@pytest.mark.parametrize(
    ("logits", "text"),
    [(14.0, "y: SNR 44.5 dB (logits 14.0 dB)"), (40.0, "y: SNR 44.5 dB"), (None, "y: SNR 44.5 dB")],
)
def test_logits_are_stated_if_the_output_hides_their_loss(logits: float | None, text: str) -> None:
    found = facts(replace(GOOD, outputs=(TracedOutput("y", 44.5, logits),)))
    assert ("output", text) in found
