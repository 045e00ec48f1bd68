"""Image files opened with Pillow: the suffix selects the decoder, the size is limited, and every error names the file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ConfigError, InputError, install_hint
from litecheck.files import open_file, reason

#: Image suffixes and the only decoder for each. Without a list Pillow selects by content, and starts Ghostscript for an EPS
#: file named .png.
_DECODERS: Mapping[str, str] = MappingProxyType(
    {
        ".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".bmp": "BMP", ".gif": "GIF", ".webp": "WEBP",
        ".ppm": "PPM", ".pgm": "PPM", ".tif": "TIFF", ".tiff": "TIFF",
    }
)  # fmt: skip
IMAGES = tuple(_DECODERS)
#: Maximum number of pixels of an image.
PIXELS_MAX = 1 << 26
#: Formats of still images. A photo with a preview is a JPEG file of two frames.
_STILL = ("JPEG", "MPO")


def read_image(file: Path, mode: str, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return an image in a mode of Pillow (``RGB``), resized to (width, height): uint8 (height, width) or with channels.

    Raises ConfigError, with the file, for an image that cannot be decoded, that has several frames or too many pixels.
    """
    image = pillow(file)
    try:
        with warnings.catch_warnings(), open_file(file) as stream:
            warnings.simplefilter("ignore")
            decoder = _DECODERS[file.suffix.lower()]
            with image.open(stream, formats=[decoder]) as opened:
                _check(file, opened)
                decoded = opened.convert(mode)
                if decoded.size != size:
                    decoded = decoded.resize(size, image.Resampling.BILINEAR)
                return np.asarray(decoded, np.uint8)
    except ConfigError:
        raise
    except Exception as error:  # decoders raise different exceptions for different content
        raise InputError(f"{file}: cannot be read as an image, {_reason(error, file)}") from error


def pillow(place: Path) -> Any:
    """Return the module of Pillow. Raises ConfigError if it is missing."""
    try:
        from PIL import Image
    except ImportError:
        raise ConfigError(f"{place}: images need the package pillow: {install_hint('convert')}") from None
    return Image


def _check(file: Path, opened: Any) -> None:
    width, height = opened.size
    if width * height > PIXELS_MAX:
        found = f"got {width} x {height} pixels, expected at most {PIXELS_MAX:,}"
        raise InputError(f"{file}: the image is too large: {found}")
    if opened.format not in _STILL and getattr(opened, "is_animated", False):
        raise InputError(f"{file}: the image has several frames, expected one")


def _reason(error: Exception, file: Path) -> str:
    """Return the reason why an image cannot be decoded, without the object that Pillow names in its messages."""
    if isinstance(error, OSError) and error.errno is not None:
        return reason(error)
    name = type(error).__name__
    if name == "UnidentifiedImageError":
        return f"the content is not a {_DECODERS[file.suffix.lower()]} image"
    if name == "DecompressionBombError":
        return f"it has more than {PIXELS_MAX:,} pixels"
    return str(error).partition("\n")[0] or name
