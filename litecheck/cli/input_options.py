"""Options ``--input``, ``--data`` and ``--seed``: the inputs of a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Annotated, Any

from litecheck.cli.panels import INPUTS, option
from litecheck.errors import ConfigError, InputError
from litecheck.input_shapes import shape_words
from litecheck.summary_text import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from litecheck.model.types import Model, Tensor
    from litecheck.reference.engine.entry_point import EntryPoint

Seed = Annotated[
    int,
    option("--seed SEED", INPUTS, "Set the seed of random inputs. [default: 0]", min=0),
]


@dataclass(frozen=True, slots=True, eq=False)
class InputOptions:
    """An array for each input of an entry point, and its source in words."""

    entry: EntryPoint
    arrays: Mapping[str, NDArray[Any]]
    sources: Mapping[str, str]


def feed(model: Model, signature: str | None, given: Sequence[str], seed: int | None) -> InputOptions:
    """Return the inputs from files and the seed. Raise LitecheckError."""
    point = _entry(model, signature)
    files = dict(_split_assignment(point, text) for text in given)
    if len(files) < len(given):
        raise ConfigError("--input: the same input is given twice")
    arrays = {name: _read(point, name, file, model.file) for name, file in files.items()}
    sources = {name: f"from {file}" for name, file in files.items()}
    if seed is not None:
        drawn = point.random(seed, files)
        arrays |= drawn
        sources |= dict.fromkeys(drawn, f"drawn from seed {seed}")
    missing = [name for name, _ in point.inputs if name not in arrays]
    if missing:
        raise ConfigError(
            f"input {missing[0]!r} is missing; give it by --input, or --seed SEED for random values"
        )
    return InputOptions(point, arrays, sources)


def load_samples(
    model: Model, signature: str | None, given: list[str], data: list[str], most: int, seed: int
) -> tuple[tuple[Mapping[str, NDArray[Any]], ...], str]:
    """Return the samples of ``--input`` or of each ``--data``, at most ``most`` of each, and their source in words.

    Raise LitecheckError.
    """
    from litecheck.cases.sample_inputs import samples

    if given and data:
        raise ConfigError("conflicting options: got --input and --data, expected one. Omit one of them.")
    if data:
        point = _entry(model, signature)
        sets = [samples(path, point, signature, most) for path in data]
        sources = [
            f"{count_of(len(found), 'sample')} of {path}" for found, path in zip(sets, data, strict=True)
        ]
        return tuple(sample for found in sets for sample in found), " and ".join(sources)
    if not given:
        return (), ""
    fed = feed(model, signature, given, seed)
    return (fed.arrays,), "; ".join(f"{name} {source}" for name, source in fed.sources.items())


def _split_assignment(point: EntryPoint, text: str) -> tuple[str, str]:
    """Split NAME=FILE. Names may contain equals signs, and a number is a position."""
    names = [name for name, _ in point.inputs]
    found = [name for name in names if text.startswith(f"{name}=")]
    if found:
        name = max(found, key=len)
        return name, text[len(name) + 1 :]
    before, equals, file = text.partition("=")
    if equals and before.isdecimal() and int(before) < len(names):
        return names[int(before)], file
    if len(names) == 1 and not equals:
        return names[0], text
    from litecheck.spelling import suggestion

    hint = suggestion(before, names, "there are")
    raise ConfigError(f"--input {text}: there is no input {before!r}{hint}" if equals else f"--input {text}: which "
                      f"input is it? NAME=FILE, with one of {', '.join(names)}")  # fmt: skip


def _entry(model: Model, signature: str | None) -> EntryPoint:
    """Return the entry point of a signature. Raise ConfigError for an unknown signature, which an option names."""
    from litecheck.cases.model_parts import entries
    from litecheck.reference.engine.entry_point import entry

    if signature is not None:
        entries(model, signature)
    return entry(model, signature)


def _image_step(file: str, tensor: Tensor, model: str) -> str:
    """Return the commands that make the values of an input from an image."""
    values = f"{os.path.splitext(os.path.basename(file))[0]}.npy"
    pixels = f"numpy.asarray(PIL.Image.open({file!r}), 'float32')[None] / 255"
    save = f"Save its values as for the float model, for example numpy.save({values!r}, {pixels})"
    if tensor.dtype.startswith("float"):
        return save
    return f"{save}; then 'litecheck quantize {values} -o stored.npy --like {model}:{tensor.index}'"


def _read(point: EntryPoint, name: str, file: str, model: str) -> NDArray[Any]:
    from litecheck.quantizer.array_files import check_present, is_image, is_raw, read_tensor

    tensor = point.subgraph.tensors[dict(point.inputs)[name]]
    check_present(file)
    if is_image(file):
        wanted = f"{tensor.dtype} values of input {name!r} in .npy, .npz or raw bytes"
        raise InputError(f"{file}: got an image, expected {wanted}. {_image_step(file, tensor, model)}")
    if not is_raw(file):
        stored = read_tensor(file)
        if stored.values.dtype.kind == "f" and not tensor.dtype.startswith("float"):
            ways = f"litecheck quantize --like {model}:{tensor.index} makes such values"
            raise InputError(f"{file}: holds {stored.dtype}, input {name!r} takes {tensor.dtype}; {ways}")
        return stored.values
    shape = tensor.shape_signature or tensor.shape
    if not (unknown := sum(n < 0 for n in shape)):
        return read_tensor(file, tensor.dtype, tensor.shape).values
    values = read_tensor(file, tensor.dtype).values
    step = prod(n for n in shape if n >= 0)
    if unknown > 1 or not step or values.size % step:
        raise ConfigError(
            f"{file}: {values.size:,} values do not give the shape {shape_words(shape)} of input {name!r}. Give a .npy file."
        )
    return values.reshape(tuple(max(n, -1) for n in shape))
