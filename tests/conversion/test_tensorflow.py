"""Conversion from TensorFlow's formats and with competing converters: errors, and real conversions if TensorFlow is
installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.conversion import tensorflow as door
from litecheck.conversion.by_converter import quantize_via
from litecheck.conversion.other_converters import converter_program
from litecheck.conversion.other_converters.converter_process import ForeignError, ProcessLimits, run_converter
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.source import load_source
from litecheck.conversion.tensorflow import explain_failure, float_from_tensorflow
from litecheck.conversion.tensorflow_formats import is_tensorflow
from litecheck.errors import ConfigError, ModelError
from litecheck.model.load import load_model
from tests.conversion.quantized_nets import FOLDER
from tests.conversion.samples import samples

needs_tensorflow = pytest.mark.skipif(find_spec("tensorflow") is None, reason="needs the extra convert")
needs_ai_edge = pytest.mark.skipif(find_spec("ai_edge_quantizer") is None, reason="needs the extra compare")
HERE = "tests.conversion.test_tensorflow"

# Programs for a child process.


def echo(request: Mapping[str, Any], file: Path) -> bytes:
    """Return the received samples as bytes."""
    return json.dumps(
        [{k: v.tolist() for k, v in s.items()} for s in converter_program.samples_of(file)]
    ).encode()


def fails(request: Mapping[str, Any], file: Path) -> bytes:
    """Raise an error without a message, as some converters do."""
    raise RuntimeError("")


def crashes(request: Mapping[str, Any], file: Path) -> bytes:
    """Kill the process, like a crash of a converter."""
    import os
    import signal

    print("last words", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def loops(request: Mapping[str, Any], file: Path) -> bytes:
    """Run endlessly, like a hanging converter."""
    while True:
        pass


def devours(request: Mapping[str, Any], file: Path) -> bytes:
    """Allocate more memory than exists."""
    return bytes(1 << 40)


def _run(name: str, **limits: Any) -> bytes:
    samples_ = [{"x": np.float32([n])} for n in range(2)]
    return run_converter(f"{HERE}:{name}", {"imports": []}, ProcessLimits(**limits), samples_).model


def test_a_program_gets_its_samples_and_is_measured() -> None:
    got = run_converter(
        f"{HERE}:echo", {"imports": []}, ProcessLimits(), [{"x": np.float32([n])} for n in range(2)]
    )
    assert json.loads(got.model) == [{"x": [0.0]}, {"x": [1.0]}]
    assert 0 < got.seconds < 60
    if sys.platform == "linux":
        assert 1 << 20 < got.peak_memory < 1 << 31


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "limits"),
    [
        ("fails", "RuntimeError", {}),
        ("crashes", "SIGSEGV", {}),
        ("loops", "late", {"seconds": 2.0}),
        ("devours", "memory", {}),
    ],
)
def test_a_program_that_fails_is_an_outcome(name: str, kind: str, limits: dict[str, Any]) -> None:
    with pytest.raises(ForeignError) as caught:
        _run(name, **limits)
    assert caught.value.kind == kind
    assert ("last words" in caught.value.said) == (name == "crashes")


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ForeignError("RuntimeError", "", ""), "silent", "without a reason (RuntimeError)"),
        (ForeignError("SIGSEGV", "", "…"), "crashed", "crashed TensorFlow's converter (SIGSEGV)"),
        (ForeignError("late", "no end after 2 s", ""), "timeout", "no end after 2 s"),
        (ForeignError("memory", "", ""), "out-of-memory", "more memory"),
        (ForeignError("OldKerasError", "a.h5", ""), "old-keras", "only tf-keras reads"),
        (
            ForeignError("UnknownShapeError", "x has the shape [1, None]", ""),
            "unknown-shape",
            "x has the shape",
        ),
        (
            ForeignError("TypeError", "Could not locate class 'Mine'. Make", ""),
            "custom-layer",
            "holds Mine, which",
        ),
        (
            ForeignError("ValueError", "Unknown layer: 'Mine2'. Please", ""),
            "custom-layer",
            "holds Mine2, which",
        ),
        (
            ForeignError("ConverterError", "… TF Select ops: MatrixInverse, Svd\nDetails:", ""),
            "select-ops",
            "does not have (MatrixInverse, Svd)",
        ),
        (ForeignError("ConverterError", "…\nCustom ops: Own\n", ""), "custom-ops", "operators (Own)"),
        (
            ForeignError("TypeError", "Unrecognized keyword arguments passed to Dense: {}", ""),
            "other-keras",
            "Dense",
        ),
        (ForeignError("KeyError", "a\n  b", ""), "failed", "(KeyError): a b"),
        (
            ForeignError("NoSignatureError", "'x'; there are y", ""),
            "no-signature",
            "no signature 'x'; there are y",
        ),
        (
            ForeignError("SeveralSignaturesError", "one, two\nUnknownShapeError\nx has [1, None]", ""),
            "unknown-shape",
            "(x has [1, None]): save it with an input of fixed shape; it has the signatures one, two: --signature",
        ),
    ],
)
def test_a_failure_is_one_sentence(error: ForeignError, code: str, words: str) -> None:
    told = explain_failure("m", error)
    assert isinstance(told, ModelError)
    (problem,) = told.problems
    assert problem.code == f"tensorflow-{code}"
    assert words in problem.message
    assert "\n" not in str(told)


@pytest.mark.parametrize(
    ("name", "kind"), [("a.keras", "keras"), ("a.h5", "keras"), ("a.tflite", "tflite"), ("s", "saved_model")]
)
def test_formats_are_recognized_by_name_and_content(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / name
    if kind == "saved_model":
        path.mkdir()
        path = path / "saved_model.pb"
    path.write_bytes(b"")
    assert door.source_kind(tmp_path / name) == kind
    assert is_tensorflow(tmp_path / name) == (kind != "tflite")


def test_missing_files_are_errors(tmp_path: Path) -> None:
    assert not is_tensorflow(tmp_path)
    with pytest.raises(ModelError, match="is not a SavedModel"):
        float_from_tensorflow(tmp_path)
    with pytest.raises(ModelError, match="does not exist"):
        float_from_tensorflow(tmp_path / "nothing.h5")


@pytest.mark.skipif(find_spec("tensorflow") is not None, reason="tensorflow is installed")
def test_a_missing_tensorflow_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "a.keras").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"needs tensorflow.*-e .\.\[convert\]"):
        float_from_tensorflow(tmp_path / "a.keras")


@pytest.mark.skipif(find_spec("ai_edge_quantizer") is not None, reason="ai-edge-quantizer is installed")
def test_a_missing_ai_edge_quantizer_names_the_extra() -> None:
    with pytest.raises(ConfigError, match=r"needs ai_edge_quantizer.*-e .\.\[compare\]"):
        quantize_via("ai-edge-quantizer", FOLDER / "separable.tflite", samples("separable", 1))


@needs_tensorflow
def test_tensorflow_quantizes_a_float_file_as_it_does_its_own() -> None:
    made = quantize_via("tensorflow", FOLDER / "gather_select.tflite", samples("gather_select"))
    assert made.model == (FOLDER / "gather_select_int8.tflite").read_bytes()
    assert made.peak_memory > 1 << 27


@needs_tensorflow
def test_the_wake_word_model_of_old_keras(conversion: Path, tmp_path: Path) -> None:
    """Keras 3 rejects arguments of its layers; tf-keras reads it, and the batch becomes 1."""
    pytest.importorskip("tf_keras", reason="needs tf-keras")
    file = tmp_path / "wake_word.tflite"
    file.write_bytes(float_from_tensorflow(conversion / "str_ww_ref_model.h5"))
    graph = load_model(file).subgraphs[0]
    assert [op.opcode for op in graph.operators][-2:] == ["FULLY_CONNECTED", "SOFTMAX"]
    assert graph.tensors[graph.inputs[0]].shape == (1, 30, 1, 40)
    assert graph.tensors[graph.inputs[0]].shape_signature is None


@needs_ai_edge
def test_ai_edge_quantizer_takes_the_samples_by_name(tmp_path: Path) -> None:
    file = tmp_path / "q.tflite"
    file.write_bytes(
        quantize_via("ai-edge-quantizer", FOLDER / "separable.tflite", samples("separable")).model
    )
    weights = [t.dtype for t in load_model(file).subgraphs[0].tensors if t.is_constant and len(t.shape) == 4]
    assert weights == ["int8"] * 5


#: Writes a SavedModel with signatures that share a variable; LiteRT does not support one of them.
_SAVED = """
import sys, tensorflow as tf
class Coder(tf.Module):
    def __init__(self):
        super().__init__()
        self.book = tf.Variable(tf.sin(tf.reshape(tf.range(32.0), (8, 4))))
    @tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32, name="tokens")])
    def encode(self, tokens):
        return {"code": tf.nn.relu(tf.matmul(tokens, self.book))}
    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="code")])
    def decode(self, code):
        return {"tokens": tf.tanh(tf.matmul(code, self.book, transpose_b=True))}
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def parse(self, text):
        return {"n": tf.strings.length(text)}
