"""What the reference expects of a case: the outputs of its feeds under each arithmetic, and the states between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.inputs import PROPAGATED, Feed, series
from litecheck.cases.parts import Case
from litecheck.cases.side_by_side import outputs_of, together
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import Machine, initial
from litecheck.reference.operands import NUMPY_TYPES, RunError


class Expectation:
    """What arithmetics give for a case's feeds, each computed once: arithmetics alike on its operators share it."""

    def __init__(self, case: Case, feeds: Sequence[Feed]) -> None:
        self.case = case
        self.feeds = tuple(feeds)
        self._opcodes = sorted({op.kind for s in case.cut.model.subgraphs for op in s.operators})
        self._found: dict[Any, Sequence[Arrays] | None] = {}
        self._reach: dict[int, tuple[float, float]] = {}
        self._joins = together(case) > 1 and not any(feed.follows or feed.start for feed in feeds)

    def __call__(self, arithmetic: Arithmetic) -> Sequence[Arrays] | None:
        """The outputs for each feed; None where the reference cannot compute one of them."""
        key = self._key(arithmetic)
        if key not in self._found:
            try:
                self._found[key] = self.compute(arithmetic)
            except RunError:
                self._found[key] = None
        return self._found[key]

    def compute(self, arithmetic: Arithmetic) -> Sequence[Arrays]:
        """As calling it, but raises RunError with the reason."""
        machine = Machine(self.case.cut.model, arithmetic)
        if self._joins:
            return list(outputs_of(machine, self.case, [feed.arrays for feed in self.feeds]))
        return [_outputs(machine, feed) for feed in self.feeds]

    def states(self, arithmetic: Arithmetic) -> Iterator[Mapping[int, NDArray[Any]]]:
        """What variable tensors of the case's model hold before each feed; what is not named, as at first.

        Raises RunError as computing does.
        """
        machine = Machine(self.case.cut.model, arithmetic)
        for feed in self.feeds:
            _begin(machine, feed)
            yield {
                index: contents for (subgraph, index), contents in machine.variables.items() if not subgraph
            }
            _run(machine, feed)

    def usable(self, arithmetic: Arithmetic) -> tuple[Feed, ...]:
        """The feeds the reference can compute; raises RunError where one of the propagated ones is not, or none is."""
        if self._joins and self(arithmetic) is not None:
            return self.feeds
        machine = Machine(self.case.cut.model, arithmetic)
        kept: list[Feed] = []
        outputs: list[Arrays] = []
        for numbers in series(self.feeds):
            several = [self.feeds[n] for n in numbers]
            try:
                for feed in several:
                    outputs.append(_outputs(machine, feed))
                    self._note(machine)
            except RunError:
                if several[0].kind == PROPAGATED or (not kept and several[-1] is self.feeds[-1]):
                    raise
                del outputs[len(kept) :]
                continue
            kept += several
        self.feeds = tuple(kept)
        self._found = {self._key(arithmetic): outputs}
        return self.feeds

    def reach(self) -> tuple[str, ...]:
        """How far the variable tensors went, in words: ``state from -812 to 32,767``."""
        tensors = self.case.cut.model.subgraphs[0].tensors
        return tuple(f"'{tensors[i].name}' from {a:,.6g} to {b:,.6g}" for i, (a, b) in self._reach.items())

    def _note(self, machine: Machine) -> None:
        for (subgraph, index), contents in machine.variables.items():
            if not subgraph and contents.size and contents.dtype.kind in "iuf":
                low, high = self._reach.get(index, (np.inf, -np.inf))
                self._reach[index] = min(low, float(contents.min())), max(high, float(contents.max()))

    def _key(self, arithmetic: Arithmetic) -> Any:
        """The same for arithmetics that are alike on the case's operators."""
        return tuple(tuple(sorted(arithmetic.variants(opcode).items())) for opcode in self._opcodes)


def _outputs(machine: Machine, feed: Feed) -> Arrays:
    _begin(machine, feed)
    return _run(machine, feed)


def exposed(case: Case, several: Sequence[Feed], arithmetic: Arithmetic) -> tuple[Case, list[Arrays]]:
    """A case of one operator with its variable tensors as inputs, and what each feed then is: an inference that needs
    no past. Other cases, and feeds of operators without such tensors, as they are."""
    main = case.cut.model.subgraphs[0]
    held = [t for t in main.tensors if t.is_variable and t.dtype in NUMPY_TYPES]
    if len(case.operators) != 1 or not held:
        return case, [feed.arrays for feed in several]
    numbers = {t.index for t in held}
    tensors = tuple(replace(t, is_variable=False) if t.index in numbers else t for t in main.tensors)
    plain = replace(main, tensors=tensors, inputs=(*main.inputs, *(t.index for t in held)))
    model = replace(case.cut.model, subgraphs=(plain, *case.cut.model.subgraphs[1:]))
    whole = {new: old for old, new in case.cut.tensors.items()}
    inputs = (*case.cut.inputs, *(whole[t.index] for t in held))
    states = Expectation(case, several).states(arithmetic)
    arrays = [
        (*feed.arrays, *(state[t.index] if t.index in state else initial(t) for t in held))
        for feed, state in zip(several, states, strict=True)
    ]
    return replace(case, cut=replace(case.cut, model=model, inputs=inputs)), arrays


def _begin(machine: Machine, feed: Feed) -> None:
    if not feed.follows:
        machine.restart()
        machine.variables.update({(0, index): contents for index, contents in feed.start.items()})


def _run(machine: Machine, feed: Feed) -> Arrays:
    main = machine.model.subgraphs[0]
    tensors = machine.run(main, feed.arrays)
    return tuple(tensors[index] for index in main.outputs)
