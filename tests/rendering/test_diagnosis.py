"""A diagnosis for people and for programs."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from litecheck.comparison.types import MismatchCluster
from litecheck.comparison.vector_tails import SharedTail
from litecheck.devices.outcome import Outcome
from litecheck.diagnosis.result import (
    Contrast,
    Diagnosis,
    ExcludedCandidate,
    Hypothesis,
    ModelOperator,
    NearestHypothesis,
    NonDeterministic,
    OperatorDiagnosis,
    ProbedRange,
    PropertyBound,
    SharedTraits,
    UnansweredProbe,
    UntestedProperty,
)
from litecheck.errors import ConfigError
from litecheck.rendering.diagnosis import print_report
from litecheck.rendering.formats import formats, render

SUBSET = json.loads((Path(__file__).parent / "sarif.schema.json").read_text())
DOUBLE = Hypothesis((("requantize", "double"),), published=("litert-reference", "tflm"))
SINGLE, FLOOR = Hypothesis((("requantize", "single"),)), Hypothesis((("requantize", "floor"),), "wraps")
EXCLUDED = ExcludedCandidate(DOUBLE, "ties", 0, (0, 17), 5, 6, 1021, 4099, accumulator=-1234)
PAIR = ExcludedCandidate(SINGLE, "all pairs", 2, (0, 3), -1, 0, 1, 65536, inputs=(-128, 7))
ROWS = (
    OperatorDiagnosis("ADD", "int8", ("requantize",), 2, 70_000, (DOUBLE,), (PAIR,)),
    OperatorDiagnosis("CONV_2D", "int8", ("requantize",), 3, 4099, (SINGLE, FLOOR), (EXCLUDED,)),
    OperatorDiagnosis(
        "MUL", "int8", ("requantize",), 1, 9, (), (), NearestHypothesis(3, 9, EXCLUDED), fault="reads bytes"
    ),
    OperatorDiagnosis(
        "SUB",
        "int8",
        (),
        0,
        0,
        unanswered=(UnansweredProbe("all pairs", Outcome.CRASHED, "SIGSEGV\nin\x1b"),),
    ),
)
DIAGNOSIS = Diagnosis("0.1", "acme", "acme 2.0", ("nets/net.tflite",), 0, ROWS)


def text(diagnosis: Diagnosis, width: int) -> str:
    """Return the text for a terminal of this width."""
    file = io.StringIO()
    print_report(diagnosis, Console(file=file, width=width, force_terminal=True, color_system=None))
    return file.getvalue()


TEXT = """\
acme 2.0: fails
arithmetic of the only exact operator: not distinguished: litert-reference, tflm
74,108 outputs of 6 probes, with the operators of net.tflite

  operator  type  variant             arithmetic              probes  outputs
  ADD       int8  requantize: double  litert-reference, tflm       2   70,000
  CONV_2D   int8  requantize: single                               3    4,099  1 other ambiguous
  MUL       int8  unknown                                          1        9
  SUB       int8  not answered                                     0        0

ADD int8: identified
  not requantize: single: 'all pairs' [0, 3] of run 2, stored -128 and 7: would be -1, is 0; 1 of
    65,536 differ

CONV_2D int8: ambiguous
  same outputs for all inputs: requantize: floor, defect: wraps
  not requantize: double: 'ties' [0, 17], accumulator -1234: would be 5, is 6; 1,021 of 4,099 differ

MUL int8: unknown
  nearest is requantize: double: 3 of 9 outputs differ
  such as 'ties' [0, 17], accumulator -1234: would be 5, is 6; 1,021 of 4,099 differ
  a known fault of this runtime: reads bytes

SUB int8: not answered
  crashed: SIGSEGV; in\\x1b
