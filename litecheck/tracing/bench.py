"""Errors of a quantized model relative to its float model, by call: isolated operators, and runs of the whole model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from litecheck.cases.inputs import quantize_input
from litecheck.conversion.binding import TensorUse
from litecheck.conversion.class_scores import logits_of
from litecheck.conversion.powers import Values
from litecheck.model.graph import wiring_of
from litecheck.model.links import subgraph_calls
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.model.tensor_matching import origin_of
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.engine.saturation_limits import saturable_ends
from litecheck.reference.runtime_tensors import RunError
from litecheck.tracing.distribution import StoredValues, TensorDistribution, is_counted, weights_of
from litecheck.tracing.float_forms import equal_operators, float_form, twin_form
from litecheck.tracing.isolated_operators import (
    IsolatedOperator,
    copies_of,
    edges_of,
    isolated_operators,
    simulated_tensors,
)
from litecheck.tracing.measures import Errors, Signal, Tensors
from litecheck.tracing.storage import dequantize_values, is_quantized, store_in_tensor, stores_alike
from litecheck.tracing.twin import Twin, with_form

#: Number of samples for the errors of constants and of integer kernels: few samples show them.
_CONSTANTS, _KERNELS = 4, 2


class Bench:
    """Interpreters of one subgraph of the quantized model and of its float forms, with the errors so far."""

    def __init__(
        self,
        match: ModelMatch,
        part: SubgraphMatch,
        twin: Twin | None,
        arithmetic: Arithmetic | str,
        entry: bool = True,
    ) -> None:
        self.part, self.twin, self.entry, self.calls = part, twin, entry, 0
        self.operators = tuple(isolated_operators(part))
        self.errors = {fed.other: Errors() for fed in self.operators}
        self.edges = {index: Errors() for index, _ in edges_of(part)}
        self.simulated = simulated_tensors(part.first)
        self.copies = dict(copies_of(part))
        self.ends = {index: Errors() for index in part.second.outputs if index in part.tensors}
        self._values = {
            fed.other: StoredValues(tensor.dtype)
            for fed in self.operators
            if is_counted(tensor := part.second.tensors[fed.outputs[0][1]])
        }
        self._saturable = {
            new: saturable_ends(part.second, fed.operator, part.second.tensors[new])
            for fed in self.operators
            for _, new in fed.outputs
        }
        self._quantized_interpreter = ReferenceInterpreter(match.second, arithmetic)
        self._own_interpreter = ReferenceInterpreter(float_form(match.first, part))
        self._twin_interpreter = ReferenceInterpreter(
            match.first if twin is None else twin_form(match.first, part, twin)
        )
        self._forms = {new: self._twin_tensor(new, old) for new, old in part.tensors.items()}
        self._equal = equal_operators(part, self._own_interpreter.model, self._twin_interpreter.model)

    def _twin_tensor(self, new: int, old: int) -> Tensor:
        """Return a tensor of the quantized model in the twin's form: as read for an input, else as written."""
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

    def measure(self, real: Tensors, stored: Tensors) -> None:
        """Add the errors of one call, from all tensors of the float and of the quantized model."""
        self.calls += 1
        quantized: dict[int, Values] = {}
        for one in self.operators:
            self._measure_operator(one, real, stored, quantized)
        for index, errors in (*self.edges.items(), *self.ends.items()):
            values = real.get(self.part.tensors[index])
            if values is not None and values.dtype.kind == "f":
                self._add_storage_errors(errors, want := Signal.from_values(values), index, quantized)
                self._add_copy_errors(errors, want, index, quantized)
                if index in stored:
                    got = dequantize_values(stored[index], self.part.second.tensors[index])
                    errors.add("accumulated", want, want.noise(got))

    def _add_copy_errors(
        self, errors: Errors, want: Signal, index: int, quantized: dict[int, Values]
    ) -> None:
        got = self.copy_values(index, want.values, quantized)
        if got is not None and got.shape == want.values.shape:
            errors.add("copied", want, want.noise(got))
            source = self.part.second.tensors[self.copies[index][0]]
            errors.add("source", want, want.noise(store_in_tensor(want.values, source)))

    def copy_values(
        self, index: int, values: Values, quantized: dict[int, Values] | None = None
    ) -> Values | None:
        """Return the real values of a tensor that an operator without a partner writes, from those of its input."""
        source, operator = self.copies.get(index, (-1, None))
        if operator is None:
            return None
        self._quantized_interpreter.reset()
        inputs = {source: self._quantize_tensor(source, values, {} if quantized is None else quantized)}
        try:
            (output,) = self._quantized_interpreter.step(self.part.second, operator, inputs).outputs
        except (RunError, ValueError):
            return None
        return dequantize_values(output, self.part.second.tensors[index])

    def logits_snr(self, output: int) -> float | None:
        """Return the accumulated SNR in dB of the logits of an output, or None if they are not measured."""
        second, logits = self.part.second, logits_of(self.part.second, output)
        if logits is None:
            return None
        writer = wiring_of(second).last_writer.get(origin_of(second, logits), -1)
        return self.errors[writer].snr("accumulated") if writer in self.errors else None

    def distributions(self) -> Iterator[TensorDistribution]:
        """Yield the distributions of outputs and weights."""
        second = self.part.second
        for fed in self.operators:
            if fed.other in self._values:
                tensor = second.tensors[fed.outputs[0][1]]
                yield self._values[fed.other].finish(second, fed.operator, "output", tensor)
        yield from weights_of(self.part)

    def _measure_operator(
        self, fed: IsolatedOperator, real: Tensors, stored: Tensors, quantized: dict[int, Values]
    ) -> None:
        errors = self.errors[fed.other]
        alone = self.run_alone(fed, real, quantized)
        signals = {old: Signal.from_values(real[old]) for old, _ in fed.outputs if old in real}
        for old, new in fed.outputs:
            if old not in signals:
                continue
            # the model was trained for the values after the simulation
            simulated = self.simulated.get(old, old)
            want = (
                signals[old]
                if simulated not in real or simulated == old
                else Signal.from_values(real[simulated])
            )
            tensor = self.part.second.tensors[new]
            self._add_storage_errors(errors, want, new, quantized)
            if new in stored:
                errors.add("accumulated", want, want.noise(dequantize_values(stored[new], tensor)))
                _add_stored_values(errors, stored[new], tensor, self._saturable[new])
                if fed.other in self._values:
                    self._values[fed.other].add(stored[new])
            if new in alone:
                errors.add("alone", want, want.noise(dequantize_values(alone[new], tensor)))
        if fed.computes and self.calls <= _CONSTANTS:
            self._add_form_errors("own", self._own_interpreter, fed, real, signals)
            if fed.one not in self._equal:
                self._add_form_errors("twin", self._twin_interpreter, fed, real, signals)
            elif "own" in errors.sums:
                errors.sums["twin"] = errors.sums["own"]
            errors.keep("alone", "alone_parts")
        if alone and self.calls <= _KERNELS and not any(subgraph_calls(fed.operator)):
            self._add_kernel_errors(fed, real, alone, quantized)
            errors.keep("alone", "alone_kernel")

    def _add_storage_errors(
        self, errors: Errors, want: Signal, index: int, quantized: dict[int, Values]
    ) -> None:
        tensor, form = self.part.second.tensors[index], self._forms[index]
        if is_counted(tensor) and tensor.quantization.scale.size == 1:
            values = dequantize_values(self._quantize_tensor(index, want.values, quantized), tensor)
        else:
            values = store_in_tensor(want.values, tensor)
        noise = want.noise(values)
        errors.add("stored", want, noise)
        alike = stores_alike(tensor, form)
        errors.add("twin_stored", want, noise if alike else want.noise(store_in_tensor(want.values, form)))
        if is_quantized(form):
            step = float(form.quantization.scale.max())
            errors.rounded += step**2 / 12 * np.count_nonzero(want.values != 0)  # fast: counts booleans

    def _add_form_errors(
        self,
        name: str,
        interpreter: ReferenceInterpreter,
        fed: IsolatedOperator,
        real: Tensors,
        signals: Mapping[int, Signal],
    ) -> None:
        for old, got in self._compute_outputs(interpreter, fed, real).items():
            if old in signals and got.shape == signals[old].values.shape:
                self.errors[fed.other].add(name, signals[old], signals[old].noise(got))

    def _compute_outputs(
        self, interpreter: ReferenceInterpreter, fed: IsolatedOperator, real: Tensors
    ) -> dict[int, Values]:
        """Return the outputs of an operator in a form of the float model, by float tensor."""
        subgraph = interpreter.model.subgraphs[self.part.first.index]
        interpreter.reset()
        operator = subgraph.operators[fed.one]
        try:
            outputs = interpreter.step(subgraph, operator, real).outputs
            if interpreter is self._twin_interpreter:
                for number in self.part.absorbed.get(fed.one, ()):
                    absorbed = subgraph.operators[number]
                    tensors = {**real, **dict(zip(operator.outputs, outputs, strict=True))}
                    outputs, operator = interpreter.step(subgraph, absorbed, tensors).outputs, absorbed
        except (RunError, ValueError):
            return {}
        homes = {new: old for old, new in fed.outputs}
        return {
            homes[new]: got for new, got in zip(fed.operator.outputs, outputs, strict=False) if new in homes
        }

    def _quantize_tensor(self, new: int, values: Values, quantized: dict[int, Values]) -> Values:
        """Return a float tensor as the quantized model stores it, computed once for the producer and all readers."""
        if new not in quantized:
            quantized[new] = quantize_input(self.part.second.tensors[new], values)
        return quantized[new]

    def run_alone(
        self, fed: IsolatedOperator, real: Tensors, quantized: dict[int, Values] | None = None
    ) -> dict[int, Values]:
        """Return the quantized operator's outputs from the float model's tensors.

        ``quantized`` has tensors of the same call that are quantized already, and receives the inputs.
        """
        second, known = self.part.second, {} if quantized is None else quantized
        self._quantized_interpreter.reset()
        tensors = {new: self._quantize_tensor(new, real[old], known) for new, old in fed.feeds if old in real}
        if len(tensors) < len(fed.feeds):
            return {}
        try:
            outputs = self._quantized_interpreter.step(second, fed.operator, tensors).outputs
        except RunError:
            return {}
        return dict(zip(fed.operator.outputs, outputs, strict=True))

    def _add_kernel_errors(
        self, fed: IsolatedOperator, real: Tensors, alone: Tensors, quantized: dict[int, Values]
    ) -> None:
        """Compare the integer kernel with float32 on the same stored inputs and constants."""
        tensors = dict(real)
        for new, old in fed.feeds:
            if real[old].dtype.kind == "f":
                tensor = self.part.second.tensors[new]
                tensors[fed.reads.get(old, old)] = dequantize_values(
                    self._quantize_tensor(new, real[old], quantized), tensor
                )
        for old, got in self._compute_outputs(self._own_interpreter, fed, tensors).items():
            new = next(number for home, number in fed.outputs if home == old)
            tensor = self.part.second.tensors[new]
            if new in alone and is_quantized(tensor) and got.shape == alone[new].shape:
                want = Signal.from_values(store_in_tensor(got, tensor))
                self.errors[fed.other].add("kernel", want, want.noise(dequantize_values(alone[new], tensor)))


def _add_stored_values(errors: Errors, stored: Values, tensor: Tensor, saturable: tuple[bool, bool]) -> None:
    if not stored.size or tensor.dtype not in INTEGER_RANGES:
        return
    errors.elements += stored.size
    extremes = stored.min(), stored.max()
    for end, extreme, counts in zip(INTEGER_RANGES[tensor.dtype], extremes, saturable, strict=True):
        errors.saturated += int(np.count_nonzero(stored == end)) if counts and extreme == end else 0
    errors.low, errors.high = min(errors.low, float(extremes[0])), max(errors.high, float(extremes[1]))
