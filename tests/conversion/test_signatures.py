"""Models of several signatures: shared states have the same form, constants are stored once, int4 constants are
packed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck import ConfigError, convert_model
from litecheck.conversion.edges import exchange_ports
from litecheck.model.build import ModelBuilder
from litecheck.model.edit import with_subgraphs
from litecheck.model.load import model_from
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Signature

WEIGHTS = np.random.default_rng(0).normal(0, 1, (64, 64)).astype(np.float32)


def decoder(shared: bool = True) -> Model:
    """Return a model in which ``prefill`` and ``decode`` read and write ``cache`` with different ranges, and share
    weights."""
    builder, signatures = ModelBuilder(), []
    for number, (key, factor) in enumerate((("prefill", 1.0), ("decode", 5.0))):
        graph = builder.subgraph(key)
        tokens, cache = (
            graph.tensor("tokens", (1, 64), "float32"),
            graph.tensor("cache_in", (1, 64), "float32"),
        )
        made, out = graph.tensor("made", (1, 64), "float32"), graph.tensor("cache_out", (1, 64), "float32")
        graph.add("FULLY_CONNECTED", [tokens, graph.constant("weights", WEIGHTS), -1], [made])
        scaled = graph.tensor("scaled", (1, 64), "float32")
        graph.add("MUL", [made, graph.constant("factor", np.array(factor, np.float32))], [scaled])
        graph.add("ADD", [scaled, cache], [out], fused_activation_function="NONE")
        graph.inputs(tokens, cache)
        graph.outputs(out)
        inputs = (("tokens", tokens), ("cache", cache))
        signatures.append(Signature(key, number, inputs, (("cache", out),)))
    model = replace(builder.finish(), signatures=tuple(signatures))
    return model_from(model_bytes(_with_shared_weights(model) if shared else model), "decoder.tflite")


def _with_shared_weights(model: Model) -> Model:
    first, second = model.subgraphs
    data = next(t.data for t in first.tensors if t.name == "weights")
    tensors = tuple(replace(t, data=data, buffer=0) if t.name == "weights" else t for t in second.tensors)
    return with_subgraphs(model, [first, replace(second, tensors=tensors)])


@pytest.mark.parametrize("ends", ["int8", "float32"])
def test_a_state_has_one_form_in_all_signatures(ends: str) -> None:
    record = convert_model(decoder(), random=4, device="litecheck", inputs=ends, outputs=ends)
    assert record.verdict == "conforms"
    model = record.conversion.model
    forms = {
        (model.subgraphs[s.subgraph].tensors[index].dtype, *map(float, q.scale), *map(int, q.zero_point))
        for s in model.signatures
        for name, index in (*s.inputs, *s.outputs)
        if name == "cache" and (q := model.subgraphs[s.subgraph].tensors[index].quantization) is not None
    }
    assert len(forms) == 1
    assert ("int8" in str(forms)) == (ends == "int8")


@pytest.mark.parametrize("to", ["dynamic", "float16", "int8"])
def test_shared_weights_are_stored_once(to: str) -> None:
    more = {"random": 2, "device": "litecheck"} if to == "int8" else {}
    sizes = {
        shared: len(model_bytes(convert_model(decoder(shared), to=to, **more).conversion.model))
        for shared in (True, False)
    }
    stored = WEIGHTS.size * (2 if to == "float16" else 1)
    assert sizes[False] - sizes[True] == pytest.approx(stored, rel=0.02)


def renamed(model: Model) -> Model:
    """Return the decoder with different names of the cache before and after in its signatures."""
    signatures = (replace(s, outputs=tuple(("next", i) for _, i in s.outputs)) for s in model.signatures)
    return replace(model, signatures=tuple(signatures))


@pytest.mark.parametrize(
    "ties",
    [(), (("cache", "next"),), (("next", "cache"),), (("cache_in", "cache_out"),), (("cache", "cache_out"),)],
)
def test_names_of_a_state_are_tied(ties: tuple[tuple[str, str], ...]) -> None:
    asked = {"inputs": "int8", "outputs": "int8", "ties": ties, "agreement": False}
    model = convert_model(renamed(decoder()), random=4, device="litecheck", **asked).conversion.model
    forms = {
        name: float(model.subgraphs[s.subgraph].tensors[index].quantization.scale[0])
        for s in model.signatures
        for name, index in (*s.inputs, *s.outputs)
    }
    assert (forms["cache"] == forms["next"]) == bool(ties)


@pytest.mark.parametrize(
    ("ties", "message"),
    [
        ((("cache", "nxt"),), "--tie cache=nxt: no float input or output 'nxt'; did you mean 'next'"),
        ((("cache", "weights"),), "no float input or output 'weights'"),
        ((("cache", "cache"),), "--tie cache=cache: got 'cache' twice, expected two names"),
        ((("cache_in", "cache"),), "--tie cache_in=cache: got 'cache' twice"),
    ],
)
def test_ties_without_a_tensor_are_errors(ties: tuple[tuple[str, str], ...], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        convert_model(renamed(decoder()), random=2, device="litecheck", ties=ties)


def test_ties_without_signatures_name_tensors() -> None:
    main = decoder().subgraphs[0]
    model = replace(with_subgraphs(decoder(), [main]), signatures=())
    assert exchange_ports(model) == {}
    (ports,) = exchange_ports(model, (("cache_in", "cache_out"),)).values()
    assert [(port.side, port.place) for port in ports] == [("output", 1), ("input", 0)]
    (ports,) = exchange_ports(model, (("cache_in", "tokens"), ("tokens", "cache_out"))).values()
    assert len(ports) == 3


def test_int4_constants_of_a_plan_are_packed(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    convert_model(decoder(), to="dynamic", save_plan=str(plan))
    document = json.loads(plan.read_text())
    for tensor in document["tensors"]:
        for form in tensor["forms"]:
            form["dtype"] = "int4"
            form["scale"] = [value * 127 / 7 for value in form["scale"]]
    plan.write_text(json.dumps(document))
    record = convert_model(decoder(), plan=str(plan))
    weights = next(t for t in record.conversion.model.subgraphs[0].tensors if t.name == "weights")
    assert weights.dtype == "int4"
    assert weights.data is not None
    assert weights.data.size == WEIGHTS.size // 2
