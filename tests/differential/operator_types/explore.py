"""Search for the signatures that a runtime runs: models of an operator are varied by one type or one group at a time.

The models are varied with every type. New signatures that run are varied again, with the types that run so far, until
no new signature runs. Operators with more than ``MANY`` tensors are varied once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from litecheck.model.save import model_bytes
from litecheck.model.stored_values import stored_integers, unpack
from litecheck.model.types import Model, Tensor
from litecheck.profile.operators import traits_of
from litecheck.profile.type_table import ABSENT
from litecheck.profile.types import OperatorRule
from litecheck.quantization import BITS, INTEGER_RANGES, Quantization
from tests.differential.operator_types.bases import varied
from tests.differential.operator_types.runtimes import RUNTIMES, Ran, Request, Runtimes
from tests.differential.operator_types.signatures import (
    BYTES,
    RARE,
    SCALED,
    TYPES,
    Base,
    Signature,
    disturbed,
    in_real_numbers,
    real_values,
    retyped,
    roles_of,
    scaled,
    stored_type,
    twin,
)

#: Types that Python does not read.
_OPAQUE = ("string", "bfloat16", "float8_e4m3fn", "float8_e5m2")
#: Types that numpy converts as C does.
_PLAIN = frozenset(
    {
        "bool",
        "complex64",
        "complex128",
        "float16",
        "float32",
        "float64",
        "uint16",
        "uint32",
        "uint64",
        *INTEGER_RANGES,
    }
)
#: Operators that compare or count strings.
_STRINGS = ("EQUAL", "NOT_EQUAL", "RANK", "SHAPE")
#: Operators with an independent output type.
CONVERT = ("CAST", "QUANTIZE")
#: Number of roles up to which signatures that run are varied again.
MANY = 5
#: Number of varied models of an operator with more than ``_WIDE`` roles.
_VARIED, _WIDE = 2, 12
#: Signatures of a single operator after which the search stops.
_MOST = 2_500
#: Types in place of a type with a scale that keep the parameters.
_KEPT = ("float32", "int8", "uint8", "int16", "int32", "int64", "bool", "int4", "float16")
#: Operators with random outputs, or outputs that differ from the inputs' numbers.
_RANDOM = (
    "BITCAST",
    "MULTINOMIAL",
    "RANDOM_STANDARD_NORMAL",
    "RANDOM_UNIFORM",
    "STABLEHLO_RNG_BIT_GENERATOR",
)


#: Stages of a model that is run again with different values, the gravest last.
_AGAIN = ("runs", "ignored", "chance", "wrong")
#: Inputs that operators reject if their values are negative.
_BOUNDED = ("positive", "non-negative")
#: Factors of the values of the further runs.
_FACTORS = (0.5, -0.5)


@dataclass(frozen=True)
class Tried:
    """Stage of each runtime with one signature; ``wrong`` if it runs and its values differ from the base model."""

    stages: Mapping[str, str]
    messages: Mapping[str, str]

    @property
    def runs(self) -> bool:
        """Return True if any runtime runs the signature and computes the right values."""
        return "runs" in self.stages.values()


def explore(runtimes: Runtimes, bases: Sequence[Base]) -> dict[Signature, Tried]:
    """Return every tried signature of a single operator."""
    tried: dict[Signature, Tried] = {}
    start = [base.signature for base in bases]
    start = start if len(start[0]) <= _WIDE else start[:_VARIED]
    controls = _controls(runtimes, bases)
    todo, lively = [(base, base.signature) for base in bases], varied(bases)
    while todo and len(tried) < _MOST:
        some = list(reversed(todo[: _MOST - len(tried)]))
        some.sort(key=_suits)  # the last model of a signature is used
        new = {s: base for base, s in some if s not in tried}
        found = dict(
            zip(new, _tried(runtimes, [(base, s) for s, base in new.items()], controls), strict=True)
        )
        found |= _again(runtimes, bases, new, found, controls)
        tried.update(found)
        ran = {c for s, t in tried.items() if t.runs for c in s} - {ABSENT}
        todo = [
            (lively[new[s]], other)
            for s in found
            if controls[new[s]].sound and (s in start or (tried[s].runs and len(s) <= MANY))
            for other in neighbors(bases[0].rule, s, (*TYPES, *RARE) if s in start else sorted(ran))
            if other not in tried
        ]
    return tried


def _suits(pair: tuple[Base, Signature]) -> int:
    """Count the roles with integers in both model and signature, or with floats in both.

    Sums of bytes wrap, and sums of the same values in float16 do not.
    """
    base, signature = pair
    return sum(
        ("float" in one) == ("float" in other) for one, other in zip(base.signature, signature, strict=True)
    )


def _again(
    runtimes: Runtimes,
    bases: Sequence[Base],
    new: Mapping[Signature, Base],
    found: Mapping[Signature, Tried],
    controls: Mapping[Base, Control],
) -> dict[Signature, Tried]:
    """Try signatures that a runtime does not run with further models of the same signature."""
    again = [
        (other, s) for s, base in new.items() if set(found[s].stages.values()) != {"runs"}
        for other in bases if other is not base and other.signature == base.signature
    ]  # fmt: skip
    best = dict(found)
    for (_, s), t in zip(again, _tried(runtimes, again, controls), strict=True):
        best[s] = max(best[s], t, key=lambda t: list(t.stages.values()).count("runs"))
    return best


def explore_kept(runtimes: Runtimes, bases: Sequence[Base]) -> dict[tuple[str, Signature], Tried]:
    """Return the signatures with a different type for one role with a scale, whose tensors keep their parameters."""
    controls, wanted = _controls(runtimes, bases), dict[tuple[str, Signature], Base]()
    for base in bases if len(bases[0].signature) <= _WIDE else bases[:_VARIED]:
        graph, before = base.model.subgraphs[0], base.signature
        for at, (role, indices) in enumerate(roles_of(base.rule, graph.operators[0]).items()):
            if controls[base].sound and any(graph.tensors[i].quantization.scale.size for i in indices):
                new = ((role, (*before[:at], t, *before[at + 1 :])) for t in _KEPT if t != before[at])
                wanted |= {one: base for one in new if one not in wanted}
    trials = [_Trial(base, s, *retyped(base, s, kept=True)) for (_, s), base in wanted.items()]
    return dict(zip(wanted, map(_as_tried, _staged(runtimes, trials, controls)), strict=True))


def try_signatures(runtimes: Runtimes, wanted: Sequence[tuple[Base, Signature]]) -> list[Tried]:
    """Return the stages of signatures, each from its base model."""
    controls = _controls(runtimes, list(dict.fromkeys(base for base, _ in wanted)))
    return _tried(runtimes, wanted, controls)


def neighbors(rule: OperatorRule, signature: Signature, types: Sequence[str]) -> Iterator[Signature]:
    """Yield the signatures with a different type for one role, or for all roles of a single type, or without an
    optional input.
    """
    for at, (role, dtype) in enumerate(zip(rule.roles, signature, strict=False)):
        if role in rule.optional and len(signature) <= MANY:
            yield (*signature[:at], ABSENT, *signature[at + 1 :])
        if dtype != "-":
            yield from ((*signature[:at], t, *signature[at + 1 :]) for t in types if t != dtype)
    for group in dict.fromkeys(signature):
        if group != "-" and signature.count(group) > 1:
            yield from (tuple(t if d == group else d for d in signature) for t in types if t != group)


@dataclass(frozen=True)
class Control:
    """Runtime with the correct values of a base model, and the roles with values that have no effect on them."""

    runtime: str
    blind: frozenset[int] = frozenset()
    wrong: frozenset[str] = frozenset()
    """Runtimes with values that differ from LiteRT's float kernel on the real values."""

    @property
    def sound(self) -> bool:
        """True if the values of the runtime are correct."""
        return self.runtime not in self.wrong


