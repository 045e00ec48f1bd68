"""Ranges that the user states in place of calibration: ``--range NAME=lo:hi``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from math import isfinite, nan

from litecheck.conversion.binding import BoundFloatOperator, bind
from litecheck.conversion.calibration.running_stats import observed
from litecheck.conversion.groups import Interval, Key
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.profile.types import Profile


def with_fixed_ranges(
    model: Model, profile: Profile, ranges: Mapping[Key, Interval], texts: Sequence[str]
) -> Mapping[Key, Interval]:
    """Return the ranges with those of ``NAME=lo:hi`` in place of the observed. Raises ConfigError.

    NAME may be a pattern. Tensors that must have the quantization of a named tensor have its range as well. Example:
    ``image=0:1`` also sets the range of the image after RESHAPE.
    """
    fixed: dict[Key, Interval] = {}
    for text in texts:
        fixed |= _stated(model, text)
    return {**ranges, **_followed(model, profile, fixed)} if fixed else ranges


def _stated(model: Model, text: str) -> Mapping[Key, Interval]:
    pattern, equals, ends = text.rpartition("=")
    low, colon, high = ends.partition(":")
    try:
        extent = float(low), float(high)
    except ValueError:
        extent = nan, nan
    if not (pattern and equals and colon and all(map(isfinite, extent)) and extent[0] < extent[1]):
        raise ConfigError(f"--range {text}: expected NAME=LOW:HIGH, such as image=0:1")
    if not extent[0] <= 0 <= extent[1]:
        raise ConfigError(f"--range {text}: got a range without 0, which every quantized type represents")
    names = {key: model.subgraphs[key[0]].tensors[key[1]].name for key in observed(model)}
    found = {key: extent for key, name in names.items() if fnmatchcase(name, pattern) or name == pattern}
    if not found:
        raise ConfigError(f"--range {text}: no computed float32 tensor has the name {pattern!r}")
    return found


def _followed(model: Model, profile: Profile, fixed: Mapping[Key, Interval]) -> Mapping[Key, Interval]:
    """Return fixed ranges with those of tensors that must have the same quantization.

    The inputs of an operator that joins several tensors, such as CONCATENATION, do not follow each other.
    """
    groups = [
        group
        for subgraph in model.subgraphs
        for operator in subgraph.operators
        for group in _unjoined_groups(bind(model, subgraph, operator, profile))
    ]
    known, before = dict(fixed), -1
    while len(known) > before:
        before = len(known)
        for keys in groups:
            there = [known[key] for key in keys if key in known]
            known |= {key: there[0] for key in keys if there and key not in known}
    return known


def _unjoined_groups(bound: BoundFloatOperator) -> Iterator[tuple[Key, ...]]:
    """Yield the computed tensors that share a quantization, for groups with one computed input."""
    for _, ports in bound.groups():
        computed = [port for port in ports if not bound.tensor(port).is_constant]
        if sum(port.side == "input" for port in computed) == 1:
            yield tuple((bound.subgraph.index, bound.tensor(port).index) for port in computed)
