"""Impact of each violated requirement, measured on LiteRT.

    python -m tests.differential.effects --profile litert-runtime --operator CONV_2D --json build/samples.jsonl
    python -m tests.differential.effects --again build/samples.jsonl

The models of ``effects_cases`` are changed (``effects_mutants``) until each requirement is violated alone: litecheck
finds this path and no further path that the unchanged model lacks. ``COMPANIONS`` lists requirements that cannot be
violated separately. Each mutant runs on LiteRT in a separate process. Its observed effect is the first of these that
holds for the optimized kernels (``optimized``) and the default interpreter (``xnnpack``). Of the reference resolver,
only a crash counts if the two kernel sets compute outputs:

    crashes; rejected without the default delegate; fails to load; rejected by the default interpreter only;
    fails at run time; wrong results; crashes the reference resolver only

Wrong results differ from the operator's float kernel on the stated real values by more than the case's tolerance.
Without stated real values (``effects_meaning``) they differ from the unchanged model's outputs, on XNNPACK or on the
optimized kernels for operators that XNNPACK rejects. Correct outputs are *ignored by LiteRT*, or *outside the
specification* for requirements of the page. Hybrid kernels quantize float inputs: outputs as close as the unchanged
model's prove nothing.

The effect of a requirement is the gravest effect of at least a fifth of its plain mutants. A single odd value that
crashes, or a single value hidden by rounding, does not decide. The effect of a limit is the gravest effect of any
mutant, because only special numbers show it. Faults with a separate effect (malformed parameters) are compared with
that effect; a faint change that rounding hides is proved by a larger change. The exit code is 1 if a stated effect is
not the observed effect. Requirements that no mutant violates alone are listed: their effects are stated by analogy.
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
from tests.differential.effects_samples import (
    FAINT,
    IGNORED,
    PAGE,
    PROFILES,
    EffectObserver,
    Sample,
    by_path,
    derived,
)


@dataclass(frozen=True)
class Comparison:
    """Stated effect of a requirement, or of a single kind of its faults, and the effects of its mutants."""

    path: str
    kind: str
    stated: Effect
    observed: Effect | None
    """None if no mutant violates the requirement alone."""
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
    """Yield each requirement, and each kind of its faults, with the observed effects."""
    for r in requirements:
        for kind, samples in _by_kind(found.get(r.path, [])):
            counts = Counter(s.observed for s in samples if not s.own)
            shown = ", ".join(f"{n} {e}" for e, n in counts.most_common())
            own = r.of(kind)
            yield Comparison(r.path, kind, own.effect, derived(samples), shown, own.level == "violation")


def _by_kind(samples: list[Sample]) -> Iterator[tuple[str, list[Sample]]]:
    """Yield samples by kind of fault, first those of the requirement itself. They are empty if all faults have kinds."""
    kinds: dict[str, list[Sample]] = defaultdict(list, {"": []})
    for sample in samples:
        kinds[sample.kind].append(sample)
    yield from sorted(kinds.items())


def main() -> int:
    """Print wrong effects, the number of requirements for each effect, and requirements without a mutant."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", choices=PROFILES, help="run this profile [default: all]")
    parser.add_argument("--operator", default="", help="run this operator [default: all]")
    parser.add_argument("--change", default="", help="run mutants with this text in their name")
    parser.add_argument(
        "--spread", action="store_true", help="print the effects of each requirement's mutants"
    )
    parser.add_argument("--json", help="append every sample as a line to this file")
    parser.add_argument("--again", help="compare the rules with the samples of this file, without LiteRT")
    arguments = parser.parse_args()
    wrong = 0
    with ForkingOracle(60) as litert:
        for profile in [arguments.profile] if arguments.profile else PROFILES:
            observer = EffectObserver(litert, profile)
            samples = observer.samples(arguments.operator, arguments.change)
            if arguments.again:
                samples = _read(arguments.again, profile)
            elif arguments.json:
                samples = _written(samples, arguments.json, profile)
            wrong += _report(observer, by_path(samples), arguments.operator, arguments.spread)
    return 1 if wrong else 0