def _controls(runtimes: Runtimes, bases: Sequence[Base]) -> dict[Base, Control]:
    """Return the control of each base model: runs with changed values of one role at a time."""
    plain = runtimes.run(list(map(_whole, bases)))
    able = [next((r for r in ("optimized", *RUNTIMES) if ran[r].stage == "runs"), "") for ran in plain]
    changes = [
        (n, at, made) for n, base in enumerate(bases) if able[n]
        for at in range(len(base.rule.inputs)) for made in disturbed(base, at)
    ]  # fmt: skip
    answers = runtimes.run([_request(*made, (able[n],)) for n, _, made in changes])
    seen: list[set[int]] = [set() for _ in bases]
    for (n, at, _), answer in zip(changes, answers, strict=True):
        if _moved(bases[n], plain[n][able[n]], answer[able[n]]):
            seen[n].add(at)
    floats = runtimes.run([_request(*in_real_numbers(base), ("optimized",)) for base in bases])
    wrong = [_wrong(base, ran, f["optimized"]) for base, ran, f in zip(bases, plain, floats, strict=True)]
    return {
        base: Control(able[n] or "optimized", _without_effect(base, seen[n]), wrong[n])
        for n, base in enumerate(bases)
    }


def _wrong(base: Base, ran: Mapping[str, Ran], real: Ran) -> frozenset[str]:
    """Return the runtimes with outputs that differ from the float model; of LiteRT's resolvers none if the optimized
    resolver is correct.
    """
    graph, read = base.model.subgraphs[0], data_types(base.rule, base.signature)
    stored = any(t.dtype in SCALED and not t.quantization.scale.size for t in graph.tensors)
    if real.stage != "runs" or stored or base.rule.opcode in (*CONVERT, *_RANDOM, "DEQUANTIZE"):
        return frozenset()
    plain = replace(graph.tensors[graph.outputs[0]], dtype="float32", quantization=Quantization())
    found = {
        r for r, a in ran.items() if a.stage == "runs" and any(
            _off(base.rule.opcode, plain, e, graph.tensors[i], o, read)
            for i, e, o in zip(graph.outputs, real.outputs, a.outputs, strict=True)
        )
    }  # fmt: skip
    return frozenset(found if "optimized" in found else found & {"tflm"})


