"""A plan carried out: the float model with its tensors in their forms, and operators between forms that differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.convert.binding import Port
from litecheck.convert.constants import stored
from litecheck.convert.formulas import Generation
from litecheck.convert.plan import ConversionPlan, Decision, Form, TensorForms
from litecheck.convert.request import REAL
from litecheck.errors import ConfigError
from litecheck.flatbuffer.table import Table
from litecheck.model.build import options_table
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.graph import name_of
from litecheck.model.types import Model, Operator, Signature, Tensor
from litecheck.model.values import bytes_of, stored_integers
from litecheck.profile.operators import facts_of
from litecheck.quantization import INTEGER_RANGES, Quantization
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS, OUT_OF_INTEGERS

#: What the QUANTIZE kernel converts from one integer type to another; all else goes by way of real values.
REQUANTIZED: Mapping[str, tuple[str, ...]] = {
    "int8": ("int8", "uint8"),
    "uint8": ("int8", "uint8"),
    "int16": ("int8", "int16", "int32"),
    "int32": ("int8", "int16"),
}

#: Stored values that the kernel's shift to the left may reach in 32 bits, half of them.
_REACH = 2.0**30

#: Where each operator of the new model comes from, by subgraph: the number it had, -1 for those inserted.
Origins = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPlan:
    """A model, and how it relates to the one it came from: ``tensors`` maps (subgraph, tensor) of computed real values
    to the tensor that holds them now."""

    model: Model
    origins: Origins
    tensors: Mapping[tuple[int, int], tuple[int, int]]


def apply(model: Model, plan: ConversionPlan) -> AppliedPlan:
    """The model of a plan. Raises ConfigError for a plan that speaks of tensors or places the model does not have."""
    forms: dict[int, list[TensorForms]] = {}
    decisions: dict[int, list[Decision]] = {}
    for tensor in plan.tensors:
        forms.setdefault(tensor.subgraph, []).append(tensor)
    for operator in plan.operators:
        decisions.setdefault(operator.subgraph, []).append(operator)
    subgraphs, origins, tensors = [], {}, {}
    for subgraph in model.subgraphs:
        edit = _Edit(SubgraphEditor(subgraph), plan.generation)
        for decision in decisions.get(subgraph.index, ()):
            edit.decide(decision)
        for one in forms.get(subgraph.index, ()):
            edit.store(one)
        made, origins[subgraph.index] = edit.editor.finish()
        subgraphs.append(made)
        tensors.update({(subgraph.index, old): (subgraph.index, new) for old, new in edit.homes.items()})
    changed = with_subgraphs(model, subgraphs)
    return AppliedPlan(replace(changed, signatures=_signatures(model, changed)), origins, tensors)


def _signatures(old: Model, new: Model) -> tuple[Signature, ...]:
    """Signatures name the tensors that go in and out now."""
    found = []
    for signature in old.signatures:
        before, after = old.subgraphs[signature.subgraph], new.subgraphs[signature.subgraph]
        inputs = dict(zip(before.inputs, after.inputs, strict=True))
        outputs = dict(zip(before.outputs, after.outputs, strict=True))
        found.append(
            replace(
                signature,
                inputs=tuple((alias, inputs.get(i, i)) for alias, i in signature.inputs),
                outputs=tuple((alias, outputs.get(i, i)) for alias, i in signature.outputs),
            )
        )
    return tuple(found)


class _Edit:
    """One subgraph on its way."""

    def __init__(self, editor: SubgraphEditor, generation: Generation) -> None:
        self.editor = editor
        self.generation = generation
        self.homes: dict[int, int] = {}
        self._derived: dict[Port, str] = {}
        self._writers = {i: op.index for op in editor.subgraph.operators for i in op.outputs if i >= 0}

    def decide(self, decision: Decision) -> None:
        """Versions, operands that must be there, intermediates."""
        if decision.operator >= len(self.editor.subgraph.operators):
            raise ConfigError(f"the plan names operator #{decision.operator}, which the model does not have")
        operator = self.editor.operator(decision.operator)
        if decision.becomes == "float32":
            return
        inputs = list(operator.inputs)
        name = name_of(self.editor.subgraph, operator)
        for place, form in decision.added.items():
            inputs += [-1] * (place + 1 - len(inputs))
            zeros = np.zeros(form.scale.size, form.dtype)
            inputs[place] = self._constant(f"{name}/bias", form, zeros)
        intermediates = tuple(
            self.editor.add_tensor(f"{name}/intermediate {n}", (0,), form.dtype, form.quantization)
            for n, form in enumerate(decision.intermediates)
        )
        self.editor.change(
            decision.operator,
            options=_stated(operator),
            inputs=tuple(inputs),
            version=decision.version,
            intermediates=intermediates or operator.intermediates,
        )
        kinds = facts_of(operator.kind)
        for place in range(len(inputs)):
            kind = kinds.inputs.get(kinds.role(place), "")
            if kind in ("weight", "bias"):
                self._derived[Port(decision.subgraph, decision.operator, "input", place)] = kind

    def store(self, one: TensorForms) -> None:
        """One tensor in its forms, each made once, and every place reading the one it needs."""
        tensor = self.editor.subgraph.tensors[one.tensor]
        constant = tensor.is_constant and not tensor.is_variable
        if constant and one.written is None:
            self._store_constant(tensor, one)
            return
        homes: list[tuple[Form | None, int]] = [(one.written, one.tensor)]
        if one.written is not None:
            data = (
                bytes_of(stored(_values(tensor), one.written, "", self.generation))
                if constant
                else tensor.data
            )
            dtype, quantization = one.written.dtype, one.written.quantization
            self.editor.set_tensor(one.tensor, dtype=dtype, quantization=quantization, data=data)
        self.homes[one.tensor] = one.tensor
        behind = self._writers.get(one.tensor, -1)
        for port, form in one.read.items():
            home = next((index for known, index in homes if _alike(known, form)), None)
            if home is None:
                home = self._between(one, tensor, form, behind)
                homes.append((form, home))
            if home != one.tensor:
                self._point(port, home)
        if one.written is None:
            self.homes[one.tensor] = next((i for form, i in homes if form is not None), one.tensor)

    def _between(self, one: TensorForms, tensor: Tensor, form: Form | None, behind: int) -> int:
        """A tensor in another form, computed from the written one."""
        source, written = one.tensor, one.written
        if form is not None and written is not None and not _requantizes(written, form):
            source, written = self._between(one, tensor, None, behind), None
        name, dtype = tensor.name, form.dtype if form else REAL
        if form is None and written is not None and one.tensor in self.editor.subgraph.outputs:
            self.editor.set_tensor(
                one.tensor, name=f"{name}/{written.dtype}"
            )  # what comes out keeps its name
        else:
            name = f"{name}/{dtype}"
        target = self.editor.add_like(tensor, name, dtype, form.quantization if form else Quantization())
        opcode = OUT_OF_INTEGERS if form is None else INTO_INTEGERS
        self.editor.insert(behind, opcode, source, target, options_table(opcode), facts_of(opcode).version)
        return target

    def _point(self, port: Port, tensor: int) -> None:
        """Let a place read another tensor."""
        if port.operator < 0:
            self.editor.outputs[port.place] = tensor
            return
        operator = self.editor.operator(port.operator)
        inputs = list(operator.inputs)
        inputs[port.place] = tensor
        self.editor.change(port.operator, inputs=tuple(inputs))

    def _store_constant(self, tensor: Tensor, one: TensorForms) -> None:
        """A constant once for each form that somebody reads; the tensor itself becomes the first of them."""
        values = _values(tensor)
        homes: list[tuple[Form | None, str, int]] = []
        for port, form in one.read.items():
            derived = self._derived.get(port, "")
            home = next((i for known, way, i in homes if way == derived and _alike(known, form)), None)
            if home is None:
                data = None if form is None else bytes_of(stored(values, form, derived, self.generation))
                if not homes:
                    home = tensor.index
                    if form is not None:
                        self.editor.set_tensor(
                            home, dtype=form.dtype, quantization=form.quantization, data=data
                        )
                else:
                    quantization = Quantization() if form is None else form.quantization
                    kind = tensor.dtype if form is None else form.dtype
                    data = tensor.data if data is None else data
                    home = self.editor.add_like(
                        tensor, f"{tensor.name}/{len(homes)}", kind, quantization, data
                    )
                homes.append((form, derived, home))
            if home != tensor.index:
                self._point(port, home)

    def _constant(self, name: str, form: Form, values: NDArray[np.generic]) -> int:
        return self.editor.add_tensor(name, values.shape, form.dtype, form.quantization, bytes_of(values))


def _stated(operator: Operator) -> Table | None:
    """The options, with those set to false that would choose kernels for scales of another kind."""
    unset = facts_of(operator.kind).unset
    if not unset:
        return operator.options
    options = operator.options or options_table(operator.opcode)
    return options and replace(options, fields={**options.fields, **dict.fromkeys(unset, False)})


def _values(tensor: Tensor) -> NDArray[Any]:
    values = stored_integers(tensor)
    if values is None:
        raise ConfigError(
            f"tensor {tensor.index} '{tensor.name}': its values cannot be read as {tensor.dtype}"
        )
    return values


def _requantizes(written: Form, form: Form) -> bool:
    """Whether the QUANTIZE kernel makes one form of the other without leaving 32 bits."""
    if form.dtype not in REQUANTIZED.get(written.dtype, ()):
        return False
    low, high = INTEGER_RANGES[written.dtype]
    zero_point = int(written.zero_point[0])
    steps = max(high - zero_point, zero_point - low) * float(written.scale[0]) / float(form.scale[0])
    return steps + abs(int(form.zero_point[0])) < _REACH


def _alike(one: Form | None, other: Form | None) -> bool:
    return one is other or (one is not None and one.same(other))
