"""Interpreter of whole models under an arithmetic. A tensor is freed after its last use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from litecheck.errors import ConfigError, wrong_type
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.public_call import shows_call
from litecheck.reference.compute_limits import (
    ComputeBudget,
    ComputeLimits,
    LimitError,
    budget,
    check_time,
    count_call,
    limits_in_force,
    spending,
)
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.dispatch import BoundKernel, bind, compute
from litecheck.reference.engine.entry_point import EntryPoint, entry
from litecheck.reference.engine.lifetimes import HeldBytes, State, initial, keep_freed_memory, last_use
from litecheck.reference.engine.prepared_constants import constant
from litecheck.reference.runtime_tensors import Array, Operand, Outputs, RunError

#: Called after each operator of the entry point with the operator and its outputs.
Progress = Callable[[Operator, tuple[Array, ...]], None]
#: Called with the inputs of a subgraph, the outputs of its operators, and new contents of its variables, in order.
Watch = Callable[[Subgraph, Sequence[int], Sequence[Array]], None]
#: Called with an operator of any subgraph and its operands before it runs.
Enter = Callable[[Subgraph, Operator, Sequence[Operand | None]], None]
Inputs = Mapping[str, Array] | tuple[Array, ...]

#: Maximum depth of subgraph calls. A deeper model is treated as recursive.
DEPTH = 32


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Inference: output arrays by name, and every kept tensor by its index in the subgraph."""

    outputs: Mapping[str, Array]
    tensors: Mapping[int, Array] = field(default_factory=dict)
    subgraph: int = 0


@shows_call("litecheck.run(model, (array,), arithmetic='litert-xnnpack')")
def run(
    model: Model,
    inputs: Inputs,
    *,
    arithmetic: Arithmetic | str = "litert-reference",
    signature: str | None = None,
    keep: str = "outputs",
    progress: Progress | None = None,
    limits: ComputeLimits | None = None,
) -> Run:
    """Run a model once on stored input values (int8 as int8, in the model's shapes), by tensor or signature name.

    ``keep="all"`` keeps every intermediate tensor. ``limits`` are 4 GiB of tensors, 250,000 calls of subgraphs and ten
    minutes for an operator by default. Raises RunError for inputs that do not fit and operators without a kernel,
    LimitError for an operator that exceeds the limits, ProfileError for an unreadable arithmetic. For several
    inferences see :class:`ReferenceInterpreter`.
    """
    return ReferenceInterpreter(model, arithmetic, limits).invoke(
        inputs, signature=signature, keep=keep, progress=progress
    )


