"""Calibration of a conversion: open samples, make or read statistics, and choose a range for every tensor."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.finite_values import check_finite, first_not_finite
from litecheck.conversion.calibration.litert_child import LitertChild
from litecheck.conversion.calibration.methods import choose_ranges, inner_ranges, range_methods
from litecheck.conversion.calibration.observe import observe
from litecheck.conversion.calibration.ranges import RangeMethod, range_method
from litecheck.conversion.calibration.samples import Chain
from litecheck.conversion.calibration.statistics import CalibrationError, CalibrationStatistics
from litecheck.conversion.data_warnings import (
    constant_inputs,
    decisive_text,
    input_scaling_warnings,
    named_samples,
    state_warnings,
)
from litecheck.conversion.recipe import QuantizationRecipe, rules_by_operator
from litecheck.conversion.sample_progress import Told
from litecheck.conversion.settings import ConversionSettings
from litecheck.devices.port import Limits
from litecheck.errors import ConfigError
from litecheck.files import atomic_write, read_file
from litecheck.model.save import model_hash
from litecheck.model.types import Model
from litecheck.summary_text import count_of

if TYPE_CHECKING:
    from litecheck.conversion.groups import Interval, Key
    from litecheck.conversion.recurrent_intermediates import Inside

_NO_DATA = (
    "{} needs calibration data, to know the range of every tensor. Give --data FILE.npz (an array for each input, "
    "samples first), --data FILE.npy, --data FOLDER (of .npy or .npz files, or of images), --data SCRIPT.py (with "
    "get_calibration_data()), or --calibration-cache FILE of an earlier calibration; --data random:N to try out without data"
)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The output of calibration.

    ``ranges`` has the range of each tensor by (subgraph, tensor), ``inner`` the range of values inside operators by
    (subgraph, operator, name). ``file`` is the file of statistics that were read.
    """

    statistics: CalibrationStatistics
    ranges: Mapping[Key, Interval]
    inner: Mapping[Inside, Interval]
    methods: str
    file: str = ""
    unusual: tuple[str, ...] = ()
    """Warnings about values: infinities, samples that alone set ranges, constant inputs."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the user."""
        return (*self.statistics.warnings, *self.unusual)


def open_samples(model: Model, settings: ConversionSettings) -> CalibrationData | None:
    """Return the samples that the settings name, or None if they name none."""
    found = [
        one
        if isinstance(one, CalibrationData)
        else open_data(one, model, seed=settings.seed, options=settings.data_options)
        for one in settings.sources
    ]
    if settings.random:
        if found:
            raise ConfigError("calibration data and random samples: give one of them")
        found = [
            open_data(None, model, random=settings.random, seed=settings.seed, options=settings.data_options)
        ]
    return _join_samples(found) if found else None


def _join_samples(parts: list[CalibrationData]) -> CalibrationData:
    """Join several sets of samples in order."""
    if len(parts) == 1:
        return parts[0]

    def chains() -> Iterator[Chain]:
        for part in parts:
            yield from part

    counts = [part.count for part in parts]
    count = None if None in counts else sum(filter(None, counts))
    warnings = dict.fromkeys(text for part in parts for text in part.warnings)
    return CalibrationData(chains, " and ".join(part.description for part in parts), count, tuple(warnings))


def calibrate_model(
    model: Model,
    data: CalibrationData | None,
    settings: ConversionSettings,
    tell: Told,
    child: LitertChild | None = None,
) -> Calibration:
    """Return the ranges chosen from statistics of the data, or from the settings' statistics file if it exists.

    Raises ConfigError if there are neither data nor statistics. Raises CalibrationError if the model does not run, a
    value is NaN, or no value is finite.
    """
    methods = replace(range_methods(settings.calibrate), by_place=_rule_methods(model, settings))
    file = settings.statistics if settings.statistics and os.path.exists(settings.statistics) else ""
    if file:
        statistics = _read_statistics(file, model)
    elif data is None:
        raise ConfigError(_NO_DATA.format(settings.to))
    else:
        statistics = _observe_model(model, data, settings, methods.needs_sketches, tell, child)
        statistics = replace(statistics, model=model_hash(model), warnings=data.warnings)
    read = None if file else data
    unusual = (
        *_infinity_warnings(statistics, model, read),
        *constant_inputs(statistics, model),
        *(input_scaling_warnings(statistics, model) if settings.random is None else ()),
        *(state_warnings(model) if _lacks_sequences(settings) and not file else ()),
        *(decisive_text(one, sample_name(read, one.sample), model) for one in named_samples(statistics)),
    )
    if settings.statistics and not file:
        atomic_write(settings.statistics, statistics.to_json())
    # Imported here, because the module delayed the first sample by 45 ms.
    from litecheck.conversion.unrolled_loops import widen_loop_ranges

    ranges = widen_loop_ranges(model, choose_ranges(statistics, model, methods))
    inner = inner_ranges(statistics, methods)
    return Calibration(statistics, ranges, inner, str(methods), file, unusual)


