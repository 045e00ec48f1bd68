"""What becomes of a model that does not keep a requirement, measured: each requirement broken, and put to LiteRT.

    python -m tests.differential.effects [--profile P] [--operator X] [--change C] [--spread] [--json FILE] [--again FILE]

The models of ``effects_cases`` are changed (``effects_mutants``) until each requirement is broken alone: litecheck finds
that path and no other that the unchanged model has not (``COMPANIONS`` lists what cannot be broken without another).
Each such mutant runs on LiteRT in a process of its own. What it observes is the first of these that holds, for the
optimized kernels (``optimized``) and the default interpreter (``xnnpack``); of the debugging resolver of the
reference kernels only a crash counts, where the others compute:

    crashes > rejected without the default delegate > fails to load > rejected by the default interpreter only >
    fails at run time > wrong results > crashes the reference resolver only

Wrong is further from the operator's float kernel on the real values stated than the case allows; where nothing is
stated (``effects_meaning``), another result than the unchanged model's, be it of XNNPACK or of the optimized kernels
that compute what XNNPACK rejects. What runs and is right is ignored by LiteRT, and outside the specification where the
page demanded it. Hybrid kernels quantize float inputs, and outputs no farther off than the unchanged model's show nothing.

A requirement's effect is the gravest one that at least a fifth of its plain mutants show: one odd value that ends the
process does not make a requirement one that crashes, and one that rounding hides does not make it ignored. Of a limit
the gravest effect of any mutant holds: what it keeps out shows only with the numbers for it. Faults that
bring an effect of their own (malformed parameters) are held to that instead. Exit status 1 where a stated effect is not
the observed one. Requirements no mutant breaks alone are listed: their effects are stated by analogy, not proved.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from litecheck.finding import EFFECTS, Effect
from litecheck.profile.types import Requirement
from tests.differential.effects_oracle import ForkingOracle
from tests.differential.effects_samples import IGNORED, PROFILES, Laboratory, Sample, by_path, derived


@dataclass(frozen=True)
class Comparison:
    """What a rule states of a requirement, or of one kind of fault of it, and what its mutants show."""

    path: str
    kind: str
    stated: Effect
    observed: Effect | None
    """None where no mutant breaks it alone."""
    shown: str
    violation: bool

    @property
    def name(self) -> str:
        return f"{self.path}/{self.kind}" if self.kind else self.path

    @property
    def wrong(self) -> bool:
        return self.observed is not None and self.observed != self.stated


def comparisons(
    requirements: Iterable[Requirement], found: Mapping[str, list[Sample]]
) -> Iterator[Comparison]:
    """Each requirement, and each kind of fault that was seen of it, against what was observed."""
    for r in requirements:
        for kind, samples in _by_kind(found.get(r.path, [])):
            counts = Counter(s.observed for s in samples if not s.own)
            shown = ", ".join(f"{n} {e}" for e, n in counts.most_common())
            own = r.of(kind)
            yield Comparison(r.path, kind, own.effect, derived(samples), shown, own.level == "violation")


def _by_kind(samples: list[Sample]) -> Iterator[tuple[str, list[Sample]]]:
    """Samples by kind of fault, the requirement itself first; none may show a requirement whose faults all have kinds."""
    kinds: dict[str, list[Sample]] = defaultdict(list, {"": []})
    for sample in samples:
        kinds[sample.kind].append(sample)
    yield from sorted(kinds.items())


def main() -> int:
    """Print where a stated effect is not the observed one, the effects by number, and what is not proved."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", choices=PROFILES)
    parser.add_argument("--operator", default="")
    parser.add_argument("--change", default="", help="only mutants with this in their name")
    parser.add_argument("--spread", action="store_true", help="what each requirement's mutants show")
    parser.add_argument("--json", help="write every sample to this file, one a line, as it comes")
    parser.add_argument("--again", help="hold the rules to the samples in this file, without LiteRT")
    arguments = parser.parse_args()
    wrong = 0
    with ForkingOracle(60) as litert:
        for profile in [arguments.profile] if arguments.profile else PROFILES:
            laboratory = Laboratory(litert, profile)
            samples = laboratory.samples(arguments.operator, arguments.change)
            if arguments.again:
                samples = _read(arguments.again, profile)
            elif arguments.json:
                samples = _written(samples, arguments.json, profile)
            wrong += _report(laboratory, by_path(samples), arguments.operator, arguments.spread)
    return 1 if wrong else 0


def _written(samples: Iterable[Sample], file: str, profile: str) -> Iterator[Sample]:
    """The samples, each put down before it is passed on: a long run that ends early is not lost."""
    with open(file, "a") as lines:
        for sample in samples:
            print(json.dumps({"profile": profile, **asdict(sample)}), file=lines, flush=True)
            yield sample


def _read(file: str, profile: str) -> Iterator[Sample]:
    for line in Path(file).read_text().splitlines():
        fields = json.loads(line)
        if fields.pop("profile") == profile:
            yield Sample(**fields)


def _report(laboratory: Laboratory, found: dict[str, list[Sample]], operator: str, spread: bool) -> int:
    """One profile's table; how many effects are wrong."""
    chosen = [r for p, r in laboratory.requirements.items() if not operator or p.split("/")[0] == operator]
    compared = list(comparisons(chosen, found))
    for c in compared:
        if c.wrong:
            print(f"{c.name}: stated {c.stated!r}, observed {c.observed!r} ({c.shown})")
        elif spread and c.observed:
            print(f"{c.name}: {c.observed} ({c.shown})")
        if c.observed == IGNORED and c.violation:
            print(f"{c.name}: a violation that LiteRT ignores ({c.shown})")
    lies = _own_effects(found)
    _table(laboratory, compared)
    return sum(c.wrong for c in compared) + lies


def _own_effects(found: dict[str, list[Sample]]) -> int:
    """How many faults that bring an effect of their own have another."""
    own = [s for samples in found.values() for s in samples if s.own]
    lies = [s for s in own if s.said != s.observed]
    for s in lies:
        where = f"{s.path}, {s.case}, {s.change}"
        print(f"{where}: {s.found}; said {s.said!r}, observed {s.observed!r} ({s.detail})")
    print(f"faults with an effect of their own: {len(own)}, {len(lies)} of them wrong")
    return len(lies)


def _table(laboratory: Laboratory, compared: Sequence[Comparison]) -> None:
    """How many requirements have which effect, how many are proved, and which are not and whose they are."""
    whole = [c for c in compared if not c.kind]
    proved = [c for c in whole if c.observed and not c.wrong]
    unproved = [c.path for c in whole if not c.observed]
    wrong = sum(c.wrong for c in compared)
    kinds = sum(bool(c.kind and c.observed and not c.wrong) for c in compared)
    print(
        f"{laboratory.profile.name}: {len(whole)} requirements, {len(proved)} proved, {wrong} wrong; ", end=""
    )
    print(f"{kinds} kinds of faults proved besides; {len(unproved)} requirements no mutant here breaks alone")
    for effect in EFFECTS:
        stated = sum(c.stated == effect for c in whole)
        if stated:
            print(f"  {effect}: {stated} stated, {sum(c.stated == effect for c in proved)} proved")
    for path in unproved:
        r = laboratory.requirements[path]
        print(f"  not proved: {path} ({r.effect}; demanded by {r.demand.profile})")


if __name__ == "__main__":
    sys.exit(main())
