"""Every requirement of every profile: break exactly that, expect exactly that finding, and miss none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from litecheck.checks.validate import validate
from litecheck.flatbuffer.table import Table
from litecheck.model.build import options_table
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.faults import FAULT_KINDS
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.types import Exactly, OneOf, PowerOf, ProductOf, Range, SameAs
from litecheck.quantization import Blockwise, Quantization
from tests.checks.conforming import CHANNELS, SHAPE, Case, Plan, conforming

#: What it demands of structure is broken in tests/differential, in models that have one.
STRUCTURE = "litert-structure"


def without_structure(profile):
    """The profile less what it includes of the structure of operators: the models here are no more than tensors."""

    def own(requirements):
        return tuple(r for r in requirements if r.demand.profile != STRUCTURE)

    rules = {op: replace(rule, requirements=own(rule.requirements)) for op, rule in profile.operators.items()}
    return replace(profile, operators=rules)


PROFILES = {name: without_structure(load_profile(name)) for name in profile_names() if name != STRUCTURE}
RULES = [
    (p, op) for p, profile in PROFILES.items() for op in profile.operators if op not in ("TENSOR", "SUBGRAPH")
]
OTHER_TYPES = ("float64", "uint32", "complex64")


def alternatives(rule):
    return range(max(1, len(rule.any_of)))


def paths(profile, opcode):
    """(requirement, alternative): each with the first way of keeping the rule in which its operand is there."""
    rule = PROFILES[profile].operators[opcode]
    if rule.unsupported:
        yield rule.unsupported, 0
        return
    cases = [conforming(PROFILES[profile], rule, number) for number in alternatives(rule)]
    for r in rule.requirements:
        yield r, next(n for n, case in enumerate(cases) if r.role is None or case.plans[r.role])
    for number, alternative in enumerate(rule.any_of):
        for r in alternative.requirements:
            yield r, number


CASES = [(p, op, r, n) for p, op in RULES for r, n in paths(p, op)]


def findings(case: Case, profile: str):
    return validate(case.model(), [PROFILES[profile]]).findings


@pytest.mark.parametrize(("profile", "opcode"), RULES, ids=lambda v: str(v))
def test_an_unbroken_model_conforms(profile, opcode):
    rule = PROFILES[profile].operators[opcode]
    for number in alternatives(rule):
        report = validate(conforming(PROFILES[profile], rule, number).model(), [PROFILES[profile]])
        assert [f.path for f in report.findings] == ([f"{opcode}/unsupported"] if rule.unsupported else [])
        assert report.coverage["not covered"] == 0


@pytest.mark.parametrize(
    ("profile", "opcode", "requirement", "alternative"), CASES, ids=lambda v: getattr(v, "path", v)
)
def test_breaking_one_requirement_gives_that_finding(profile, opcode, requirement, alternative):
    rule = PROFILES[profile].operators[opcode]
    ways = BREAKERS[requirement.verb](requirement, rule)
    assert ways, "no way to break it is known"
    for spoil, level in ways:
        case = conforming(PROFILES[profile], rule, alternative)
        spoil(case)
        found = findings(case, profile)
        also = COMPANIONS.get(requirement.path, ())
        found = [f for f in found if f.path == requirement.path or f.path not in also]
        assert [f.path for f in found] == [requirement.path], [f"{f.path}: {f.found}" for f in found]
        stated = requirement.of(kind_of(found[0])).level
        settled = stated == "violation" or level.startswith("always ")
        assert found[0].level == (level.removeprefix("always ") if settled else stated)
        assert found[0].demanded_by == requirement.demand
        assert found[0].required
        assert found[0].found


def kind_of(finding):
    """The kind of fault a finding about a scale speaks of."""
    *_, name = finding.found.split(" of ")[0].split(" at channel")[0].rpartition(", ")
    kinds = {"not a number": "not_a_number", "scale is 0": "zero"}
    kind = kinds.get(name, name)
    return kind if finding.path.endswith("/scale") and kind in FAULT_KINDS["scale"] else ""


def test_no_requirement_is_left_out():
    tested = {(p, r.path) for p, _, r, _ in CASES}
    stated = {
        (p, r.path)
        for p, profile in PROFILES.items()
        for op, rule in profile.operators.items()
        if op not in ("TENSOR", "SUBGRAPH")
        for r in rule.all_requirements()
    }
    assert tested == stated
    assert len(stated) > 2000


@pytest.mark.parametrize("opcode", ["IF", "WHILE", "STABLEHLO_CASE", "STABLEHLO_COMPOSITE"])
def test_equal_parameters_across_a_boundary_conform(opcode):
    case = conforming(PROFILES["litert-runtime"], PROFILES["litert-runtime"].operators[opcode])
    calling()(case)
    assert findings(case, "litert-runtime") == ()


def test_a_variable_read_as_it_was_assigned_conforms():
    case = conforming(PROFILES["litert-runtime"], PROFILES["litert-runtime"].operators["READ_VARIABLE"])
    case.around = assigned()
    assert findings(case, "litert-runtime") == ()


def test_one_ulp_of_bias_scale_conforms():
    rule = PROFILES["litert-int8"].operators["CONV_2D"]
    for toward in (0, np.inf):
        case = conforming(PROFILES["litert-int8"], rule)
        plan = case.plans["bias"][0]
        plan.scale = np.nextafter(plan.scale, np.float32(toward))
        assert findings(case, "litert-int8") == ()


# --- ways to break each verb: (what to do to a conforming case, the level it must have) ------------------------------


def on(role, change, level="violation"):
    """Change one tensor of a role."""
    return (lambda case: change(case.plans[role][0]), level)


def rescale(role, change, level="violation"):
    """Change one tensor, then let the operands that follow from it follow."""

    def spoil(case):
        change(case.plans[role][0])
        case.fixed.add(role)
        case.derive()

    return spoil, level


def words(value):
    parts = value.values if isinstance(value, OneOf) else (value,)
    return {str(p.value) for p in parts if isinstance(p, Exactly)}


def break_operands(r, rule):
    if r.role is None:
        return [(lambda case: setattr(case, "surplus", 1), "violation")]
    return [(lambda case: case.plans[r.role].clear(), "violation")]


def break_dtype(r, rule):
    alone = rule.activations == (r.role,)  # its type decides whether the rule speaks
    others = PROFILES[r.demand.profile].activations if alone else OTHER_TYPES
    apart = words(r.value).union(*(e.dtypes for e in rule.exemptions if e.role == r.role))

    def change(plan):
        plan.dtype, plan.data = next(t for t in others if t not in apart), None

    return [on(r.role, change)]


def break_granularity(r, rule):
    axis = next(
        (int(q.value.value) for q in rule.requirements if q.path == f"{rule.opcode}/{r.role}/axis"), 0
    )

    def scales(count):
        def change(plan):
            zero_point = int(plan.zero_point[0]) if plan.zero_point.size else 0
            plan.quantize([float(plan.scale[0]) if plan.scale.size else 0.5] * count, zero_point)
            plan.axis = axis

        return change

    def miscount(plan):
        plan.zero_point = np.zeros(3, np.int64)

    def beyond(plan):
        plan.axis = len(plan.shape)

    if words(r.value) == {"none"}:
        return [on(r.role, scales(1))]
    wrong = (miscount, beyond, scales(3)) if rule.strict else (miscount, scales(3))
    malformed = [(spoil, "always violation") for spoil, _ in (on(r.role, f) for f in wrong)]
    if isinstance(r.value, SameAs):
        return [*malformed, on(r.role, lambda plan: scales(1 if len(plan.scale) > 1 else CHANNELS)(plan))]
    allowed = words(r.value) | (words(r.relaxed.value) if r.relaxed else set())
    counts = {"none": 0, "per-tensor": 1, "per-axis": CHANNELS}
    others = [counts[word] for word in counts if word not in allowed and "any" not in allowed]
    follows = [q for q in rule.requirements if q.verb == "granularity" and isinstance(q.value, SameAs)]
    dependent = [q for q in follows if q.value.role == r.role]
    change = rescale if dependent else on
    ways = [(on if count == 0 else change)(r.role, scales(count)) for count in others]
    return malformed + [
        (spoil, level if count else "always violation")
        for (spoil, level), count in zip(ways, others, strict=True)
    ]


def break_axis(r, rule):
    """Another dimension of the same length: LiteRT loads it and computes along its own."""

    def change(plan):
        plan.shape = (CHANNELS,) * max(2, len(plan.shape))
        plan.quantize(np.broadcast_to(plan.scale, CHANNELS), 0)
        plan.axis = (int(r.value.value) + 1) % len(plan.shape)

    leaders = [q.value.role for q in rule.requirements if q.role == r.role and isinstance(q.value, SameAs)]

    def spoil(case):
        for leader in leaders:
            plan = case.plans[leader][0]
            plan.quantize(np.broadcast_to(plan.scale, CHANNELS), 0)
        case.derive()
        change(case.plans[r.role][0])

    return [(spoil, "violation")]


def break_zero_point(r, rule):
    value = r.relaxed.value if r.relaxed else r.value
    parts = value.values if isinstance(value, OneOf) else (value,)
    low = min(int(p.low if isinstance(p, Range) else p.value) for p in parts)
    high = max(int(p.high if isinstance(p, Range) else p.value) for p in parts)
    ways = [
        on(r.role, lambda plan: plan.zero_point.fill(low - 1)),
        on(r.role, lambda plan: plan.zero_point.fill(high + 1)),
    ]
    if isinstance(value, Range) and high == 127:
        ways.append(on(r.role, lambda plan: plan.zero_point.fill(200)))
    return ways


def break_scale(r, rule):
    def to(number, at=0):
        return on(r.role, lambda plan: plan.scale.__setitem__(at, number))

    def nudge(ulps):
        def change(plan):
            plan.scale = (plan.scale.view(np.int32) + np.int32(ulps)).view(np.float32)

        return change

    def times(plan):
        plan.scale = (plan.scale * np.float32(1.5)).astype(np.float32)

    ways = [to(np.nan), to(np.inf), to(0.0), to(-0.5), to(np.nan, -1)]
    if r.value == Exactly("normal"):
        ways.append(to(1e-40))
    near = "warning" if getattr(r.value, "tolerated", 0) else "violation"
    if isinstance(r.value, ProductOf):
        ways += [on(r.role, nudge(n), near) for n in (r.value.ulps + 1, -r.value.ulps - 1)] + [
            on(r.role, times)
        ]
    elif isinstance(r.value, (PowerOf, SameAs)) or isinstance(getattr(r.value, "value", None), Fraction):
        ways += [on(r.role, nudge(1), near), on(r.role, nudge(-1), near), on(r.role, times)]
    return ways


def break_range(r, rule):
    low, high = int(r.value.low), int(r.value.high)

    def put(number):
        def change(plan):
            plan.dtype = "int8" if number <= 127 else "uint8"
            plan.data = np.zeros(plan.shape, plan.dtype)
            plan.data[-1, 0, -1, 0] = number

        return on(r.role, change)

    unsigned = any(
        q.path == r.path[: -len("range")] + "dtype" and "uint8" in words(q.value) for q in rule.requirements
    )
    return [put(n) for n in (low - 1, high + 1) if -128 <= n <= (255 if unsigned else 127)]


def break_same_quantization(r, rule):
    """One ulp of scale is enough, and so is one step of zero point."""

    def scale(role):
        def spoil(case):
            plan = case.plans[role][-1]
            if plan.scale.size:
                plan.scale = np.nextafter(plan.scale, np.float32(1))
            else:
                plan.quantize([0.5], 3)

        return spoil, "violation"

    def zero_point(role):
        def spoil(case):
            for same in r.value.roles:
                for plan in case.plans[same]:
                    plan.quantize(plan.scale if plan.scale.size else [0.5], int((*plan.zero_point, 3)[0]))
            case.plans[role][-1].zero_point += 1

        return spoil, "violation"

    pinned = {q.role for q in rule.requirements if q.verb == "zero_point" and isinstance(q.value, Exactly)}
    return [scale(role) for role in r.value.roles] + [
        zero_point(role) for role in r.value.roles if role not in pinned
    ]


def break_limits(r, rule):
    name = r.path.rsplit("/", 1)[1]
    return [(spoil, "violation") for spoil in LIMITS[name](r)]


def drift(r):
    """A bias scale within the tolerance for biases that is still more than 0.02 output steps away."""

    def spoil(case):
        case.plans["weight"][0].quantize([2.0])
        case.plans["weight"][0].shape = (1, CHANNELS)
        case.plans["weight"][0].data = None
        case.plans["input"][0].quantize([16.0], 3)
        case.plans["bias"][0].quantize([2.0])
        case.derive()
        case.plans["bias"][0].scale *= np.float32(1.0009)

    return [spoil]


def steep(r):
    """An output step of 1/256 of an accumulator step."""

    def spoil(case):
        weight = case.plans["weight"][0].scale.max()
        case.plans["output"][0].scale = case.plans["input"][0].scale * weight / np.float32(256)

    return [spoil]


def ratio(r):
    """An output step just too small for the input's."""

    def spoil(case):
        case.plans["output"][0].scale = case.plans[case.rule.inputs[0]][0].scale / np.float32(
            int(r.value.high) + 2
        )

    return [spoil]


