"""Words of conversions: sizes, operators, agreement and weights."""

from __future__ import annotations

from types import SimpleNamespace as N
from typing import Any

import numpy as np
import pytest

from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.distortion import Distortion
from litecheck.rendering.conversion import wording
from litecheck.rendering.conversion.snr_wording import low_channel_text, snr_without_mean, worst_output


def form(
    *scales: float, zeros: tuple[int, ...] = (0,), low: float = 0, high: float = 0, **more: Any
) -> QuantParams:
    return QuantParams("int8", np.array(scales, np.float32), np.array(zeros), low=low, high=high, **more)


def tensor(**more: Any) -> Any:
    known = {"signature": None, "output": "y", "is_integer": False, "snr": 35.24, "step": 0.5, "largest_steps": 2.0,
             "equal": 0.98034, "top": None,
             "distortion": Distortion(signal=100, noise=1, largest=1.0, elements=4, variation=100)}  # fmt: skip
    known |= {"lowest_snr": more.get("snr", known["snr"]), "worse_logits": None}
    return N(**{**known, **more})


@pytest.mark.parametrize(
    ("size", "source", "words"),
    [
        (12_300, 44_100, "(0.28 times)"),
        (5, 0, "(5.00 times, the file is not smaller)"),
        (5, 5, "(1.00 times, the file is not smaller)"),
    ],
)
def test_sizes(size: int, source: int, words: str) -> None:
    made = wording.sizes(N(size=size, source_size=source))  # type: ignore[arg-type]
    assert made.endswith(words)
    assert " before, " in made


def test_operators() -> None:
    some = N(
        becomes={"int8": 1_200, "float32": 1}, added_operators={"QUANTIZE": 2, "DEQUANTIZE": 1}, tensors=()
    )
    assert wording.operators(some) == "1,200 int8, 1 float32; added: 1 DEQUANTIZE, 2 QUANTIZE"  # type: ignore[arg-type]
    assert wording.operators(N(becomes={}, added_operators={}, tensors=())) == "as they were; added: none"  # type: ignore[arg-type]
    weights, twice, bias, computed = (
        N(subgraph=0, tensor=n, constant=constant, form=N(dtype=dtype))
        for n, constant, dtype in (
            (1, True, "int4"),
            (1, True, "int4"),
            (2, True, "int32"),
            (3, False, "int4"),
        )
    )
    mixed = N(becomes={"int8": 2}, added_operators={}, tensors=(weights, twice, bias, computed))
    assert wording.operators(mixed) == "2 int8; 1 tensor of int4 weights; added: none"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("to", "becomes", "words"),
    [
        ("int8", {"int8": 7, "float32": 1}, "7 of 8 operators int8"),
        ("int8", {"int8": 6, "int16": 1, "as it is": 2}, "6 of 7 operators int8, 1 int16"),
        ("int8", {"int16": 5, "float32": 2}, "5 of 7 operators int16"),
        ("int16x8", {"int16": 4, "int8": 1, "float32": 1}, "4 of 6 operators int16x8, 1 int8"),
        ("dynamic", {"hybrid": 2, "float32": 1}, "2 of 3 operators dynamic"),
    ],
)
def test_the_share_of_operators_states_the_types(to: str, becomes: dict[str, int], words: str) -> None:
    real = sum(number for dtype, number in becomes.items() if dtype != "as it is")
    found = N(
        becomes=becomes,
        share=(real - becomes.get("float32", 0), real),
        conversion=N(request=N(to=to, recipe=None)),
    )
    assert wording.quantization_share(found) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agreement", "evaluation", "words"),
    [
        ((40.7, 49.2), (), "conforms, 7 of 8 operators int8, 40.7 dB on 16 samples"),
        ((40.7,), (12.0,), "conforms, 7 of 8 operators int8, 12.0 dB on 16 samples"),
        ((), (), "conforms, 7 of 8 operators int8"),
    ],
)
def test_the_first_line_has_the_snr_of_the_worst_output(
    agreement: tuple[float, ...], evaluation: tuple[float, ...], words: str
) -> None:
    def compared(ratios: tuple[float, ...]) -> Any:
        return (
            N(outputs=[tensor(snr=snr, reference=(0, 1)) for snr in ratios], samples=16, channels={})
            if ratios
            else None
        )

    request = N(to="int8", recipe=())
    found = N(becomes={"int8": 7, "float32": 1}, share=(7, 8), conversion=N(request=request), verdict="conforms",
              failed_gates=(), agreement=compared(agreement), evaluation=compared(evaluation))  # fmt: skip
    assert wording.outcome(found) == words


