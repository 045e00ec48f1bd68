"""Agreement of placement with Vela: ``python -m tests.differential vela --arch ethos-u55 --cases 2000 --seed 1``.

The program draws models of a single operator, compiles each with Vela and compares the outcome with the placement of
the profile. Operators that the compiler optimizes out count as on the NPU. Agreement is reported by domain: *practical*
are the forms that converters write (``vela_practical``), *unverified* are all further forms. Each class of disagreement
has its smallest model. The constraints that the compiler prints are also counted alone, for comparison.

``--long`` draws tensors with long dimensions, and ``--bounds`` violates each requirement of the profile alone.
``--graphs N`` converts random float graphs for the target (``vela_converted``), and ``--nets N`` draws graphs of
several operators (``vela_nets``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from rich.progress import track

from litecheck.finding import CPU
from litecheck.model.types import Model, Operator
from litecheck.placement import Place
from litecheck.profile.load import load_profile
from litecheck.profile.types import OperatorRule, Profile, Rules
from litecheck.targets.ethos_u.compiler.vela import (
    ACCELERATORS,
    PLACES,
    Compilation,
    CompilerOutcome,
    Vela,
    vela_version,
)
from litecheck.targets.ethos_u.placement import place_model
from tests.differential.vela_bounds import Trial, bounds
from tests.differential.vela_converted import converted
from tests.differential.vela_nets import drawn_nets
from tests.differential.vela_oddities import drawn_operators
from tests.differential.vela_practical import is_practical
from tests.differential.vela_promises import kept
from tests.differential.vela_sides import long_operators


@dataclass
class Domain:
    """Agreement with the compiler in one domain; ``apart`` has the disagreements by operator, outcome and place."""

    trials: int = 0
    agreed: int = 0
    list_agreed: int = 0
    apart: dict[tuple[str, CompilerOutcome, Place], list[str]] = field(default_factory=dict)

    def classes(self) -> list[tuple[tuple[str, CompilerOutcome, Place], list[str]]]:
        """Return the classes of disagreement with their models, the most frequent first."""
        return sorted(self.apart.items(), key=lambda e: (-len(e[1]), e[0][0]))


@dataclass
class Score:
    """Agreement with the compiler by domain; ``late`` counts models beyond the time limit."""

    practical: Domain = field(default_factory=Domain)
    unverified: Domain = field(default_factory=Domain)
    late: int = 0

    def count(self, trial: Trial, found: Compilation, place: Place, listed: Place) -> None:
        """Add a trial."""
        model, at = trial
        if found.ending.startswith("no end"):
            self.late += 1
            return
        operator, outcome = model.subgraphs[0].operators[at], found.outcomes[at]
        domain = self.practical if is_practical(model, operator) else self.unverified
        domain.trials += 1
        domain.agreed += place == PLACES[outcome]
        domain.list_agreed += listed == PLACES[outcome]
        if place != PLACES[outcome]:
            key = (operator.opcode, outcome, place)
            domain.apart.setdefault(key, []).append(described(model, operator, found))


def described(model: Model, operator: Operator, found: Compilation) -> str:
    """Return an operator as a line of text, with the message of the compiler."""
    ending = " ".join((found.ending or found.log).split())[-160:]
    return f"{formed(model, operator)}: {ending}"


def formed(model: Model, operator: Operator) -> str:
    """Return an operator as a line of text: tensors with types, shapes, scales and zero points, and its options."""
    main = model.subgraphs[0]

    def description(index: int) -> str:
        if index < 0:
            return "-"
        t = main.tensors[index]
        scale = f" {t.quantization.scale[0]:.4g}" if t.quantization.scale.size else ""
        point = f"@{t.quantization.zero_point[0]}" if t.quantization.zero_point.size else ""
        return f"{t.dtype}{list(t.shape)}{scale}{point}{'' if t.data is None else ' constant'}"

    ins, outs = (", ".join(map(description, side)) for side in (operator.inputs, operator.outputs))
    options = (
        {} if operator.options is None else {k: v for k, v in operator.options.fields.items() if np.any(v)}
    )
    return f"{operator.opcode}({ins}) -> {outs} {options or ''}".rstrip()


def published(profile: Profile) -> Profile:
    """Return the profile with only the constraints that the compiler prints."""

    def only_listed(opcode: str) -> OperatorRule:
        rule = profile.operators[opcode]
        kept = tuple(r for r in rule.requirements if r.see.startswith("list"))
        return replace(rule, requirements=tuple(replace(r, effect=CPU) for r in kept))

    return replace(profile, operators=Rules(tuple(profile.operators), only_listed))


def compared(trials: Iterable[Trial], target: str) -> Score:
    """Compare the placement of a profile with Vela on every model."""
    profile, score = load_profile(target), Score()
    listed = published(profile)
    with Vela(target, seconds=5) as compiler:
        for trial in trials:
            places = [place_model(trial.model, p)[0].operators[trial.at].place for p in (profile, listed)]
            score.count(trial, compiler.compile(trial.model), *places)
    return score


def blind(seed: int, cases: int) -> Iterator[Trial]:
    """Yield random models of a single operator, drawn without a profile."""
    return (Trial(drawn.model()) for drawn in drawn_operators(seed, cases))


def long_sides(seed: int, cases: int) -> Iterator[Trial]:
    """Yield random models of a single operator with tensors of long dimensions."""
    return (Trial(drawn.model()) for drawn in long_operators(seed, cases))


def percent(part: int, whole: int) -> str:
    """Return a share as text. Example: ``99.15 % of 12,539``."""
    return f"{100 * part / max(whole, 1):.2f} % of {whole:,}"


def summary(score: Score, classes: int) -> Iterator[str]:
    """Yield the lines of a report: agreement by domain, then the classes of disagreement of each."""
    for name, domain in (("practical", score.practical), ("unverified", score.unverified)):
        agreed, listed = (percent(n, domain.trials) for n in (domain.agreed, domain.list_agreed))
        yield f"{name + ':':12}{agreed} agree; by the printed list only {listed}"
    yield f"{score.late} models exceeded the time limit"
    for name, domain in (("practical", score.practical), ("unverified", score.unverified)):
        for (opcode, outcome, place), examples in domain.classes()[:classes]:
            yield f"{name}: {len(examples)} {opcode}: Vela {outcome}, profile {place}\n      {min(examples, key=len)[:300]}"


def main(arguments: list[str]) -> int:
    """Print the agreement; return 1 if nothing was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--arch", default="ethos-u55", choices=ACCELERATORS, help="accelerator [default: ethos-u55]"
    )
    parser.add_argument("--cases", type=int, default=2000, help="number of models [default: 2000]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the models [default: 1]")
    parser.add_argument("--long", action="store_true", help="draw tensors with long dimensions")
    parser.add_argument("--bounds", action="store_true", help="violate each requirement of the profile alone")
    parser.add_argument(
        "--most", type=int, default=4, help="violate each requirement in at most N plans [default: 4]"
    )
    parser.add_argument("--graphs", type=int, default=0, help="convert N random float graphs instead")
    parser.add_argument("--nets", type=int, default=0, help="draw N graphs of several operators instead")
    parser.add_argument(
        "--classes", type=int, default=20, help="print at most N classes of each domain [default: 20]"
    )
    options = parser.parse_args(arguments)
    if options.graphs:
        print(converted(options.arch, options.graphs, options.seed))
        return 0
    if options.nets:
        nets = track(drawn_nets(options.seed, options.nets), total=options.nets, transient=True)
        print(kept(((f"net {n}", net.model()) for n, net in enumerate(nets)), options.arch))
        return 0
    if options.bounds:
        score = compared(
            track(bounds(options.arch, options.seed, options.most), transient=True), options.arch
        )
    else:
        models = (long_sides if options.long else blind)(options.seed, options.cases)
        score = compared(track(models, total=options.cases, transient=True), options.arch)
    print(f"{options.arch}, Vela {vela_version()}, seed {options.seed}")
    print("\n".join(summary(score, options.classes)))
    return int(not score.practical.trials)
