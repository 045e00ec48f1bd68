"""Measures of a quantized model beside its float model, sample by sample: errors of operators alone and in sequence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.inputs import requantized
from litecheck.conversion.binding import TensorUse
from litecheck.model.graph import wiring_of
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.model.types import Operator, Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.tracing.float_forms import differs, own_form, permutation, twin_form
from litecheck.tracing.storage import in_tensor, is_quantized, meaning
from litecheck.tracing.trace_result import decibels
from litecheck.tracing.twin import Twin, with_form

#: Samples for the error of constants, and for that of integer kernels: few show it.
_CONSTANTS, _KERNELS = 8, 2
#: Sums of squares below this value are computed in float64.
_TINY = 1e-25
Values = NDArray[Any]
Tensors = Mapping[int, Values]


@dataclass(slots=True)
class Errors:
    """Squared differences from the float model over all samples, relative to its squared values, by the kind of error.

    ``accumulated`` is in a run of the whole model, ``alone`` of the operator fed the float model's tensors. ``stored``
    and ``twin_stored`` are from storage of the output, ``own`` and ``twin`` from constants, options and operand order,
    ``kernel`` is between the integer kernel and the same computation in float32.
    """

    sums: dict[str, tuple[float, float, int]] = field(default_factory=dict)
    rounded: float = 0.0
    """Squared error of rounding to the twin's steps where the float value is not 0: a twelfth of a squared step each."""
    elements: int = 0
    saturated: int = 0
    low: float = math.inf
    high: float = -math.inf

    def add(self, name: str, want: Values, got: Values) -> None:
        """Add the differences of a kind."""
        signal, noise, count = self.sums.get(name, (0.0, 0.0, 0))
        found = power(want), squares(want, got), want.size
        self.sums[name] = signal + found[0], noise + found[1], count + found[2]

    def ratio(self, name: str) -> float | None:
        """Return noise over signal, or None if nothing of the kind was measured."""
        if name not in self.sums:
            return None
        signal, noise, _ = self.sums[name]
        return noise / signal if signal else 0.0 if not noise else math.inf

    @property
    def storage_excess(self) -> float:
        """Error of the output's storage beyond the twin's, where values that the twin happens to store exactly count as
        rounded."""
        if "stored" not in self.sums:
            return 0.0
        signal, noise, _ = self.sums["stored"]
        least = max(self.sums["twin_stored"][1], self.rounded)
        return max(0.0, noise - least) / signal if signal else 0.0

    def snr(self, name: str) -> float | None:
        """Return the SNR in dB, or None if nothing of the kind was measured."""
        return decibels(*self.sums[name][:2]) if name in self.sums else None


def squares(want: Values, got: Values) -> float:
    """Return the sum of squared differences where both are finite; of the values themselves for another shape."""
    if want.shape != got.shape:
        return power(want)
    with np.errstate(all="ignore"):
        return power(np.subtract(want, got))


def power(values: Values) -> float:
    """Return the sum of the squares of finite values: in float32, and in float64 where that overflows or underflows."""
    flat = values.reshape(-1)
    with np.errstate(all="ignore"):
        total = float(np.dot(flat, flat))
    if _TINY < total < math.inf:
        return total
    wide = flat.astype(np.float64)
    wide = wide[np.isfinite(wide)]
    return float(np.dot(wide, wide))


@dataclass(frozen=True, slots=True, eq=False)
class FedOperator:
    """An operator of the quantized model with the float tensors that feed it, and its outputs as (float, quantized)."""

    one: int
    other: int
    operator: Operator
    feeds: tuple[tuple[int, int], ...]
    outputs: tuple[tuple[int, int], ...]
    computes: bool
    """True if constants, options or operand order may differ from the float operator's."""


