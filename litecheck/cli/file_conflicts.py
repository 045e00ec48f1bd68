"""Rejection of a command that would write an output over one of its inputs, or two outputs to one file."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from litecheck.errors import ConfigError
from litecheck.files import MODEL_SUFFIXES, STDIN, is_inside

#: Options that write a file or a folder.
WRITERS = (
    "--output", "--bundle", "--format", "--write-baseline", "--save-plan", "--calibration-cache", "--reproduce", "--set",
)  # fmt: skip
#: Keys of ``--set`` that write.
_WRITING_KEYS = ("checkpoint", "record")
#: Inputs that an option updates on purpose.
_UPDATES = {"--write-baseline": "--baseline"}
#: Placeholders of options whose value is a file even if it is a bare word. Elsewhere a bare word is a name.
_OF_FILES = re.compile(r"\b(FILE|DIR|PATH|MODEL|QUANTIZED)\b|\.pem")
#: Files of an input folder that commands read: samples, suites, results.
_SAMPLE_SUFFIXES = (
    ".npy", ".npz", ".bin", ".jsonl", ".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp",
)  # fmt: skip
_MANIFEST = "manifest.json"

Written = Sequence[tuple[str, str]]


def check_command(parameters: Iterable[Any], values: Mapping[str, Any]) -> None:
    """Raise ConfigError if the files of a command line conflict. ``values`` are those of its parameters by name."""
    given = [(p, _texts(values.get(p.name))) for p in parameters]
    written = [
        (_option(p), file) for p, texts in given for text in texts for file in _outputs(_option(p), text)
    ]
    if not written:
        return
    updated = {read for option, read in _UPDATES.items() if option in dict(written)}
    arguments = [text for p, texts in given if p.param_type_name == "argument" for text in texts]
    read = [
        file
        for p, texts in given
        if p.param_type_name == "option" and _option(p) not in (*WRITERS, *updated)
        for text in texts
        for file in _files(text)
        if _OF_FILES.search(p.metavar or "") or "." in file or os.sep in file
    ]
    check_conflicts(written, arguments, read)


def check_conflicts(written: Written, arguments: Iterable[str], read: Iterable[str] = ()) -> None:
    """Raise ConfigError if an output, with the option that names it, is an input or another output.

    Links and other spellings of a path are followed. ``arguments`` may be globs, folders of models, and texts with a
    path in them; ``read`` are further inputs. Devices and pipes cannot be overwritten, and stdin is not a file.
    """
    from litecheck.model_files import named_files

    models = [file for text in arguments for file in (*named_files(text), *_files(text))]
    inputs = {_identity(file): file for file in (*read, *models) if file != STDIN and os.path.exists(file)}
    folders = [file for file in inputs.values() if os.path.isdir(file)]
    outputs: dict[object, str] = {}
    for option, file in written:
        if (place := _identity(file)) is None:
            continue
        source = inputs.get(place) or next((f for f in folders if _is_read(file, f, f in models)), None)
        if source is not None:
            raise ConfigError(
                f"{option} {file}: the output would overwrite the input {source}; name another file"
            )
        if place in outputs:
            raise ConfigError(
                f"{option} {file}: two outputs to one file, also {outputs[place]}; name another file"
            )
        outputs[place] = option


def _option(parameter: Any) -> str:
    return next((name for name in parameter.opts if name.startswith("--")), "")


def _texts(value: Any) -> list[str]:
    several = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in several if isinstance(one, str) and one]


def _outputs(option: str, text: str) -> Iterator[str]:
    """Yield the file that an option writes. Example: ``--format json:a.json`` gives ``a.json``."""
    if option == "--format":
        yield from filter(None, [text.partition(":")[2]])
    elif option == "--set":
        key, _, file = text.partition("=")
        yield from [file] if key in _WRITING_KEYS and file else []
    elif option in WRITERS:
        yield text


def _files(text: str) -> Iterator[str]:
    """Yield all texts that may be a path in a value. Example: ``x=a.npz:key`` names ``a.npz``."""
    yield text
    yield text.partition("=")[2]
    yield text.rpartition(":")[0]
    yield from re.split(r"[=:,\s]+", text)


def _identity(file: str) -> object:
    """Return a value that all paths of a file share, or None for a device or a pipe."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return os.path.normcase(os.path.realpath(file)) if "\0" not in file else None
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        return None
    return found.st_dev, found.st_ino


def _is_read(file: str, folder: str, of_models: bool) -> bool:
    """Return True if an existing file is an input because its folder is one. A report in the folder is not an input."""
    if not os.path.isfile(file) or not is_inside(file, folder):
        return False
    name = os.path.basename(os.path.realpath(file)).lower()
    holds_models = of_models and not os.path.exists(Path(folder, "saved_model.pb"))
    return name == _MANIFEST or name.endswith((*_SAMPLE_SUFFIXES, *(MODEL_SUFFIXES if holds_models else ())))
