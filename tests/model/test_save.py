"""A model to a file: whole or not at all, constants inside or behind the flatbuffer, and LiteRT runs it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.errors import ModelError, Problem
from litecheck.flatbuffer.table import UnknownField
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.encode import encode
from litecheck.model.load import load_model, load_models
from litecheck.model.save import _HASHES, file_size, hash_saved_file, model_bytes, model_hash, save_model
from litecheck.model.types import Model


def _model(size: int = 600) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, size), quantization=qparams(0.5))
    random = np.random.default_rng(1)
    w = main.constant("w", random.integers(-127, 128, (4, size)).astype(np.int8), qparams(0.01))
    b = main.constant("b", np.arange(4, dtype=np.int32), qparams(0.005))
    y = main.tensor("y", (1, 4), quantization=qparams(1.0))
    main.add("FULLY_CONNECTED", [x, w, b], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


Litert = Callable[[Sequence[Path]], list[str]]


@pytest.mark.models
@pytest.mark.runtime
def test_litert_gives_the_same_outputs_after_writing(models: Path, tmp_path: Path, litert: Litert) -> None:
    pairs = []
    for file in sorted(models.glob("*.tflite")):
        (model,) = load_models(file)
        if isinstance(model, ModelError):
            continue
        inside, outside = tmp_path / f"in_{file.name}", tmp_path / f"out_{file.name}"
        save_model(model, inside)
        save_model(model, outside, outside_above=256)
        pairs.append((file, inside, outside))
    lines = litert([path for triple in pairs for path in triple])
    answers = {lines[i] for i in range(0, len(lines), 3)}
    assert len({a for a in answers if a.startswith("outputs")}) > 8
    for i, (file, *_) in enumerate(pairs):
        first, second, third = lines[3 * i : 3 * i + 3]
        assert first == second == third, file.name


@pytest.mark.runtime
def test_litert_runs_a_model_with_buffers_outside(tmp_path: Path, litert: Litert) -> None:
    inside, outside, damaged = (tmp_path / f"{name}.tflite" for name in ("in", "out", "damaged"))
    save_model(_model(), inside)
    save_model(_model(), outside, outside_above=0)
    content = bytearray(outside.read_bytes())
    content[-2000:] = bytes(2000)
    damaged.write_bytes(content)
    first, second, third = litert([inside, outside, damaged])
    assert first.startswith("outputs")
    assert first == second
    assert first != third, "the outputs depend on the outside buffers"


def test_the_size_of_a_file_is_known_before_it_is_written(tmp_path: Path) -> None:
    read = load_model("fixtures/conv_int8.tflite")
    assert file_size(read) == Path("fixtures/conv_int8.tflite").stat().st_size
    made = replace(read, file="", size=0)
    save_model(made, tmp_path / "made.tflite")
    assert file_size(made) == (tmp_path / "made.tflite").stat().st_size


@pytest.mark.parametrize(("above", "count"), [(0, 2), (16, 1), (2400, 0), (2399, 1)])
def test_buffers_above_the_limit_lie_outside(tmp_path: Path, above: int, count: int) -> None:
    path = tmp_path / "m.tflite"
    save_model(_model(), path, outside_above=above)
    model = load_model(path)
    assert sum(b.outside for b in model.buffers) == count
    assert encode(model) == encode(_model())


def test_outside_buffers_stay_outside_and_begin_on_a_multiple_of_16(tmp_path: Path) -> None:
    first, second = tmp_path / "a.tflite", tmp_path / "b.tflite"
    save_model(_model(601), first, outside_above=0)
    model = load_model(first)
    save_model(model, second)
    assert first.read_bytes() == second.read_bytes()
    offsets = [b.data.__array_interface__["data"][0] % 16 for b in model.buffers if b.outside]
    assert offsets == [0, 0]
    save_model(model, second, outside_above=1 << 20)
    assert not any(b.outside for b in load_model(second).buffers)


def test_a_model_too_large_inside_keeps_its_large_buffers_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("litecheck.model.save.SIZE_MAX", 2000)
    monkeypatch.setattr("litecheck.model.save.RESERVE", 0)
    monkeypatch.setattr("litecheck.model.save.LARGE", 100)
    monkeypatch.setattr("litecheck.flatbuffer.write.SIZE_MAX", 2000)
    path = tmp_path / "m.tflite"
    save_model(_model(), path)
    assert [len(b.data) for b in load_model(path).buffers if b.outside] == [2400]


def test_a_model_may_be_written_over_the_file_it_is_mapped_from(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    save_model(_model(), path)
    before = encode(_model())
    model = load_model(path)
    save_model(model, path, outside_above=0)
    assert encode(load_model(path)) == before
    assert encode(model) == before, "the old mapping still shows the old file"
    assert [p.name for p in tmp_path.iterdir()] == ["m.tflite"]


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(b"precious")
    model = _model()
    main = model.subgraphs[0]
    newer = UnknownField(30, b"\x08\0\0\0", maybe_offset=True)
    tensors = (replace(main.tensors[0], unknown=(newer,)), *main.tensors[1:])
    newer_model = replace(model, subgraphs=(replace(main, tensors=tensors),))
    with pytest.raises(ModelError) as caught:
        save_model(newer_model, path)
    assert caught.value.file == str(path)
    assert caught.value.problems[0].code == "unknown-field"
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]
    save_model(newer_model, path, drop_unknown=True)
    assert load_model(path).subgraphs[0].tensors[0].unknown == ()


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    save_model(_model(), tmp_path / "none" / "m.tflite")
    assert (tmp_path / "none" / "m.tflite").is_file()


@pytest.mark.slow
def test_a_model_of_ten_thousand_operators_is_written(tmp_path: Path) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    last = main.tensor("t0", (1,), quantization=qparams(0.5))
    main.inputs(last)
    for i in range(10_000):
        following = main.tensor(f"t{i + 1}", (1,), quantization=qparams(0.5))
        main.add("ADD", [last, last], [following])
        last = following
    main.outputs(last)
    path = tmp_path / "long.tflite"
    save_model(builder.finish(), path)
    model = load_model(path)
    assert len(model.subgraphs[0].operators) == 10_000
    assert model.subgraphs[0].operators[-1].outputs == (10_000,)


@pytest.mark.slow
def test_every_readable_model_can_be_written_and_read_again(tmp_path: Path) -> None:
    source = model_bytes(_model(64))
    random = np.random.default_rng(7)
    path, back = tmp_path / "damaged.tflite", tmp_path / "back.tflite"
    written = 0
    for _ in range(600):
        content = bytearray(source)
        for at in random.integers(0, len(source), 2).tolist():
            content[at] ^= 1 << int(random.integers(0, 8))
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        for model in load_models(path):
            if isinstance(model, ModelError):
                continue
            save_model(model, back, drop_unknown=True)
            (again,) = load_models(back)
            assert isinstance(again, Model)
            assert [len(g.operators) for g in again.subgraphs] == [len(g.operators) for g in model.subgraphs]
            written += 1
    assert written > 100


def test_a_hash_is_that_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, same = _model(), _model()
    save_model(model, tmp_path / "m.tflite")
    hash_saved_file(model, tmp_path / "m.tflite")
    written = hashlib.sha256((tmp_path / "m.tflite").read_bytes()).hexdigest()
    assert model_hash(same) == written
    assert model_hash(load_model(tmp_path / "m.tflite")) == written
    assert model_hash(replace(model, description="another")) != written
    monkeypatch.setattr("litecheck.model.save.encode", None)  # a known hash is not computed again
    assert model_hash(model) == model_hash(same) == written


def test_a_file_without_unknown_content_does_not_give_the_hash_of_a_model_with_it(tmp_path: Path) -> None:
    model = replace(_model(), unknown_content=(Problem("new-field", "Tensor", 8, "a field"),))
    save_model(model, tmp_path / "m.tflite", drop_unknown=True)
    hash_saved_file(model, tmp_path / "m.tflite")
    assert model not in _HASHES