coder = Coder()
signatures = {"decode": coder.decode, "serving_default": coder.encode, "parse": coder.parse}
tf.saved_model.save(coder, sys.argv[1], signatures={name: signatures[name] for name in sys.argv[2:]})
"""


@pytest.mark.slow
@needs_tensorflow
def test_all_signatures_of_a_saved_model_are_converted(tmp_path: Path) -> None:
    for name, *signatures in (
        ("two", "decode", "serving_default"),
        ("three", "decode", "serving_default", "parse"),
    ):
        subprocess.run(
            [sys.executable, "-c", _SAVED, str(tmp_path / name), *signatures], check=True, capture_output=True
        )
    model = load_source(tmp_path / "two")
    assert [(s.key, s.subgraph, [n for n, _ in s.inputs]) for s in model.signatures] == [
        ("serving_default", 0, ["tokens"]), ("decode", 1, ["code"]),
    ]  # fmt: skip
    assert [t.shape for s in model.subgraphs for t in (s.tensors[s.inputs[0]],)] == [(1, 8), (1, 4)]
    record = convert_model(model, random=4, device="litecheck")
    assert (record.verdict, dict(record.becomes)) == ("conforms", {"int8": 3})
    assert record.agreement is not None
    assert len(record.agreement.outputs) == 2
    (alone,) = load_source(tmp_path / "three", signature="decode").signatures
    assert (alone.key, alone.subgraph) == ("decode", 0)
    with pytest.raises(
        ModelError, match=r"signatures serving_default, decode, parse: --signature converts one"
    ):
        load_source(tmp_path / "three")
    with pytest.raises(ModelError, match=r"no signature 'decod'; there are serving_default, decode\b"):
        load_source(tmp_path / "two", signature="decod")
