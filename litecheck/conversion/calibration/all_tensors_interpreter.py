"""LiteRT's interpreter with every tensor preserved, so that intermediate tensors can be read after an inference."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.conversion.calibration.statistics import Place
from litecheck.devices.adapters.litert import RESOLVERS, Session, name_memory_errors, open_interpreter


class AllTensorsInterpreter:
    """A model in a file that runs inference by inference. ``signatures`` are keys and subgraphs.

    If XNNPACK cannot prepare a model, LiteRT's optimized kernels run it. ``kernels`` names the kernels that run.
    ``unpacks`` is True for a model with operators that unpack constants.
    """

    def __init__(
        self, path: str, kernels: str, signatures: Sequence[tuple[str, int]], unpacks: bool = False
    ) -> None:
        """Load the model. Raises RuntimeError and MemoryError as LiteRT does."""
        try:
            self._interpreter, self.kernels = _allocate(path, kernels), kernels
        except RuntimeError:
            if kernels != _DELEGATED:
                raise
            self._interpreter, self.kernels = _allocate(path, _PLAIN), _PLAIN
        self._signatures = signatures
        self._unpacked = _unpacked_tensors(path) if unpacks and self.kernels == _DELEGATED else {}
        self._session: Session | None = None

    def reset(self) -> None:
        """Reset the variable tensors."""
        self._interpreter.reset_all_variables()

    def run(self, entered: int, inputs: Arrays) -> int:
        """Run an inference and return the subgraph that ran.

        ``entered`` is 0 for the first subgraph, or the number of a signature plus 1. Inputs of a signature are in the
        order of their names.
        """
        if entered:
            key, subgraph = self._signatures[entered - 1]
            # While a runner exists, the interpreter assumes that a view of its memory is referenced.
            runner = self._interpreter.get_signature_runner(key)
            runner(**dict(zip(sorted(runner.get_input_details()), inputs, strict=True)))
            self._session = None  # a runner may resize inputs
            return subgraph
        self._session = self._session or Session(self._interpreter)
        self._session.invoke(inputs)
        return 0

    def copy(self, place: Place) -> NDArray[Any]:
        """Return a copy of a tensor's values. Raises ValueError for a tensor without memory."""
        values: NDArray[Any] | None = self._unpacked.get(place)
        return self._interpreter.get_tensor(place[1], place[0]) if values is None else values

    def tensors(self, places: Iterable[Place], subgraph: int) -> Iterator[tuple[Place, NDArray[Any]]]:
        """Yield the values of tensors of the subgraph that ran. Tensors without memory are omitted.

        Tensors of the first subgraph are views, which are valid until the next inference. Other tensors are copies.
        """
        for place, index in places:
            if place != subgraph:
                continue
            try:
                if (place, index) in self._unpacked:
                    yield (place, index), self._unpacked[place, index]
                elif subgraph:
                    yield (place, index), self._interpreter.get_tensor(index, subgraph)
                else:
                    yield (place, index), self._interpreter.tensor(index)()
            except ValueError:
                continue


#: Kernels that may reject a model, and the kernels that then run it.
_DELEGATED, _PLAIN = "xnnpack", "optimized"


def _unpacked_tensors(path: str) -> dict[Place, NDArray[Any]]:
    # Only a few models need this import.
    from litecheck.conversion.calibration.unpacked_tensors import unpacked_tensors

    return unpacked_tensors(path)


def _allocate(path: str, kernels: str) -> Any:
    with warnings.catch_warnings():  # LiteRT warns that preserved tensors take memory
        warnings.simplefilter("ignore", UserWarning)
        interpreter = open_interpreter(path, RESOLVERS[kernels], experimental_preserve_all_tensors=True)
    with name_memory_errors(interpreter):
        interpreter.allocate_tensors()
    return interpreter
