"""The record of a conversion as plain data: the outcome of each operator and tensor, the deciding rules, and the cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from litecheck.conversion.binding import bind
from litecheck.conversion.conversion_plan import UNTOUCHED, Decision, QuantParams, TensorQuantParams
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.request import REAL

if TYPE_CHECKING:
    from litecheck.conversion.agreement import Agreement, TensorAgreement
    from litecheck.conversion.bias_correction import BiasCorrection
    from litecheck.conversion.convert_float import Conversion
    from litecheck.conversion.equalize import LayerPair
    from litecheck.conversion.fixes import LossFix
    from litecheck.conversion.model_calibration import Calibration
    from litecheck.conversion.precision_budget import BudgetChoice
    from litecheck.conversion.sensitivity import OperatorSensitivity
    from litecheck.conversion.shared_scales import SharedQuantization
    from litecheck.conversion.weight_errors import WeightError
    from litecheck.profile.types import Profile
    from litecheck.report import ModelReport

Outcome = Literal["conforms", "violates", "not checked"]


@dataclass(frozen=True, slots=True)
class StayingOperators:
    """Operators of a type that stay float32 for the same reason, or int8 (``dtype``) in a uint8 model.

    ``demand`` is the path and line of the requirement that prevents the conversion, or "". ``places`` are the
    locations: ``#3``, or ``1/#3`` in subgraph 1.
    """

    opcode: str
    reason: str
    demand: str
    places: tuple[str, ...]
    dtype: str = REAL


@dataclass(frozen=True, slots=True, eq=False)
class ConvertedTensor:
    """A form of a tensor of the float model.

    ``values`` is its range in calibration, or None if it is unknown. ``agreement`` is set if both models ran and this
    form is the tensor's own.
    """

    subgraph: int
    tensor: int
    name: str
    constant: bool
    form: QuantParams
    values: Interval | None = None
    agreement: TensorAgreement | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ConversionRecord:
    """A conversion and its results.

    ``target`` is the written file, or empty. ``size`` and ``source_size`` are the bytes of the new and the old model.
    ``report`` is the validation of the file as it would be written. ``weights`` has the errors of weights that were
    quantized before.
    """

    version: str
    source: str
    target: str
    source_size: int
    size: int
    conversion: Conversion
    report: ModelReport
    stays: tuple[StayingOperators, ...]
    tensors: tuple[ConvertedTensor, ...]
    groups: tuple[SharedQuantization, ...]
    calibration: Calibration | None = None
    agreement: Agreement | None = None
    warnings: tuple[str, ...] = ()
    evaluation: Agreement | None = None
    """Agreement of both models on other data than those of the calibration."""
    tried: bool = False
    pairs: tuple[LayerPair, ...] | None = None
    """Effect of equalization on each pair of layers; None if equalization was not requested."""
    correction: BiasCorrection | None = None
    sensitivity: tuple[OperatorSensitivity, ...] | None = None
    """Cost of quantizing each operator alone, the most sensitive first; None if it was not requested."""
    weights: tuple[WeightError, ...] = ()
    fix: LossFix | None = None
    """Options that were tried on the samples and reduce a large loss."""
    budget: BudgetChoice | None = None
    """The choice of types within a budget; None without a budget."""
    failed_gates: tuple[str, ...] = ()
    """The gates that the new model fails, each with the option and the number. Example: ``--max-float 0: 8 operators
    stay float32``."""
    preparation: str = ""
    """What was changed in the float model first, or ""."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the preparation of the float model, and those of the plan."""
        return (*filter(None, (self.preparation,)), *self.conversion.plan.notes)

    @property
    def verdict(self) -> Outcome:
        """Verdict of the new model: ``not checked`` if no profile covers anything quantized in it."""
        if any(f.level == "violation" for f in self.report.active):
            return "violates"
        return "conforms" if self.report.covered else "not checked"

    @property
    def exit_code(self) -> int:
        """0 if the new model conforms, 1 if it violates or fails a gate, 2 if it is not checked."""
        code = {"conforms": 0, "violates": 1, "not checked": 2}[self.verdict]
        return 1 if self.failed_gates else code

    @property
    def becomes(self) -> Mapping[str, int]:
        """Number of operators by type. ``as it is`` counts operators without real values."""
        return Counter(decision.becomes for decision in self.conversion.plan.operators)

    @property
    def share(self) -> tuple[int, int]:
        """Number of quantized operators, and of operators with real values. Example: (2, 10)."""
        becomes = self.becomes
        real = sum(becomes.values()) - becomes.get(UNTOUCHED, 0)
        return real - becomes.get(REAL, 0), real

    @property
    def added_operators(self) -> Mapping[str, int]:
        """Number of operators by opcode that the new model has in addition to the old model."""
        old, new = (
            Counter(op.opcode for s in model.subgraphs for op in s.operators)
            for model in (self.conversion.source, self.conversion.model)
        )
        return new - old

    @property
    def low_resolution(self) -> int:
        """Number of members of groups with too few effective bits."""
        return sum(member.low_resolution for group in self.groups for member in group.members)