class Bench:
    """Machines for both models and their forms, and the errors so far."""

    def __init__(
        self, match: ModelMatch, part: SubgraphMatch, twin: Twin | None, arithmetic: Arithmetic | str
    ) -> None:
        self.part, self.twin, self.samples = part, twin, 0
        self.operators = tuple(fed_operators(part))
        self.errors = {fed.other: Errors() for fed in self.operators}
        self.edges = {index: Errors() for index, _ in edges_of(part)}
        self.ends = {index: Errors() for index in part.second.outputs if index in part.tensors}
        self._real = ReferenceInterpreter(match.first)
        self._stored = ReferenceInterpreter(match.second, arithmetic)
        self._alone = ReferenceInterpreter(match.second, arithmetic)
        self._own = ReferenceInterpreter(own_form(match.first, part))
        self._twin = ReferenceInterpreter(match.first if twin is None else twin_form(match.first, part, twin))
        self._forms = {new: self._in_twin(new, old) for new, old in part.tensors.items()}

    def _in_twin(self, new: int, old: int) -> Tensor:
        """Return a tensor of the quantized model in the twin's form: as it is written, or as its reader needs it."""
        tensor, part = self.part.second.tensors[new], self.part
        if self.twin is None:
            return tensor
        form = self.twin.forms.get((part.first.index, old))
        partners = {other: one for one, other in part.operators}
        for reader in wiring_of(part.second).readers.get(new, ()) if new in self.edges else ():
            one = partners.get(reader, -1)
            places = (
                [n for n, i in enumerate(part.first.operators[one].inputs) if i == old] if one >= 0 else []
            )
            read = (
                self.twin.reads.get(TensorUse(part.first.index, one, "input", places[0])) if places else None
            )
            form = read or form
        return with_form(tensor, form) if form else tensor

    def run(self, arrays: Arrays) -> Tensors:
        """Add the errors of one sample, and return all tensors of the float model."""
        self.samples += 1
        for machine in (self._real, self._stored):
            machine.restart()
        first, second = self.part.first, self.part.second
        real = {
            **dict(zip(first.inputs, arrays, strict=True)),
            **self._real.run(first, arrays, keep_all=True),
        }
        fed = tuple(requantized(second.tensors[i], real[self.part.tensors[i]]) for i in second.inputs)
        stored = {
            **dict(zip(second.inputs, fed, strict=True)),
            **self._stored.run(second, fed, keep_all=True),
        }
        for one in self.operators:
            self._measure(one, real, stored)
        for index, errors in (*self.edges.items(), *self.ends.items()):
            want = real.get(self.part.tensors[index])
            if want is not None and want.dtype.kind == "f":
                self._storage(errors, want, index)
                if index in stored:
                    errors.add("accumulated", want, meaning(stored[index], second.tensors[index]))
        return real

    def _measure(self, fed: FedOperator, real: Tensors, stored: Tensors) -> None:
        errors = self.errors[fed.other]
        alone = self._run_alone(fed, real)
        wanted = [(real[old], new) for old, new in fed.outputs if old in real]
        for want, new in wanted:
            tensor = self.part.second.tensors[new]
            self._storage(errors, want, new)
            if new in stored:
                errors.add("accumulated", want, meaning(stored[new], tensor))
                _spread(errors, stored[new], tensor)
            if new in alone:
                errors.add("alone", want, meaning(alone[new], tensor))
        if fed.computes and self.samples <= _CONSTANTS:
            for name, machine in (("own", self._own), ("twin", self._twin)):
                self._by_form(name, machine, fed, real)
        if alone and self.samples <= _KERNELS:
            self._kernel(fed, real, alone)

    def _storage(self, errors: Errors, want: Values, index: int) -> None:
        errors.add("stored", want, in_tensor(want, self.part.second.tensors[index]))
        errors.add("twin_stored", want, in_tensor(want, self._forms[index]))
        if is_quantized(self._forms[index]):
            step = float(self._forms[index].quantization.scale.max())
            errors.rounded += step**2 / 12 * np.count_nonzero(want)

    def _by_form(self, name: str, machine: ReferenceInterpreter, fed: FedOperator, real: Tensors) -> None:
        for old, got in self._computed(machine, fed, real).items():
            if old in real:
                self.errors[fed.other].add(name, real[old], got)

    def _computed(self, machine: ReferenceInterpreter, fed: FedOperator, real: Tensors) -> dict[int, Values]:
        """Return the outputs of an operator in a form of the float model, by the float tensors that they stand for."""
        subgraph = machine.model.subgraphs[self.part.first.index]
        machine.reset()
        operator = subgraph.operators[fed.one]
        try:
            made = machine.step(subgraph, operator, real).outputs
            if machine is self._twin:
                for number in self.part.absorbed.get(fed.one, ()):
                    behind = subgraph.operators[number]
                    tensors = {**real, **dict(zip(operator.outputs, made, strict=True))}
                    made, operator = machine.step(subgraph, behind, tensors).outputs, behind
        except (RunError, ValueError):
            return {}
        homes = {new: old for old, new in fed.outputs}
        return {homes[new]: got for new, got in zip(fed.operator.outputs, made, strict=False) if new in homes}

    def _run_alone(self, fed: FedOperator, real: Tensors) -> dict[int, Values]:
        """Return the quantized operator's outputs from the float model's tensors."""
        second = self.part.second
        self._alone.reset()
        tensors = {new: requantized(second.tensors[new], real[old]) for new, old in fed.feeds if old in real}
        if len(tensors) < len(fed.feeds):
            return {}
        try:
            made = self._alone.step(second, fed.operator, tensors).outputs
        except RunError:
            return {}
        return dict(zip(fed.operator.outputs, made, strict=True))

    def _kernel(self, fed: FedOperator, real: Tensors, alone: Tensors) -> None:
        """Compare the integer kernel with float32 on the same stored inputs and constants."""
        tensors = dict(real)
        for new, old in fed.feeds:
            if real[old].dtype.kind == "f":
                tensors[old] = in_tensor(real[old], self.part.second.tensors[new])
        for old, got in self._computed(self._own, fed, tensors).items():
            new = next(number for home, number in fed.outputs if home == old)
            tensor = self.part.second.tensors[new]
            if new in alone and is_quantized(tensor) and got.shape == alone[new].shape:
                self.errors[fed.other].add("kernel", in_tensor(got, tensor), meaning(alone[new], tensor))


