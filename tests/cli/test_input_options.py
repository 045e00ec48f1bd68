"""``--input`` and ``--seed``: names, positions, files of values and inputs that are missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.cli.input_options import feed, load_samples
from litecheck.errors import ConfigError, InputError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model


def model(*names: str, open_shape: bool = False) -> Model:
    """Return an ADD of two inputs, or of an input with itself."""
    builder = ModelBuilder()
    main = builder.subgraph()
    signature = {"shape_signature": (-1, 3)} if open_shape else {}
    inputs = [main.tensor(name, (1, 3), "int8", qparams(0.5), **signature) for name in names]
    output = main.tensor("sum", (1, 3), "int8", qparams(1.0))
    main.add("ADD", [inputs[0], inputs[-1]], [output])
    main.inputs(*inputs)
    main.outputs(output)
    return builder.finish()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in (("one.npy", 1), ("two.npy", 2), ("b=c", 3), ("=.npy", 4)):
        with open(name, "wb") as file:
            np.save(file, np.full((1, 3), value, np.int8))
    np.save("real.npy", np.zeros((1, 3), np.float32))
    (tmp_path / "raw.bin").write_bytes(bytes([1, 2, 255]))
    return tmp_path


@pytest.mark.parametrize(
    ("names", "given", "values"),
    [
        (("a", "b"), ["a=one.npy", "b=two.npy"], {"a": 1, "b": 2}),
        (("a", "b"), ["1=two.npy", "0=one.npy"], {"a": 1, "b": 2}),
        (("a",), ["one.npy"], {"a": 1}),
        (("a",), ["a=one.npy"], {"a": 1}),
        (("a", "a=b"), ["a=b=two.npy", "a=one.npy"], {"a": 1, "a=b": 2}),
        # A name of digits comes before a position.
        (("1", "0"), ["1=one.npy", "0=two.npy"], {"1": 1, "0": 2}),
        (("a", "b"), ["a==.npy", "b=two.npy"], {"a": 4, "b": 2}),
    ],
)
def test_inputs_of_files(
    folder: Path, names: tuple[str, ...], given: list[str], values: dict[str, int]
) -> None:
    fed = feed(model(*names), None, given, None)
    assert {name: int(a[0, 0]) for name, a in fed.arrays.items()} == values
    assert all(source.startswith("from ") for source in fed.sources.values())


def test_raw_bytes_have_the_type_and_shape_of_the_input(folder: Path) -> None:
    fed = feed(model("a"), None, ["raw.bin"], None)
    assert fed.arrays["a"].tolist() == [[1, 2, -1]]
    assert fed.sources == {"a": "from raw.bin"}


def test_random_inputs_beside_files(folder: Path) -> None:
    fed = feed(model("a", "b"), None, ["b=two.npy"], 7)
    assert fed.sources == {"b": "from two.npy", "a": "drawn from seed 7"}
    assert fed.arrays["b"].tolist() == [[2, 2, 2]]
    assert (fed.arrays["a"] == feed(model("a", "b"), None, [], 7).arrays["a"]).all()


@pytest.mark.parametrize(
    ("names", "given", "message"),
    [
        (("a", "b"), ["a=one.npy"], "input 'b' is missing; give it by --input, or --seed SEED"),
        (("a", "b"), ["a=one.npy", "0=two.npy"], "--input: the same input is given twice"),
        (("a", "b"), ["one.npy"], "which input is it\\? NAME=FILE, with one of a, b"),
        (("image", "b"), ["imge=one.npy"], "there is no input 'imge'; did you mean 'image'"),
        (("aa", "bb"), ["zzzz=one.npy"], "there is no input 'zzzz'; there are aa, bb"),
        (("a", "b"), ["2=one.npy"], "there is no input '2'"),
        (
            ("a",),
            ["a=real.npy"],
            "real.npy: holds float32, input 'a' takes int8; litecheck quantize --like :0 makes",
        ),
    ],
)
def test_inputs_that_cannot_be_read(
    folder: Path, names: tuple[str, ...], given: list[str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        feed(model(*names), None, given, None)


def test_raw_bytes_give_an_open_dimension(folder: Path) -> None:
    """The signature is ?x3: 6 bytes of int8 are 2 rows, and 7 bytes are no number of rows."""
    np.arange(6, dtype=np.int8).tofile("six.bin")
    fed = feed(model("a", open_shape=True), None, ["six.bin"], None)
    assert fed.arrays["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    np.arange(7, dtype=np.int8).tofile("seven.bin")
    message = r"seven\.bin: 7 values do not give the shape \?x3 of input 'a'\. Give a \.npy file\."
    with pytest.raises(ConfigError, match=message):
        feed(model("a", open_shape=True), None, ["seven.bin"], None)


def test_samples(folder: Path) -> None:
    one = model("a", "b")
    assert load_samples(one, None, [], None, 5, 0) == ((), "")
    (sample,), told = load_samples(one, None, ["a=one.npy"], None, 5, 3)
    assert told == "a from one.npy; b drawn from seed 3"
    assert sample["a"].tolist() == [[1, 1, 1]]
    with pytest.raises(ConfigError, match="conflicting options: got --input and --data"):
        load_samples(one, None, ["a=one.npy"], ["one.npy"], 5, 0)
    found, told = load_samples(model("a"), None, [], ["one.npy"], 5, 0)
    assert (len(found), told) == (1, "1 sample of one.npy")


@pytest.mark.parametrize("name", ["photo.png", "PHOTO.JPG", "frames/photo.webp"])
@pytest.mark.parametrize(
    ("dtype", "step"), [("int8", "'litecheck quantize photo.npy"), ("float32", "numpy.save('photo.npy'")]
)
def test_an_image_is_not_read_as_raw_bytes(folder: Path, name: str, dtype: str, step: str) -> None:
    """A file of the right size is an error as well."""
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(bytes(3 if dtype == "int8" else 12))
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 3), dtype, qparams(0.5) if dtype == "int8" else None)
    y = main.tensor("y", (1, 3), dtype, qparams(0.5) if dtype == "int8" else None)
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    with pytest.raises(InputError, match="got an image, expected") as refused:
        feed(builder.finish(), None, [str(file)], None)
    assert step.lower() in str(refused.value).lower()
    raw = file.rename(file.with_suffix(".bin"))
    assert feed(builder.finish(), None, [str(raw)], None).arrays["x"].shape == (1, 3)