def squared_ratio(r):
    def spoil(case):
        case.plans["output"][0].scale = case.plans["lhs"][0].scale ** 2 / np.float32(
            1.01 * float(r.value.high)
        )
        case.plans["rhs"][0].scale = case.plans["lhs"][0].scale

    return [spoil]


def heavy_sums(r):
    """Constant weights at their largest, and a bias that, with them, leaves the kernel's words."""
    name = r.path.rsplit("/", 1)[1]

    def spoil(case):
        weighted = "weight" in case.plans
        weight = case.plans["weight" if weighted else "rhs"][0]
        biased = bool(weighted and case.plans["bias"])
        if name == "unbiased_accumulator":
            case.plans["bias"].clear()
            biased = False
        if not biased:
            weight.shape = (CHANNELS, 2**18) if weighted else (2**18, CHANNELS)
        weight.data = np.full(weight.shape, 127, weight.dtype)
        if biased:
            bias = case.plans["bias"][0]
            bias.dtype = "int32" if name == "largest_int32_accumulator" else bias.dtype
            if bias.dtype == "int32" and r.path.startswith(("CONV", "FULLY", "TRANS")) and case.wide:
                case.options["quantized_bias_type"] = 2
            bias.shape = (CHANNELS,)
            bias.data = np.full(CHANNELS, 2**31 - 1 if bias.dtype == "int32" else 2**50, bias.dtype)
        if weighted and case.wide:  # steps so coarse that the result is small all the same
            case.plans["output"][0].scale[:] = 2.0**20
        case.derive()

    return [spoil]


