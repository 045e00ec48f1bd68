"""The search of a trace for a fix: conversions of the float model, with the candidates of ``convert``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from litecheck.conversion.calibration.calibration_data import exclude_samples, select_samples, spread_samples
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.data_warnings import named_samples
from litecheck.conversion.fixes import SAMPLES, LossCause, find_causes
from litecheck.conversion.model_calibration import Calibration
from litecheck.conversion.outlier_channels import rescale_outliers
from litecheck.conversion.plan_profiles import rules_for
from litecheck.conversion.qat_models import import_trained, is_trained, with_trained_ranges
from litecheck.conversion.request import KINDS
from litecheck.conversion.rerun import Rerun
from litecheck.conversion.sample_progress import SampleProgress
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.matching import ModelMatch
from litecheck.model.types import Model
from litecheck.tracing.confirmed_fixes import FixCommand
from litecheck.tracing.measures import Tensors
from litecheck.tracing.trace_result import Culprit, TriedFix
from litecheck.tracing.trace_settings import TraceSettings
from litecheck.tracing.traced_fixes import Workshop
from litecheck.tracing.twin import kind_of, shared_ranges


@dataclass(frozen=True, slots=True, eq=False)
class TrialBase:
    """The float model as given, the calibration, and the changes of all trials: those of ``--equalize`` for a model with
    equalized channels, else rescaled outlier channels. ``description`` are the options for them."""

    model: Model
    calibration: Calibration
    changes: tuple[ConstantChange, ...] = ()
    description: str = ""


def trial_base(
    found: ModelMatch,
    calibration: Calibration,
    settings: ConversionSettings,
    again: Callable[[Model], Calibration],
) -> TrialBase:
    """Return the base of trials without ``--equalize``, in which outlier channels are rescaled as by ``convert``."""
    model, settings = found.first, replace(settings, to=kind_of(found.second))
    rescaled = rescale_outliers(model) if settings.rescales and not is_trained(model) else None
    if rescaled is None:
        return TrialBase(model, calibration)
    return TrialBase(model, again(rescaled.model), rescaled.changes)


def search_fix(
    found: ModelMatch, few: Sequence[tuple[Tensors, Tensors]], options: TraceSettings, base: TrialBase,
    named: list[Culprit], leading: int, data: CalibrationData,
) -> tuple[TriedFix | None, list[Culprit]]:  # fmt: skip
    """Try a fix for the worst culprit that a conversion can fix or, without one, for the operator with the largest error."""
    worst = next((one for one in named if one.cause != "arithmetic" and one.reaches_outputs), None)
    source, statistics = found.first.file or "FLOAT", base.calibration.statistics
    settings = replace(options.conversion, to=kind_of(found.second))
    rerun = Rerun(
        base.model, settings, data, base.calibration.ranges, base.calibration.inner, SampleProgress()
    )
    partners = {other: one for one, other in found.subgraphs[0].operators}
    if is_trained(found.first):
        rerun, partners, leading = _strip_simulation(rerun), {}, -1
    unusual = frozenset(one.sample for one in named_samples(statistics))
    numbers = spread_samples(data.count, unusual, SAMPLES)

    def causes(plain: Conversion) -> Iterator[LossCause]:
        compared = rerun.compare_channels(plain, select_samples(data, numbers))
        return find_causes(plain, compared, shared_ranges(plain, rerun.ranges))

    trials = rerun.trials(base.changes, not base.description and rerun.trained_model is None)
    words = f"{base.description} {options.words}".strip()
    command = FixCommand(
        base.model,
        replace(settings, equalize=True if base.description else None),
        exclude_samples(data, unusual),
    )
    shop = Workshop(found, trials, statistics, causes, few, source, words, command, options.arithmetic)
    number = leading if worst is None else worst.operator if worst.subgraph == 0 else -1
    fix = shop.best(worst, partners.get(number, -1))
    if worst is None or fix is None:
        return fix, named
    return fix, [replace(one, fix=fix) if one is worst else one for one in named]


def _strip_simulation(rerun: Rerun) -> Rerun:
    """Return the conversions of a model of quantization-aware training, with its ranges and without its simulation."""
    kind = rerun.settings.to
    trained = import_trained(rerun.model, "uint8" if kind == "uint8" else "int8")
    profile, _ = rules_for(kind, "")
    ranges = with_trained_ranges(trained.model, profile, rerun.ranges, trained, KINDS[kind][0])
    return replace(
        rerun, model=trained.model, ranges=ranges, trained_model=trained, simulated_model=rerun.model
    )
