"""Program of the child process that sends the samples of a user's script to its parent."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from litecheck.cases.data_script import by_name, call

#: Bytes of the length before each item.
LENGTH = 8


def main() -> None:
    """Write each item to stdout: its length, then an .npz file with the arrays and a description of them in ``facts``.

    Arguments: script, signature or nothing, 1 if an item is a sequence of samples. The script's own output goes to stderr.
    """
    script, signature, sequences = sys.argv[1:]
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for key, item in _items(call(script), signature):
        content = _pack_samples(key, item if sequences == "1" else [item])
        out.write(len(content).to_bytes(LENGTH, "little"))
        out.write(content)
        out.flush()


def _items(data: Any, signature: str) -> Iterator[tuple[str | None, Any]]:
    """Yield the items with the signature that they belong to: a dict of lists has the samples of several."""
    if isinstance(data, dict) and data and not hasattr(next(iter(data.values())), "shape"):
        for key in data if not signature else filter(signature.__eq__, data):
            yield from ((key, item) for item in data[key])
    else:
        yield from ((None, item) for item in ([data] if isinstance(data, dict) else data))


def _pack_samples(signature: str | None, samples: Iterable[Any]) -> memoryview:
    facts: list[tuple[int, str | None, str]] = []
    arrays: list[Any] = []
    for step, sample in enumerate(samples):
        for name, values in by_name(sample).items():
            facts.append((step, signature, name))
            arrays.append(np.asarray(values))
    file = io.BytesIO()
    np.savez(file, *arrays, facts=np.frombuffer(json.dumps(facts).encode(), np.uint8))
    return file.getbuffer()
