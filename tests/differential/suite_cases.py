"""Every case of a suite on LiteRT: each conforming case loads, runs, and equals the reference.

    python -m tests.differential.suite_cases --profile litert-int8 --level standard --select CONV_2D ADD

A conforming case must give the reference's bytes on LiteRT's reference kernels, and run on its further kernels.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from litecheck.model.save import model_bytes
from litecheck.profile.load import load_profile
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.case import LEVELS, SuiteCase
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.suite_cases import plan_cases
from tests.differential.one_operator import compare
from tests.differential.oracle import Oracle, Refused
from tests.differential.tflm import Tflm

RESOLVERS = ("reference", "optimized", "xnnpack")
#: Tolerance of real numbers, as a share of the largest, as in the profiles.
REALS = 4e-6
#: Known faults and gaps of LiteRT 2.3.0: beginning of the case's name, resolver, and description.
KNOWN: tuple[tuple[str, str, str], ...] = (
    ("CONV_2D/int8/no-bias", "*", "the kernel requires a bias, the page does not"),
    ("DEPTHWISE_CONV_2D/int8/no-bias", "optimized", "the kernel reads the missing bias"),
    ("DEPTHWISE_CONV_2D/int8/no-bias", "xnnpack", "the kernel reads the missing bias"),
    ("STABLEHLO_AND/int8/", "reference", "the reference resolver does not list the operator"),
    ("STABLEHLO_SHIFT_LEFT/int8/", "reference", "the reference resolver does not list the operator"),
    ("ELU/int8/", "reference", "the reference resolver does not list the operator"),
    ("SOFTMAX/int8/ties-scale-0-1", "reference", "the kernel ends the process on a row of 512 equal inputs"),
    ("SOFTMAX/int8/ties-scale-0-1", "tflm", "the kernel ends the process on a row of 512 equal inputs"),
    ("SOFTMAX/uint8/ties-scale-0-1", "reference", "the kernel ends the process on a row of 512 equal inputs"),
)


@dataclass(frozen=True)
class Verdict:
    """Outcome of a single case on a single resolver: ``same``, ``ran``, or the difference; ``known`` is the text of a
    known fault.
    """

    case: str
    resolver: str
    word: str
    detail: str = ""
    known: str = ""


def too_far(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return a mask of real numbers that differ by more than a different order of sums explains."""
    with np.errstate(invalid="ignore"):
        most = np.abs(theirs[np.isfinite(theirs)]).max(initial=0)
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        return ~same & ~(np.abs(ours - theirs) <= REALS * most)


def known(name: str, resolver: str) -> str:
    """Return the known fault of a case on a resolver, or ""."""
    return next(
        (reason for start, where, reason in KNOWN if name.startswith(start) and where in (resolver, "*")), ""
    )


def expected(case: SuiteCase, arithmetic: str) -> list[list[np.ndarray]]:
    """Return litecheck's outputs of each run; states persist within a series."""
    interpreter, main = ReferenceInterpreter(case.model, arithmetic), case.model.subgraphs[0]
    first = starts(case)
    made = []
    for number, run in enumerate(case.runs):
        if number in first:
            interpreter.restart()
        tensors = interpreter.run(main, run)
        made.append([tensors[index] for index in main.outputs])
    return made


def bytewise(case: SuiteCase) -> SuiteCase:
    """Return SUM as LiteRT's reference kernel computes it: the first bytes of each tensor as uint8, with unchanged zero
    points.
    """
    main = case.model.subgraphs[0]
    kinds = {i: replace(main.tensors[i], dtype="uint8") for i in (main.inputs[0], main.outputs[0])}
    tensors = tuple(kinds.get(tensor.index, tensor) for tensor in main.tensors)
    model = replace(case.model, subgraphs=(replace(main, tensors=tensors),))
    runs = tuple((leading(run[0], run[0].size).reshape(run[0].shape), *run[1:]) for run in case.runs)
    return replace(case, model=model, runs=runs)


def leading(values: np.ndarray, count: int) -> np.ndarray:
    """Return the first ``count`` bytes."""
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)[:count]


