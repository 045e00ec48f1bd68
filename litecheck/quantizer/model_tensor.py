"""Tensors of a model, named on the command line as ``MODEL:TENSOR``."""

from __future__ import annotations

import os
from collections.abc import Iterator

from litecheck.errors import ConfigError, InputError
from litecheck.model.types import Model, Subgraph, Tensor


def find_tensor(text: str) -> tuple[Subgraph, Tensor]:
    """Return the subgraph and tensor that ``MODEL:TENSOR`` names. Raise ConfigError or ModelError.

    TENSOR is a name or an index. If several subgraphs have it, ``subgraph/`` (a name or an index) comes first.
    """
    from litecheck.model.load import load_model

    file, name = split_file_tensor(text)
    return _choose(load_model(file), name)


def split_file_tensor(text: str) -> tuple[str, str]:
    """Split ``FILE:TENSOR`` at the first colon after the name of an existing file, because names may contain colons."""
    colons = [n for n, letter in enumerate(text) if letter == ":"]
    ends = next((n for n in colons if os.path.isfile(text[:n])), None)
    if ends is None:
        if colons:
            raise InputError(f"{text}: no such file")
        raise ConfigError(f"{text}: give a file and a tensor, FILE:TENSOR")
    return text[:ends], text[ends + 1 :]


def _choose(model: Model, name: str) -> tuple[Subgraph, Tensor]:
    named = [(sub, tensor) for sub in model.subgraphs for tensor in sub.tensors if tensor.name == name]
    found = named or list(_find_by_number(model, name)) or list(_find_in_subgraph(model, name))
    if len(found) > 1:
        ways = ", ".join(f"{sub.index}/{tensor.index}" for sub, tensor in found[:4])
        raise ConfigError(f"{model.file}: several tensors are called {name!r}: {ways}; give one of these")
    if not found:
        from litecheck.spelling import unknown_tensor

        known = [tensor.name for sub in model.subgraphs for tensor in sub.tensors]
        raise ConfigError(f"{model.file}: {unknown_tensor(name, known, model.file)}")
    return found[0]


def _find_by_number(model: Model, name: str) -> Iterator[tuple[Subgraph, Tensor]]:
    for sub in model.subgraphs:
        if name.isdecimal() and int(name) < len(sub.tensors):
            yield sub, sub.tensors[int(name)]


def _find_in_subgraph(model: Model, name: str) -> Iterator[tuple[Subgraph, Tensor]]:
    """Yield the tensors that match ``subgraph/tensor``. The subgraph's name may contain slashes."""
    for sub in model.subgraphs:
        for prefix in {f"{sub.index}/", f"{sub.name}/"}:
            rest = name.removeprefix(prefix)
            if rest != name:
                yield from (
                    (sub, tensor) for tensor in sub.tensors if rest in (tensor.name, str(tensor.index))
                )
