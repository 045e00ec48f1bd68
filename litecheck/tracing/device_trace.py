"""Errors of a device that runs each operator isolated, on the float model's tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from litecheck.cases.inputs import quantize_input
from litecheck.conversion.powers import power, squares
from litecheck.devices.port import Device, Failure, Job
from litecheck.model.matching import ModelMatch
from litecheck.model.save import model_bytes
from litecheck.model.submodels import cut_operators
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.tracing.bench import Bench
from litecheck.tracing.isolated_operators import IsolatedOperator
from litecheck.tracing.measures import Tensors
from litecheck.tracing.storage import dequantize_values
from litecheck.tracing.trace_result import decibels


@dataclass(frozen=True, slots=True)
class DeviceErrors:
    """SNR in dB of a device's operator, and its differences from the reference kernels: share of values, largest in LSB."""

    snr: float
    differs: float
    largest: float


def device_errors(
    match: ModelMatch, bench: Bench, samples: Sequence[Tensors], device: Device
) -> dict[int, DeviceErrors]:
    """Return the errors of each operator that the device ran, by its number."""
    found = {}
    for fed in bench.operators:
        errors = _operator_errors(match, bench, fed, samples, device)
        if errors is not None:
            found[fed.other] = errors
    return found


def _operator_errors(
    match: ModelMatch, bench: Bench, fed: IsolatedOperator, samples: Sequence[Tensors], device: Device
) -> DeviceErrors | None:
    second = bench.part.second
    part = cut_operators(match.second, second, [fed.operator], fed.operator.outputs)
    homes = dict(fed.feeds)
    if any(index not in homes for index in part.inputs) or not part.inputs:
        return None
    runs = [
        tuple(quantize_input(second.tensors[i], real[homes[i]]) for i in part.inputs)
        for real in samples
        if all(homes[i] in real for i in part.inputs)
    ]
    name = f"{second.index}-{fed.other:04}-{fed.operator.opcode}"
    answer = device.run(Job(name, part.model, model_bytes(part.model, drop_unknown=True), runs))
    if isinstance(answer, Failure):
        return None
    interpreter, homes = ReferenceInterpreter(part.model), {new: old for old, new in fed.outputs}
    signal = noise = largest = 0.0
    differing = elements = 0
    for real, inputs, outputs in zip(samples, runs, answer.runs, strict=False):
        interpreter.restart()
        try:
            expected = interpreter.run(part.model.subgraphs[0], inputs)
        except RunError:
            return None
        for index, inner, got in zip(part.outputs, part.model.subgraphs[0].outputs, outputs, strict=True):
            want, mine, tensor = real.get(homes.get(index, -1)), expected[inner], second.tensors[index]
            if want is None or mine.shape != got.shape:
                continue
            signal += power(want)
            noise += squares(want, dequantize_values(got, tensor))
            off = np.abs(got.astype(np.float64) - mine)
            differing, elements = differing + int(np.count_nonzero(off)), elements + off.size
            largest = max(largest, float(off.max(initial=0.0)))
    return DeviceErrors(decibels(signal, noise), differing / elements, largest) if elements else None