def far_sums(r):
    def spoil(case):
        weight, bias = case.plans["weight"][0], case.plans["bias"]
        weight.data = np.full(weight.shape, 127, np.int8)
        bias[0].shape, bias[0].data = (CHANNELS,), np.full(CHANNELS, 2**30, bias[0].dtype)
        step = case.plans["input"][0].scale[0] * weight.scale.max()
        case.plans["output"][0].scale = np.float32([step / 100])
        if case.wide:
            case.plans["output"][0].scale = np.float32([step / 2**22])

    return [spoil]


def fine_input(r):
    return [lambda case: case.plans["lhs"][0].scale.fill(1 / 300)]


def misstated_bias(r):
    def option(code, dtype):
        def spoil(case):
            case.plans["bias"][0].dtype = dtype
            case.options["quantized_bias_type"] = code

        return spoil

    return [option(0, "int32"), option(4, "int32"), option(2, "int64"), option(7, "int64")]


def far_out(r):
    """Output steps so fine that a large result leaves the kernel's words, 16 bits of them or 32."""
    bits = 18 if r.value.high < 2**16 else 40

    def spoil(case):
        step = case.plans[case.rule.inputs[0]][0].scale * np.float32(2.0**-bits)
        case.plans["output"][0].scale = step

    return [spoil]


