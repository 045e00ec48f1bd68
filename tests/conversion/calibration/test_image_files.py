"""Images: the suffix selects the decoder, and an unreadable image is an error with the file's name."""

from __future__ import annotations

import os
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from litecheck.conversion.calibration import image_files
from litecheck.conversion.calibration.image_files import read_image
from litecheck.errors import ConfigError

Image = pytest.importorskip("PIL.Image", reason="needs pillow")
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"
posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")


def read(file: Path) -> np.ndarray:
    return read_image(file, "RGB", (4, 4))


def png(width: int, height: int) -> bytes:
    """Return a PNG file with a stated size and without pixels."""
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x00\x00\x00\x00"
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b""))
    body = (
        len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")
        for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


@pytest.mark.parametrize("suffix", image_files.IMAGES)
def test_every_suffix_starts_its_own_decoder(tmp_path: Path, suffix: str) -> None:
    Image.new("RGB", (4, 4), (10, 10, 10)).save(tmp_path / f"a{suffix}")
    assert read(tmp_path / f"a{suffix}").shape == (4, 4, 3)


@pytest.mark.parametrize("suffix", image_files.IMAGES)
def test_an_eps_by_another_name_starts_no_program(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    for name in ("Popen", "run", "call", "check_call", "check_output"):
        monkeypatch.setattr(subprocess, name, lambda *words, **_: started.append(words))
    (tmp_path / f"a{suffix}").write_bytes(EPS)
    with pytest.raises(
        ConfigError, match=r"a\.\w+: cannot be read as an image, the content is not a \w+ image"
    ):
        read(tmp_path / f"a{suffix}")
    assert started == []


@pytest.mark.parametrize("size", [(9000, 9000), (20_000, 20_000), (1 << 31, 1), (1 << 16, 1 << 16)])
def test_an_image_of_too_many_pixels_is_not_decoded(
    tmp_path: Path, size: tuple[int, int], recwarn: pytest.WarningsRecorder
) -> None:
    (tmp_path / "a.png").write_bytes(png(*size))
    with pytest.raises(
        ConfigError, match=r"a\.png: (the image is too large: got|cannot be read as an image, it has)"
    ):
        read(tmp_path / "a.png")
    assert not list(recwarn)


def test_an_image_cut_off_anywhere_is_an_error_or_an_image(tmp_path: Path) -> None:
    random = np.random.default_rng(0).integers(0, 255, (16, 16, 3), np.uint8)
    for suffix in image_files.IMAGES:
        file = tmp_path / f"a{suffix}"
        Image.fromarray(random).save(file)
        content = file.read_bytes()
        failed = 0
        for end in range(0, len(content), max(1, len(content) // 40)):
            file.write_bytes(content[:end])
            try:
                read(file)
            except ConfigError as error:
                failed += 1
                assert str(error).startswith(f"{file}: ")  # noqa: PT017
        assert failed


@pytest.mark.parametrize("suffix", [".gif", ".png", ".webp", ".tiff"])
def test_an_image_of_several_frames_is_an_error(tmp_path: Path, suffix: str) -> None:
    frames = [Image.new("RGB", (4, 4), (n, 0, 0)) for n in (0, 99, 255)]
    frames[0].save(tmp_path / f"a{suffix}", save_all=True, append_images=frames[1:])
    with pytest.raises(ConfigError, match=r"a\.\w+: the image has several frames, expected one"):
        read(tmp_path / f"a{suffix}")


@posix
@pytest.mark.parametrize("kind", ["zero", "pipe"])
def test_an_image_that_is_no_file_is_not_read(tmp_path: Path, kind: str, in_time: None) -> None:
    file = tmp_path / "a.png"
    os.mkfifo(file) if kind == "pipe" else file.symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match=r"a\.png: cannot be read as an image, got a device, pipe"):
        read(file)