def test_logits_are_stated_if_the_output_hides_their_loss() -> None:
    hides = tensor(snr=44.5, lowest_snr=14.0, worse_logits=N(snr=14.0))
    assert worst_output([tensor(snr=20.0), hides]) == "44.5 dB (logits 14.0 dB)"
    assert worst_output([tensor(snr=10.0), hides]) == "10.0 dB"
    assert wording.agreement_lines(N(outputs=(hides,)))[0][1].startswith(  # type: ignore[arg-type]
        "SNR 44.5 dB (logits 14.0 dB), largest error"
    )


@pytest.mark.parametrize(
    ("channels", "text"),
    [
        ((), ""),
        ((40.0, 30.0), ""),
        ((40.0, -23.7), " (channel 1: -23.7 dB)"),
        ((40.0, 34.0, 19.0), " (channel 2: 19.0 dB)"),
    ],
)
def test_the_lowest_channel_is_stated_if_it_is_a_large_loss(channels: tuple[float, ...], text: str) -> None:
    sums = N(snr=np.array(channels), signal=np.ones(len(channels)), hidden=np.zeros(len(channels)))
    found = N(outputs=[tensor(snr=35.0, reference=(0, 1))], channels={(0, 1): sums} if channels else {})
    assert low_channel_text(found) == text  # type: ignore[arg-type]
    near = N(outputs=[tensor(snr=20.0, reference=(0, 1))], channels={(0, 1): sums} if channels else {})
    assert bool(low_channel_text(near)) == (text == " (channel 1: -23.7 dB)")  # type: ignore[arg-type]


def test_calibration() -> None:
    statistics = N(source="16 samples of a.npz", runtime="litert 2.1")
    told = N(calibration=N(file="", methods="minmax", statistics=statistics))
    assert wording.calibration(told) == "minmax on 16 samples of a.npz, by litert 2.1"  # type: ignore[arg-type]
    told.calibration.file = "s.json"
    assert wording.calibration(told).endswith(", read from s.json")  # type: ignore[arg-type]
    assert wording.calibration(N(calibration=None)) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("part", "words"), [(0.0125, "1.25 %"), (1e-4, "0.01 %"), (0.9e-4, ""), (1, "100.00 %")]
)
def test_shares(part: float, words: str) -> None:
    assert wording.share(part) == words


def test_agreement() -> None:
    one = tensor()
    found = N(quantized=False, samples=16, outputs=(one,))
    record = N(agreement=found, evaluation=N(quantized=True, samples=1))
    assert [title for title, _ in wording.agreements(record)] == [  # type: ignore[arg-type]
        "Agreement with float on 16 inputs",
        "Agreement with the quantized model on 1 other input",
    ]
    assert wording.agreement_lines(found) == [("y", "SNR 35.2 dB, largest error 1 (2 steps)")]  # type: ignore[arg-type]
    far = Distortion(signal=4, noise=1, largest=0.12345, elements=9, equal=7, variation=4)
    full = tensor(signature="serve", step=0, distortion=far, top=N(agreeing=1_200, rows=1_300))
    assert wording.agreement_lines(N(outputs=(full,))) == [  # type: ignore[arg-type]
        (
            "serve/y",
            "SNR 35.2 dB, largest error 0.1235, 98.03 % of the stored values equal, "
            "largest value at the same place in 1,200 of 1,300 rows",
        )
    ]


def test_signals_that_are_mostly_their_mean() -> None:
    """100 elements around the mean 10 with a variation of 1: signal 10,001, without the mean 1, noise 0.1."""
    mostly = Distortion(signal=10_001, noise=0.1, elements=100, mean=10.0, variation=1.0)
    assert mostly.mostly_dc
    assert snr_without_mean(tensor(distortion=mostly)) == "10.0 dB"
    assert (
        snr_without_mean(tensor(distortion=Distortion(10_001, 0.0, elements=100, mean=10, variation=1))) == ""
    )
    assert snr_without_mean(tensor(distortion=Distortion(1.0, 0.1, elements=100, variation=1.0))) == ""
    assert wording.agreement_lines(N(outputs=(tensor(distortion=mostly),)))[0][1].startswith(  # type: ignore[arg-type]
        "SNR 35.2 dB (10.0 dB without DC), "
    )


def test_errors_of_weights() -> None:
    """The two worst channels are named; exact weights have no row."""
    channels = [N(channel=n, largest=1 - n / 10, rms=0.25) for n in range(3)]
    record = N(
        weights=(
            N(largest=1.0, rms=0.5, channels=channels, name="w"),
            N(largest=0.0, rms=0, channels=[], name="v"),
        )
    )
    assert wording.weight_rows(record) == [  # type: ignore[arg-type]
        ("1.000", "0.500", "#0 1.000 (RMS 0.250), #1 0.900 (RMS 0.250)", "w")
    ]
    assert wording.weights_title(record) == (  # type: ignore[arg-type]
        "2 tensors, 1 of them exact; errors in steps of the scales they had"
    )