class ReferenceInterpreter:
    """Model that can be run repeatedly. Constants are prepared once, variables keep their contents."""

    def __init__(
        self,
        model: Model,
        arithmetic: Arithmetic | str = "litert-reference",
        limits: ComputeLimits | None = None,
    ) -> None:
        if not isinstance(model, Model):
            call = "litecheck.run(litecheck.load_model('model.tflite'), inputs)"
            raise wrong_type("run", "a Model", model, call)
        self.model = model
        self.arithmetic = load_arithmetic(arithmetic) if isinstance(arithmetic, str) else arithmetic
        self.limits = limits or limits_in_force()
        self.variables: dict[tuple[int, int], Array] = {}
        """Contents of variable tensors, by subgraph and tensor."""
        self.resources: dict[tuple[str, str], Array | None] = {}
        """Contents of resource variables by container and shared name, in the order of their handles."""
        self.initialized: set[int] = set()
        """Subgraphs that CALL_ONCE has run."""
        self.watch: Watch | None = None
        self.enter: Enter | None = None
        self._constants: dict[tuple[int, int], Operand] = {}
        self._bound: dict[tuple[int, int], BoundKernel] = {}
        self._entries: dict[str | None, EntryPoint] = {}
        self._last: dict[int, dict[int, tuple[int, ...]]] = {}
        self._depth = 0
        self._number_resources()
        keep_freed_memory()

    def under(self, arithmetic: Arithmetic) -> ReferenceInterpreter:
        """Return a new interpreter of the model under another arithmetic. Both share prepared constants."""
        other = ReferenceInterpreter(self.model, arithmetic, self.limits)
        other._constants = self._constants
        return other

    def reset(self) -> None:
        """Reset variable tensors to their initial contents. Resources stay, as in LiteRT."""
        self.variables.clear()

    def restart(self) -> None:
        """Reset variables and resources to the contents in a new interpreter."""
        self.reset()
        self.resources.clear()
        self._number_resources()
        self.initialized.clear()

    def state(self) -> State:
        """Return a copy of the current state; later inferences do not change it."""
        return State(dict(self.variables), dict(self.resources), frozenset(self.initialized))

    def restore(self, state: State) -> None:
        """Continue from a state that :meth:`state` returned for this model."""
        self.variables = dict(state.variables)
        self.resources = dict(state.resources)
        self._number_resources()
        self.initialized = set(state.initialized)

    def handle_of(self, name: tuple[str, str]) -> int:
        """Return the number of a resource variable; a new variable is added for an unknown container and name."""
        if name not in self._handles:
            self.resources[name] = None
            self._handles[name] = len(self._names)
            self._names.append(name)
        return self._handles[name]

    def resource_name(self, handle: int) -> tuple[str, str]:
        """Return container and name of the resource variable of a handle. Raises IndexError for an unknown handle."""
        return self._names[handle]

    def _number_resources(self) -> None:
        """Give the resource variables their handles, in order."""
        self._names = list(self.resources)
        self._handles = {name: handle for handle, name in enumerate(self._names)}

    def invoke(
        self,
        inputs: Inputs,
        *,
        signature: str | None = None,
        keep: str = "outputs",
        progress: Progress | None = None,
    ) -> Run:
        """Run an inference: see :func:`run`. Raises ConfigError for an unknown ``keep``."""
        if keep not in ("outputs", "all"):
            raise ConfigError(f"keep: got {keep!r}, expected 'outputs' or 'all'")
        point = self._entries.get(signature)
        if point is None:
            point = self._entries[signature] = entry(self.model, signature)
        tensors = self.run(point.subgraph, point.arrange(inputs), keep_all=keep == "all", progress=progress)
        outputs = {name: tensors[index] for name, index in point.outputs}
        return Run(outputs, tensors if keep == "all" else {}, point.subgraph.index)

    def subgraph(self, index: int) -> Subgraph:
        """Return a subgraph by number. Raises RunError if it does not exist."""
        if not 0 <= index < len(self.model.subgraphs):
            raise RunError(f"there is no subgraph {index}")
        return self.model.subgraphs[index]

    def call(self, subgraph: int, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return the outputs of a called subgraph. Raises RunError for a missing subgraph or another number of inputs."""
        called = self.subgraph(subgraph)
        if len(called.inputs) != len(inputs):
            raise RunError(f"subgraph {subgraph} takes {len(called.inputs)} inputs, not {len(inputs)}")
        if self._depth >= DEPTH:
            raise LimitError(f"subgraph {subgraph} calls itself, or more than {DEPTH} others in a row")
        count_call()
        tensors = self.run(called, inputs)
        return tuple(tensors[index] for index in called.outputs)

    def run(
        self, subgraph: Subgraph, inputs: tuple[Array, ...], keep_all: bool = False,
        progress: Progress | None = None,
    ) -> dict[int, Array]:  # fmt: skip
        """Run a subgraph. Return its outputs, and with ``keep_all`` all computed tensors, by tensor index."""
        if self._depth:
            return self._run(subgraph, inputs, keep_all, progress)
        with spending(self._budget(inputs)):
            return self._run(subgraph, inputs, keep_all, progress)

    def _budget(self, arrays: Iterable[Array]) -> ComputeBudget:
        """Return the memory budget of an inference, less these tensors, the variables and the resources."""
        kept = (*arrays, *self.variables.values(), *self.resources.values())
        return ComputeBudget(self.limits, sum(array.nbytes for array in kept if array is not None))

    def _run(
        self, subgraph: Subgraph, inputs: tuple[Array, ...], keep_all: bool, progress: Progress | None
    ) -> dict[int, Array]:
        tensors = dict(zip(subgraph.inputs, inputs, strict=True))
        if subgraph.index not in self._last:
            self._last[subgraph.index] = last_use(subgraph)
        last = {} if keep_all else self._last[subgraph.index]
        spent, held = budget(), HeldBytes()
        self._depth += 1
        try:
            if self.watch:
                self.watch(subgraph, subgraph.inputs, inputs)
            for operator in subgraph.operators:
                if self._depth == 1:
                    spent.start_operator()
                outputs = self.step(subgraph, operator, tensors).outputs
                for index, array in zip(operator.outputs, outputs, strict=True):
                    if index >= 0:
                        tensors[index] = array
                        spent.allocated += held.add(index, array)
                if progress:
                    progress(operator, outputs)
                if self.watch:
                    self.watch(subgraph, operator.outputs, outputs)
                for index in last.get(operator.index, ()):
                    tensors.pop(index, None)
                    spent.allocated -= held.pop(index, 0)
        finally:
            self._depth -= 1
            spent.allocated -= sum(held.values())
        for index in subgraph.outputs:
            tensors.setdefault(index, self.operand(subgraph, index, tensors).data)
        return tensors

    def step(self, subgraph: Subgraph, operator: Operator, tensors: Mapping[int, Array]) -> Outputs:
        """Run an operator on the available tensors. New contents of variable operands are stored."""
        if self._depth:
            check_time()
            return self._step(subgraph, operator, tensors)
        with spending(self._budget(tensors.values())):
            budget().start_operator()
            return self._step(subgraph, operator, tensors)

    def _step(self, subgraph: Subgraph, operator: Operator, tensors: Mapping[int, Array]) -> Outputs:
        key = subgraph.index, operator.index
        bound = self._bound.get(key)
        if bound is None:
            bound = self._bound[key] = bind(subgraph, operator, self.arithmetic, self)
        operands = self.operands(subgraph, operator, tensors)
        if self.enter:
            self.enter(subgraph, operator, operands)
        made = compute(bound, operands)
        for role, contents in made.state.items():
            index = operator.inputs[bound.roles.inputs.index(role)]
            self.variables[subgraph.index, index] = contents
            if self.watch:
                self.watch(subgraph, (index,), (contents,))
        return made

    def operands(
        self, subgraph: Subgraph, operator: Operator, tensors: Mapping[int, Array]
    ) -> list[Operand | None]:
        """Return the operands of an operator in file order. A tensor listed twice is one Operand: some kernels test for
        identical operands."""
        read = {i: self.operand(subgraph, i, tensors) for i in dict.fromkeys(operator.inputs) if i >= 0}
        return [read.get(index) for index in operator.inputs]

    def operand(self, subgraph: Subgraph, index: int, tensors: Mapping[int, Array]) -> Operand:
        """Return a tensor as an operand: computed, variable or constant."""
        tensor = subgraph.tensors[index]
        array = tensors.get(index)
        if array is not None:
            return Operand(array, tensor.dtype, tensor.quantization)
        key = subgraph.index, index
        value = self._constants.get(key)
        if value is not None:
            return value
        if tensor.is_variable:
            if key not in self.variables:
                self.variables[key] = initial(tensor)
                budget().allocated += self.variables[key].nbytes
            return Operand(self.variables[key], tensor.dtype, tensor.quantization)
        value = constant(subgraph, tensor)
        if value is None:
            raise RunError(f"tensor {index} '{tensor.name}' of type {tensor.dtype} has no values")
        self._constants[key] = value
        return value
