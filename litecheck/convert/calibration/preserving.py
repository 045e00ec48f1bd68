"""LiteRT's interpreter with every tensor kept, so that intermediate ones can be looked at after an inference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.convert.calibration.statistics import Place
from litecheck.devices.adapters.litert import RESOLVERS, Session, memory_named, opened


class PreservingInterpreter:
    """A model in a file, run inference by inference; ``signatures`` are keys and subgraphs.

    Where XNNPACK cannot prepare a model, LiteRT's own kernels run it; ``kernels`` says which do.
    """

    def __init__(self, path: str, kernels: str, signatures: Sequence[tuple[str, int]]) -> None:
        """Raises RuntimeError and MemoryError as LiteRT does."""
        try:
            self._interpreter, self.kernels = _allocated(path, kernels), kernels
        except RuntimeError:
            if kernels != _DELEGATED:
                raise
            self._interpreter, self.kernels = _allocated(path, _PLAIN), _PLAIN
        self._signatures = signatures
        self._session: Session | None = None

    def reset(self) -> None:
        """Variable tensors as they are at first."""
        self._interpreter.reset_all_variables()

    def run(self, entered: int, inputs: Arrays) -> int:
        """One inference: of the first subgraph for 0, else of the signature of number ``entered`` - 1, whose inputs are
        in the order of their names. Returns the subgraph that ran."""
        if entered:
            key, subgraph = self._signatures[entered - 1]
            # While there is a runner, the interpreter believes that somebody holds a view of its memory.
            runner = self._interpreter.get_signature_runner(key)
            runner(**dict(zip(sorted(runner.get_input_details()), inputs, strict=True)))
            self._session = None  # a runner gives inputs other shapes
            return subgraph
        self._session = self._session or Session(self._interpreter)
        self._session.invoke(inputs)
        return 0

    def copy(self, place: Place) -> NDArray[Any]:
        """What a tensor holds now. Raises ValueError for one without memory."""
        values: NDArray[Any] = self._interpreter.get_tensor(place[1], place[0])
        return values

    def tensors(self, places: Iterable[Place], subgraph: int) -> Iterator[tuple[Place, NDArray[Any]]]:
        """What the tensors of the subgraph that ran hold: views of the first one's, which end with the next inference,
        copies of others'. Tensors without memory are left out."""
        for place, index in places:
            if place != subgraph:
                continue
            try:
                if subgraph:
                    yield (place, index), self._interpreter.get_tensor(index, subgraph)
                else:
                    yield (place, index), self._interpreter.tensor(index)()
            except ValueError:
                continue


#: Kernels that may refuse a model, and those that then run it.
_DELEGATED, _PLAIN = "xnnpack", "optimized"


def _allocated(path: str, kernels: str) -> Any:
    interpreter = opened(path, RESOLVERS[kernels], experimental_preserve_all_tensors=True)
    with memory_named(interpreter):
        interpreter.allocate_tensors()
    return interpreter
