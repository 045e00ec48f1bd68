"""Execution of an operator of a model: the operator is bound to a kernel and computed."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from traceback import walk_tb
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from litecheck.model.graph import name_of
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import BITS
from litecheck.reference.backends import ALL_BACKENDS, backends_of, holding_conditions
from litecheck.reference.compute_limits import NO_MEMORY, WORKING, LimitError, reserve_working
from litecheck.reference.defects.defects import with_defect
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.registry import ANY, Kernel, KernelFunction, Variants, VariantSlot, kernels
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Outputs, OutputSpec, RunError

#: Parameters of kernels that are not operands.
EXTRAS = ("options", "variants", "operator", "intermediates", "interpreter", "backends")
#: Exceptions that numpy raises for inconsistent operands.
_MISFIT_ERRORS = (ValueError, IndexError, ZeroDivisionError, OverflowError)
_NO_STATE: Mapping[str, Array] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KernelSignature:
    """Roles of a kernel, from its parameters: inputs, outputs, repeated and required roles, other arguments."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    repeated: frozenset[str]
    required: frozenset[str]
    extras: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class BoundKernel:
    """Operator with all data that do not depend on its operands: kernel, variants by step, required outputs.

    ``slots`` are the steps for which the arithmetic chooses variants. ``arguments`` has the kernel's arguments that are not
    operands, by name, ``types`` the numpy types of the outputs. ``workspace`` is the number of bytes of intermediate
    arrays per element of an operand. ``broadcasts`` is True if an operand may repeat elements (broadcasting).
    """

    kernel: Kernel
    roles: KernelSignature
    slots: tuple[VariantSlot, ...]
    variants: Variants
    results: tuple[OutputSpec | None, ...]
    types: tuple[np.dtype[Any] | None, ...]
    arguments: Mapping[str, Any]
    what: str
    workspace: int = WORKING
    broadcasts: bool = False

    def under(self, variants: Variants) -> BoundKernel:
        """Return the same operator with other variants, by step."""
        if "variants" not in self.arguments:
            return self
        return replace(self, variants=variants, arguments={**self.arguments, "variants": variants})


@cache
def signature(function: KernelFunction) -> KernelSignature:
    """Return the roles of a kernel. Parameters annotated Operand are inputs, parameters annotated OutputSpec are outputs."""
    inputs: list[str] = []
    outputs: list[str] = []
    repeated: set[str] = set()
    needed: set[str] = set()
    parameters = inspect.signature(function).parameters
    for parameter in parameters.values():
        kind = str(parameter.annotation)
        if parameter.name in EXTRAS:
            continue
        (outputs if OutputSpec.__name__ in kind else inputs).append(parameter.name)
        if kind.startswith("tuple["):
            repeated.add(parameter.name)
        elif "None" not in kind:
            needed.add(parameter.name)
    extras = frozenset(parameters) & frozenset(EXTRAS)
    return KernelSignature(tuple(inputs), tuple(outputs), frozenset(repeated), frozenset(needed), extras)


def find_kernel(subgraph: Subgraph, operator: Operator) -> Kernel:
    """Return the kernel for an operator's types; a RunError for a missing kernel names operator, types and version."""
    for kernel in kernels().get(operator.kind, ()):
        if ANY in kernel.types or _deciding_type(subgraph, operator, kernel) in kernel.types:
            return kernel
    inputs = [subgraph.tensors[i].dtype if i >= 0 else "absent" for i in operator.inputs]
    outputs = [subgraph.tensors[i].dtype if i >= 0 else "absent" for i in operator.outputs]
    types = f"({', '.join(inputs)}) -> ({', '.join(outputs)})"
    name = f"custom operator {operator.custom_code!r}" if operator.opcode == "CUSTOM" else operator.opcode
    kind = f"{name} version {operator.version} of {types}"
    raise RunError(f"{_label(subgraph, operator)}: no kernel for {kind}")


def _label(subgraph: Subgraph, operator: Operator) -> str:
    return f"{operator.opcode} #{operator.index} '{name_of(subgraph, operator)}'"


def _deciding_type(subgraph: Subgraph, operator: Operator, kernel: Kernel) -> str | None:
    roles = signature(kernel.function)
    name = kernel.type_role or (roles.inputs[0] if roles.inputs else None)
    side, names = (
        (operator.outputs, roles.outputs) if name in roles.outputs else (operator.inputs, roles.inputs)
    )
    if name is None or names.index(name) >= len(side):
        return None
    index = side[names.index(name)]
    return subgraph.tensors[index].dtype if index >= 0 else None