def _written(samples: Iterable[Sample], file: str, profile: str) -> Iterator[Sample]:
    """Yield the samples after writing each to the file, so that an interrupted run keeps them."""
    with open(file, "a") as lines:
        for sample in samples:
            print(json.dumps({"profile": profile, **asdict(sample)}), file=lines, flush=True)
            yield sample


def _read(file: str, profile: str) -> Iterator[Sample]:
    for line in Path(file).read_text().splitlines():
        fields = json.loads(line)
        if fields.pop("profile") == profile:
            yield Sample(**fields)


def _report(observer: EffectObserver, found: dict[str, list[Sample]], operator: str, spread: bool) -> int:
    """Print the table of a profile and return the number of wrong effects."""
    chosen = [r for p, r in observer.requirements.items() if not operator or p.split("/")[0] == operator]
    compared = list(comparisons(chosen, found))
    for c in compared:
        if c.wrong:
            print(f"{c.name}: stated {c.stated!r}, observed {c.observed!r} ({c.shown})")
        elif spread and c.observed:
            print(f"{c.name}: {c.observed} ({c.shown})")
        if c.observed == IGNORED and c.violation:
            print(f"{c.name}: a violation that LiteRT ignores ({c.shown})")
    wrong_effects = _own_effects(found)
    _table(observer, compared)
    return sum(c.wrong for c in compared) + wrong_effects


def _own_effects(found: dict[str, list[Sample]]) -> int:
    """Print wrong effects of faults with a separate effect, and return their number."""
    own = [s for samples in found.values() for s in samples if s.own]
    wrong_effects = wrong_own_effects(own)
    for s in wrong_effects:
        where = f"{s.path}, {s.case}, {s.change}"
        print(f"{where}: {s.found}; stated {s.said!r}, observed {s.observed!r} ({s.detail})")
    print(f"faults with a separate effect: {len(own)}, {len(wrong_effects)} of them wrong")
    return len(wrong_effects)


def wrong_own_effects(own: Sequence[Sample]) -> list[Sample]:
    """Return the faults with a separate effect that is not observed, without those that rounding hides."""
    proved = {(s.path, s.said) for s in own if s.said == s.observed and not s.change.endswith(FAINT)}
    return [s for s in own if s.said != s.observed and not _is_hidden(s, proved)]


def _is_hidden(sample: Sample, proved: set[tuple[str, Effect]]) -> bool:
    """Return True if rounding hides the effect of a faint change, and a larger change has the stated effect."""
    faint = sample.change.endswith(FAINT) and sample.observed in (IGNORED, PAGE)
    return faint and (sample.path, sample.said) in proved


def _table(observer: EffectObserver, compared: Sequence[Comparison]) -> None:
    """Print the number of stated and measured requirements for each effect, and list unmeasured requirements."""
    whole = [c for c in compared if not c.kind]
    proved = [c for c in whole if c.observed and not c.wrong]
    unproved = [c.path for c in whole if not c.observed]
    wrong = sum(c.wrong for c in compared)
    kinds = sum(bool(c.kind and c.observed and not c.wrong) for c in compared)
    print(
        f"{observer.profile.name}: {len(whole)} requirements, {len(proved)} proved, {wrong} wrong; ", end=""
    )
    print(
        f"{kinds} kinds of faults proved besides; {len(unproved)} requirements that no mutant violates alone"
    )
    for effect in EFFECTS:
        stated = sum(c.stated == effect for c in whole)
        if stated:
            print(f"  {effect}: {stated} stated, {sum(c.stated == effect for c in proved)} proved")
    for path in unproved:
        r = observer.requirements[path]
        print(f"  not proved: {path} ({r.effect}; demanded by {r.demand.profile})")


if __name__ == "__main__":
    sys.exit(main())