def _lacks_sequences(settings: ConversionSettings) -> bool:
    """Return True if there are samples, all of them from files or arrays without sequences."""
    made = any(isinstance(one, CalibrationData) for one in settings.sources)
    return bool(settings.data) and not settings.sequences and not made


def _rule_methods(model: Model, settings: ConversionSettings) -> Mapping[Key, RangeMethod]:
    """Return the methods that the rules of a recipe state for the outputs of operators."""
    found: dict[Key, RangeMethod] = {}
    if not isinstance(settings.recipe, QuantizationRecipe):
        return found
    for (number, index), rules in rules_by_operator(model, settings.recipe.rules).items():
        if rules and rules[0].calibrate:
            outputs = model.subgraphs[number].operators[index].outputs
            method = range_method(rules[0].calibrate)
            found.update({(number, tensor): method for tensor in outputs if tensor >= 0})
    return found


def _observe_model(
    model: Model,
    data: CalibrationData,
    settings: ConversionSettings,
    sketches: bool,
    tell: Told,
    child: LitertChild | None,
) -> CalibrationStatistics:
    """Return statistics of the model on the data. Raises CalibrationError, which names custom operators without a kernel."""
    try:
        return observe(
            model,
            data,
            device=settings.device,
            sketches=sketches,
            progress=lambda done: tell(done, "calibrating"),
            limits=Limits(settings.seconds),
            child=child,
        )
    except CalibrationError as error:
        own = (f"{op.kind} #{op.index}" for s in model.subgraphs for op in s.operators if op.custom_code)
        named = next((kind for kind in own if kind.split()[1] in str(error)), "")
        if not named:
            raise
        raise CalibrationError(
            f"{named} is a custom operator, and no kernel for it is at hand, so the model cannot be run: convert the part "
            f"in front of it, or give the --calibration-cache of a calibration elsewhere ({error})"
        ) from error


def sample_name(data: CalibrationData | None, number: int) -> str:
    """Return the file of a sample of the data, and its number there. Example: ``images/cat/7.png``, ``sample 17``."""
    chain = next(islice(data.iterate(), number, None), None) if data is not None else None
    return (chain[0].source if chain else "") or f"sample {number}"


def _infinity_warnings(
    statistics: CalibrationStatistics, model: Model, data: CalibrationData | None
) -> tuple[str, ...]:
    """Return the warning about infinities, which masks and paddings may contain. Raises CalibrationError for a NaN.

    The error names the first tensor that is not finite.
    """
    faults = {place: one.not_finite for place, one in statistics.tensors.items() if one.not_finite}
    if any(fault.value == "nan" for fault in faults.values()):
        check_finite(statistics, model, lambda number: sample_name(data, number))
    if not faults:
        return ()
    if not any(one.has_values for one in statistics.tensors.values()):
        raise CalibrationError(f"{statistics.source}: no tensor holds a finite value in any of the samples")
    (subgraph, index), fault = first_not_finite(statistics, model) or (next(iter(faults)), None)
    name = model.subgraphs[subgraph].tensors[index].name
    where = f"'{name}' is infinite in sample {fault.sample}" if fault else f"'{name}' is infinite"
    return (f"{count_of(len(faults), 'tensor')} with infinite values, which no scale holds: {where} first",)


def _read_statistics(file: str, model: Model) -> CalibrationStatistics:
    """Return statistics of the same model from a file. Raises ConfigError."""
    statistics = CalibrationStatistics.from_json(read_file(file), file)
    if statistics.model != model_hash(model):
        raise ConfigError(
            f"{file}: these are the statistics of another model; name a file that is not there yet"
        )
    for subgraph, index in statistics.tensors:
        graphs = model.subgraphs
        if not (0 <= subgraph < len(graphs) and 0 <= index < len(graphs[subgraph].tensors)):
            raise ConfigError(f"{file}: tensors: the model has no tensor {index} in subgraph {subgraph}")
    return statistics
