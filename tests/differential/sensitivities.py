"""Operators made worse by hand and ``litecheck convert --sensitivity``: the operator must be listed first.

    python -m tests.differential.sensitivities --trials 200 --seed 0

In eight float models, the weights of one operator get 3 levels or a scale that is wrong by a factor of 2, whenever this
operator is quantized alone. The ranking runs as in ``convert``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.conversion.agreement import Agreement, agreement
from litecheck.conversion.calibration.methods import choose_ranges, inner_ranges, range_methods
from litecheck.conversion.calibration.observe import observe
from litecheck.conversion.convert_float import Conversion, convert
from litecheck.conversion.groups import Key
from litecheck.conversion.request import Request
from litecheck.conversion.sensitivity import rank_operators
from litecheck.model.edit import SubgraphEditor
from litecheck.model.types import Model, Operator
from tests.differential.faults import Pair, pairs
from tests.differential.planted_faults import PlantedFault, finish, held, reweighted

Draw = np.random.Generator


def fewer_bits(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Round weights to 3 levels: -127, 0 and 127."""

    def change(rows: np.ndarray, axis: int) -> np.ndarray:
        return np.rint(rows / 127).astype(np.int64) * 127

    return reweighted("fewer_bits", model, op, change, "weights")


def wrong_scale(model: Model, op: Operator, draw: Draw) -> PlantedFault | None:
    """Halve or double all weight scales."""
    weight = held(model.subgraphs[0], op, "weight")
    if weight is None:
        return None
    editor, factor = SubgraphEditor(model.subgraphs[0]), np.float32(draw.choice((0.5, 2.0)))
    scales = replace(weight.quantization, scale=weight.quantization.scale * factor)
    editor.set_tensor(weight.index, quantization=scales)
    return finish("wrong_scale", model, editor, op, "weight_scale")


WORSE: tuple[Callable[[Model, Operator, Draw], PlantedFault | None], ...] = (fewer_bits, wrong_scale)


@dataclass
class RankedNet:
    """Float model with operators quantized one at a time; comparisons with the float model are cached."""

    pair: Pair
    conversion: Conversion = field(init=False)
    _alone: dict[Key, Conversion] = field(default_factory=dict)
    _compared: dict[Key, Agreement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        model = self.pair.real
        statistics, methods = observe(model, self.pair.data, device="litecheck"), range_methods(())
        self._ranges = choose_ranges(statistics, model, methods)
        self._inner = inner_ranges(statistics, methods)
        self.conversion = convert(model, Request(), self._ranges, inner=self._inner)

    def alone(self, key: Key) -> Conversion:
        """Return the conversion of a single operator."""
        if key not in self._alone:
            self._alone[key] = convert(self.pair.real, Request(only=(key,)), self._ranges, inner=self._inner)
        return self._alone[key]

    def compared(self, conversion: Conversion) -> Agreement:
        """Return the agreement with the float model."""
        return agreement(conversion.source, conversion.model, {}, self.pair.data, device="litecheck")

    def first(self, key: Key, worse: Conversion) -> Key:
        """Return the operator that the ranking lists first if the conversion of a single operator is ``worse``."""

        def alone(other: Key) -> Conversion:
            return worse if other == key else self.alone(other)

        def compared(conversion: Conversion) -> Agreement:
            found = next((k for k, one in self._alone.items() if one is conversion), None)
            if found is None:
                return self.compared(conversion)
            if found not in self._compared:
                self._compared[found] = self.compared(conversion)
            return self._compared[found]

        one = rank_operators(self.conversion, alone, compared, 1)[0]
        return one.subgraph, one.operator


def worsened(net: RankedNet, key: Key, kind: int, draw: Draw) -> Conversion | None:
    """Return the conversion of a single operator, made worse by hand, or None if it has no weights."""
    one = net.alone(key)
    number = one.origins[0].index(key[1])
    planted = WORSE[kind](one.model, one.model.subgraphs[0].operators[number], draw)
    return None if planted is None else replace(one, model=planted.model)


def campaign(
    nets: list[RankedNet], trials: int, seed: int, report: Callable[[str], None]
) -> dict[str, Counter[str]]:
    """Return, for each kind and in total, the number of trials and of trials with the worse operator first."""
    draw, table = np.random.default_rng(seed), {worse.__name__: Counter[str]() for worse in WORSE}
    done = 0
    while done < trials:
        net, kind = nets[done % len(nets)], int(draw.integers(len(WORSE)))
        quantized = [d for d in net.conversion.plan.operators if d.becomes == "int8" and d.subgraph == 0]
        key = (0, quantized[int(draw.integers(len(quantized)))].operator)
        worse = worsened(net, key, kind, draw)
        if worse is None:
            continue
        done += 1
        first = net.first(key, worse)
        table[WORSE[kind].__name__]["trials"] += 1
        table[WORSE[kind].__name__]["first"] += first == key
        if first != key:
            report(f"{net.pair.name}: {WORSE[kind].__name__} in #{key[1]}, first is #{first[1]}")
    return table


def main() -> int:
    """Run the campaign and print its table; return 1 below 95 %."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200, help="number of trials [default: 200]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the trials [default: 0]")
    options = parser.parse_args()
    table = campaign([RankedNet(pair) for pair in pairs()], options.trials, options.seed, print)
    sums = sum(table.values(), Counter[str]())
    for name, counts in (*table.items(), ("all", sums)):
        print(f"{name}: first in {counts['first']} of {counts['trials']} trials")
    return int(sums["first"] < 0.95 * sums["trials"])


if __name__ == "__main__":
    raise SystemExit(main())