def test_words_of_forms() -> None:
    assert wording.extent(-1.5, 2.25) == "-1.5..2.25"
    assert wording.form_range(form(1, low=-1.5, high=2.25)) == "-1.5..2.25"
    assert wording.form_range(form(1)) == ""
    assert [wording.scales(form(*s)) for s in ((), (0.5,), (0.5, 0.25), (0.5,) * 1200)] == [
        "", "0.5", "2 of 0.25..0.5", "1,200 of 0.5..0.5",
    ]  # fmt: skip
    assert [wording.zero_points(form(1, zeros=z)) for z in ((), (3,), (3, 3), (3, -1, 3))] == [
        "",
        "3",
        "3",
        "3, -1",
    ]
    rules = ("A/x/axis (f:1)", "A/x/scale (f:2)", "A/y/scale (f:3)")
    assert wording.scale_reasons(form(1, rules=rules, because="raised")) == ("A/x/scale (f:2)", "raised")
    assert wording.scale_reasons(form(1)) == ()


def test_the_lowest_ratio_comes_first() -> None:
    rows = [N(name=n, constant=c, agreement=a) for n, c, a in (
        ("none", False, None), ("good", False, N(snr=40)), ("weight", True, N(snr=1)), ("bad", False, N(snr=3)),
    )]  # fmt: skip
    assert [one.name for one in wording.worst_first(rows)] == ["bad", "good", "none"]  # type: ignore[arg-type]


def test_choices_besides_rules() -> None:
    tensors = [
        N(name=n, form=form(1, because=b))
        for n, b in (("a", "raised"), ("b", ""), ("c", "raised"), ("d", "clamped"), ("e", "raised"))
    ]
    record = N(tensors=tensors, notes=("a note",))
    assert wording.choices(record) == [  # type: ignore[arg-type]
        "'a' and 2 other tensors: raised", "'d': clamped", "a note",
    ]  # fmt: skip


def record(**more: Any) -> Any:
    """Return a dry run to int8 by acme, which added a QUANTIZE and a DEQUANTIZE; ``y`` is the output."""
    graph = N(tensors=[N(dtype="float32"), N(dtype="int8")], inputs=(0,), outputs=(1,))
    request, plan = N(to="int8", recipe=None, generation="new"), N(profile="acme", target="int8")
    conversion = N(request=request, plan=plan, profile="acme", model=N(subgraphs=[graph]))
    known = {"conversion": conversion, "size": 10, "source_size": 20, "becomes": {"int8": 1}, "calibration": None,
             "budget": None, "tensors": (), "added_operators": {"QUANTIZE": 1}, "target": "", "verdict": "conforms",
             "tried": True, "stays": (), "report": N(active=()), "failed_gates": ()}  # fmt: skip
    return N(**{**known, **more})


@pytest.mark.parametrize(
    ("more", "written"),
    [
        ({"target": "out.tflite"}, ["out.tflite"]),
        ({}, ["nothing: this was a dry run"]),
        ({"tried": False}, []),
        (
            {"tried": False, "failed_gates": ("--max-float 0: 1 operator stays float32",)},
            ["nothing: a gate failed; --force writes the model"],
        ),
        ({"verdict": "violates"}, ["nothing: the new model would violate its profile"]),
        ({"verdict": "not checked"}, ["nothing: no profile speaks of anything quantized in the new model"]),
    ],
)
def test_files_that_were_written(more: dict[str, Any], written: list[str]) -> None:
    found = [text for label, text in wording.facts(record(**more)) if label == "written"]
    assert found == written


def test_facts_of_a_conversion() -> None:
    assert [label for label, _ in wording.facts(record())] == ["made", "size", "operators", "written"]
    assert dict(wording.facts(record()))["made"] == "int8 by acme"
    old = record()
    old.conversion.plan.profile, old.conversion.request.generation = "", "old"
    assert dict(wording.facts(old))["made"] == "int8"
    assert dict(wording.facts(old))["like"] == "TensorFlow's old quantizer"


def test_hints_if_the_profile_lacks_an_added_operator() -> None:
    found = N(level="violation", where=N(opcode="QUANTIZE"))
    other = N(level="warning", where=N(opcode="DEQUANTIZE"))
    stays = (N(opcode="LSTM", places=("#1", "#2", "#3", "#4"), dtype="float32", reason="no rule"),
             N(opcode="ADD", places=("#9",), dtype="float32", reason="kept"))  # fmt: skip
    told = [*wording.facts(record(verdict="violates", report=N(active=(found, other)), stays=stays,
                                  added_operators={"QUANTIZE": 1, "DEQUANTIZE": 1}))]  # fmt: skip
    assert told[-4:] == [
        ("conflict", "QUANTIZE was added, between float32 and integers, and acme forbids it"),
        ("hint", "--input-dtype int8: then none is needed where the model begins or ends"),
        ("hint", "LSTM #1, #2, #3 and others stays float32 and needs it: no rule"),
        ("hint", "ADD #9 stays float32 and needs it: kept"),
    ]