def misread(case: SuiteCase, theirs: Sequence[Sequence[np.ndarray]]) -> bool:
    """Return True if all outputs are those of LiteRT's reference kernel of SUM on the bytes."""
    ours = expected(bytewise(case), "litert-reference")
    pairs = zip(ours, theirs, strict=True)
    return all(np.array_equal(a[0].reshape(-1), leading(b[0], a[0].size)) for a, b in pairs)


def starts(case: SuiteCase) -> set[int]:
    """Return the runs that start from the initial state."""
    if not case.lengths:
        return set(range(len(case.runs)))
    ends = np.cumsum(case.lengths)
    return {0, *(int(end) for end in ends)}


def single(case: SuiteCase) -> SuiteCase:
    """Return the case with the first run of every series: the oracle starts every run from the initial state."""
    if not case.lengths:
        return case
    firsts = sorted(n for n in starts(case) if n < len(case.runs))
    return SuiteCase(case.name, case.opcode, case.kind, case.granularity, case.title, case.level, case.model,
                     tuple(case.runs[n] for n in firsts))  # fmt: skip


def judged(case: SuiteCase, litert: Oracle, resolvers: Sequence[str] = RESOLVERS) -> Iterator[Verdict]:
    """Yield the verdict of a conforming case on each resolver; the outputs of the first resolver are compared."""
    data, case = model_bytes(case.model), single(case)
    for number, resolver in enumerate(resolvers):
        reason = known(case.name, resolver)
        theirs = litert.run_many(data, case.runs, resolver)
        if isinstance(theirs, Refused):
            yield Verdict(case.name, resolver, "refused", " ".join(theirs.message.split())[-160:], reason)
            continue
        if number:
            yield Verdict(case.name, resolver, "ran")
            continue
        arithmetic = resolver if resolver == "tflm" else f"litert-{resolver}"
        score = compare(case.name, expected(case, arithmetic), theirs, too_far)
        word = "differs" if score.different else "same"
        if score.different and case.opcode == "SUM" and resolver == "reference" and misread(case, theirs):
            reason = "the kernel reads bytes of int8 and int16 as uint8, and writes such"
        yield Verdict(
            case.name, resolver, word, "; ".join(score.examples[:1]), reason if score.different else ""
        )


def main() -> int:
    """Print the differences, operators without a case, and counts; return 1 for a difference."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--profile", default="litert-int8", help="profile of the suite [default: litert-int8]"
    )
    parser.add_argument(
        "--level", default="standard", choices=LEVELS, help="level of the suite [default: standard]"
    )
    parser.add_argument("--select", nargs="*", default=[], help="patterns of operators [default: all]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the suite [default: 0]")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    size, seconds, wrong = 0, 0.0, 0
    suite = plan_cases(load_profile(arguments.profile), arguments.level, arguments.select, arguments.seed)
    micro = arguments.profile == "tflm"
    resolvers = ("tflm",) if micro else RESOLVERS
    with Tflm(60) if micro else Oracle(60) as litert:
        while True:
            begun = time.process_time()
            made = next(suite, None)
            seconds += time.process_time() - begun
            if made is None:
                break
            if isinstance(made, MissingCase):
                counts["gaps"] += 1
                print("gap", made.opcode, made.kind, made.form, made.reason, sep="|", flush=True)
                continue
            counts["refusals" if made.broken else "positive"] += 1
            size += len(model_bytes(made.model)) + sum(a.nbytes for run in made.runs for a in run)
            for verdict in judged(made, litert, resolvers) if not made.broken else ():
                counts[f"{verdict.resolver}: {verdict.word}{' (known)' if verdict.known else ''}"] += 1
                if verdict.word not in ("same", "ran") and not verdict.known:
                    wrong += 1
                    print(verdict.word, verdict.case, verdict.resolver, verdict.detail, sep="|", flush=True)
    print(
        arguments.profile, arguments.level, f"{size / 1e6:.1f} MB; {seconds:.1f} CPU s to plan", dict(counts)
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