def several_scales(r):
    def spoil(case):
        case.plans["weight"][0].quantize([0.25] * CHANNELS, 0)
        case.derive()

    return [spoil]


def several_int4_scales(r):
    def spoil(case):
        several_scales(r)[0](case)
        case.plans["weight"][0].dtype = "int4"

    return [spoil]


def asymmetric(r):
    def spoil(case):
        several_scales(r)[0](case)
        case.plans["weight"][0].zero_point.fill(3)

    return [spoil]


def padded(r):
    def spoil(case):
        plan = case.plans["paddings"][0]
        plan.data = np.ones(plan.shape, np.int32)

    return [spoil]


def written_twice(r):
    def spoil(case):
        indices, updates, shape = (case.plans[role][0] for role in ("indices", "updates", "shape"))
        indices.shape, indices.dtype, indices.data = (2, 1), "int32", np.ones((2, 1), np.int32)
        shape.shape, shape.dtype, shape.data = (2,), "int32", np.array([4, 3], np.int32)
        updates.shape, case.plans["output"][0].shape = (2, 3), (4, 3)

    return [spoil]


def unlike(r):
    return [lambda case: case.plans["values"][1].scale.fill(0.75)]


def unheard_of(r):
    def spoil(case):
        case.plans["input"][0].dtype, case.plans["output"][0].dtype = "uint8", "int16"

    return [spoil]


def halved(r):
    """Powers of two of which neither input's is the output's."""

    def spoil(case):
        for role, scale in (("lhs", 0.25), ("rhs", 0.125), ("output", 0.125)):
            case.plans[role][0].scale[:] = scale

    return [spoil]


def coarse_quotients(r):
    return [lambda case: case.plans["output"][0].scale.fill(float(r.value.high) * 2)]


def coarse_input(r):
    return [lambda case: case.plans["input"][0].scale.fill(float(r.value.high) * 2)]


def lonely_zero_point(r):
    """Among the zero points other types may have: int16 to int16."""

    def spoil(case):
        for role in ("input", "output"):
            case.plans[role][0].dtype = "int16"
        case.plans["output"][0].zero_point[:] = 5

    return [spoil]


def listed_absent(r):
    def spoil(case):
        case.plans[case.rule.inputs[-1]].clear()
        case.keep_absent = True

    return [spoil]


def miscounted(r):
    option = {"PACK": "values_count", "UNPACK": "num"}.get(r.path.split("/")[0], "num_splits")
    return [lambda case: case.options.update({option: 3})]


