"""Expected outputs of a test case under each arithmetic, and intermediate tensors and states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.arrays import Array, Arrays, stack_inferences
from litecheck.cases.inputs import PROPAGATED, exceeds_share
from litecheck.cases.merged_inferences import outputs_of, run_once, together
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli, Stimulus
from litecheck.cases.variable_state import Reach
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.equivalence import active_variants
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.engine.lifetimes import initial, last_use
from litecheck.reference.runtime_tensors import NUMPY_TYPES, RunError


class Expectation:
    """Outputs of arithmetics for the inputs of a case, computed once for all arithmetics that agree on its operators."""

    def __init__(self, case: Case, stimuli: Sequence[Stimulus]) -> None:
        self.case = case
        self._found: dict[Any, Sequence[Arrays] | None] = {}
        self._first: ReferenceInterpreter | None = None
        self._reach: dict[int, tuple[float, float]] = {}
        self.stimuli = Stimuli.of(stimuli)
        self._joins = together(case.submodel.model) > 1 and self.stimuli.independent

    def __call__(self, arithmetic: Arithmetic) -> Sequence[Arrays] | None:
        """Return the outputs for each inference; None if the reference cannot compute all of them."""
        key = active_variants(self.case.submodel.model, arithmetic)
        if key not in self._found:
            try:
                self._found[key] = self.compute(arithmetic)
            except RunError:
                self._found[key] = None
        return self._found[key]

    def compute(self, arithmetic: Arithmetic) -> Sequence[Arrays]:
        """Return the outputs for each inference; raises RunError, with the reason, if the reference cannot."""
        interpreter = self._interpreter(arithmetic)
        if self._joins:
            return outputs_of(interpreter, self.stimuli.runs)
        return stack_inferences([_outputs(interpreter, stimulus) for stimulus in self.stimuli])

    def _interpreter(self, arithmetic: Arithmetic) -> ReferenceInterpreter:
        """Return a new interpreter. All interpreters of the case share prepared constants."""
        self._first = self._first or ReferenceInterpreter(self.case.submodel.model, arithmetic)
        return self._first.under(arithmetic)

    def states(self, arithmetic: Arithmetic) -> Iterator[Mapping[int, Array]]:
        """Yield the contents of variable tensors of the case's model before each inference; variables without an entry
        have their initial contents.

        Raise RunError as ``compute`` does.
        """
        interpreter = self._interpreter(arithmetic)
        for stimulus in self.stimuli:
            _begin(interpreter, stimulus)
            yield {
                index: contents
                for (subgraph, index), contents in interpreter.variables.items()
                if not subgraph
            }
            run_once(interpreter, stimulus.arrays)

    def usable(self, arithmetic: Arithmetic) -> Stimuli:
        """Return the inputs that the reference can compute.

        Raise RunError if a propagated input, or every input, fails. Further inputs are ignored once the outputs take
        too much memory.
        """
        if self._joins and self(arithmetic) is not None:
            return self.stimuli
        interpreter = self._interpreter(arithmetic)
        kept: list[int] = []
        outputs: list[Arrays] = []
        for numbers in self.stimuli.series:
            try:
                for number in numbers:
                    outputs.append(_outputs(interpreter, self.stimuli[number]))
                    self._note(interpreter)
            except RunError:
                first, *_ = numbers
                if self.stimuli.kinds[first] == PROPAGATED or (
                    not kept and numbers.stop == len(self.stimuli)
                ):
                    raise
                del outputs[len(kept) :]
                continue
            kept += numbers
            if exceeds_share(sum(array.size for arrays in outputs for array in arrays)):
                break
        self.stimuli = self.stimuli.select(kept)
        self._found = {active_variants(self.case.submodel.model, arithmetic): stack_inferences(outputs)}
        return self.stimuli

    def reach(self) -> tuple[Reach, ...]:
        """Return the smallest and largest value of each variable tensor."""
        tensors = self.case.submodel.model.subgraphs[0].tensors
        return tuple(Reach(tensors[i].name, low, high) for i, (low, high) in self._reach.items())

    def _note(self, interpreter: ReferenceInterpreter) -> None:
        for (subgraph, index), contents in interpreter.variables.items():
            if not subgraph and contents.size and contents.dtype.kind in "iuf":
                low, high = self._reach.get(index, (np.inf, -np.inf))
                self._reach[index] = min(low, float(contents.min())), max(high, float(contents.max()))


def _outputs(interpreter: ReferenceInterpreter, stimulus: Stimulus) -> Arrays:
    _begin(interpreter, stimulus)
    return run_once(interpreter, stimulus.arrays)


def with_all_outputs(
    case: Case, several: Sequence[Stimulus], arithmetic: Arithmetic
) -> tuple[Case, list[Arrays]]:
    """Return a one-operator case with its variable tensors as further inputs, and the arrays of each inference.

    Each inference then needs no earlier inference. All other cases, and operators without such tensors, are returned
    unchanged.
    """
    main = case.submodel.model.subgraphs[0]
    held = [t for t in main.tensors if t.is_variable and t.dtype in NUMPY_TYPES]
    if len(case.operators) != 1 or not held:
        return case, [stimulus.arrays for stimulus in several]
    numbers = {t.index for t in held}
    tensors = tuple(replace(t, is_variable=False) if t.index in numbers else t for t in main.tensors)
    plain = replace(main, tensors=tensors, inputs=(*main.inputs, *(t.index for t in held)))
    model = replace(case.submodel.model, subgraphs=(plain, *case.submodel.model.subgraphs[1:]))
    whole = {new: old for old, new in case.submodel.tensors.items()}
    inputs = (*case.submodel.inputs, *(whole[t.index] for t in held))
    states = Expectation(case, several).states(arithmetic)
    arrays = [
        (*stimulus.arrays, *(state[t.index] if t.index in state else initial(t) for t in held))
        for stimulus, state in zip(several, states, strict=True)
    ]
    return replace(case, submodel=replace(case.submodel, model=model, inputs=inputs)), arrays


def _begin(interpreter: ReferenceInterpreter, stimulus: Stimulus) -> None:
    if not stimulus.follows:
        interpreter.restart()
        interpreter.variables.update({(0, index): contents for index, contents in stimulus.start.items()})


class TensorCache:
    """Tensors of a sample in a run through a subgraph: computed by the reference and still needed."""

    def __init__(
        self, model: Model, subgraph: Subgraph, inputs: Mapping[int, Array], arithmetic: Arithmetic
    ) -> None:
        self.subgraph = subgraph
        self.interpreter = ReferenceInterpreter(model, arithmetic)
        self.tensors: dict[int, Array] = dict(inputs)
        self._last = last_use(subgraph)
        self.kept: frozenset[int] = frozenset()
        """Tensors that are needed at the end."""

    def step(self, operator: Operator) -> None:
        """Compute an operator in the whole model's interpreter, which also has its resource handles; skip one that
        fails."""
        try:
            made = self.interpreter.step(self.subgraph, operator, self.tensors)
        except RunError:
            return
        self.tensors.update((i, o) for i, o in zip(operator.outputs, made.outputs, strict=True) if i >= 0)

    def note(self, made: Mapping[int, Array]) -> None:
        """Store tensors that a case computed."""
        self.tensors.update(made)

    def forget(self, operators: Sequence[Operator]) -> None:
        """Drop tensors that are not needed after these operators."""
        for index in (i for operator in operators for i in self._last.get(operator.index, ())):
            if index not in self.kept:
                self.tensors.pop(index, None)


def chain_caches(
    model: Model, subgraph: Subgraph, samples: Sequence[Mapping[int, Array]], arithmetic: Arithmetic
) -> list[TensorCache]:
    """Return a cache for each sample, each with the state that the previous sample left in the model."""
    ahead = ReferenceInterpreter(model, arithmetic)
    caches: list[TensorCache] = []
    for inputs in samples:
        caches.append(TensorCache(model, subgraph, inputs, arithmetic))
        caches[-1].interpreter.restore(ahead.state())
        scratch = TensorCache(model, subgraph, inputs, arithmetic)
        scratch.interpreter = ahead
        for operator in subgraph.operators:
            scratch.step(operator)
            scratch.forget((operator,))
    return caches