def _without_effect(base: Base, seen: set[int]) -> frozenset[int]:
    """Return the inputs without effect. Indices, shapes and strings do not count; operators that read no values have
    none.
    """
    traits = traits_of(base.rule.opcode)
    pairs = enumerate(zip(base.rule.inputs, base.signature, strict=False))
    data = {n for n, (role, dtype) in pairs if not traits.steers(role) and dtype != "string"}
    return frozenset(data - seen) if data & seen else frozenset()


def _moved(base: Base, before: Ran, after: Ran) -> bool:
    """Return True if outputs differ by more than the tolerance of different types, or cannot be compared."""
    graph, read = base.model.subgraphs[0], data_types(base.rule, base.signature)
    if {before.stage, after.stage} != {"runs"} or len(before.outputs) != len(after.outputs):
        return True
    triples = zip(graph.outputs, before.outputs, after.outputs, strict=True)
    return any(
        a is None or b is None or bool(_off(base.rule.opcode, graph.tensors[i], a, graph.tensors[i], b, read))
        for i, a, b in triples
    )


def _whole(base: Base) -> Request:
    return _request(base.model, base.inputs)


def _request(model: Model, inputs: Sequence[np.ndarray], runtimes: Sequence[str] = RUNTIMES) -> Request:
    return Request(model_bytes(model), tuple(inputs), tuple(runtimes))


@dataclass(frozen=True, eq=False)
class _Trial:
    """Base model with a signature."""

    base: Base
    signature: Signature
    model: Model
    inputs: tuple[np.ndarray, ...]


def _tried(
    runtimes: Runtimes, wanted: Sequence[tuple[Base, Signature]], controls: Mapping[Base, Control]
) -> list[Tried]:
    """Try signatures, each with fitting parameters."""
    trials = [_Trial(base, s, *retyped(base, s)) for base, s in wanted]
    return list(map(_as_tried, _staged(runtimes, trials, controls)))


def _as_tried(got: Mapping[str, tuple[str, str]]) -> Tried:
    return Tried({r: a[0] for r, a in got.items()}, {r: a[1] for r, a in got.items()})


