"""The record of a conversion: what became of each operator and tensor, by which rule, and what it cost; plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from litecheck.convert.binding import bind
from litecheck.convert.calibrated import Calibration
from litecheck.convert.conversion import Conversion
from litecheck.convert.equalize import LayerPair
from litecheck.convert.groups import Interval, Key
from litecheck.convert.plan import Decision, Form, TensorForms
from litecheck.convert.request import REAL
from litecheck.convert.sensitivity import OperatorSensitivity
from litecheck.convert.shared import SharedQuantization
from litecheck.convert.weight_errors import WeightError
from litecheck.profile.types import Profile
from litecheck.report import ModelReport

if TYPE_CHECKING:
    from litecheck.convert.agreement import Agreement, TensorAgreement
    from litecheck.convert.bias_correction import BiasCorrection

Outcome = Literal["conforms", "violates", "not checked"]


@dataclass(frozen=True, slots=True)
class StayingOperators:
    """Operators of one kind that stay float32 for one reason, or int8 (``dtype``) in a model of uint8; ``demand`` is the
    path and line of the requirement at fault, where one is; ``places`` where they stand: ``#3``, or ``1/#3`` in subgraph
    1."""

    opcode: str
    reason: str
    demand: str
    places: tuple[str, ...]
    dtype: str = REAL


@dataclass(frozen=True, slots=True, eq=False)
class ConvertedTensor:
    """One form of one tensor of the float model. ``values`` is the range it had in calibration, None where it is unknown;
    ``agreement`` is there where both models were run and this form is the tensor's own."""

    subgraph: int
    tensor: int
    name: str
    constant: bool
    form: Form
    values: Interval | None = None
    agreement: TensorAgreement | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ConversionRecord:
    """A conversion and all that is said of it. ``target`` is the file that was written, empty where none was; ``size`` is
    what the new model takes, ``source_size`` what the old one does, in bytes; ``report`` is what litecheck finds in the
    file as it would be written. ``weights`` has the errors of weights that were quantized before."""

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
    tried: bool = False
    pairs: tuple[LayerPair, ...] | None = None
    """What equalization did to each pair of layers; None where it was not asked for."""
    correction: BiasCorrection | None = None
    sensitivity: tuple[OperatorSensitivity, ...] | None = None
    """What quantizing each operator alone costs, the most sensitive first; None where it was not asked for."""
    weights: tuple[WeightError, ...] = ()

    @property
    def verdict(self) -> Outcome:
        """Whether the new model conforms; ``not checked`` where no profile speaks of anything quantized in it."""
        if any(f.level == "violation" for f in self.report.active):
            return "violates"
        return "conforms" if self.report.covered else "not checked"

    @property
    def exit_code(self) -> int:
        """0 nothing is against the new model, 1 it would violate, 2 nobody can judge it."""
        return {"conforms": 0, "violates": 1, "not checked": 2}[self.verdict]

    @property
    def becomes(self) -> Mapping[str, int]:
        """How many operators compute in each type now; ``as it is`` where no real values are involved."""
        return Counter(decision.becomes for decision in self.conversion.plan.operators)

    @property
    def added(self) -> Mapping[str, int]:
        """How many operators of which kind the new model has beyond the old one."""
        old, new = (
            Counter(op.opcode for s in model.subgraphs for op in s.operators)
            for model in (self.conversion.source, self.conversion.model)
        )
        return new - old

    @property
    def starved(self) -> int:
        """How many members of groups keep too few values."""
        return sum(member.starved for group in self.groups for member in group.members)


def staying(
    conversion: Conversion, profile: Callable[[Key], Profile], wished: Profile | None = None
) -> tuple[StayingOperators, ...]:
    """The operators that stay float32, or int8 in a model of uint8, by kind and reason, the most frequent first; ``profile``
    tells by which they were bound, ``wished`` is the one that does not take those that stay int8."""
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for decision in conversion.plan.operators:
        if decision.becomes == REAL or (decision.because and decision.becomes == "int8"):
            place = (
                f"{decision.subgraph}/#{decision.operator}" if decision.subgraph else f"#{decision.operator}"
            )
            by = profile((decision.subgraph, decision.operator))
            by = wished if wished and decision.becomes != REAL else by
            demand = _demand(conversion, decision, by)
            found.setdefault((decision.opcode, decision.because, demand, decision.becomes), []).append(place)
    groups = (
        StayingOperators(opcode, because, demand, tuple(places), dtype)
        for (opcode, because, demand, dtype), places in found.items()
    )
    return tuple(sorted(groups, key=lambda group: -len(group.places)))


def _demand(conversion: Conversion, decision: Decision, profile: Profile) -> str:
    subgraph = conversion.source.subgraphs[decision.subgraph]
    by = bind(conversion.source, subgraph, subgraph.operators[decision.operator], profile).by
    return f"{by.path}, {by.demand}" if by is not None else ""


def converted_tensors(
    conversion: Conversion, ranges: Mapping[Key, Interval], agreement: Agreement | None
) -> tuple[ConvertedTensor, ...]:
    """Every form of every tensor, in the order of the plan."""
    compared = {one.reference: one for one in agreement.tensors} if agreement else {}
    return tuple(
        one
        for tensor in conversion.plan.tensors
        for one in _forms(conversion, tensor, ranges, compared.get((tensor.subgraph, tensor.tensor)))
    )


def _forms(
    conversion: Conversion,
    one: TensorForms,
    ranges: Mapping[Key, Interval],
    compared: TensorAgreement | None,
) -> Iterator[ConvertedTensor]:
    """The forms of a tensor, each once; the first is its own."""
    tensor = conversion.source.subgraphs[one.subgraph].tensors[one.tensor]
    constant = tensor.is_constant and not tensor.is_variable
    forms: list[Form] = []
    for form in (one.written, *one.read.values()):
        if form is not None and not any(form.same(other) for other in forms):
            forms.append(form)
    values = ranges.get((one.subgraph, one.tensor))
    for number, form in enumerate(forms):
        own = None if number else compared
        yield ConvertedTensor(one.subgraph, one.tensor, one.name, constant, form, values, own)
