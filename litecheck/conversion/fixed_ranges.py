"""Ranges that the user states in place of calibration: ``--range NAME=lo:hi``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from math import isfinite, nan

from litecheck.conversion.calibration.running_stats import observed_tensors
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.shared_tensors import bind_operators, shared_tensors, spread_values
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.profile.types import Profile
from litecheck.spelling import did_you_mean


def with_fixed_ranges(
    model: Model, profile: Profile, ranges: Mapping[Key, Interval], texts: Sequence[str]
) -> Mapping[Key, Interval]:
    """Return the ranges with those of ``NAME=lo:hi`` in place of the observed. Raises ConfigError.

    NAME may be a pattern. Tensors that must have the quantization of a named tensor have its range as well. Example:
    ``image=0:1`` also sets the range of the image after RESHAPE.
    """
    fixed = parse_ranges(model, texts)
    if not fixed:
        return ranges
    # The inputs of an operator that joins several tensors, such as CONCATENATION, do not follow each other.
    return {**ranges, **spread_values(fixed, shared_tensors(bind_operators(model, profile), inputs=1))}


def parse_ranges(model: Model, texts: Sequence[str]) -> Mapping[Key, Interval]:
    """Return the ranges of the tensors that ``NAME=lo:hi`` names. Raises ConfigError. Example: ``image=0:1``."""
    return {key: extent for text in texts for key, extent in _parse_range(model, text).items()}


def _parse_range(model: Model, text: str) -> Mapping[Key, Interval]:
    pattern, equals, ends = text.rpartition("=")
    low, colon, high = ends.partition(":")
    try:
        extent = float(low), float(high)
    except ValueError:
        extent = nan, nan
    if not (pattern and equals and colon) or not all(map(isfinite, extent)):
        found = f"got {ends!r}, " if pattern else ""
        raise ConfigError(
            f"--range {text}: {found}expected NAME=LOW:HIGH with two numbers, such as image=0:1"
        )
    if not extent[0] < extent[1]:
        order = "a range of one value" if extent[0] == extent[1] else "the higher limit first"
        raise ConfigError(f"--range {text}: got {order}, expected LOW below HIGH")
    if not extent[0] <= 0 <= extent[1]:
        raise ConfigError(f"--range {text}: got a range without 0, which every quantized type represents")
    names = _names(model)
    found_keys = {key for key, name in names if fnmatchcase(name, pattern) or name == pattern}
    if not found_keys:
        hint = did_you_mean(pattern, (name for _, name in names))
        hint = hint or f"; 'litecheck inspect {model.file or 'MODEL'} --tensors' lists all"
        raise ConfigError(f"--range {text}: no computed float32 tensor has the name {pattern!r}{hint}")
    return dict.fromkeys(found_keys, extent)


def _names(model: Model) -> list[tuple[Key, str]]:
    """Return the names of computed float tensors: of tensors, and of inputs and outputs of signatures."""
    keys = dict.fromkeys(observed_tensors(model))
    ends = [((s.subgraph, index), name) for s in model.signatures for name, index in (*s.inputs, *s.outputs)]
    return [
        *((key, model.subgraphs[key[0]].tensors[key[1]].name) for key in keys),
        *((key, name) for key, name in ends if key in keys),
    ]
