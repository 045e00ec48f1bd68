"""Parameters not exercised: parameter values that no operator of the model had that the device ran."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from litecheck.cases.variable_state import TriedSeries
from litecheck.data import rules_dir
from litecheck.devices.outcome import Outcome
from litecheck.errors import ProfileError
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.measurements.measured_operator import Operands, short_constant, stated_axes
from litecheck.profile.measurements.options import fused_activation, padding
from litecheck.profile.measurements.windows import accumulation_depth, kernel_h, kernel_w, stride_h, stride_w
from litecheck.profile.operators import traits_of
from litecheck.profile.yaml_reader import MappingNode, entries, read_yaml, text, texts
from litecheck.verification.result import CoverageGap, Verdict

#: Values of a parameter that an operator has.
Values = Iterable[str]
Measure = Callable[[Operands], Values]
_FILE = "rules/verify/parameters.yaml"
#: Outcomes of cases that the device ran.
_TRIED = frozenset(o for o in Outcome if o.judged) | {Outcome.INITIAL_ONLY, Outcome.SATURATED}
#: Limits between the values ``one`` and ``more`` of accumulation depth, output channels and output elements.
_DEPTH, _CHANNELS, _ELEMENTS = 256, 32, 1 << 16
_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
_GRIDS = (("aligned", "align_corners"), ("half", "half_pixel_centers"))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A property in which operators of some kinds can differ: its values, with display text for each."""

    name: str
    operators: tuple[str, ...]
    words: Mapping[str, str]


def coverage_gaps(model: Model, verdicts: Iterable[Verdict]) -> tuple[CoverageGap, ...]:
    """Return, for each kind of operator that the device ran, the number of operators and the parameters that none had."""
    had: dict[str, dict[str, set[str]]] = {}
    given: dict[str, set[tuple[int, int]]] = {}
    for verdict in verdicts:
        if verdict.outcome in _TRIED:
            subgraph = model.subgraphs[verdict.subgraph]
            for index in verdict.operators:
                operator = subgraph.operators[index]
                given.setdefault(operator.opcode, set()).add((subgraph.index, index))
                _note(had.setdefault(operator.opcode, {}), model, subgraph, operator, verdict.memory)
    return tuple(
        CoverageGap(opcode, len(given[opcode]), tuple(_missing_parameters(opcode, had[opcode])))
        for opcode in given
        if any(opcode in parameter.operators for parameter in parameters())
    )


def _note(
    had: dict[str, set[str]], model: Model, subgraph: Subgraph, operator: Operator, memory: TriedSeries | None
) -> None:
    tensors = traits_of(operator.kind).tensors(operator)
    roles = {role: (subgraph.tensors[index],) for role, index in tensors.items()}
    operands = Operands(operator, roles, subgraph, model)
    for parameter in parameters():
        if operator.opcode in parameter.operators:
            values = (
                _memory_values(memory) if parameter.name == "memory" else MEASURES[parameter.name](operands)
            )
            had.setdefault(parameter.name, set()).update(values)


def _missing_parameters(opcode: str, had: Mapping[str, Collection[str]]) -> Iterator[str]:
    for parameter in parameters():
        if opcode in parameter.operators:
            yield from (words for value, words in parameter.words.items() if value not in had[parameter.name])


def _memory_values(memory: TriedSeries | None) -> Values:
    """Yield ``kept`` if state was passed between inferences, and ``set`` if a series also began with given contents."""
    if memory is not None and memory.series:
        yield "kept"
        if memory.begun:
            yield "set"


@cache
def parameters() -> tuple[Parameter, ...]:
    """Return every parameter of the file. Raise ProfileError with the line for an invalid file."""
    listed = read_yaml(rules_dir() / "verify" / "parameters.yaml", _FILE).only(("parameters",))
    found = []
    for name, node in entries(listed.get("parameters"), _FILE).values.items():
        entry: MappingNode = entries(node, _FILE).only(("operators", "words"))
        if name not in {*MEASURES, "memory"}:
            raise ProfileError(_FILE, entry.line, f"there is no parameter {name!r}")
        words = entries(entry.get("words"), _FILE).values
        found.append(
            Parameter(
                name, texts(entry.get("operators")), {value: text(said) for value, said in words.items()}
            )
        )
    return tuple(found)


def _first_tensor(operands: Operands) -> Tensor | None:
    return next((tensors[0] for tensors in operands.roles.values()), None)


def _length(tensor: Tensor | None, axis: int) -> int:
    """Return the length of a dimension; 0 if the tensor or the dimension does not exist."""
    shape = () if tensor is None else tensor.shape
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def _count_class(number: int, most: int = 1) -> Values:
    return ["one" if number <= most else "more"] if number > 0 else []


