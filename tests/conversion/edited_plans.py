"""Conversion plans with random edits: sensible, careless and wrong edits, like a user's.

    values, done = edited(model, plan_values(plan), seed)   # the same for a seed, everywhere

An edit changes a property in a single place, in all places with the same form, or in all places of an operator.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from litecheck.conversion.plan_reader import BECOMES
from litecheck.model.types import Model

Values = dict[str, Any]
_TYPES = ("int8", "uint8", "int16", "int32", "int64", "int4", "float16")
_PROFILES = ("litert-runtime", "litert-int8", "litert-int16x8", "litert-uint8", "litert-hybrid", "tflm", "")


def edited(model: Model, values: Values, seed: int) -> tuple[Values, list[str]]:
    """Return a plan with one to three edits, and their descriptions; ``values`` is not modified."""
    draw = _Editor(model, copy.deepcopy(values), np.random.default_rng(seed))
    done: list[str] = []
    for _ in range(int(draw.rng.integers(1, 4))):
        edit = EDITS[int(draw.rng.integers(len(EDITS)))]
        if (what := edit(draw)) is not None:
            done.append(f"{edit.__name__} {what}".strip())
    return draw.values, done


class _Editor:
    """Values of a plan, and random choices from them."""

    def __init__(self, model: Model, values: Values, rng: np.random.Generator) -> None:
        self.model, self.values, self.rng = model, values, rng

    def pick(self, items: Any) -> Any:
        """Return a random item, or None without items."""
        known = list(items)
        return known[int(self.rng.integers(len(known)))] if known else None

    def forms(self) -> Iterator[Values]:
        """Yield all forms of all tensors, and of added operands and intermediates of operators."""
        for tensor in self.values["tensors"]:
            yield from tensor["forms"]
        for operator in self.values["operators"]:
            yield from operator.get("added", ())
            yield from operator.get("intermediates", ())

    def alike(self) -> list[Values]:
        """Return a form, alone or with all equal forms."""
        form = self.pick(self.forms())
        if form is None:
            return []
        same = [f for f in self.forms() if _parameters(f) == _parameters(form)]
        return same if self.rng.random() < 0.7 else [form]

    def reads(self, operator: Values | None = None) -> Iterator[tuple[Values, Values]]:
        """Yield the places that read a tensor, each with the tensor; of a single operator if it is given."""
        for tensor in self.values["tensors"]:
            for place in tensor["read"]:
                where = tensor["subgraph"], place["operator"]
                if operator is None or where == (operator["subgraph"], operator["operator"]):
                    yield tensor, place

    def results(self, operator: Values) -> Iterator[Values]:
        """Yield the tensors that an operator writes."""
        operators = self.model.subgraphs[operator["subgraph"]].operators
        made = next((op.outputs for op in operators if op.index == operator["operator"]), ())
        for tensor in self.values["tensors"]:
            if tensor["subgraph"] == operator["subgraph"] and tensor["tensor"] in made:
                yield tensor


def _parameters(form: Values) -> tuple[Any, ...]:
    return form["dtype"], tuple(form["scale"]), tuple(form["zero_point"])


def rescaled(draw: _Editor) -> str | None:
    """Multiply scales by a factor."""
    forms = draw.alike()
    factor = float(
        draw.pick((2.0 ** draw.rng.uniform(-1, 1), 2.0 ** draw.rng.uniform(-12, 12), 1.0000001, 0.5, 3.0))
    )
    for form in forms:
        form["scale"] = [float(str(np.float32(s * factor))) for s in form["scale"]]
    return f"{factor:g} x {len(forms)}" if forms else None


def extreme(draw: _Editor) -> str | None:
    """Set scales to limits of float32, and to invalid values."""
    forms, scale = draw.alike(), draw.pick((1e-45, 1e-38, 1e-12, 1e12, 3e38, 0.0, -0.5, 1.0))
    for form in forms:
        form["scale"] = [scale for _ in form["scale"]]
    return f"{scale:g} x {len(forms)}" if forms else None


def shifted(draw: _Editor) -> str | None:
    """Add a number to zero points."""
    forms, by = draw.alike(), int(draw.pick((1, -1, 5, 128, -128, int(draw.rng.integers(-300, 300)))))
    for form in forms:
        form["zero_point"] = [zero + by for zero in form["zero_point"]]
    return f"{by} x {len(forms)}" if forms else None


def symmetric(draw: _Editor) -> str | None:
    """Set zero points to 0 and double the scales."""
    forms = draw.alike()
    for form in forms:
        form["scale"] = [2 * s for s in form["scale"]]
        form["zero_point"] = [0 for _ in form["zero_point"]]
    return f"x {len(forms)}" if forms else None


def retyped(draw: _Editor) -> str | None:
    """Change a type."""
    forms, dtype = draw.alike(), draw.pick(_TYPES)
    for form in forms:
        form["dtype"] = dtype
        if draw.rng.random() < 0.5:
            form["zero_point"] = [0 for _ in form["zero_point"]]
    return f"{dtype} x {len(forms)}" if forms else None


def to_uint8(draw: _Editor) -> str | None:
    """Replace int8 by uint8 with zero points 128 higher: in a form, in all equal forms, or in the whole plan."""
    whole = draw.rng.random() < 0.4
    forms = [f for f in draw.forms() if f["dtype"] == "int8"] if whole else draw.alike()
    if whole and draw.rng.random() < 0.7:
        draw.values.update(to="uint8", profile="litert-uint8")
        for operator in draw.values["operators"]:
            operator["becomes"] = operator["becomes"].replace("int8", "uint8")
    for form in forms:
        if form["dtype"] == "int8":
            form["dtype"], form["zero_point"] = "uint8", [zero + 128 for zero in form["zero_point"]]
    return f"x {len(forms)}" if forms else None


def per_axis(draw: _Editor) -> str | None:
    """Replace several scales by a single scale or a single scale by several, or change the axis."""
    form = draw.pick(draw.forms())
    if form is None:
        return None
    if len(form["scale"]) > 1 and draw.rng.random() < 0.6:
        form["scale"], form["zero_point"] = [max(form["scale"])], [0]
        return "one scale"
    if len(form["scale"]) > 1:
        form["axis"] = int(draw.rng.integers(-1, 5))
        return f"axis {form['axis']}"
    count = int(draw.rng.integers(2, 9))
    form["scale"], form["zero_point"] = form["scale"] * count, form["zero_point"] * count
    form["axis"] = int(draw.rng.integers(0, 4))
    return f"{count} scales"


def real_operator(draw: _Editor) -> str | None:
    """Keep an operator in float32, usually with its inputs and outputs."""
    operator = draw.pick(draw.values["operators"])
    if operator is None:
        return None
    operator["becomes"] = "float32"
    if draw.rng.random() < 0.8:
        for _, place in draw.reads(operator):
            place["form"] = None
        for tensor in draw.results(operator):
            tensor["written"] = None
        operator.pop("added", None)
        operator.pop("intermediates", None)
    return f"{operator['opcode']} #{operator['operator']}"


def real_tensor(draw: _Editor) -> str | None:
    """Keep a tensor in float32 where it is written, or everywhere."""
    tensor = draw.pick(draw.values["tensors"])
    if tensor is None:
        return None
    tensor["written"] = None
    everywhere = draw.rng.random() < 0.5
    for place in tensor["read"] if everywhere else ():
        place["form"] = None
    return f"{tensor['name']}{' everywhere' if everywhere else ''}"


def real_place(draw: _Editor) -> str | None:
    """Let a place read real values, or another form of the tensor."""
    found = draw.pick(draw.reads())
    if found is None:
        return None
    tensor, place = found
    place["form"] = draw.pick((None, *range(len(tensor["forms"]))))
    return f"{tensor['name']} at #{place['operator']}"


def new_form(draw: _Editor) -> str | None:
    """Let a place read its own form, copied from a random form."""
    found, other = draw.pick(draw.reads()), draw.pick(draw.forms())
    if found is None or other is None:
        return None
    tensor, place = found
    tensor["forms"].append({key: value for key, value in other.items() if key != "place"})
    place["form"] = len(tensor["forms"]) - 1
    return f"{tensor['name']} at #{place['operator']}"


def ends(draw: _Editor) -> str | None:
    """Exchange real values and integers at an input or output of the model."""
    outs = [(tensor, place) for tensor, place in draw.reads() if place["operator"] < 0]
    found = draw.pick(outs)
    if found is None or draw.rng.random() < 0.5:
        tensor = draw.pick(draw.values["tensors"])
        if tensor is None:
            return None
        tensor["written"] = 0 if tensor["written"] is None and tensor["forms"] else None
        return f"{tensor['name']} written"
    tensor, place = found
    place["form"] = 0 if place["form"] is None and tensor["forms"] else None
    return f"{tensor['name']} goes out"


def decided(draw: _Editor) -> str | None:
    """Change the decision about an operator."""
    operator = draw.pick(draw.values["operators"])
    if operator is None:
        return None
    operator["becomes"] = draw.pick((*BECOMES, "uint8"))
    return f"{operator['opcode']} #{operator['operator']} {operator['becomes']}"


def versioned(draw: _Editor) -> str | None:
    """Change the version of an operator."""
    operator = draw.pick(draw.values["operators"])
    if operator is None:
        return None
    operator["version"] = int(draw.pick((0, 1, 2, 3, 4, 5, 7, 99)))
    return f"{operator['opcode']} #{operator['operator']} {operator['version']}"


def added(draw: _Editor) -> str | None:
    """Add operands to an operator, or remove an added operand."""
    operator, form = draw.pick(draw.values["operators"]), draw.pick(draw.forms())
    if operator is None or form is None:
        return None
    key = draw.pick(("added", "intermediates"))
    if operator.get(key) and draw.rng.random() < 0.6:
        operator[key] = operator[key][:-1]
        return f"{operator['opcode']} #{operator['operator']} one of {key} less"
    one = {name: value for name, value in form.items() if name != "place"}
    one = {"place": int(draw.rng.integers(0, 4)), **one} if key == "added" else one
    operator[key] = [*operator.get(key, ()), one]
    return f"{operator['opcode']} #{operator['operator']} {key}"


def dropped(draw: _Editor) -> str | None:
    """Delete an entry, or repeat it."""
    key = draw.pick(("tensors", "operators"))
    entries = draw.values[key]
    if not entries:
        return None
    number = int(draw.rng.integers(len(entries)))
    if draw.rng.random() < 0.7:
        del entries[number]
        return f"{key}[{number}]"
    entries.append(copy.deepcopy(entries[number]))
    return f"{key}[{number}] twice"


def renumbered(draw: _Editor) -> str | None:
    """Change the tensor or operator number of an entry."""
    key = draw.pick(("tensors", "operators"))
    entry = draw.pick(draw.values[key])
    if entry is None:
        return None
    entry[key[:-1]] += int(draw.pick((1, -1, 1000, -1000)))
    return f"{key[:-1]} {entry[key[:-1]]}"


def retargeted(draw: _Editor) -> str | None:
    """Change the profile, the type of activations or the rounding."""
    key, known = draw.pick(
        (
            ("profile", _PROFILES),
            ("to", ("int8", "uint8", "int16", "float32", "float16")),
            ("generation", ("new", "old", "verbatim")),
        )
    )
    draw.values[key] = draw.pick(known)
    return f"{key} {draw.values[key]}"


def changed(draw: _Editor) -> str | None:
    """Add a change of a constant before it is stored."""
    tensor = draw.pick(draw.values["tensors"])
    if tensor is None:
        return None
    count = max((len(form["scale"]) for form in tensor["forms"]), default=1)
    change = {
        "subgraph": tensor["subgraph"], "tensor": tensor["tensor"], "multiplies": bool(draw.rng.random() < 0.5),
        "axis": int(draw.rng.integers(0, 3)), "values": draw.rng.uniform(-2, 2, count).tolist(),
    }  # fmt: skip
    draw.values["changes"] = [*draw.values.get("changes", ()), change]
    return tensor["name"]


EDITS: tuple[Callable[[_Editor], str | None], ...] = (
    rescaled, rescaled, rescaled, extreme, shifted, shifted, symmetric, retyped, to_uint8, per_axis, real_operator,
    real_operator, real_tensor, real_place, new_form, ends, decided, versioned, added, dropped, renumbered, retargeted,
    changed,
)  # fmt: skip
