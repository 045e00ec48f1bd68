"""Messages of Python and numpy in texts for users: every broken model through validate, inspect, explain and run.

``python -m tests.fuzz.leaks [--every N] [--mutants N]`` breaks each requirement of each profile once, cuts and damages
the constants and shapes of the operator's model, and mutates files. It prints each message with a phrase of Python.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from litecheck.checks.validate import validate
from litecheck.errors import LitecheckError, ModelError
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_models, model_from
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Tensor
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import UnsolvableError, conforming_plan
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.operator_plan import Plan
from litecheck.profile.types import OperatorRule, Profile
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.rendering.explain import explain
from litecheck.rendering.formats import render
from litecheck.rendering.inspect import model_text
from tests.fuzz.mutate import mutant
from tests.fuzz.seeds import built

#: Phrases of the exceptions of Python and numpy that litecheck's messages never have.
WORDS = re.compile(
    r"Traceback \(most|\b(Type|Value|Index|Key|Attribute|ZeroDivision|Overflow|Memory|Assertion|Recursion|Unicode\w+)Error\b"
    r"|object has no attribute|object is not|objects? (cannot|can't) be|(list|tuple|string) index out of"
    r"|is out of bounds for|out of bounds for axis|could not broadcast|not supported between|unsupported operand type"
    r"|invalid literal for|cannot reshape array|cannot be broadcast|not aligned|(integer|float) division|divide by zero"
    r"|list indices|slice indices|indices must be|values to unpack|ufunc|operands could not|setting an array element"
    r"|[Cc]annot cast|could not convert|negative dimensions are|array is too big|Unable to allocate|Maximum allowed"
    r"|must be (real|str|int|bytes)|unhashable|<class '|dtype\('|got an unexpected keyword|positional argument"
    r"|zero-size array|axes don't match|need at least one array|buffer is smaller|low >= high|high - low"
)
#: Limit of elements of a tensor.
LARGE = 1e6
_NO_OPERATORS = ("TENSOR", "SUBGRAPH")
#: Broken model: its origin, and the model or the bytes of a file.
Broken = tuple[str, Model | bytes]


def leaks(text: str) -> list[str]:
    """Return the lines with phrases of Python."""
    return [line.strip() for line in text.splitlines() if WORDS.search(line)]


def texts_of(broken: Model | bytes, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (command, text) for all texts about a model."""
    models: list[Model | ModelError] = [broken] if isinstance(broken, Model) else []
    if isinstance(broken, bytes):
        path = folder / "broken.tflite"
        path.write_bytes(broken)
        models = list(load_models(path))
    for model in models:
        if isinstance(model, ModelError):
            yield "read", "\n".join(map(str, model.problems))
            continue
        report = validate(model)
        yield "validate", render(report)
        yield "inspect", model_text(model, tensors=True)
        for path_of in {finding.path for finding in report.findings}:
            yield "explain", explain(path_of)
        yield "run", _run(model)


def _run(model: Model) -> str:
    """Return the error of running a model, else an empty text. Large models are skipped: they are slow."""
    if any(np.prod(tensor.shape, dtype=float) > LARGE for s in model.subgraphs for tensor in s.tensors):
        return ""
    try:
        with np.errstate(all="ignore"):
            ReferenceInterpreter(model).invoke(entry(model).random(0))
    except LitecheckError as error:
        return str(error)
    return ""


def of_rules(every: int) -> Iterator[Broken]:
    """Yield models with every Nth requirement of all profiles (except of placement) broken, and damaged models of every
    Nth rule.
    """
    rules = [
        (p, rule) for p in _profiles() for opcode, rule in p.operators.items() if opcode not in _NO_OPERATORS
    ]
    for profile, rule in rules[::every]:
        plan = _solved(profile, rule)
        if plan is not None:
            for title, bad in spoiled(assemble(plan)):
                yield f"{profile.name}: {rule.opcode}, {title}", bad
    demands = [(p, rule, requirement) for p, rule in rules for requirement in rule.requirements]
    for profile, rule, requirement in demands[::every]:
        plan = _solved(profile, rule)
        if plan is not None:
            for way in islice(violating_plans(profile, rule, requirement, plan, 0), 1):
                yield f"{profile.name}: {requirement.path}", assemble(way.plan)


