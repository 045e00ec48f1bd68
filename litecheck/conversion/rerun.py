"""Repeated conversions on the same data: with corrected biases, and with a single operator quantized."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litecheck.conversion.bias_correction import BiasCorrection, layers, search_bias_correction
from litecheck.conversion.calibration.calibration_data import select_samples, spread_samples
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import LitertChild
from litecheck.conversion.calibration.statistics import CalibrationStatistics
from litecheck.conversion.conversion_plan import ConstantChange, Decision
from litecheck.conversion.convert_float import Conversion, convert
from litecheck.conversion.data_warnings import named_samples
from litecheck.conversion.dequantized_model import DequantizedModel
from litecheck.conversion.fix_trials import FixTrials
from litecheck.conversion.fixes import (
    LARGE_LOSS,
    SAMPLES,
    FixOptions,
    LossCause,
    LossFix,
    best_fix,
    find_causes,
    lowest_snr,
    sample_cause,
    snr_or_exact,
)
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.model_calibration import Calibration, calibrate_model
from litecheck.conversion.precision_budget import (
    BudgetChoice,
    OperatorCost,
    TriedAssignment,
    TypeAssignment,
    check_size,
    choose_assignment,
    operator_costs,
    parse_budget,
)
from litecheck.conversion.recipe import RecipeRule
from litecheck.conversion.recurrent_intermediates import Inside
from litecheck.conversion.request import REAL, budget_rules
from litecheck.conversion.sample_progress import SampleProgress
from litecheck.conversion.sensitivity import OperatorSensitivity, rank_operators
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.shared_scales import SharedQuantization
from litecheck.conversion.unrolled_loops import loop_steps
from litecheck.devices.port import Limits
from litecheck.model.save import file_size
from litecheck.model.types import Model, Subgraph

if TYPE_CHECKING:
    from litecheck.conversion.agreement import Agreement

#: Option of a fix for an integer output of channels with unlike ranges.
REAL_OUTPUTS = ("--output-dtype", REAL)
#: Number of choices within a budget that are tried, at most.
_TRIALS = 24


@dataclass(slots=True, eq=False)
class Rerun:
    """The common parts of conversions of a model.

    ``progress`` is told the samples that ran. ``child`` runs all conversions, if LiteRT is available. ``search`` has the
    samples for sensitivities and a budget, if they are not all of ``data``. Conversions are compared with
    ``simulated_model``, the model of quantization-aware training; ``model`` lacks its simulation.
    """

    model: Model
    settings: ConversionSettings
    data: CalibrationData
    ranges: Mapping[Key, Interval]
    inner: Mapping[Inside, Interval]
    progress: SampleProgress
    child: LitertChild | None = None
    trained_model: DequantizedModel | None = None
    search: CalibrationData | None = None
    simulated_model: Model | None = None

    def correct_biases(self, conversion: Conversion) -> tuple[Conversion, BiasCorrection]:
        """Return the conversion with corrected biases if that is better, else the conversion."""
        channelled = frozenset(layers(conversion.source))
        before = conversion.plan.changes

        def convert_changed(changes: tuple[ConstantChange, ...]) -> Conversion:
            return self._convert((*before, *changes))

        def compare_models(one: Conversion) -> Agreement:
            return self.compare(one, "correcting biases", channelled)

        best, _, found = search_bias_correction(conversion, convert_changed, compare_models)
        return best, found

    def sensitivities(
        self,
        conversion: Conversion,
        most: int = -1,
        wide: bool = False,
        steps: Mapping[int, tuple[int, ...]] | None = None,
    ) -> tuple[OperatorSensitivity, ...]:
        """Return the cost of quantizing each operator alone, ``wide`` with int16 activations; most sensitive first.

        An operator in ``steps`` is quantized together with the operators of the other steps of a loop.
        """
        changes = conversion.plan.changes

        def convert_alone(key: Key) -> Conversion:
            numbers = (key[1], *(steps or {}).get(key[1], ()))
            int16x8 = tuple(f"#{n}" for n in numbers) if wide else self.settings.int16x8
            only = tuple((key[0], n) for n in numbers)
            return self._convert(changes, only=only, int16x8=int16x8, inputs=REAL, outputs=REAL)

        def compare_models(one: Conversion) -> Agreement:
            # all other operators compute in float32: the simulation of their integers is no part of the cost
            return self.compare(one, "quantizing one operator alone", data=self.search, reference=one.source)

        return rank_operators(conversion, convert_alone, compare_models, most)

    def choose_types(self, conversion: Conversion) -> tuple[Conversion, BudgetChoice]:
        """Return the conversion with the best choice of types within the budget, which later runs have as well."""
        changes, before, budget = conversion.plan.changes, self.settings, parse_budget(self.settings.budget)
        check_size(budget, file_size(conversion.model), len(conversion.plan.operators))

        def rules_of(one: TypeAssignment) -> tuple[RecipeRule, ...]:
            return budget_rules({"int16x8": one.int16x8, REAL: one.real}, before.budget)

        def measure(assignment: TypeAssignment) -> TriedAssignment:
            tried = self._convert(changes, budget_rules=rules_of(assignment))
            found = self.compare(tried, "trying choices within the budget", data=self.search)
            return TriedAssignment(assignment, file_size(tried.model), snr_or_exact(found))

        choice = choose_assignment(budget, self._costs(conversion), measure, file_size(self.model))
        self.settings = replace(before, budget_rules=rules_of(choice.trial.assignment))
        return self._convert(changes), choice

    def _costs(self, conversion: Conversion) -> tuple[OperatorCost, ...]:
        """Return the costs of the main subgraph's operators, each alone as int8 and, if it has weights, as int16x8.

        Corresponding operators of all steps of an unrolled loop are measured together.
        """
        main = conversion.source.subgraphs[0]
        weights = weight_counts(main, steps := loop_steps(main))
        later = {number for rest in steps.values() for number in rest}

        def snrs(one: Conversion, measured: Callable[[Decision], object], wide: bool) -> Mapping[int, float]:
            chosen = (d for d in one.plan.operators if not d.subgraph and d.operator not in later)
            plan = replace(one.plan, operators=tuple(filter(measured, chosen)))
            ranking = self.sensitivities(replace(one, plan=plan), wide=wide, steps=steps)
            return {found.operator: found.snr for found in ranking}

        wider = self._convert(conversion.plan.changes, int16x8=("*",))
        can_widen = frozenset(
            d.operator for d in wider.plan.operators if not d.subgraph and d.becomes == "int16"
        )
        narrow = snrs(conversion, lambda d: True, wide=False)
        wide = snrs(wider, lambda d: weights.get(d.operator, 0), wide=True)
        return operator_costs(narrow, wide, can_widen, weights, steps)

    def fix(
        self,
        conversion: Conversion,
        groups: Sequence[SharedQuantization],
        equalizes: bool,
        statistics: CalibrationStatistics,
    ) -> LossFix | None:
        """Return options that reduce a large loss or the effect of one sample, or None if none does.

        They are tried on evenly spread samples, without samples that alone set ranges.
        """
        unusual = frozenset(one.sample for one in named_samples(statistics))
        numbers = spread_samples(self.data.count, unusual, SAMPLES)
        data = select_samples(self.data, numbers)
        trials = self.trials(conversion.plan.changes, equalizes)

        def snr(tried: Conversion) -> float:  # outputs only: LiteRT is faster without the other tensors
            return lowest_snr(self.compare(tried, "trying fixes", data=data))

        found = self.compare_channels(conversion, data)
        before, causes = lowest_snr(found), list(sample_cause(statistics, self.model))
        if before < LARGE_LOSS:
            causes += find_causes(conversion, found, groups)
        subgraph, words = conversion.source.subgraphs[0], self._given_options.words

        def search(trials: FixTrials, causes: Sequence[LossCause]) -> LossFix | None:
            return best_fix(subgraph, causes, lambda tried: trials.measure(tried, snr), before, found.samples)

        best = search(trials, causes)
        if best is None and self.settings.outputs != REAL:
            # An integer output has one scale, also for channels of unlike ranges.
            words = (*words, *REAL_OUTPUTS)
            plain = [*(replace(one, plain=True) for one in causes[:1]), *causes[1:]]
            best = search(replace(trials, request=replace(trials.request, outputs=REAL)), plain)
        return best and replace(best, options=(*words, *best.options), runtime=found.runtime)

    def compare_channels(self, conversion: Conversion, data: CalibrationData) -> Agreement:
        """Run a conversion and the float model on samples for fixes. Compare all tensors per channel."""
        return self.compare(conversion, "trying fixes", frozenset(conversion.tensors), data)

    def trials(self, changes: Sequence[ConstantChange], equalizes: bool) -> FixTrials:
        """Return trials of fixes. A model with rescaled channels is calibrated on all samples, as by ``--equalize``."""
        return FixTrials(
            self.model,
            self.settings.request,
            self.ranges,
            self.inner,
            self._recalibrate if equalizes else None,
            changes,
            self.trained_model.params if self.trained_model else None,
        )

    @property
    def _given_options(self) -> FixOptions:
        """Options of the command, which a fix repeats; none with a budget, which chooses operators anew."""
        own = self.settings
        if own.budget:
            return FixOptions()
        return FixOptions(own.keep, own.int16x8, own.ranges, bool(own.equalize))

    def _recalibrate(self, model: Model) -> Calibration:
        """Return the calibration of another form of the model."""
        settings = replace(self.settings, statistics="")
        return calibrate_model(model, self.data, settings, lambda done, what: None, self.child)

    def compare(
        self,
        conversion: Conversion,
        what: str,
        channelled: frozenset[Key] = frozenset(),
        data: CalibrationData | None = None,
        reference: Model | None = None,
    ) -> Agreement:
        """Run a conversion and the float model. Compare the outputs, and the tensors of ``channelled`` per channel."""
        from litecheck.conversion.agreement import agreement  # not every conversion needs it

        found = agreement(
            reference or self.simulated_model or conversion.source, conversion.model,
            {old: new for old, new in conversion.tensors.items() if old in channelled},
            data or self.data,
            channelled=channelled,
            device=self.settings.device,
            progress=lambda done: self.progress(done, what),
            limits=Limits(self.settings.seconds),
            child=self.child,
        )  # fmt: skip
        self.progress.finish((data or self.data).count)
        return found

    def _convert(self, changes: tuple[ConstantChange, ...], **request: object) -> Conversion:
        wanted = replace(self.settings.request, **request)  # type: ignore[arg-type]
        known = self.trained_model.params if self.trained_model else None
        return convert(self.model, wanted, self.ranges, inner=self.inner, changes=changes, trained=known)


def weight_counts(subgraph: Subgraph, steps: Mapping[int, tuple[int, ...]]) -> Mapping[int, int]:
    """Return the number of elements of the float constants of each operator that has any, with all steps of a loop."""
    found = {}
    for operator in subgraph.operators:
        several = (operator, *(subgraph.operators[n] for n in steps.get(operator.index, ())))
        tensors = (subgraph.tensors[index] for index in {i for one in several for i in one.inputs if i >= 0})
        count = sum(t.size for t in tensors if t.is_constant and t.dtype == REAL)
        if count:
            found[operator.index] = count
    return found


def passes(model: Model, settings: ConversionSettings) -> int:
    """Return the maximum number of additional passes over the samples."""
    operators = sum(len(subgraph.operators) for subgraph in model.subgraphs)
    found = operators * bool(settings.sensitivity) + (len(layers(model)) + 1) * settings.correct_bias
    if settings.budget:
        main = model.subgraphs[0]
        found += 2 * (len(main.operators) - sum(map(len, loop_steps(main).values()))) + _TRIALS
    return found
