"""A trace as plain data: measures of each operator, culprits with their causes, and a tried fix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from litecheck.conversion import distortion
from litecheck.model.tensor_matching import NO_PARTNER
from litecheck.tracing.distribution import TensorDistribution

Cause = Literal[
    "weights",
    "weight_scale",
    "weight_axis",
    "bias",
    "output_range",
    "input_range",
    "activation",
    "option",
    "operands",
    "shared_range",
    "arithmetic",
]
CAUSES: tuple[Cause, ...] = get_args(Cause)
#: Causes that inputs without the model's preprocessing can have.
RANGE_CAUSES: tuple[Cause, ...] = ("input_range", "output_range", "shared_range")
#: Avoidable loss in dB from which an operator is a culprit.
LEAST_LOSS = 3.0
#: Share of the outputs' error below which a culprit is not a failure.
LEAST_SHARE = 0.01
#: SNR in dB of an output below which operators without a partner fail a trace.
BAD_SNR = 10.0


@dataclass(frozen=True, slots=True)
class TracedOperator:
    """The measures of one operator of the quantized model, over all samples. SNR in dB, relative to the float model.

    ``accumulated_snr`` is that of the output in a run of the whole model. ``alone_snr`` is that of the isolated operator
    on the float model's tensors. ``stored_snr`` is that of the float model's output after storage in the operator's
    output tensor, and ``twin_stored_snr`` in the twin's. ``twin_snr`` is that of the isolated operator without its
    avoidable loss, ``avoidable_db``. ``saturated`` is the share of stored values at the type's limits. ``resolution`` is
    the effective bits of the output: log2 of the range of its values in steps. ``device_snr`` is that of the device on
    the same tensors. ``device_differs`` is the share of its values that differ from the reference kernels', by at most
    ``device_largest``.
    None stands for an unknown value.
    """

    subgraph: int
    operator: int
    opcode: str
    name: str
    partner: int
    accumulated_snr: float | None
    alone_snr: float | None
    stored_snr: float | None
    twin_stored_snr: float | None
    twin_snr: float | None
    avoidable_db: float
    saturated: float | None
    resolution: float | None
    device_snr: float | None = None
    device_differs: float | None = None
    device_largest: float | None = None


@dataclass(frozen=True, slots=True)
class FixGain:
    """A part of a fix's gain in dB, and its source."""

    source: str
    gain: float


@dataclass(frozen=True, slots=True)
class TriedFix:
    """A command that was carried out, and the lowest SNR in dB of a channel of the model's outputs before and after.

    Both are measured in ``runtime`` on ``samples`` samples: all but those that alone set ranges. Without a runtime, they
    are measured with the kernels of the trace on evenly spread samples, and tensors that share a range count as well.
    ``gains`` are parts of the gain. Numbers of operators in the command are those of the float file.
    """

    command: str
    before: float
    after: float
    samples: int = 0
    gains: tuple[FixGain, ...] = ()
    runtime: str = ""

    @property
    def gain(self) -> float:
        """Gain in dB."""
        return self.after - self.before if math.isfinite(self.after - self.before) else math.inf


@dataclass(frozen=True, slots=True)
class Culprit:
    """An operator with an avoidable loss. ``detail`` describes the fault.

    ``share`` is the share of the outputs' error that comes from the operator, None if this was not tried. ``tensor`` is
    the input whose range does not fit, -1 for other causes.
    """

    subgraph: int
    operator: int
    opcode: str
    name: str
    cause: Cause
    avoidable_db: float
    detail: str
    share: float | None = None
    fix: TriedFix | None = None
    tensor: int = -1
    others: tuple[int, ...] = ()
    """Other operators with the same fault, which read the same constants: ``share`` is that of all of them."""

    @property
    def reaches_outputs(self) -> bool:
        """True unless the operator is known to add less than 1 % of the outputs' error."""
        return self.share is None or self.share >= LEAST_SHARE


