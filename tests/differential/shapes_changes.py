"""Changes that may invalidate a model of a single operator: shapes, values of steering inputs, options, number of
outputs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.differential.shapes_draws import Draw, Part, Random, size, values

_EDGES = (-3, -2, -1, 0, 1, 2, 3, 4, 5, 9, 100)


def changed(rng: Random, draw: Draw, extra: dict[str, tuple[int, ...]]) -> Draw:
    """Return the draw with one random change; ``extra`` are further options and their values."""
    kinds = [_operand, _operand, _numbers, _numbers, _option, _computed]
    for _ in range(8):
        at = rng.choice(len(kinds))
        found = _option(rng, draw, extra) if kinds[at] is _option else kinds[at](rng, draw)
        if found is not None:
            return found
    return draw


def _replaced(draw: Draw, at: int, part: Part | None, title: str) -> Draw:
    return replace(
        draw,
        parts=(*draw.parts[:at], part, *draw.parts[at + 1 :]),
        title=f"{draw.title} operand {at} {title}",
    )


def _operand(rng: Random, draw: Draw) -> Draw | None:
    """Change the shape of an input."""
    at = int(rng.choice(len(draw.parts))) if draw.parts else 0
    part = draw.parts[at] if draw.parts else None
    if part is None:
        return None
    shape = _reshaped(rng, list(part.values.shape))
    if part.steers:
        new = np.resize(part.values, shape) if part.values.size else np.zeros(shape, part.values.dtype)
    else:
        new = values(rng, shape, part.values.dtype.name)
    quantization = part.quantization
    if (
        quantization is not None and quantization.scale.size > 1
    ):  # a scale for each slice, so that only shapes differ
        axis = quantization.axis
        count = shape[axis] if axis < len(shape) else 1
        quantization = replace(
            quantization,
            scale=np.resize(quantization.scale, count),
            zero_point=np.resize(quantization.zero_point, count),
        )
    return _replaced(
        draw,
        at,
        replace(part, values=new.astype(part.values.dtype), quantization=quantization),
        f"shape {shape}",
    )


def _reshaped(rng: Random, shape: list[int]) -> tuple[int, ...]:
    kind = rng.choice(7)
    at = size(rng, 0, len(shape) - 1) if shape else 0
    if kind == 0:
        shape.insert(size(rng, 0, len(shape)), size(rng, 1, 2))
    elif kind == 1 and shape:
        del shape[at]
    elif kind == 2 and shape:
        shape[at] = max(1, shape[at] - 1)
    elif kind == 3 and shape:
        shape[at] = 1
    elif kind == 4 and shape and rng.random() < 0.2:
        shape[at] = 0
    elif kind == 5:
        shape = [*shape, *[1] * size(rng, 1, 4)]
    elif shape:
        shape[at] += size(rng, 1, 2)
    return tuple(shape)


def _numbers(rng: Random, draw: Draw) -> Draw | None:
    """Change a number in an input that determines shapes."""
    steering = [
        at for at, part in enumerate(draw.parts) if part is not None and part.steers and part.values.size
    ]
    if not steering:
        return None
    at = int(rng.choice(steering))
    part = draw.parts[at]
    assert part is not None
    flat = part.values.reshape(-1).copy()
    first, second = (size(rng, 0, len(flat) - 1) for _ in range(2))
    flat[first] = flat[second] if rng.random() < 0.2 else rng.choice(_EDGES)
    return _replaced(
        draw, at, replace(part, values=flat.reshape(part.values.shape)), f"[{first}] = {flat[first]}"
    )


def _option(rng: Random, draw: Draw, extra: dict[str, tuple[int, ...]] | None = None) -> Draw | None:
    """Change or remove the value of an option."""
    known = {name: value for name, value in draw.options.items() if not isinstance(value, (str, float))}
    known |= dict.fromkeys(extra or {}, 0)
    if not known:
        return None
    name = str(rng.choice(list(known)))
    value = known[name]
    if isinstance(value, bool):
        new: object = not value
    elif isinstance(value, int):
        new = int(rng.choice((extra or {}).get(name, _EDGES)))
    else:
        row = np.asarray(value)
        if row.dtype.kind == "f":
            return None
        kind = rng.choice(3)
        if kind == 0 and len(row):
            row = row.copy()
            row[size(rng, 0, len(row) - 1)] = rng.choice(_EDGES)
        elif kind == 1:
            row = row[:-1]
        else:
            row = np.append(row, rng.choice(_EDGES))
        new = row.astype(np.int64)
    return replace(draw, options=draw.options | {name: new}, title=f"{draw.title} {name} = {new}")


def _computed(rng: Random, draw: Draw) -> Draw | None:
    """Change the number of outputs against the options."""
    if not {"num_splits", "num"} & set(draw.options):
        return None
    many = (
        draw.results[:-1]
        if rng.random() < 0.5 and len(draw.results) > 1
        else (*draw.results, draw.results[-1])
    )
    return replace(draw, results=many, title=f"{draw.title} {len(many)} results")


__all__ = ["changed"]