def _profiles() -> list[Profile]:
    return [p for p in map(load_profile, profile_names()) if p.judges != "placement"]


@cache
def _plans() -> dict[tuple[str, str], Plan | None]:
    return {}


def _solved(profile: Profile, rule: OperatorRule) -> Plan | None:
    """Return a plan that conforms to the rule; None if only a whole model can conform."""
    plans, key = _plans(), (profile.name, rule.opcode)
    if key not in plans:
        with suppress(UnsolvableError, ValueError):
            plans[key] = conforming_plan(profile, rule, 0)
    return plans.setdefault(key, None)


def spoiled(model: Model) -> Iterator[tuple[str, Model]]:
    """Yield the model with the shape of a tensor, or an integer constant, changed to invalid values."""
    for tensor in model.subgraphs[0].tensors:
        for title, changed in (*_shapes(tensor), *_constants(tensor)):
            editor = SubgraphEditor(model.subgraphs[0])
            editor.set_tensor(tensor.index, **changed)
            try:
                made = with_subgraphs(model, [editor.finish()[0], *model.subgraphs[1:]])
                yield f"{title} of '{tensor.name}'", model_from(model_bytes(made), "spoiled")
            except ModelError:
                continue


def _shapes(tensor: Tensor) -> Iterator[tuple[str, dict[str, object]]]:
    if tensor.data is not None:
        return
    shape = tensor.shape
    others: dict[str, tuple[int, ...]] = {"one dimension more": (*shape, 2), "no elements": (0,) * len(shape)}
    if shape:
        others |= {"one dimension less": shape[1:], "larger": (*shape[:-1], shape[-1] + 1)}
    yield from ((title, {"shape": other}) for title, other in others.items())


def _constants(tensor: Tensor) -> Iterator[tuple[str, dict[str, object]]]:
    if tensor.data is None or tensor.dtype not in ("int32", "int64") or not tensor.shape:
        return
    values = np.frombuffer(bytes(tensor.data), tensor.dtype)
    ways: dict[str, Callable[[], object]] = {
        "too few": lambda: values[:-1],
        "too many": lambda: np.append(values, values[-1:]),
        "negative": lambda: values * 0 - 7,
        "huge": lambda: values * 0 + 2**30,
    }
    if values.size and len(tensor.shape) == 1:
        for title, way in ways.items():
            changed = np.asarray(way(), tensor.dtype)
            yield title, {"data": np.frombuffer(changed.tobytes(), np.uint8), "shape": changed.shape}


def of_files(mutants: int) -> Iterator[Broken]:
    """Yield files cut off at many places, and mutants."""
    for seed in built():
        for part in range(1, 8):
            yield f"{seed.name}, {part} of 8", bytes(seed.content)[: len(seed.content) * part // 8]
    for number in range(mutants):
        made = mutant(built(), 14, number)
        yield f"mutant {number} of {made.seed}: {made.operator}", made.content


def found(models: Iterator[Broken]) -> Iterator[tuple[str, str, str]]:
    """Yield (origin, command, line) of each message with phrases of Python, and of each exception."""
    with tempfile.TemporaryDirectory() as folder:
        for where, model in models:
            try:
                for command, text in texts_of(model, Path(folder)):
                    yield from ((where, command, line) for line in leaks(text))
            except Exception as error:
                yield where, "raised", f"{type(error).__name__}: {error}"


def main() -> int:
    """Print each message and the counts by command; return 1 if there is a message."""
    parser = argparse.ArgumentParser("python -m tests.fuzz.leaks", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--every", type=int, default=1, help="take every Nth model made from rules [default: 1]"
    )
    parser.add_argument("--mutants", type=int, default=2000, help="number of mutated files [default: 2000]")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for models in (of_rules(given.every), of_files(given.mutants)):
        for where, command, line in found(models):
            counts[command] += 1
            print(f"{command}: {where}: {line[:300]}", flush=True)
    print(f"{counts.total()} messages: {dict(counts)}")
    return int(counts.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
