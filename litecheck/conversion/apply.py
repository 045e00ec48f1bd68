"""Application of a plan: the float model with its tensors in their forms, and operators between different forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.conversion_plan import ConversionPlan, Decision, QuantParams, TensorQuantParams
from litecheck.conversion.derived_constants import store_constant
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.flatbuffer.table import Table
from litecheck.model.build import options_table
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.graph import name_of
from litecheck.model.stored_values import bytes_of, pack, stored_integers
from litecheck.model.types import Model, Operator, Signature, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import BITS, INTEGER_RANGES, Blockwise, Quantization
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS, OUT_OF_INTEGERS

#: Integer conversions that the QUANTIZE kernel supports. All other conversions go through real values.
REQUANTIZED: Mapping[str, tuple[str, ...]] = {
    "int8": ("int8", "uint8"),
    "uint8": ("int8", "uint8"),
    "int16": ("int8", "int16", "int32"),
    "int32": ("int8", "int16"),
}

#: Half of the magnitude that a stored value may reach in 32 bits when the kernel shifts left.
_REACH = 2.0**30

#: Metadata of the float model that do not hold for the new model: the oldest TensorFlow that runs its operators (without it
#: FlatBufferModel::GetMinimumRuntime gives "", unknown: mlir/lite/core/model_builder_base.h), and the TensorFlow that made
#: the file, with its quantization modes (read by get_conversion_metadata: tensorflow/lite/python/util.py).
STALE = ("min_runtime_version", "CONVERSION_METADATA")

#: Origin of each operator of the new model, by subgraph: its old index, or -1 for an inserted operator.
Origins = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPlan:
    """A model and its relation to the source model.

    ``tensors`` maps (subgraph, tensor) of computed real values to the tensor that has them in the new model.
    """

    model: Model
    origins: Origins
    tensors: Mapping[tuple[int, int], tuple[int, int]]


def apply(model: Model, plan: ConversionPlan) -> AppliedPlan:
    """Return the model of a plan. Raises ConfigError for tensors or places that the model does not have."""
    forms: dict[int, list[TensorQuantParams]] = {}
    decisions: dict[int, list[Decision]] = {}
    for tensor in plan.tensors:
        forms.setdefault(tensor.subgraph, []).append(tensor)
    for operator in plan.operators:
        decisions.setdefault(operator.subgraph, []).append(operator)
    subgraphs, origins, tensors = [], {}, {}
    for subgraph in model.subgraphs:
        edit = _Edit(SubgraphEditor(subgraph), plan)
        for decision in decisions.get(subgraph.index, ()):
            edit.decide(decision)
        for one in forms.get(subgraph.index, ()):
            edit.store(one)
        edited, origins[subgraph.index] = edit.editor.finish()
        subgraphs.append(edited)
        tensors.update({(subgraph.index, old): (subgraph.index, new) for old, new in edit.homes.items()})
    base = replace(model, metadata=tuple(pair for pair in model.metadata if pair[0] not in STALE))
    changed = with_subgraphs(base, share_constants(model, subgraphs))
    return AppliedPlan(replace(changed, signatures=_signatures(model, changed)), origins, tensors)


def share_constants(old: Model, subgraphs: Sequence[Subgraph]) -> list[Subgraph]:
    """Return new subgraphs in which constants of one buffer of the old model share one buffer again, if they are equal."""
    known: dict[tuple[int, bytes], NDArray[np.uint8]] = {}
    shared = []
    for before, subgraph in zip(old.subgraphs, subgraphs, strict=True):
        tensors = list(subgraph.tensors)
        for tensor in before.tensors:
            data = tensors[tensor.index].data
            if tensor.data is not None and tensor.buffer and data is not None and data is not tensor.data:
                key = tensor.buffer, sha256(data.tobytes()).digest()
                tensors[tensor.index] = replace(tensors[tensor.index], data=known.setdefault(key, data))
        shared.append(replace(subgraph, tensors=tuple(tensors)))
    return shared


def _signatures(old: Model, new: Model) -> tuple[Signature, ...]:
    """Return the signatures with the input and output tensors of the new model."""
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
    """The edit of a subgraph."""

    def __init__(self, editor: SubgraphEditor, plan: ConversionPlan) -> None:
        self.editor = editor
        self.stored = partial(store_constant, generation=plan.generation, dynamic=plan.target == REAL)
        self.homes: dict[int, int] = {}
        self._derived: dict[TensorUse, str] = {}
        self._writers = {i: op.index for op in editor.subgraph.operators for i in op.outputs if i >= 0}

    def decide(self, decision: Decision) -> None:
        """Set the versions of an operator and add missing inputs and intermediates."""
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
            inputs[place] = self._add_constant(f"{name}/bias", form, zeros)
        intermediates = tuple(
            self.editor.add_tensor(f"{name}/intermediate {n}", (0,), form.dtype, form.quantization)
            for n, form in enumerate(decision.intermediates)
        )
        self.editor.change(
            decision.operator,
            options=_fix_options(operator),
            inputs=tuple(inputs),
            version=decision.version,
            intermediates=intermediates or operator.intermediates,
        )
        kinds = traits_of(operator.kind)
        for place in range(len(inputs)):
            kind = kinds.inputs.get(kinds.role(place), "")
            if kind in ("weight", "bias"):
                self._derived[TensorUse(decision.subgraph, decision.operator, "input", place)] = kind

    def store(self, one: TensorQuantParams) -> None:
        """Store a tensor in its forms, each made once, and connect every reader to the form that it needs."""
        tensor = self.editor.subgraph.tensors[one.tensor]
        constant = tensor.is_constant and not tensor.is_variable
        if constant and one.written is None:
            self._store_constant(tensor, one)
            return
        homes: list[tuple[QuantParams | None, int]] = [(one.written, one.tensor)]
        if one.written is not None:
            data = (
                pack_bytes(self.stored(_values(tensor), one.written, ""), one.written.dtype)
                if constant
                else tensor.data
            )
            dtype, quantization = one.written.dtype, one.written.quantization
            self.editor.set_tensor(one.tensor, dtype=dtype, quantization=quantization, data=data)
        self.homes[one.tensor] = one.tensor
        writer = self._writers.get(one.tensor, -1)
        for port, form in one.read.items():
            home = next((index for known, index in homes if _are_alike(known, form)), None)
            if home is None:
                home = self._insert_conversions(one, tensor, form, writer)
                homes.append((form, home))
            if home != one.tensor:
                self._connect(port, home)
        if one.written is None:
            self.homes[one.tensor] = next((i for form, i in homes if form is not None), one.tensor)

    def _insert_conversions(
        self, one: TensorQuantParams, tensor: Tensor, form: QuantParams | None, writer: int
    ) -> int:
        """Insert the operators that compute a tensor in another form from the written form. Return the new tensor."""
        source, written = one.tensor, one.written
        if form is not None and written is not None and not _requantizes(written, form):
            source, written = self._insert_conversions(one, tensor, None, writer), None
        name, dtype = tensor.name, form.dtype if form else REAL
        if form is None and written is not None and one.tensor in self.editor.subgraph.outputs:
            self.editor.set_tensor(
                one.tensor, name=f"{name}/{written.dtype}"
            )  # an output of the model keeps its name
        else:
            name = f"{name}/{dtype}"
        target = self.editor.add_like(tensor, name, dtype, form.quantization if form else Quantization())
        opcode = OUT_OF_INTEGERS if form is None else INTO_INTEGERS
        self._convert(writer, opcode, source, target)
        return target

    def _convert(self, writer: int, opcode: str, source: int, target: int) -> None:
        """Insert a QUANTIZE or DEQUANTIZE."""
        self.editor.insert(writer, opcode, source, target, options_table(opcode), traits_of(opcode).version)

    def _connect(self, port: TensorUse, tensor: int) -> None:
        """Make a port read another tensor."""
        if port.operator < 0:
            self.editor.outputs[port.place] = tensor
            return
        operator = self.editor.operator(port.operator)
        inputs = list(operator.inputs)
        inputs[port.place] = tensor
        self.editor.change(port.operator, inputs=tuple(inputs))

    def _store_constant(self, tensor: Tensor, one: TensorQuantParams) -> None:
        """Store a constant once per form that is read. The tensor itself becomes the first of them."""
        values = _values(tensor)
        homes: list[tuple[QuantParams | None, str, int]] = []
        for port, form in one.read.items():
            derived = "" if form is None or form.dequantized else self._derived.get(port, "")
            home = next((i for known, way, i in homes if way == derived and _are_alike(known, form)), None)
            if home is None:
                home = self._store_constant_form(tensor, form, values, derived, len(homes))
                homes.append((form, derived, home))
            if home != tensor.index:
                self._connect(port, home)

    def _store_constant_form(
        self, tensor: Tensor, form: QuantParams | None, values: NDArray[Any], derived: str, number: int
    ) -> int:
        """Store a constant in a form. Return the tensor that readers of the form need."""
        data = tensor.data if form is None else pack_bytes(self.stored(values, form, derived), form.dtype)
        dtype = tensor.dtype if form is None else form.dtype
        quantization = Quantization() if form is None else self._quantization(tensor, form)
        if number:
            home = self.editor.add_like(tensor, f"{tensor.name}/{number}", dtype, quantization, data)
        else:
            home = tensor.index
            if form is not None:
                self.editor.set_tensor(home, dtype=dtype, quantization=quantization, data=data)
        if form is None or not form.dequantized:
            return home
        target = self.editor.add_like(tensor, f"{tensor.name}/{REAL}", REAL, Quantization())
        self._convert(-1, OUT_OF_INTEGERS, home, target)
        return target

    def _quantization(self, tensor: Tensor, form: QuantParams) -> Quantization:
        """Return the quantization of a form, with a new tensor for the scales of blocks."""
        if not form.block:
            return form.quantization
        shape = (tensor.shape[0], form.scale.size // tensor.shape[0])
        scales = bytes_of(form.scale.astype(np.float16))
        index = self.editor.add_tensor(f"{tensor.name}/scales", shape, "float16", data=scales)
        return Quantization(details=Blockwise(index, -1, form.block))

    def _add_constant(self, name: str, form: QuantParams, values: NDArray[np.generic]) -> int:
        return self.editor.add_tensor(name, values.shape, form.dtype, form.quantization, bytes_of(values))


def _fix_options(operator: Operator) -> Table | None:
    """Return the options, with those false that would select kernels for scales of another granularity."""
    unset = traits_of(operator.kind).unset
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


def _requantizes(written: QuantParams, form: QuantParams) -> bool:
    """Return True if the QUANTIZE kernel converts between two forms without exceeding 32 bits."""
    if form.dtype not in REQUANTIZED.get(written.dtype, ()):
        return False
    low, high = INTEGER_RANGES[written.dtype]
    zero_point = int(written.zero_point[0])
    steps = max(high - zero_point, zero_point - low) * float(written.scale[0]) / float(form.scale[0])
    return steps + abs(int(form.zero_point[0])) < _REACH


def pack_bytes(values: NDArray[Any], dtype: str) -> NDArray[np.uint8]:
    """Return the bytes of stored integers: two int4 or four int2 in a byte."""
    return pack(values, dtype) if BITS.get(dtype, 8) < 8 else bytes_of(values)


def _are_alike(one: QuantParams | None, other: QuantParams | None) -> bool:
    return one is other or (one is not None and one.same(other))