def _ratio(several: int, one: int) -> Values:
    return _count_class(several // one) if one else []


def _word(value: object) -> Values:
    return [] if value is None else [str(value)]


def _sides(height: object, width: object) -> Values:
    """Yield ``one``, ``equal`` or ``unequal`` for two lengths.

    For example, 4 and 4 give ``equal``, 4 and 5 ``unequal``.
    """
    if not isinstance(height, int) or not isinstance(width, int):
        return []
    return ["unequal" if height != width else "one" if height == 1 else "equal"]


def _batch(operands: Operands) -> Values:
    first = _first_tensor(operands)
    return _count_class(first.shape[0]) if first is not None and len(first.shape) > 1 else []


def _image(operands: Operands) -> Values:
    """Compare height and width of the first variable tensor with four dimensions."""
    tensors = (t[0] for t in operands.roles.values() if len(t[0].shape) == 4 and not t[0].is_constant)
    return _sides(*shape[1:3]) if (shape := next((t.shape for t in tensors), ())) else []


def _dilation(operands: Operands) -> Values:
    """Compare the dilations; a window side of length 1 has no dilation."""
    sides = (("h", kernel_h(operands)), ("w", kernel_w(operands)))
    return _sides(*(operands.option(f"dilation_{s}_factor", 1) if n != 1 else 1 for s, n in sides))


def _depth(operands: Operands) -> Values:
    products = accumulation_depth(operands)
    return _count_class(products, _DEPTH) if isinstance(products, int) else []


def _zero_point(operands: Operands) -> Values:
    """Compare the zero points of the first tensor with 0."""
    first = _first_tensor(operands)
    zeros = first.quantization.zero_point if first is not None and first.quantization.is_set else ()
    return ["other" if int(zero) else "zero" for zero in zeros]


def _shapes(operands: Operands) -> Values:
    """Compare the shapes of both inputs: ``alike``, ``one`` (an input has a single element) or ``other``."""
    tensors = [t[0] for role, t in operands.roles.items() if role != "output"][:2]
    if len(tensors) < 2:
        return []
    if tensors[0].shape == tensors[1].shape:
        return ["alike"]
    return ["one" if min(t.size for t in tensors) == 1 else "other"]


def _corners(operands: Operands) -> Values:
    """Return the alignment of input and output grid: ``aligned``, ``half`` or ``plain``."""
    return [word for word, name in _GRIDS if operands.option(name)] or ["plain"]


def _axis(operands: Operands) -> Values:
    options = operands.operator.options
    squeezed = () if options is None else options.get("squeeze_dims")
    axes = stated_axes(operands) or () if squeezed is None else squeezed
    return sorted({"negative" if axis < 0 else "other" for axis in axes})


def _masks(operands: Operands) -> Values:
    return [name for name in _MASKS if operands.option(f"{name}_mask")]


def _constants(operands: Operands, *roles: str) -> Iterator[int]:
    for role in roles:
        yield from short_constant(operands, role) or ()


def _steps(operands: Operands) -> Values:
    """Yield ``backward``, ``one`` or ``more`` for each stride. Example: strides (1, -2) give ``one`` and ``backward``."""
    strides = _constants(operands, "strides")
    return sorted({"backward" if step < 0 else "one" if step == 1 else "more" for step in strides})


def _sides_broadcast(operands: Operands) -> Values:
    """Yield the inputs with fewer elements than the output."""
    output = operands.one("output")
    several = operands.roles.items()
    return [role for role, t in several if output and role != "output" and t[0].size < output.size]


#: Measurements of an operator, by the parameter's name in the file.
MEASURES: Mapping[str, Measure] = {
    "batch": _batch,
    "image": _image,
    "window": lambda o: _sides(kernel_h(o), kernel_w(o)),
    "stride": lambda o: _sides(stride_h(o), stride_w(o)),
    "dilation": _dilation,
    "groups": lambda o: _ratio(_length(o.one("input"), 3), _length(o.one("weight"), 3)),
    "filters": lambda o: _ratio(_length(o.one("weight"), -1), _length(o.one("input"), -1)),
    "bias": lambda o: ["absent" if o.one("bias") is None else "present"],
    "weight_scales": lambda o: _count_class(w.quantization.scale.size if (w := o.one("weight")) else 0),
    "depth": _depth,
    "channels": lambda o: _count_class(_length(o.one("output"), -1), _CHANNELS),
    "zero_point": _zero_point,
    "elements": lambda o: _count_class(out.size if (out := o.one("output")) else 0, _ELEMENTS),
    "shapes": _shapes,
    "constant_operand": lambda o: ["yes" if any(t[0].is_constant for t in o.roles.values()) else "no"],
    "keep_dims": lambda o: ["yes" if o.option("keep_dims") else "no"],
    "axis": _axis,
    "masks": _masks,
    "steps": _steps,
    "indices": lambda o: ["negative" if min(_constants(o, "begin", "end"), default=0) < 0 else "other"],
    "sides": _sides_broadcast,
    "corners": _corners,
    "padding": lambda o: _word(padding(o)),
    "activation": lambda o: _word(fused_activation(o)),
}