@dataclass(frozen=True, slots=True)
class TracedOutput:
    """SNR in dB of an output of the model, and of its logits if it is a probability and they are measured."""

    name: str
    snr: float
    logits: float | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace of a quantized model, with culprits worst first. ``reference`` is the float file, "" if there is none."""

    version: str
    reference: str
    file: str
    data: str
    samples: int
    operators: tuple[TracedOperator, ...]
    culprits: tuple[Culprit, ...]
    outputs: tuple[TracedOutput, ...]
    unmatched: tuple[tuple[int, int, str, str], ...] = ()
    """Operators of the quantized file without a partner: subgraph, number, opcode, reason."""
    device: str = ""
    fix: TriedFix | None = None
    leading: tuple[int, float] | None = None
    """Operator with the largest share of the outputs' error, and the share, if no culprit reaches the outputs."""
    against: Trace | None = None
    notes: tuple[str, ...] = ()
    min_snr: float | None = None
    max_loss: float | None = None
    random: bool = False
    """True if the data are random. Ranges of a trained model do not fit random data."""
    distributions: tuple[TensorDistribution, ...] = ()
    """Stored values of outputs and weights, for the page."""
    doubt: str = ""
    """A sentence on samples that do not fit an input of the model."""
    parent: str = ""
    """A sentence on weights that are not those of the float model, so that no loss can be explained."""
    explained: float | None = None
    """Share of the outputs' error that the outputs have with the errors of all culprits at once; None for a single one."""
    missing: tuple[tuple[int, int, str, str], ...] = ()
    """Operators of the float file that the quantized file lacks: subgraph, number, opcode, reason."""
    load_faults: tuple[str, ...] = ()
    """Reasons why LiteRT does not load the quantized model."""
    arithmetic: str = ""
    """Arithmetic of litecheck's kernels, which compute all SNRs."""
    invalid: tuple[tuple[int, int, str, str], ...] = ()
    """Operators that no kernel computes, because they violate a rule: subgraph, number, opcode, violation."""

    @property
    def kernels(self) -> str:
        """Kernels that compute all SNRs. Example: ``litecheck's kernels, arithmetic litert-reference``."""
        return f"litecheck's kernels, arithmetic {self.arithmetic}" if self.arithmetic else ""

    @property
    def worst(self) -> float:
        """Lowest SNR in dB of an output."""
        return min((output.snr for output in self.outputs), default=math.inf)

    @property
    def unexplained(self) -> tuple[str, ...]:
        """Operators without a partner, if an output is bad and no culprit explains it."""
        if self.has_loss or self.worst >= BAD_SNR:
            return ()
        sides = (self.unmatched, "quantized"), (self.missing, "float")
        return tuple(
            f"{opcode} #{number} of the {side} model"
            for rows, side in sides
            for _, number, opcode, reason in rows
            if reason == NO_PARTNER
        )

    @property
    def failures(self) -> tuple[str, ...]:
        """Texts on the limits of the user that the model exceeds."""
        found = []
        if self.min_snr is not None and self.worst < self.min_snr:
            found.append(f"SNR of the outputs is {self.worst:.1f} dB, required at least {self.min_snr:g} dB")
        loss = max((one.avoidable_db for one in self.operators), default=0.0)
        if self.max_loss is not None and loss > self.max_loss:
            found.append(f"avoidable loss is {loss:.1f} dB, required at most {self.max_loss:g} dB")
        return tuple(found)

    @property
    def has_loss(self) -> bool:
        """True if the loss of a culprit reaches the outputs, or the joint loss of all culprits."""
        return any(map(self.fails, self.culprits))

    def fails(self, one: Culprit) -> bool:
        """Return True if a culprit reaches the outputs, or if only all culprits at once do."""
        return one.reaches_outputs or (
            (self.explained or 0.0) >= LEAST_SHARE and not any(c.reaches_outputs for c in self.culprits)
        )

    @property
    def exit_code(self) -> int:
        """1 if LiteRT does not load the model, if an invalid operator is not computed, if a limit is exceeded or, without
        limits, if the loss of a culprit or an operator without a partner reaches the outputs."""
        if self.load_faults or self.invalid:
            return 1
        if self.min_snr is None and self.max_loss is None:
            return int(self.has_loss or bool(self.unexplained))
        return int(bool(self.failures))


def decibels(signal: float, noise: float) -> float:
    """Return signal over noise in dB, at most 120 and at least -120. Example: 100 and 1 give 20."""
    return max(-120.0, min(120.0, distortion.decibels(signal, noise)))