def whole_scale(r):
    """1 and more: a number the kernel cannot hold as a fraction."""
    role = r.path.split("/")[-1].split(".")[0]
    return [lambda case, n=n: case.plans[role][0].quantize([n], 3) for n in (1.0, 1.5)]


def unquantized(r):
    def spoil(case):
        case.plans["input"][0].quantize([])

    return [spoil]


def outside_type(r):
    def spoil(case):
        plan = case.plans["input"][0]
        plan.dtype, plan.zero_point = "int8", np.full(plan.scale.size, 200, np.int64)

    return [spoil]


def opposite(r):
    def spoil(case):
        case.plans["output"][0].zero_point += 1

    return [spoil]


def cell_out_of_format(r):
    return [lambda case, n=n: case.plans["cell_state"][0].quantize([2.0**n]) for n in (-8, -16)]


def half_a_gate(r):
    def without(name):
        def spoil(case):
            next(plans for role, plans in case.plans.items() if role.endswith(name)).clear()

        return spoil

    return [without(name) for name in ("recurrent_to_input_weights", "input_gate_bias")]


def some_layer_norm(r):
    """Two gates with coefficients and two without: neither form of the cell."""

    def spoil(case):
        roles = [role for role in case.plans if role.endswith("layer_norm_coefficients")]
        for role in roles[:2]:
            if case.plans[role]:
                case.plans[role].clear()
            else:
                plan = Plan("int16")
                plan.quantize([2.0**-10])
                case.plans[role].append(plan)

    return [spoil]


def another_count(r):
    """One more or less than there may be; of the variant with twelve, one short and a coefficient no other form has."""

    def spoil(case):
        case.intermediates = 1
        if r.value == Exactly(Fraction(12)):
            plan = Plan("int16")
            plan.quantize([2.0**-10])
            case.plans["input_layer_norm_coefficients"].append(plan)

    return [spoil]


def scaleless_gate(r):
    return [
        lambda case, n=n: case.plans["cell_gate_intermediate"][0].quantize([n] if n is not None else [])
        for n in (None, 0.0, 1e-40, np.inf)
    ] + [lambda case: case.plans["output_gate_intermediate"].clear()]


def hidden_apart(r):
    """Without projection; one ulp or one step is enough."""

    def spoil(change):
        def one(case):
            hidden, state = case.plans["hidden"][0], case.plans["output_state"][0]
            for role in ("projection_weights", "projection_bias"):
                case.plans[role].clear()
            hidden.scale, hidden.zero_point = state.scale.copy(), state.zero_point.copy()
            change(hidden)

        return one

    return [
        spoil(lambda plan: setattr(plan, "scale", np.nextafter(plan.scale, np.float32(1)))),
        spoil(lambda plan: setattr(plan, "zero_point", plan.zero_point + 1)),
    ]


def keep(called):
    return called


def across(change=keep, options=keep):
    """The subgraphs an operator calls, the last one changed, and its options."""

    def around(model):
        main = model.subgraphs[0]
        op = main.operators[0]
        handed = op.inputs[1:] if op.opcode in ("IF", "STABLEHLO_CASE") else op.inputs
        tensors = [replace(main.tensors[t], index=n) for n, t in enumerate((*handed, *op.outputs))]
        ends = tuple(range(len(handed))), tuple(range(len(handed), len(tensors)))
        callee = Subgraph(1, "called", tuple(tensors), (), *ends)
        fields = {
            "IF": {"then_subgraph_index": 1, "else_subgraph_index": 1},
            "WHILE": {"body_subgraph_index": 1, "cond_subgraph_index": 2},
            "STABLEHLO_CASE": {"branch_subgraph_indices": np.int32([1])},
        }.get(op.opcode, {"decomposition_subgraph_index": 1, "composite_attributes": np.zeros(1, np.uint8)})
        others = [callee]
        if op.opcode == "WHILE":
            truth = Tensor(len(handed), "goes on", "bool", (1,))
            others.append(
                Subgraph(2, "condition", (*tensors[: len(handed)], truth), (), ends[0], (len(handed),))
            )
        others[-1] = change(others[-1])
        caller = replace(main, operators=(replace(op, options=Table("Options", options(fields))),))
        return replace(model, subgraphs=(caller, *others))

    return around


def calling(change=keep, options=keep):
    """A call, with equal parameters on both sides but for what is changed."""

    def spoil(case):
        for role in ("operands", "results"):
            for plan in case.plans[role]:
                plan.quantize([0.5], 3 if plan.dtype == "int8" else 0)
        case.around = across(change, options)

    return spoil


def with_tensor(at, **fields):
    """A change of one tensor of the called subgraph."""

    def change(called):
        tensors = list(called.tensors)
        tensors[at] = replace(tensors[at], **fields)
        return replace(called, tensors=tuple(tensors))

    return change


