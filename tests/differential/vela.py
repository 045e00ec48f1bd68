"""Placement beside Vela: ``python -m tests.differential vela --arch ethos-u55 --cases N --seed S``.

The models come from a generator that knows nothing of the rules, or with ``--bounds`` from one that takes every demand of
the profile from both sides; ``--graphs`` converts float nets for the target instead (``vela_converted``).

Each trial is a model of one operator. Vela's five fates are compared with the profile's four places, where what the
compiler folds away needs no CPU and so counts as on the NPU. Every class of disagreement is told with its smallest model.
For comparison the same is counted for the published list alone: the profile without what was measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from rich.progress import track

from litecheck.checks.placement import placement
from litecheck.devices.vela import Compilation, Fate, Vela, vela_version
from litecheck.finding import CPU
from litecheck.model.types import Model
from litecheck.placement import Place
from litecheck.profile.load import load_profile
from litecheck.profile.measurements.set_maps import parameters
from litecheck.profile.operators import facts_of
from litecheck.profile.types import OperatorRule, Profile, Rules
from tests.differential.vela_bounds import bounds
from tests.differential.vela_converted import PLACES, converted
from tests.differential.vela_oddities import drawn_operators


@dataclass
class Score:
    """How often a profile says what the compiler does; ``plain`` counts those of ``is_plain``."""

    trials: int = 0
    agreed: int = 0
    plain: int = 0
    plain_agreed: int = 0
    list_agreed: int = 0
    late: int = 0
    apart: dict[tuple[str, Fate, Place], list[str]] = field(default_factory=dict)

    def count(self, model: Model, found: Compilation, place: Place, listed: Place) -> None:
        """One trial."""
        if found.ending.startswith("no end"):
            self.late += 1
            return
        wanted = PLACES[found.fates[0]]
        agreed = place == wanted
        self.trials += 1
        self.agreed += agreed
        self.list_agreed += listed == wanted
        if is_plain(model):
            self.plain += 1
            self.plain_agreed += agreed
        if not agreed:
            key = (model.subgraphs[0].operators[0].opcode, found.fates[0], place)
            self.apart.setdefault(key, []).append(described(model, found))


#: The types that tensors of a plain model have.
_COMPUTED, _CONSTANT = ("int8", "int16"), ("int8", "int16", "int32", "int64")


def is_plain(model: Model) -> bool:
    """Whether a model is of int8 and int16 with constant weights and axes: all that is computed has one of the two types,
    what steers the operator (weights, biases, axes, shapes, margins) is constant, and constants are signed integers."""
    main = model.subgraphs[0]
    computed = [t for t in main.tensors if t.data is None]
    constants = [t for t in main.tensors if t.data is not None]
    operator = main.operators[0]
    steering = parameters(operator.kind)
    named = zip(facts_of(operator.kind).inputs, operator.inputs, strict=False)
    steers = [i for role, i in named if role in steering]
    return (
        bool(computed)
        and all(t.dtype in _COMPUTED for t in computed)
        and all(t.dtype in _CONSTANT for t in constants)
        and not any(main.tensors[i].data is None for i in steers if i >= 0)
    )


def described(model: Model, found: Compilation) -> str:
    """A model of one operator in one line, and what the compiler said."""
    why = " ".join((found.ending or found.said).split())[-160:]
    return f"{formed(model)}: {why}"


def formed(model: Model) -> str:
    """A model of one operator in one line: operands with types, shapes, scales and zero points, and its options."""
    main = model.subgraphs[0]
    operator = main.operators[0]

    def told(index: int) -> str:
        if index < 0:
            return "-"
        t = main.tensors[index]
        scale = f" {t.quantization.scale[0]:.4g}" if t.quantization.scale.size else ""
        point = f"@{t.quantization.zero_point[0]}" if t.quantization.zero_point.size else ""
        return f"{t.dtype}{list(t.shape)}{scale}{point}{'' if t.data is None else ' constant'}"

    ins, outs = (", ".join(map(told, side)) for side in (operator.inputs, operator.outputs))
    options = (
        {} if operator.options is None else {k: v for k, v in operator.options.fields.items() if np.any(v)}
    )
    return f"{operator.opcode}({ins}) -> {outs} {options or ''}".rstrip()


def published(profile: Profile) -> Profile:
    """The profile without what only measurements tell: what the compiler's own list says."""

    def only_listed(opcode: str) -> OperatorRule:
        rule = profile.operators[opcode]
        kept = tuple(r for r in rule.requirements if r.see.startswith("list"))
        return replace(rule, requirements=tuple(replace(r, effect=CPU) for r in kept))

    return replace(profile, operators=Rules(tuple(profile.operators), only_listed))


def compared(models: Iterable[Model], target: str) -> Score:
    """Vela and the profile on every model."""
    profile, score = load_profile(target), Score()
    listed = published(profile)
    with Vela(target, seconds=5) as compiler:
        for model in models:
            places = [placement(model, p)[0].operators[0].place for p in (profile, listed)]
            score.count(model, compiler.compile(model), *places)
    return score


def blind(seed: int, cases: int) -> Iterator[Model]:
    """Models of a generator that knows nothing of any profile."""
    return (drawn.model() for drawn in drawn_operators(seed, cases))


def percent(part: int, whole: int) -> str:
    """``99.15 % of 12,539``."""
    return f"{100 * part / max(whole, 1):.2f} % of {whole:,}"


def main(arguments: list[str]) -> int:
    """Print the score; 1 where nothing was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="ethos-u55", help="ethos-u55, ethos-u65 or ethos-u85")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bounds", action="store_true", help="models at the bounds of the profile")
    parser.add_argument("--most", type=int, default=4, help="in how many plans each demand is broken")
    parser.add_argument("--graphs", type=int, default=0, help="so many random float graphs, converted")
    parser.add_argument("--classes", type=int, default=40, help="how many classes of disagreement are told")
    options = parser.parse_args(arguments)
    if options.graphs:
        print(converted(options.arch, options.graphs, options.seed))
        return 0
    if options.bounds:
        score = compared(
            track(bounds(options.arch, options.seed, options.most), transient=True), options.arch
        )
    else:
        drawn = track(blind(options.seed, options.cases), total=options.cases, transient=True)
        score = compared(drawn, options.arch)
    print(f"{options.arch}, Vela {vela_version()}, seed {options.seed}")
    print(f"all models:            {percent(score.agreed, score.trials)} agree; {score.late} took too long")
    print(f"computed int8, int16:  {percent(score.plain_agreed, score.plain)}")
    print(f"the published list:    {percent(score.list_agreed, score.trials)}")
    for (opcode, fate, place), models_told in sorted(score.apart.items(), key=lambda e: -len(e[1]))[
        : options.classes
    ]:
        print(
            f"{len(models_told):5} {opcode}: Vela {fate}, profile {place}\n      {min(models_told, key=len)[:300]}"
        )
    return int(not score.trials)