def _staged(
    runtimes: Runtimes, trials: Sequence[_Trial], controls: Mapping[Base, Control]
) -> list[dict[str, tuple[str, str]]]:
    """Return the stage and message of each trial by runtime. A trial that runs is repeated with its inputs halved and
    reversed, and with these negated.

    A wrong type may give correct values by chance, and a kernel that writes beyond a tensor may not crash.
    """
    first = _staged_once(runtimes, trials, controls)
    again = [
        n for n, by_runtime in enumerate(first) if trials[n].signature != trials[n].base.signature
        and any(stage in _AGAIN for stage, _ in by_runtime.values())
    ]  # fmt: skip
    for factor in _FACTORS:
        others = _staged_once(runtimes, [_reversed(trials[n], factor) for n in again], controls)
        for n, second in zip(again, others, strict=True):
            first[n] = {
                r: max(a, second[r], key=_graver) if a[0] in _AGAIN else a for r, a in first[n].items()
            }
    run = [n for n in again if any(stage in ("runs", "ignored") for stage, _ in first[n].values())]
    for n, blind in zip(run, _blind(runtimes, [trials[n] for n in run], controls), strict=True):
        if _strays(trials[n], blind):
            by_chance = ("chance", "values without effect")
            first[n] = {r: by_chance if a[0] in ("runs", "ignored") else a for r, a in first[n].items()}
    return first


def _blind(
    runtimes: Runtimes, trials: Sequence[_Trial], controls: Mapping[Base, Control]
) -> list[frozenset[int]]:
    """Return the inputs of each trial with a different type whose values, negated or halved, have no effect in the base
    model.
    """
    able = [controls[t.base].runtime for t in trials]
    twins = [Base(t.base.name, t.base.rule, *twin(t.base, t.model, t.inputs)) for t in trials]
    plain = runtimes.run([_request(b.model, b.inputs, (r,)) for b, r in zip(twins, able, strict=True)])
    changed = [_retyped_data(t) for t in trials]
    changes = [(n, at, made) for n, b in enumerate(twins) for at in changed[n] for made in disturbed(b, at)]
    answers = runtimes.run([_request(*made, (able[n],)) for n, _, made in changes])
    moved: dict[tuple[int, int], list[bool]] = {}
    for (n, at, _), answer in zip(changes, answers, strict=True):
        moved.setdefault((n, at), []).append(_moved(twins[n], plain[n][able[n]], answer[able[n]]))
    # An output depends only slightly on each of many tensors: both changes must have an effect.
    wide = [len(t.signature) > _WIDE for t in trials]
    seen = {(n, at) for (n, at), each in moved.items() if (all if wide[n] else any)(each)}
    return [
        frozenset(at for at in changed[n] if (n, at) not in seen) | controls[t.base].blind
        for n, t in enumerate(trials)
    ]


def _retyped_data(trial: _Trial) -> list[int]:
    """Return the data inputs with a different type, except bools with a scale, whose two values are near."""
    graph = trial.model.subgraphs[0]
    places = list(roles_of(trial.base.rule, graph.operators[0]).values())
    rule, before, now = trial.base.rule, trial.base.signature, trial.signature
    return [
        n for n, role in enumerate(rule.inputs)
        if now[n] not in (before[n], ABSENT)
        and "string" not in (before[n], now[n]) and not traits_of(rule.opcode).steers(role)
        and not (now[n] == "bool" and any(graph.tensors[i].quantization.scale.size for i in places[n]))
    ]  # fmt: skip


def _graver(stage: tuple[str, str]) -> int:
    return _AGAIN.index(stage[0]) if stage[0] in _AGAIN else len(_AGAIN)


def _reversed(trial: _Trial, factor: float) -> _Trial:
    """Return the trial with the values of each input times a factor, in reverse order; indices, shapes and axes stay."""
    graph, traits = trial.model.subgraphs[0], traits_of(trial.base.rule.opcode)
    places = roles_of(trial.base.rule, graph.operators[0])
    steering = {i for role in trial.base.rule.inputs if traits.steers(role) for i in places[role]}
    pairs = zip(graph.inputs, trial.inputs, strict=True)
    bounded = {
        i for role in trial.base.rule.inputs if traits.inputs.get(role) in _BOUNDED for i in places[role]
    }
    factors = (abs(factor) if i in bounded else factor for i in graph.inputs)
    new = (
        (x, x if i in steering else scaled(graph.tensors[i], x, f))
        for (i, x), f in zip(pairs, factors, strict=True)
    )
    return replace(trial, inputs=tuple(h if h is x else h.reshape(-1)[::-1].reshape(x.shape) for x, h in new))