def output_spec(tensor: Tensor) -> OutputSpec:
    """Return the required output of a tensor in a model: type, shape, quantization."""
    return OutputSpec(tensor.dtype, tensor.shape, tensor.quantization)


def slots_of(subgraph: Subgraph, operator: Operator) -> tuple[VariantSlot, ...]:
    """Return the steps of an operator's kernel that an arithmetic decides, under the conditions that hold."""
    kernel = find_kernel(subgraph, operator)
    roles = signature(kernel.function)
    extras = {condition for step in kernel.steps.values() for condition in step.conditions}
    held = holding_conditions(subgraph, operator, roles.inputs, roles.outputs, extras)
    return tuple(step.slot(name, held.__contains__) for name, step in kernel.steps.items())


_BOUND_KERNELS: WeakKeyDictionary[Subgraph, dict[Operator, BoundKernel]] = WeakKeyDictionary()


def bind(
    subgraph: Subgraph, operator: Operator, arithmetic: Arithmetic, interpreter: Any = None
) -> BoundKernel:
    """Return the operator's kernel with its variants under an arithmetic. Raises RunError if there is no kernel."""
    bound, chosen = bind_kernel(subgraph, operator), arithmetic.variants_of(subgraph, operator)
    kernel = with_defect(bound.kernel, chosen["defect"]) if "defect" in chosen else bound.kernel
    variants = {slot.step: slot.variant(chosen) for slot in bound.slots}
    extras = {"variants": variants, "interpreter": interpreter}
    own = {name: extra for name, extra in extras.items() if name in bound.roles.extras}
    return replace(bound, kernel=kernel, variants=variants, arguments={**bound.arguments, **own})


def bind_kernel(subgraph: Subgraph, operator: Operator) -> BoundKernel:
    """Return the operator's kernel without variants and interpreter, cached for the subgraph's lifetime."""
    known = _BOUND_KERNELS.setdefault(subgraph, {})
    if operator not in known:
        known[operator] = _bind_kernel(subgraph, operator)
    return known[operator]