def boundary(r):
    off = Quantization(np.float32([0.75]), np.int64([0]))
    return [calling(with_tensor(0, quantization=off))]


def boundary_type(r):
    return [calling(with_tensor(0, dtype="uint8"))]


def branch_type(r):
    """One branch more, of another type."""

    def spoil(case):
        calling(options=lambda fields: {"branch_subgraph_indices": np.int32([1, 2])})(case)
        one = case.around

        def around(model):
            model = one(model)
            last = model.subgraphs[1]
            other = with_tensor(last.outputs[0], dtype="uint8")(replace(last, index=2))
            return replace(model, subgraphs=(*model.subgraphs, other))

        case.around = around

    return [spoil]


def arity(r):
    return [
        calling(lambda called: replace(called, inputs=called.inputs[:-1])),
        calling(lambda called: replace(called, outputs=called.outputs * 2)),
    ]


def recursive(r):
    back = Operator(0, "CALL_ONCE", (), (), options=Table("Options", {"init_subgraph_index": 0}))
    return [calling(lambda called: replace(called, operators=(back,)))]


def one_for_both(r):
    return [calling(options=lambda fields: {**fields, "cond_subgraph_index": 1})]


def condition(**fields):
    return lambda r: [calling(with_tensor(-1, **fields))]


def steering_elements(r):
    return [lambda case: setattr(case.plans[case.rule.inputs[0]][0], "shape", (2,))]


def no_branch(r):
    return [calling(options=lambda fields: {**fields, "branch_subgraph_indices": np.int32([])})]


def branch_nowhere(r):
    return [
        calling(options=lambda fields, n=n: {**fields, "branch_subgraph_indices": np.int32([1, n])})
        for n in (2, -1)
    ]


def no_attributes(r):
    return [calling(options=lambda fields: {k: v for k, v in fields.items() if k != "composite_attributes"})]


def assigned(change=keep, **fields):
    """The variable that is read, and an assignment to it of what is read, but for ``fields``."""

    def around(model):
        main = model.subgraphs[0]
        read = main.operators[0]
        n = len(main.tensors)
        value = replace(main.tensors[read.outputs[0]], index=n, name="value", **fields)
        name = Table("VarHandleOptions", {"shared_name": "state"})
        handle = Operator(0, "VAR_HANDLE", (), (read.inputs[0],), options=name)
        assign = Operator(1, "ASSIGN_VARIABLE", (read.inputs[0], n), ())
        operators = change((handle, assign, replace(read, index=2)))
        return replace(model, subgraphs=(replace(main, tensors=(*main.tensors, value), operators=operators),))

    return around


def variable(*changes, **fields):
    return lambda r: [lambda case: setattr(case, "around", assigned(*changes, **fields))]


def cleared(role):
    """Without one operand of several that go together."""
    return lambda r: [lambda case: case.plans[role].clear()]


def merged(r):
    """Two results of an operator whose options, of its own table, say that they are one."""

    def around(model):
        main = model.subgraphs[0]
        operator = main.operators[0]
        options = options_table(operator.opcode, merge_outputs=True)
        return replace(model, subgraphs=(replace(main, operators=(replace(operator, options=options),)),))

    return [lambda case: setattr(case, "around", around)]


def half_listed(r):
    """One operand more than without normalization, or one fewer than all."""
    gone = [f"{gate}_layer_norm_coefficients" for gate in ("forget", "cell", "output")]

    def spoil(case):
        for role in gone if gone[0] in case.plans else case.rule.inputs[-1:]:
            case.plans[role].clear()
        case.keep_absent = False

    return [spoil]


def another_type(r):
    def spoil(case):
        role = [role for role in case.plans if "weight" in role][1]
        case.plans[role][0].dtype, case.plans[role][0].data = "uint8", None

    return [spoil]


def computed(r):
    def spoil(case):
        plan = case.plans["rhs" if "rhs" in case.plans else "weight"][0]
        plan.data, plan.scale[0] = None, 0.75
        case.options["asymmetric_quantize_inputs"] = 1

    return [spoil]


def unsigned_channels(r):
    def spoil(case):
        case.plans["weight"][0].dtype = "uint8"

    return [spoil]


def rows_for_columns(r):
    return [lambda case: case.options.update(adj_y=1), lambda case: setattr(case.plans["rhs"][0], "axis", 0)]


def scaled_halves(r):
    def spoil(case):
        plan = case.plans["input"][0]
        plan.dtype, plan.data = "float16", None
        plan.quantize([0.5] * CHANNELS)

    return [spoil]


