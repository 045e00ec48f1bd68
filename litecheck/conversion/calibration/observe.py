"""Calibration: run a float model on data and observe every float tensor, sample by sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.arrays import Arrays
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import (
    KERNELS,
    OWN,
    LitertChild,
    SampleQuestion,
    SamplesDone,
    child_for,
    runtime_name,
    runtime_of,
)
from litecheck.conversion.calibration.running_stats import RunningStats, observed_tensors
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.calibration.statistics import CalibrationStatistics
from litecheck.devices.port import Limits
from litecheck.errors import InputError
from litecheck.model.edit import with_subgraphs
from litecheck.model.links import subgraph_calls
from litecheck.model.types import Model, Subgraph

_OBSERVER = "litecheck.conversion.calibration.litert_observer:LitertObserver"


def observe(
    model: Model,
    data: CalibrationData,
    *,
    device: str = "auto",
    sketches: bool = False,
    progress: SamplesDone | None = None,
    limits: Limits | None = None,
    child: LitertChild | None = None,
) -> CalibrationStatistics:
    """Return the statistics of a model's float tensors over all samples, independent of the order of samples.

    ``device`` is ``litecheck`` (its own float kernels, and LiteRT's for operators without such a kernel),
    ``litert:xnnpack``, ``litert:optimized``, ``litert:reference``, or ``auto``. ``auto`` is XNNPACK if LiteRT is
    installed, unless the model calls subgraphs, whose tensors LiteRT shows only after their last turn. LiteRT runs in the
    process ``child`` or in a new process, within ``limits`` for each inference. ``sketches`` adds histograms. Raises
    CalibrationError if the model does not run, ConfigError for data that does not fit and for unknown devices,
    DeviceError if LiteRT cannot be loaded.
    """
    tell = progress or (lambda _: None)
    chosen = runtime_of(device, calls_others(model))
    if chosen == OWN:
        return _run_interpreter(model, data, sketches, tell, limits or Limits())
    with child_for(child, KERNELS[chosen], limits or Limits()) as used:
        return _run_litert(model, data, used, sketches, tell)


def calls_others(model: Model) -> bool:
    """Return True if operators run subgraphs that compute real values, quantized or not."""
    callees = {n for s in model.subgraphs for operator in s.operators for _, n in subgraph_calls(operator)}
    return any(_computes_reals(s) for s in model.subgraphs if s.index in callees)


def _computes_reals(subgraph: Subgraph) -> bool:
    outputs = {index for operator in subgraph.operators for index in operator.outputs if index >= 0}
    tensors = [subgraph.tensors[index] for index in outputs]
    return any(tensor.dtype == "float32" or tensor.quantization.is_set for tensor in tensors)


def _run_interpreter(
    model: Model, data: CalibrationData, sketches: bool, tell: SamplesDone, limits: Limits
) -> CalibrationStatistics:
    from litecheck.conversion.calibration.litert_fallback import FallbackInterpreter
    from litecheck.conversion.calibration.reference_observer import ReferenceObserver

    with FallbackInterpreter(model, limits) as interpreter:
        observer, count = ReferenceObserver(interpreter, sketches), 0
        for count, chain in enumerate(data, 1):
            observer.run(chain, count - 1)
            tell(count)
    runtime = f"litecheck's float kernels{interpreter.lenders}"
    return _result(model, observer.tally, count, data, runtime)


def _run_litert(
    model: Model, data: CalibrationData, child: LitertChild, sketches: bool, tell: SamplesDone
) -> CalibrationStatistics:
    tally, count, used = RunningStats(sketches), 0, child.kernels
    model = with_unread_outputs(model)
    chains = (tuple(observer_inputs(model, sample) for sample in chain) for chain in data)
    question = SampleQuestion(_OBSERVER, _facts(model, child, sketches))
    for answer in child.ask(question, model, chains, tell):
        found = CalibrationStatistics.of_plain(answer)
        tally.add_statistics(count, found)
        count, used = count + found.samples, found.runtime
    return _result(model, tally, count, data, runtime_name(used))


def with_unread_outputs(model: Model) -> Model:
    """Return a model in which float tensors that nothing reads are outputs of their subgraph.

    XNNPACK does not compute a tensor that nothing reads, such as an unused output of SPLIT.
    """
    unread = {s.index: found for s in model.subgraphs if (found := _unread_outputs(s))}
    shown = [replace(s, outputs=(*s.outputs, *unread.get(s.index, ()))) for s in model.subgraphs]
    return with_subgraphs(model, shown) if unread else model


def _unread_outputs(subgraph: Subgraph) -> tuple[int, ...]:
    inputs = {*subgraph.outputs, *(i for operator in subgraph.operators for i in operator.inputs)}
    outputs = dict.fromkeys(i for operator in subgraph.operators for i in operator.outputs if i >= 0)
    return tuple(i for i in outputs if i not in inputs and subgraph.tensors[i].dtype == "float32")


def _facts(model: Model, child: LitertChild, sketches: bool) -> dict[str, Any]:
    own = {"places": observed_tensors(model), "sketched": sketches, "recurrent": _has_inner_values(model)}
    return child.facts_of(model) | own


def _has_inner_values(model: Model) -> bool:
    """Return True if operators have values that are in no tensor."""
    if not any(t.is_variable for s in model.subgraphs for t in s.tensors):
        return False
    from litecheck.conversion.calibration.recurrent_values import recurrent_operators

    return bool(recurrent_operators(model))


def _result(
    model: Model, tally: RunningStats, count: int, data: CalibrationData, runtime: str
) -> CalibrationStatistics:
    if not count:
        raise InputError(f"{data.description}: there is no sample")
    return tally.result(observed_tensors(model), count, data.description, runtime)


def observer_inputs(model: Model, sample: Sample) -> Arrays:
    """Return a sample as :class:`LitertObserver` expects it. Raises ConfigError.

    It is 0 and the first subgraph's inputs in order, or the number of a signature and its inputs in the order of their
    names.
    """
    subgraph, arrays = sample.arrange(model)
    if not subgraph:
        return (np.array(0, np.int32), *arrays)
    number, signature = next((n, s) for n, s in enumerate(model.signatures, 1) if s.key == sample.signature)
    by_index = dict(zip(model.subgraphs[subgraph].inputs, arrays, strict=True))
    return (np.array(number, np.int32), *(by_index[index] for _, index in sorted(signature.inputs)))
