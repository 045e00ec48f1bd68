"""Parameters copied from another quantized form of the same model, matched by structure, else by tensor name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.calibration.running_stats import observed_tensors
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.groups import Key
from litecheck.conversion.quant_spec import QuantSpec
from litecheck.conversion.request import REAL
from litecheck.conversion.shared_tensors import bind_operators, shared_tensors, spread_values
from litecheck.errors import ConfigError
from litecheck.model.matching import SubgraphMatch, match_subgraphs
from litecheck.model.types import Model, Tensor
from litecheck.profile.types import Profile
from litecheck.summary_text import count_of

#: Middle of the range of each 8-bit type. A change of type moves stored integers by the difference.
ZERO_POINT_OFFSET = {"int8": 0, "uint8": 128}
#: Suffixes that converters append to names of inputs and outputs when they quantize them.
_SUFFIXES = ("_int8", "_int16", "_uint8", "/int8", "/int16", "/uint8")


@dataclass(frozen=True, slots=True)
class TransferredParams:
    """The forms of computed tensors, and for constants True if the scales are per axis.

    ``read`` has the forms at ports that read a tensor in a form that differs from its own. ``constants`` are the forms
    that constants keep if the rules allow them.
    """

    forms: Mapping[Key, QuantParams] = field(default_factory=dict)
    per_axis: Mapping[Key, bool] = field(default_factory=dict)
    read: Mapping[TensorUse, QuantParams] = field(default_factory=dict)
    constants: Mapping[Key, QuantParams] = field(default_factory=dict)
    share: tuple[int, int] = (0, 0)
    """Number of computed tensors with a form, and of all computed tensors."""
    source: str = ""
    """File that the forms are copied from."""

    @property
    def note(self) -> str:
        """Return ``scales of 12 of 13 tensors copied from int8.tflite``, or "" without a file."""
        known, wanted = self.share
        return (
            f"scales of {known} of {count_of(wanted, 'tensor')} copied from {self.source}" if wanted else ""
        )

    @property
    def reaches(self) -> Mapping[Key, tuple[float, float]]:
        """The range of real values of each form."""
        return {key: form.reach for key, form in self.forms.items()}

    def at(self, port: TensorUse, key: Key, form: QuantParams, storage: QuantSpec) -> QuantParams:
        """Return the form of a tensor at a port, in the type of the solved form.

        Example: an operator with int16 activations does not read the int8 form that a model was trained for.
        """
        own = self.read.get(port) or self.forms.get(key)
        if own is not None:
            own = shift_storage(own, form.dtype)
            return own if own.dtype == form.dtype else form
        constant = self.constants.get(key)
        if constant is None or constant.scale.size != 1 or form.scale.size != 1:
            return form
        constant = shift_storage(constant, form.dtype)
        low, high = storage.zero_points
        fits = low <= constant.zero_point[0] <= high and storage.scale in (None, float(constant.scale[0]))
        return constant if fits and constant.dtype == form.dtype else form


def shift_storage(form: QuantParams, dtype: str) -> QuantParams:
    """Convert an 8-bit form between int8 and uint8, with the same real values: stored integers move by 128.

    Other forms are returned unchanged.
    """
    if form.dtype == dtype or not {form.dtype, dtype} <= set(ZERO_POINT_OFFSET):
        return form
    shift = ZERO_POINT_OFFSET[dtype] - ZERO_POINT_OFFSET[form.dtype]
    return replace(form, dtype=dtype, zero_point=form.zero_point + shift)


def transfer(model: Model, quantized: Model, profile: Profile | None = None) -> TransferredParams:
    """Return a quantized model's parameters for a float model. Raises ConfigError if no tensor matches.

    With ``profile``, tensors without a partner have the parameters of a tensor with which they must share them.
    """
    forms: dict[Key, QuantParams] = {}
    per_axis: dict[Key, bool] = {}
    read: dict[TensorUse, QuantParams] = {}
    for subgraph, other in zip(model.subgraphs, quantized.subgraphs, strict=False):
        match = match_subgraphs(subgraph, other)
        if 2 * len(match.operators) < len(subgraph.operators):  # another net
            match = replace(match, operators=(), tensors={})
        for index, found in _partners(match).items():
            if subgraph.tensors[index].is_constant and not subgraph.tensors[index].is_variable:
                per_axis[subgraph.index, index] = found.quantization.scale.size > 1
            elif found.quantization.scale.size == 1:
                forms[subgraph.index, index] = _form(found, quantized.file)
        read |= _read_forms(match, forms, quantized.file)
    if not forms:
        raise ConfigError(f"{quantized.file}: none of its quantized tensors matches one of this model's")
    if profile is not None:
        forms = spread_values(forms, shared_tensors(bind_operators(model, profile)))
    wanted = observed_tensors(model)
    known = sum(key in forms for key in wanted)
    return TransferredParams(forms, per_axis, read, share=(known, len(wanted)), source=quantized.file)


def copy_parameters(model: Model, quantized: Model, profile: Profile, known: bool) -> TransferredParams:
    """Return the parameters of a quantized form of the model. ``known`` is True if all tensors have ranges as well.

    Raises ConfigError if most tensors have no partner in the quantized form, and no ranges are known.
    """
    found = transfer(model, quantized, profile)
    matched, wanted = found.share
    if not known and 2 * matched < wanted:
        raise ConfigError(
            f"--scales-from {found.source}: got {matched} of {count_of(wanted, 'tensor')} with a partner, expected at least "
            "half. Give the quantized form of this model, or --data for the other tensors"
        )
    return found


def _partners(match: SubgraphMatch) -> dict[int, Tensor]:
    """Return the quantized tensor of each float tensor: by structure, and by name where the structures differ."""
    other = match.second
    named = {_plain_name(t.name): t for t in other.tensors if t.quantization.scale.size and t.name}
    placed: dict[int, Tensor] = {}
    for new, old in match.tensors.items():
        if other.tensors[new].quantization.scale.size:
            placed.setdefault(old, other.tensors[new])
    found = {}
    for tensor in match.first.tensors:
        partner = placed.get(tensor.index) or named.get(tensor.name)
        if tensor.dtype == REAL and partner is not None:
            found[tensor.index] = partner
    return found


def _read_forms(
    match: SubgraphMatch, forms: Mapping[Key, QuantParams], file: str
) -> dict[TensorUse, QuantParams]:
    """Return the forms in which operators read a tensor after a QUANTIZE that changes its form."""
    number, found = match.first.index, {}
    for one, other in match.operators:
        pairs = zip(match.first.operators[one].inputs, match.second.operators[other].inputs, strict=False)
        for place, (old, new) in enumerate(pairs):
            known = forms.get((number, old))
            if known is None or match.tensors.get(new, -1) != old:
                continue
            tensor = match.second.tensors[new]
            if tensor.quantization.scale.size == 1 and not known.same(form := _form(tensor, file)):
                found[TensorUse(number, one, "input", place)] = form
    return found


def _plain_name(name: str) -> str:
    return next((name.removesuffix(s) for s in _SUFFIXES if name.endswith(s)), name)


def _form(tensor: Tensor, file: str) -> QuantParams:
    q = tensor.quantization
    form = QuantParams(tensor.dtype, q.scale, q.zero_point, because=f"the parameters that {file} has")
    low, high = form.reach
    return replace(form, low=low, high=high)