def _staged_once(
    runtimes: Runtimes, trials: Sequence[_Trial], controls: Mapping[Base, Control]
) -> list[dict[str, tuple[str, str]]]:
    """Return the stage and message of each trial by runtime, of one run."""
    got = runtimes.run([_request(t.model, t.inputs) for t in trials])
    ran = [n for n, answers in enumerate(got) if any(a.stage == "runs" for a in answers.values())]
    twins = [twin(trials[n].base, trials[n].model, trials[n].inputs) for n in ran]
    able = [controls[trials[n].base].runtime for n in ran]
    requests = [_request(*made, (runtime,)) for made, runtime in zip(twins, able, strict=True)]
    good = dict(zip(ran, (next(iter(a.values())) for a in runtimes.run(requests)), strict=True))
    return [
        {r: _stage(trials[n], r, a, good.get(n), controls[trials[n].base]) for r, a in answers.items()}
        for n, answers in enumerate(got)
    ]


def _stage(trial: _Trial, runtime: str, ran: Ran, good: Ran | None, control: Control) -> tuple[str, str]:
    """Return the stage and message. ``wrong``: values differ from the base model. ``ignored``: the runtime replaces the
    stated type of an output. ``chance``: outputs do not depend on the values of a tensor with a different type.
    """
    rule, mine = trial.base.rule, trial.model.subgraphs[0]
    if ran.stage == "runs" and trial.signature == trial.base.signature and runtime in control.wrong:
        return "wrong", "other values than the float kernel"
    if ran.stage != "runs" or trial.signature == trial.base.signature or rule.opcode in _RANDOM:
        return ran.stage, ran.message
    if not control.sound:
        return "chance", "compared with a model that is wrong"
    if (good is None or good.stage != "runs") and _changes_data(trial):
        return "chance", "compared with a model that does not run"
    read, replaced = data_types(rule, trial.signature), ""
    for n, (index, packed) in enumerate(zip(mine.outputs, ran.outputs, strict=True)):
        tensor = mine.tensors[index]
        stored = _unpacked(packed, tensor.dtype) if runtime == "tflm" else packed
        if stored is not None and stored.dtype.name not in (stored_type(tensor.dtype), "object"):
            replaced, tensor = f"{stored.dtype.name} instead", replace(tensor, dtype=stored.dtype.name)
        expected = None if good is None or good.stage != "runs" else good.outputs[n]
        off = cast_difference(trial.model, trial.inputs, tensor, stored) if rule.opcode == "CAST" else None
        if off is None:
            before = trial.base.model.subgraphs[0].tensors[index]
            off = _off(rule.opcode, before, expected, tensor, stored, read)
        if off:
            return "wrong", off
    if replaced:
        return "ignored", replaced
    if _strays(trial, control.blind):
        return "chance", "values without effect"
    return "runs", ""


def _changes_data(trial: _Trial) -> bool:
    """Return True if a tensor of values has a different type; kernels may ignore an index of a different type."""
    rule, traits = trial.base.rule, traits_of(trial.base.rule.opcode)
    pairs = zip((*rule.inputs, *rule.outputs), trial.base.signature, trial.signature, strict=True)
    return rule.opcode != "CAST" and any(a != b and not traits.steers(role) for role, a, b in pairs)


def cast_difference(
    model: Model, inputs: Sequence[np.ndarray], tensor: Tensor, stored: np.ndarray | None
) -> str | None:
    """Return how an output of CAST differs from numpy's conversion, or nothing; None for types that numpy lacks.

    Integers wrap, and of complex numbers the real part counts. Floats that the type cannot hold have no value in C.
    Example: -1.5 is -1 as int8, and undefined as uint8.
    """
    given = model.subgraphs[0].tensors[model.subgraphs[0].operators[0].inputs[0]]
    values = inputs[0] if inputs else stored_integers(given)
    if stored is None or values is None or not {given.dtype, tensor.dtype} <= _PLAIN:
        return None
    kind = np.dtype(stored_type(tensor.dtype)).kind
    real = values if kind in "cb" else values.real
    with np.errstate(all="ignore"):
        expected = real.astype(stored_type(tensor.dtype))
    defined = np.ones(real.shape, bool)
    if tensor.dtype in INTEGER_RANGES and (real.dtype.kind == "f" or BITS[tensor.dtype] < 8):
        least, most = INTEGER_RANGES[tensor.dtype]
        wide = real.astype(np.float64)
        defined = (wide > least - 1) & (wide < most + 1)
    if stored.shape != expected.shape:
        return f"shape {stored.shape} instead of {expected.shape}"
    off = int((defined & (stored != expected)).sum())
    return f"{off} of {stored.size} differ" if off else ""