def blocks(
    size=32, dtype="int4", scale_type="float16", count=8, value=0.5, zero=None, shape=None, activation=0
):
    """Weights of four rows in blocks, with their scales in a tensor of their own."""

    def spoil(case):
        plan = case.plans["weight" if "weight" in case.plans else "table"][0]
        plan.quantize([])
        plan.dtype, plan.data, plan.shape = dtype, None, shape or plan.shape
        case.options["fused_activation_function"] = activation
        case.around = around

    def around(model):
        main = model.subgraphs[0]
        n, index = len(main.tensors), main.operators[0].inputs[1]
        held = np.full(count, value, scale_type).view(np.uint8)
        tables = [Tensor(n, "scales", scale_type, (count,), data=held)]
        if zero is not None:
            tables.append(
                Tensor(
                    n + 1, "zero points", "int8", (count,), data=np.full(count, zero, np.int8).view(np.uint8)
                )
            )
        details = Blockwise(n, n + 1 if zero is not None else -1, size)
        weight = replace(main.tensors[index], quantization=Quantization(details=details))
        tensors = (*main.tensors[:index], weight, *main.tensors[index + 1 :], *tables)
        return replace(model, subgraphs=(replace(main, tensors=tensors),))

    return spoil


def in_blocks(**fields):
    return lambda r: [blocks(**fields)]


def other_activation(r):
    def spoil(case):
        case.table = options_table(case.rule.opcode, fused_activation_function="RELU6")

    return [spoil]


def sixteenths(r):
    """A bias beyond 2^27 beside int4 weights."""

    def spoil(case):
        weight, bias = case.plans["weight"][0], case.plans["bias"][0]
        weight.dtype, weight.shape, weight.data = "int4", (CHANNELS, 8), np.full(CHANNELS * 4, 0x77, np.uint8)
        bias.shape, bias.data = (CHANNELS,), np.full(CHANNELS, 2**28, np.int32)
        case.plans["output"][0].scale[:] = 2.0**20

    return [spoil]


def unstated(r):
    def spoil(case):
        case.plans["bias"][0].quantize([])

    return [spoil]


def steep_exponent(r):
    def spoil(case):
        case.table = options_table(case.rule.opcode, beta=2.0)
        case.plans["input"][0].scale[:] = 3.0

    return [spoil]


def no_axis(r):
    return [lambda case: setattr(case.plans["axis"][0], "shape", (0,))]


def no_table(r):
    def spoil(case):
        case.table = None

    return [spoil]


def without_elements(r):
    def spoil(case):
        case.plans["input"][0].shape = (0, *SHAPE[1:])

    return [spoil]


def heavy_gate(r):
    """Weights and bias of one gate at their largest."""

    def spoil(case):
        weights, bias = case.plans["input_to_forget_weights"][0], case.plans["forget_gate_bias"][0]
        weights.shape, weights.data = (CHANNELS,) * 2, np.full((CHANNELS,) * 2, 127, np.int8)
        bias.shape, bias.data = (CHANNELS,), np.full(CHANNELS, 2**31 - 1, np.int32)

    return [spoil]