def staying(
    conversion: Conversion, profile: Callable[[Key], Profile], wished: Profile | None = None
) -> tuple[StayingOperators, ...]:
    """Return the operators that stay float32, or int8 in a uint8 model, by type and reason, most frequent first.

    ``profile`` returns the profile that an operator was bound to. ``wished`` is the profile without a rule for the
    operators that stay int8.
    """
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for decision in conversion.plan.operators:
        if decision.becomes == REAL or (decision.because and decision.becomes == "int8"):
            place = (
                f"{decision.subgraph}/#{decision.operator}" if decision.subgraph else f"#{decision.operator}"
            )
            by = profile((decision.subgraph, decision.operator))
            by = wished if wished and decision.becomes != REAL else by
            demand = _rule_text(conversion, decision, by)
            found.setdefault((decision.opcode, decision.because, demand, decision.becomes), []).append(place)
    groups = (
        StayingOperators(opcode, because, demand, tuple(places), dtype)
        for (opcode, because, demand, dtype), places in found.items()
    )
    return tuple(sorted(groups, key=lambda group: -len(group.places)))


def _rule_text(conversion: Conversion, decision: Decision, profile: Profile) -> str:
    subgraph = conversion.source.subgraphs[decision.subgraph]
    by = bind(conversion.source, subgraph, subgraph.operators[decision.operator], profile).by
    return f"{by.path}, {by.demand}" if by is not None else ""


def tensor_records(
    conversion: Conversion, ranges: Mapping[Key, Interval], agreement: Agreement | None
) -> tuple[ConvertedTensor, ...]:
    """Return every form of every tensor, in the order of the plan."""
    compared = {one.reference: one for one in agreement.tensors} if agreement else {}
    return tuple(
        one
        for tensor in conversion.plan.tensors
        for one in _forms(conversion, tensor, ranges, compared.get((tensor.subgraph, tensor.tensor)))
    )


def _forms(
    conversion: Conversion,
    one: TensorQuantParams,
    ranges: Mapping[Key, Interval],
    compared: TensorAgreement | None,
) -> Iterator[ConvertedTensor]:
    """Yield the forms of a tensor, each once. The first is its own form."""
    tensor = conversion.source.subgraphs[one.subgraph].tensors[one.tensor]
    constant = tensor.is_constant and not tensor.is_variable
    forms: list[QuantParams] = []
    for form in (one.written, *one.read.values()):
        if form is not None and not any(form.same(other) for other in forms):
            forms.append(form)
    values = ranges.get((one.subgraph, one.tensor))
    for number, form in enumerate(forms):
        own = None if number else compared
        yield ConvertedTensor(one.subgraph, one.tensor, one.name, constant, form, values, own)
