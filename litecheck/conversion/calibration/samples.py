"""Calibration samples: the inputs of an inference, and the fitting of arrays to the inputs of entry points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.errors import ConfigError, InputError
from litecheck.input_shapes import shape_mismatch
from litecheck.model.types import Model, Tensor
from litecheck.reference.engine.entry_point import EntryPoint, entry
from litecheck.reference.runtime_tensors import NUMPY_TYPES, RunError
from litecheck.spelling import suggestion

#: Scale and offset of uint8 values for a float input.
Scaling = tuple[float, float]
#: Axes before an input's own shape, by their number.
_AXES = ((), ("N",), ("SEQUENCES", "N"))
#: Separator of a signature and an input's name, for files with samples of several signatures: ``encode/tokens``.
_OF = "/"


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The inputs of an inference by name, real values or ids. ``signature`` None is the first subgraph.

    ``source`` is the file, and in files of several samples the number of the sample.
    """

    inputs: Mapping[str, NDArray[Any]]
    signature: str | None = None
    source: str = ""

    def arrange(self, model: Model) -> tuple[int, Arrays]:
        """Return the subgraph to run, and the arrays in the order of its inputs. Raises ConfigError."""
        try:
            point = entry(model, self.signature)
            return point.subgraph.index, point.arrange(self.inputs)
        except RunError as error:
            raise ConfigError(str(error)) from error