def _unpacked(stored: np.ndarray | None, dtype: str) -> np.ndarray | None:
    """Return the values of an output of TFLM, which returns the bytes of types below eight bits."""
    if stored is None or BITS[dtype] >= 8:
        return stored
    return unpack(stored.reshape(-1).view(np.uint8), dtype, stored.size).reshape(stored.shape)


def _strays(trial: _Trial, blind: frozenset[int]) -> bool:
    """Return True if an input without effect has a different type, and no input of its type in the model has this type."""
    before, now, inputs = trial.base.signature, trial.signature, range(len(trial.base.rule.inputs))
    seen = {(before[n], now[n]) for n in inputs if n not in blind}
    return any(now[n] not in (before[n], ABSENT) and (before[n], now[n]) not in seen for n in blind)


def data_types(rule: OperatorRule, signature: Signature) -> frozenset[str]:
    """Return the types of the inputs that an operator computes with, without indices, shapes, axes and hashed bytes."""
    pairs, bytes_of = zip(rule.inputs, signature, strict=False), BYTES.get(rule.opcode)
    computed = (
        (role, c) for role, c in pairs if role != bytes_of and not traits_of(rule.opcode).steers(role)
    )
    return frozenset(c for _, c in computed if c != ABSENT)


def _held(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Return values clipped to the range of a tensor of narrow integers."""
    if tensor.dtype not in SCALED or not tensor.quantization.scale.size or values.dtype.kind == "c":
        return values
    least, most = (np.array(end) for end in INTEGER_RANGES[tensor.dtype])
    return np.clip(values, real_values(tensor, least), real_values(tensor, most))


def _off(
    opcode: str,
    base: Tensor,
    a: np.ndarray | None,
    tensor: Tensor,
    b: np.ndarray | None,
    read: frozenset[str],
) -> str:
    """Return the difference of an output from the base model, or "": a tenth of the elements by more than 4 steps and 5
    % of the largest value. Values that Python cannot read are correct if all inputs have their type.
    """
    opaque = b is None or tensor.dtype in _OPAQUE
    if opaque or "string" in read:
        counted = read == {"string"} and opcode in _STRINGS and not opaque
        return "" if read == {tensor.dtype} or counted else "other types go in"
    if a is None or b is None:
        return ""
    if a.shape != b.shape:
        return f"shape {b.shape} instead of {a.shape}"
    if opcode in BYTES:  # a hash that is nearly right is wrong
        return "" if np.array_equal(a, b) else "another hash"
    if b.dtype.kind == "b" and b.size and b.view(np.uint8).max() > 1:
        return "bytes that are no bool"
    whole = tensor.dtype in INTEGER_RANGES and not tensor.quantization.scale.size
    if whole and base.quantization.scale.size and tensor.dtype not in read and opcode not in CONVERT:
        return "integers without a scale for real values"
    narrow = BITS[tensor.dtype] < 8
    step = sum(float(t.quantization.scale.max(initial=0)) for t in (base, tensor)) * (0.15 if narrow else 1)
    expected, found = real_values(base, a), real_values(tensor, b)
    expected, found = _held(expected, tensor), _held(found, base)
    if tensor.dtype == "bool":
        expected, found = expected != 0, found != 0
    with np.errstate(all="ignore"):
        expected, found = (x.astype(complex) for x in (expected, found))
        room = 4 * step + 0.05 * float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)) + 1e-6
        room += 1.0 if whole else 0.0
        off = ~(np.abs(expected - found) <= room) & np.isfinite(expected)
    if whole and base.dtype in INTEGER_RANGES and not base.quantization.scale.size:  # stored integers wrap
        period = 1 << min(BITS[base.dtype], BITS[tensor.dtype], 32)
        off &= (a.astype(np.int64) - b.astype(np.int64)) % period != 0
    return f"{int(off.sum())} of {a.size} differ" if off.sum() > a.size // 10 else ""