def _bind_kernel(subgraph: Subgraph, operator: Operator) -> BoundKernel:
    kernel = find_kernel(subgraph, operator)
    roles = signature(kernel.function)
    _check_count(roles, roles.inputs, operator.inputs, f"{_label(subgraph, operator)}: operands")
    _check_count(roles, roles.outputs, operator.outputs, f"{_label(subgraph, operator)}: outputs")
    results = tuple(output_spec(subgraph.tensors[i]) if i >= 0 else None for i in operator.outputs)
    unsupported = [r.dtype for r in results if r and r.dtype not in NUMPY_TYPES and r.dtype != "resource"]
    if unsupported:
        raise RunError(f"{_label(subgraph, operator)}: an output is {unsupported[0]}")
    extras = {
        "options": operator.options,
        "operator": operator,
        "intermediates": tuple(output_spec(subgraph.tensors[i]) for i in operator.intermediates if i >= 0),
        "backends": backends_of(subgraph, operator, roles.inputs, roles.outputs)
        if "backends" in roles.extras
        else ALL_BACKENDS,
    }
    known = {name: extras[name] for name in extras if name in roles.extras} | _assign(
        roles.outputs, roles.repeated, results
    )
    types = tuple(np.dtype(NUMPY_TYPES[r.dtype]) if r and r.dtype in NUMPY_TYPES else None for r in results)
    facts = traits_of(operator.kind)
    few = facts.over or facts.result == "moved"
    return BoundKernel(
        kernel, roles, slots_of(subgraph, operator), {}, results, types, known, _label(subgraph, operator),
        workspace=kernel.workspace or (WORKING // 2 if few else WORKING),
        broadcasts=facts.elementwise == "binary",
    )  # fmt: skip


def _check_count(roles: KernelSignature, names: tuple[str, ...], given: Sequence[int], what: str) -> None:
    if len(given) > len(names) and not roles.repeated.intersection(names):
        raise RunError(f"{what}: {len(given)} given, the kernel knows {', '.join(names)}")
    absent = [name for at, name in enumerate(names) if at >= len(given) or given[at] < 0]
    missing = [name for name in absent if name in roles.required]
    if missing:
        raise RunError(f"{what}: {missing[0]} is missing")


def compute(bound: BoundKernel, operands: Sequence[Operand | None]) -> Outputs:
    """Run an operator on its operands, in file order, and return its outputs in file order.

    Raises RunError, with the operator's name, if the kernel cannot compute it, and LimitError if it exceeds the limits.
    """
    arguments = _assign(bound.roles.inputs, bound.roles.repeated, operands)
    arguments.update(bound.arguments)
    try:
        with np.errstate(all="ignore"):  # infinities and overflows are valid outputs
            reserve_working(operands, bound.workspace, bound.broadcasts)
            made: Any = bound.kernel.function(**arguments)
    except LimitError as error:
        raise error.with_operator(bound.what) from error
    except RunError as error:
        raise RunError(f"{bound.what}: {error}") from error
    except MemoryError as error:
        raise RunError(f"{bound.what}: {NO_MEMORY}") from error
    except _MISFIT_ERRORS as error:
        raise _misfit_error(bound, arguments) from error
    except TypeError as error:
        if not _is_numpy_error(error):
            raise
        raise _misfit_error(bound, arguments) from error
    except KeyError as error:
        # A kernel is found by one operand's type; a table of types without the type of a second operand raises this.
        if error.args[0] not in BITS:
            raise
        raise RunError(f"{bound.what}: no kernel for a {error.args[0]} operand beside the others") from error
    outputs, state = made, _NO_STATE
    if isinstance(made, Outputs):
        outputs, state = made.outputs, made.state
    elif not isinstance(made, tuple):
        outputs = (made,)
    if len(outputs) != len(bound.types):
        raise RunError(f"{bound.what}: makes {len(outputs)} outputs, the model has {len(bound.types)}")
    return Outputs(tuple([np.asarray(o, t) for o, t in zip(outputs, bound.types, strict=True)]), state)


def _misfit_error(bound: BoundKernel, arguments: Mapping[str, Any]) -> RunError:
    """Return an error that lists types and shapes by role; numpy's message is kept as the cause."""
    listed = []
    for role in (*bound.roles.inputs, *bound.roles.outputs):
        given = arguments[role] if isinstance(arguments[role], tuple) else (arguments[role],)
        kinds = ", ".join(_kind(one) for one in given if one is not None)
        if kinds:
            listed.append(f"{role} {kinds}")
    return RunError(f"{bound.what}: the operands do not fit each other: {'; '.join(listed)}")


def _kind(operand: Operand | OutputSpec) -> str:
    shape = operand.data.shape if isinstance(operand, Operand) else operand.shape
    return f"{operand.dtype} {'x'.join(map(str, shape)) or 'scalar'}"


#: Beginnings of numpy's and Python's messages for an operand of an unsuitable type, such as an index that is not an integer.
_NO_INTEGERS = ("ufunc ", "slice indices must be integers")


def _is_numpy_error(error: TypeError) -> bool:
    """Return True if the TypeError is about types of numpy arrays, not a bug in a kernel."""
    traces = [frame.f_globals["__name__"] for frame, _ in walk_tb(error.__traceback__)]
    names = (type(error).__module__, traces[-1])
    return any(n.partition(".")[0] == "numpy" for n in names) or str(error).startswith(_NO_INTEGERS)


class _RecordedVariants(Mapping[str, str]):
    """Variants by step, with a record of the steps that were read, in order."""

    def __init__(self, variants: Variants) -> None:
        self.variants, self.extras = variants, dict[str, None]()

    def __getitem__(self, step: str) -> str:
        variant = self.variants[step]
        self.extras[step] = None
        return variant

    def __contains__(self, step: object) -> bool:
        return step in self.variants

    def __iter__(self) -> Iterator[str]:
        return iter(self.variants)

    def __len__(self) -> int:
        return len(self.variants)


def compute_with_slots(
    bound: BoundKernel, operands: Sequence[Operand | None]
) -> tuple[Outputs, tuple[VariantSlot, ...]]:
    """Run an operator, and also return the slots that its kernel used, in the order of use."""
    recorded = _RecordedVariants(bound.variants)
    computed = compute(bound.under(recorded), operands)
    slots = {slot.step: slot for slot in bound.slots}
    return computed, tuple(slots[step] for step in recorded.extras)


def _assign(roles: tuple[str, ...], repeated: frozenset[str], given: Sequence[Any]) -> dict[str, Any]:
    assigned = dict.fromkeys(roles)
    assigned.update(zip(roles, given, strict=False))
    if roles and roles[-1] in repeated:
        assigned[roles[-1]] = tuple(given[len(roles) - 1 :])
    return assigned
