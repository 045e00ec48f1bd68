"""Calibration data from a folder of images, resized to the model's input and scaled to its range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.dataset import CalibrationData, DataOptions
from litecheck.conversion.calibration.image_files import pillow, read_image
from litecheck.conversion.calibration.samples import Chain, Sample, input_values
from litecheck.errors import ConfigError, InputError
from litecheck.model.types import Model, Tensor
from litecheck.reference.engine.entry_point import entry
from litecheck.summary_text import count_of

#: Default scale and offset of an image's values: 0..1.
_UNIT = (1 / 255, 0.0)
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def image_data(files: Sequence[Path], place: Path, model: Model, options: DataOptions) -> CalibrationData:
    """Return the images for a model with one input (1, height, width, channels), in the order of their names.

    An image is read as gray, RGB or RGBA, depending on the channels, and resized bilinearly without keeping its
    proportions. Raises ConfigError if the model has no image input or Pillow is missing, and later for files that are
    not images.
    """
    name, tensor = _input(place, model, options)
    if options.sequences:
        raise ConfigError(f"{place}: images are samples of their own, not sequences")
    scale, offset = options.scaling or _UNIT
    pillow(place)

    def chains() -> Iterator[Chain]:
        for file in files:
            values = _read(file, tensor).astype(np.float32) * np.float32(scale) + np.float32(offset)
            if tensor.dtype != "float32":
                values = np.rint(values)
            yield (
                Sample({name: input_values(str(file), name, tensor, values)}, options.signature, str(file)),
            )

    low, high = sorted((offset, 255 * scale + offset))
    scaling_text = f"values {low:g}..{high:g} (v * {scale:.6g} + {offset:g})"
    warnings = () if options.preprocessing else (_no_preprocessing_text(place),)
    return CalibrationData(
        chains, f"{count_of(len(files), 'image')} of {place}, {scaling_text}", len(files), warnings
    )


def _no_preprocessing_text(place: Path) -> str:
    return (
        f"{place}: no preprocessing is stated, so images are brought to 0..1; if the model was trained on -1..1 "
        "(MobileNet), add --preprocessing 1/127.5:-1, if on 0..255, --preprocessing 1:0"
    )


def _input(place: Path, model: Model, options: DataOptions) -> tuple[str, Tensor]:
    point = entry(model, options.signature)
    inputs = [(name, point.subgraph.tensors[index]) for name, index in point.inputs]
    if len(inputs) != 1:
        names = ", ".join(name for name, _ in inputs)
        raise InputError(f"{place}: holds images, the model takes {len(inputs)} inputs ({names}); give .npz")
    name, tensor = inputs[0]
    shape = tensor.shape
    if len(shape) != 4 or shape[0] != 1 or shape[3] not in _MODES:
        raise InputError(f"{place}: holds images, input {name!r} has shape {list(shape)}; give .npz")
    return name, tensor


def _read(file: Path, tensor: Tensor) -> NDArray[np.uint8]:
    _, height, width, channels = tensor.shape
    return read_image(file, _MODES[channels], (width, height)).reshape(1, height, width, channels)