def fed_operators(part: SubgraphMatch) -> Iterator[FedOperator]:
    """Yield the matched operators with real-valued outputs."""
    for one, other in part.operators:
        mine, theirs = part.first.operators[one], part.second.operators[other]
        outputs = tuple(
            (part.tensors[i], i) for i in theirs.outputs
            if i in part.tensors and part.first.tensors[part.tensors[i]].dtype == "float32"
        )  # fmt: skip
        if not outputs:
            continue
        feeds = tuple(dict.fromkeys((i, part.tensors.get(i, -1)) for i in theirs.inputs if _is_fed(part, i)))
        held = any(i >= 0 and not _is_fed(part, i) for i in theirs.inputs)
        computes = held or differs(part, mine, theirs) or bool(permutation(part, mine, theirs))
        yield FedOperator(one, other, theirs, feeds, outputs, computes)


def _is_fed(part: SubgraphMatch, index: int) -> bool:
    if index < 0:
        return False
    tensor = part.second.tensors[index]
    return not (tensor.is_constant or tensor.is_variable)


def edges_of(part: SubgraphMatch) -> Iterator[tuple[int, int]]:
    """Yield quantized tensors that no matched operator writes, with the first matched operator that reads them.

    Such are inputs of the model and outputs of QUANTIZE.
    """
    wiring, matched = wiring_of(part.second), {other for _, other in part.operators}
    for index in part.tensors:
        tensor = part.second.tensors[index]
        if tensor.is_constant or wiring.last_writer.get(index, -1) in matched or not is_quantized(tensor):
            continue
        reader = next((n for n in wiring.readers.get(index, ()) if n in matched), -1)
        if reader >= 0 and part.first.tensors[part.tensors[index]].dtype == "float32":
            yield index, reader


def _spread(errors: Errors, stored: Values, tensor: Tensor) -> None:
    if not stored.size or tensor.dtype not in INTEGER_RANGES:
        return
    low, high = INTEGER_RANGES[tensor.dtype]
    errors.elements += stored.size
    errors.saturated += int(np.count_nonzero(stored == low) + np.count_nonzero(stored == high))
    errors.low, errors.high = min(errors.low, float(stored.min())), max(errors.high, float(stored.max()))