#: Samples that run in order without a reset in between. Most chains have a single sample.
Chain = tuple[Sample, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """An array of a file and its input. ``lead`` is the number of axes before the axes of a sample.

    ``batched`` is True if the array lacks the first axis of the input, which has length 1.
    """

    name: str
    tensor: Tensor
    lead: int
    batched: bool
    scaling: Scaling | None = None

    def sample(self, source: str, part: NDArray[Any]) -> NDArray[Any]:
        """Return a part as an input of the model. Raises ConfigError for values outside the input's type."""
        whole = part[np.newaxis] if self.batched else part
        return input_values(source, self.name, self.tensor, whole, self.scaling)


def fitting(
    source: str, point: EntryPoint, name: str, shape: tuple[int, ...], sequences: bool, single: bool = False,
    scaling: Scaling | None = None,
) -> Fitting:  # fmt: skip
    """Return the fitting of an array to an input: samples are along a leading axis, or along the batch.

    With ``sequences`` there are two leading axes, and for a ``single`` sample none. Raises ConfigError.
    """
    tensor = point.subgraph.tensors[dict(point.inputs)[name]]
    wanted = tensor.shape_signature or tensor.shape
    lead = 0 if single else 2 if sequences else 1
    if len(shape) == lead + len(wanted) and _fits(shape[lead:], wanted):
        return Fitting(name, tensor, lead, False, scaling)
    one = bool(wanted) and wanted[0] in (1, -1)
    if one and len(shape) == lead + len(wanted) - 1 and _fits(shape[lead:], wanted[1:]):
        return Fitting(name, tensor, lead, True, scaling)
    if lead == 1 and len(shape) == len(wanted) and _fits(shape, wanted):
        return Fitting(name, tensor, 0, False, scaling)
    words = f"{source}: {shape_mismatch(name, shape, wanted, _AXES[lead])}"
    if lead == 1 and len(shape) == 2 + len(wanted) - one and _fits(shape[2:], wanted[one:]):
        raise InputError(f"{words}. For sequences of samples, add --sequences")
    raise InputError(words)


def _fits(given: Sequence[int], wanted: Sequence[int]) -> bool:
    return len(given) == len(wanted) and all(w in (-1, g) for g, w in zip(given, wanted, strict=True))


def input_values(
    source: str, name: str, tensor: Tensor, values: NDArray[Any], scaling: Scaling | None = None
) -> NDArray[Any]:
    """Return values in the type of an input: numbers become float32, ids keep their value. Raises ConfigError.

    uint8 values for a float input need ``scaling``: a model that was trained on 0..1 has other ranges on 0..255.
    """
    if tensor.dtype not in NUMPY_TYPES:
        raise InputError(f"{source}: input {name!r} is {tensor.dtype}, for which there are no samples")
    wanted = np.dtype(NUMPY_TYPES[tensor.dtype])
    if values.dtype.kind not in "biuf":
        raise InputError(f"{source}: input {name!r} is {tensor.dtype}, got {values.dtype}")
    if wanted.kind == "f" and values.dtype == np.uint8:
        if scaling is None:
            raise InputError(
                f"{source}: input {name!r}: got uint8, expected float32. State the scale: --preprocessing 1/255:0 gives "
                "0..1, 1/127.5:-1 gives -1..1, 1:0 gives 0..255"
            )
        values = values.astype(np.float32) * np.float32(scaling[0]) + np.float32(scaling[1])
    if wanted.kind == "f":
        return np.asarray(values, wanted, order="C")  # keeps a scalar
    with np.errstate(invalid="ignore"):
        converted = values.astype(wanted)
    if not np.array_equal(converted, values):
        raise InputError(
            f"{source}: input {name!r} is {tensor.dtype}, which does not hold {values.dtype} as given"
        )
    return np.asarray(converted, order="C")


def input_names(
    source: str, model: Model, signature: str | None, keys: Sequence[str]
) -> dict[str | None, dict[str, str]]:
    """Return the input of each array: signature -> key -> name of the input.

    A key is the name of an input or of its tensor, or a position (``0``, ``arr_0``, and ``x`` for a single input), with
    an optional prefix ``SIGNATURE/``. Arrays of signatures other than a given ``signature`` are ignored. Raises
    ConfigError.
    """
    found: dict[str | None, dict[str, str]] = {} if signature is None else {signature: {}}
    for key in keys:
        where, name = _locate_input(source, model, signature, key)
        if signature in (None, where):
            found.setdefault(where, {})[key] = name
    for where, named in found.items():
        inputs = [name for name, _ in _entry(source, model, where).inputs]
        missing = [name for name in inputs if name not in named.values()]
        if missing:
            raise InputError(
                f"{source}: has nothing for input {missing[0]!r}; it has {', '.join(named or keys)}"
            )
        if len(set(named.values())) < len(named):
            raise InputError(f"{source}: has the same input twice, among {', '.join(named)}")
    return found


def _locate_input(source: str, model: Model, signature: str | None, key: str) -> tuple[str | None, str]:
    """Return the signature and the input of a key; a prefix can name another signature than the given one."""
    point = _entry(source, model, signature)
    name = _input(point, key)
    if name is not None:
        return signature, name
    for one in model.signatures:
        own = _input(entry(model, one.key), key.removeprefix(one.key + _OF))
        if own is not None and signature is None and one.subgraph == point.subgraph.index:
            return None, point.name(dict(one.inputs)[own])
        if own is not None and key.startswith(one.key + _OF):
            return one.key, own
    names = [name for name, _ in point.inputs]
    hint = suggestion(key, names, "there are")
    raise InputError(f"{source}: there is no input {key!r}{hint}")


def _input(point: EntryPoint, key: str) -> str | None:
    names = [name for name, _ in point.inputs]
    tensors = {point.subgraph.tensors[index].name: name for name, index in point.inputs}
    if key in names or key in tensors:
        return key if key in names else tensors[key]
    number = key.removeprefix("arr_")
    if number.isdecimal() and int(number) < len(names):
        return names[int(number)]
    return names[0] if key == "x" and len(names) == 1 else None


def _entry(source: str, model: Model, signature: str | None) -> EntryPoint:
    try:
        return entry(model, signature)
    except RunError as error:
        raise InputError(f"{source}: {error}") from error


def make_chain(
    fittings: Sequence[Fitting], source: str, parts: Sequence[NDArray[Any]], signature: str | None
) -> Chain:
    """Return the sample, or the samples of a sequence, in a part of each input's array. Raises ConfigError."""
    if all(one.lead < 2 for one in fittings):
        return (_sample(fittings, source, parts, signature),)
    lengths = sorted({len(part) for part in parts})
    if len(lengths) > 1:
        raise InputError(f"{source}: inputs have sequences of {' and '.join(map(str, lengths))} samples")
    steps = (tuple(part[n] for part in parts) for n in range(lengths[0]))
    return tuple(_sample(fittings, source, step, signature) for step in steps)


def _sample(
    fittings: Sequence[Fitting], source: str, parts: Sequence[NDArray[Any]], signature: str | None
) -> Sample:
    pairs = zip(fittings, parts, strict=True)
    return Sample({one.name: one.sample(source, part) for one, part in pairs}, signature, source)


def sample_of(
    source: str,
    model: Model,
    signature: str | None,
    arrays: Mapping[str, NDArray[Any]],
    scaling: Scaling | None = None,
) -> Iterator[Sample]:
    """Yield a sample of each entry point that the keys of the arrays name. Raises ConfigError."""
    for where, named in input_names(source, model, signature, list(arrays)).items():
        point = _entry(source, model, where)
        inputs = {}
        for key, name in named.items():
            fit = fitting(source, point, name, arrays[key].shape, False, True, scaling)
            inputs[name] = fit.sample(source, arrays[key])
        yield Sample(inputs, where, source)