LIMITS = {
    "fused_activation": other_activation,
    "gate_accumulator": heavy_gate,
    "input.lowest": lambda r: [lambda case: case.plans["input"][0].zero_point.fill(3)],
    "weight_types": another_type,
    "listed_inputs": half_listed,
    "miscounted_results": merged,
    "lone_input_gate": half_a_gate,
    "lone_peepholes": lambda r: [
        lambda case: next(
            p for role, p in case.plans.items() if role.endswith("cell_to_forget_weights")
        ).clear()
    ],
    "lone_projection_bias": lambda r: [
        lambda case: next(p for role, p in case.plans.items() if role.endswith("projection_weights")).clear()
    ],
    "missing_layer_norm": cleared("cell_layer_norm_coefficients"),
    "computed_weight_scales": computed,
    "computed_weight_sums": computed,
    "rhs.constant": computed,
    "unsigned_weight_scales": unsigned_channels,
    "column_axis_gap": rows_for_columns,
    "float_scales": scaled_halves,
    "block_weight_type": in_blocks(dtype="int8"),
    "block_bits": in_blocks(size=1, count=256),
    "block_rows": in_blocks(shape=(2, 64), count=4),
    "block_columns": in_blocks(size=2, shape=(4, 16), count=32),
    "block_column_odd": in_blocks(size=3, shape=(4, 63), count=84),
    "block_remainder": in_blocks(size=24, count=8),
    "block_scale_type": in_blocks(scale_type="float32"),
    "block_scales_off": in_blocks(count=7),
    "block_scales_unsound": in_blocks(value=0),
    "block_zero_points": in_blocks(zero=1),
    "block_activation": in_blocks(activation=3),
    "layer_norm_operands": some_layer_norm,
    "input_gate_operands": half_a_gate,
    "intermediate_tensors": another_count,
    "boundary_mismatches": boundary,
    "boundary_types": boundary_type,
    "branch_types": branch_type,
    "arity_mismatches": arity,
    "recursion": recursive,
    "condition_is_body": one_for_both,
    "condition_type": condition(dtype="int8"),
    "condition_rank": condition(shape=(1, 1)),
    "condition_elements": condition(shape=(2,)),
    "condition.elements": steering_elements,
    "index.elements": steering_elements,
    "called_subgraphs": no_branch,
    "missing_subgraphs": branch_nowhere,
    "composite_attributes": no_attributes,
    "variable_mismatches": variable(quantization=Quantization(np.float32([0.75]), np.int64([0]))),
    "variable_types": variable(dtype="uint8"),
    "shorter_assignments": variable(shape=(2,)),
    "assignments": variable(lambda operators: (operators[0], replace(operators[2], index=1))),
    "bias_scale_drift": drift,
    "unquantized_integers": unquantized,
    "zero_points_outside_type": outside_type,
    "zero_point_sum": opposite,
    "cell_state.scale": cell_out_of_format,
    "unscaled_gates": scaleless_gate,
    "hidden_mismatches": hidden_apart,
    "accumulator_step": steep,
    "scale_ratio": ratio,
    "squared_scale_ratio": squared_ratio,
    "reach": far_out,
    "options_table": no_table,
    "largest_int4_accumulator": sixteenths,
    "unstated_bias_drift": unstated,
    "exponent_step": steep_exponent,
    "axis.elements": no_axis,
    "results_of_nothing": without_elements,
    "weight.channel_zero_points": asymmetric,
    "weight.int4_scales": several_int4_scales,
    "paddings.largest": padded,
    "repeated_tuples": written_twice,
    "different_scales": unlike,
    "conversion": unheard_of,
    "sloped_reach": far_out,
    "quotient_reach": far_out,
    "root_reach": far_out,
    "inverse_root_reach": far_out,
    "sum_reach": far_sums,
    "largest_accumulator": heavy_sums,
    "largest_int32_accumulator": heavy_sums,
    "unbiased_accumulator": heavy_sums,
    "bias_type_mismatch": misstated_bias,
    "finest_scale": fine_input,
    "power_of_two_gap": halved,
    "quotient_step": coarse_quotients,
    "input.scale": coarse_input,
    "int16_zero_point": lonely_zero_point,
    "absent_at_end": listed_absent,
    "miscounted_operands": miscounted,
    "lhs.scale": whole_scale,
    "rhs.scale": whole_scale,
}

#: What cannot be broken without breaking this too.
COMPANIONS = {
    "STABLEHLO_CASE/limits/branch_types": ("STABLEHLO_CASE/limits/boundary_types",),
    "WHILE/limits/condition_is_body": (
        "WHILE/limits/arity_mismatches",
        "WHILE/limits/condition_type",
        "WHILE/limits/condition_rank",
        "WHILE/limits/condition_elements",
    ),
    "ADD/limits/scale_ratio": ("ADD/limits/reach",),
    "FULLY_CONNECTED/limits/largest_int4_accumulator": ("FULLY_CONNECTED/weight/dtype",),
    "FULLY_CONNECTED/weight/axis": ("FULLY_CONNECTED/bias/granularity",),
    **{
        path: both
        for opcode in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")
        for both in [(f"{opcode}/limits/bias_scale_drift", f"{opcode}/bias/scale")]
        for path in both
    },
    **{
        f"{opcode}/operands": (f"{opcode}/limits/listed_inputs",)
        for opcode in (
            "LSTM",
            "UNIDIRECTIONAL_SEQUENCE_LSTM",
            "BIDIRECTIONAL_SEQUENCE_LSTM",
            "BIDIRECTIONAL_SEQUENCE_RNN",
        )
    },
    "SCATTER_ND/output/zero_point": ("SCATTER_ND/same_quantization",),
    "MATRIX_DIAG/output/zero_point": ("MATRIX_DIAG/same_quantization",),
    **{
        f"{op}/{role}/zero_point": (f"{op}/same_quantization",)
        for op in ("RELU6", "PAD", "CONCATENATION")
        for role in ("input", "values", "output")
    },
}

BREAKERS = {
    "operands": break_operands,
    "dtype": break_dtype,
    "granularity": break_granularity,
    "axis": break_axis,
    "zero_point": break_zero_point,
    "scale": break_scale,
    "range": break_range,
    "same_quantization": break_same_quantization,
    "limits": break_limits,
    "unsupported": lambda r, rule: [(lambda case: None, "violation")],
}