"""


def test_text_has_the_matching_hypotheses_and_the_evidence() -> None:
    assert render(DIAGNOSIS) == TEXT


def test_no_line_of_details_is_wider_than_the_terminal() -> None:
    details = text(DIAGNOSIS, 60).split("ADD int8: identified")[1].splitlines()
    assert max(map(len, details)) <= 60
    assert any(line.startswith("    ") for line in details)


def test_many_exclusions_are_counted() -> None:
    many = OperatorDiagnosis(
        "ADD", "int8", ("requantize",), 2, 7, (SINGLE,), (PAIR, PAIR, PAIR, PAIR, EXCLUDED, PAIR)
    )
    lines = text(Diagnosis("0.1", "a", "a", (), 0, (many,)), 200).splitlines()
    assert lines[-1] == "  not 2 further variants"
    assert "requantize: double" in lines[-5]  # published variants come first


def test_json_goes_back_to_the_same_values() -> None:
    document = json.loads(render(DIAGNOSIS, "json"))
    assert [d["conclusion"] for d in document["operators"]] == [
        "identified", "ambiguous", "unknown", "not answered",
    ]  # fmt: skip
    assert document["operators"][3]["unanswered"][0]["outcome"] == "crashed"
    assert document["operators"][0]["excluded"][0]["inputs"] == [-128, 7]
    assert document["exit_code"] == 1


LONG = "functional_1/" + "batch_normalization/" * 20 + "FusedBatchNormV3"
FAILING = replace(
    ROWS[2],
    nearest=NearestHypothesis(3, 9, replace(EXCLUDED, probe="#12, random values")),
    excluded=(replace(EXCLUDED, probe="#12, random values"), replace(PAIR, probe="#12, edges")),
    contrast=Contrast(
        ("#12, random values",), ("ties", "edges"), (SharedTraits((PropertyBound("different strides", "has"),), 0),),
        (MismatchCluster("range", 3, 3, 9, 99, axis="channel", length=64, first=32, last=32),), "#12, random values",
        SharedTail(1, 16, 2),
    ),
    unsteady=(NonDeterministic("ties", 600, 3, 40, 40, most=40, inferences=(136, 336, 536), every=200),),
    tried=(ProbedRange("output elements", 3, 9, 4099), ProbedRange("different strides", 3, having=1)),
    untried=(UntestedProperty("peculiarity", ("no bias",)), UntestedProperty("one value", ("batch",), (1,))),
    owned=(ModelOperator("nets/net.tflite", "#12", LONG, False), ModelOperator("nets/net.tflite", "#13", "<b>x</b>", True)),
    inferences=612,
)  # fmt: skip
PAGE = replace(
    DIAGNOSIS, operators=(*ROWS[:2], FAILING, ROWS[3]), build="2.0-rc1", host="Linux, x86_64",
    started="2026-11-22T08:00:00+00:00", untried=(UntestedProperty("graphs"),),
)  # fmt: skip


def test_failing_probes_have_their_distinguishing_properties() -> None:
    shown = text(PAGE, 400)
    for line in (
        "  3 of 600 inferences on 'ties' differ from other inferences on the same input: inferences 136, 336,"
        " 536, every 200; all 40 elements differ",
        "  1 probe fails: #12, random values",
        "  2 probes pass: ties; edges",
        "  distinguished by: all that fail have different strides; none that passes has",
        "  differences of '#12, random values': all 3 differences lie in channel 32 of 64, among 9 of the 99 elements",
        "  not tried: no bias; values other than batch 1",
        "  operators in a graph: every probe is one isolated operator",
    ):
        assert line in shown.splitlines()
    assert "MUL int8: not repeatable" in shown


def test_a_long_name_of_a_model_is_shown_once_and_shortened() -> None:
    shown = text(PAGE, 400)
    assert LONG not in shown
    assert shown.count("functional_1/") == 1
    assert "#12 is 'functional_1/" in shown
    assert "#13" not in shown  # the operator is not mentioned


@pytest.mark.parametrize("form", ["text", "html"])
def test_text_and_html_have_the_same_content(form: str) -> None:
    shown = " ".join(re.sub(r"<[^>]*>|&#x27;", " ", render(PAGE, form)).split())
    for words in ("2.0-rc1", "every 200", "none that passes has", "operators in a graph", "no bias"):
        assert words in shown


def test_the_page_has_no_script_and_escapes_names() -> None:
    page = render(PAGE, "html").replace("<wbr>", "")
    assert "<script" not in page
    assert "default-src 'none'; style-src 'sha256-" in page
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert 'data-verdict="fails"' in page
    for fact in ("Linux, x86_64", "2026-11-22T08:00:00+00:00", "nets/net.tflite", "acme 2.0"):
        assert f"<dd>{fact}</dd>" in page


def test_the_page_counts_each_models_operators() -> None:
    (row,) = re.findall(r"<tr><td>nets.*?</tr>", render(PAGE, "html"))
    assert re.findall(r'<td class="number">(\d+)</td>', row) == ["2", "1"]
    assert 'data-conclusion="not explained"' in row
    explained = replace(FAILING, owned=tuple(replace(o, explained=True) for o in FAILING.owned))
    (row,) = re.findall(r"<tr><td>nets.*?</tr>", render(replace(PAGE, operators=(explained,)), "html"))
    assert 'data-conclusion="explained"' in row


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown format 'htm': did you mean html"):
        render(DIAGNOSIS, "htm")


def results(form: str) -> str:
    return render(replace(PAGE, operators=(*PAGE.operators, hostile())), form)


def hostile() -> OperatorDiagnosis:
    """Return an operator with names that attack each format."""
    name = "\x1b[31m <script>|`a`](x) ::error::\r\n\udc80"
    return replace(
        FAILING, opcode=name, kind="int8", fault=name, owned=(ModelOperator("m.tflite", "#1", name, False),)
    )


@pytest.mark.parametrize(
    ("form", "file"),
    [("sarif", "diagnosis.sarif"), ("junit", "diagnosis.junit.xml"), ("gitlab", "diagnosis.gitlab.json"),
     ("github", "diagnosis.github.txt"), ("markdown", "diagnosis.md"), ("html", "diagnosis.html")],
)  # fmt: skip
def test_whole_reports(form: str, file: str, golden: Callable[[str, str], None]) -> None:
    golden(file, results(form))


@pytest.mark.parametrize("form", formats("diagnose"))
def test_hostile_names_leave_no_character_that_acts(form: str) -> None:
    assert all(c == "\n" or c.isprintable() for c in results(form))
    assert results(form).endswith("\n")


def test_unexplained_operators_are_results_and_failed_devices_are_skipped() -> None:
    run = json.loads(results("sarif"))["runs"][0]
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(SUBSET).validate(json.loads(results("sarif")))
    assert [result["ruleId"] for result in run["results"]] == ["diagnose/not-repeatable"] * 2
    suite = ET.fromstring(results("junit"))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "2", "1")


def test_a_device_without_outputs_is_not_checked() -> None:
    silent = replace(DIAGNOSIS, operators=(ROWS[3],))
    (issue,) = json.loads(render(silent, "gitlab"))
    assert (issue["check_name"], issue["severity"]) == ("diagnose/not-judged", "blocker")
    assert ET.fromstring(render(silent, "junit")).get("errors") == "1"
