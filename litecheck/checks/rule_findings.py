"""Findings of an operator, subgraph or tensor against a rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from litecheck.checks import granularity
from litecheck.checks.bound_operator import BoundOperand, BoundOperator, Fault, at
from litecheck.checks.compiled_rules import CompiledRequirement, CompiledRule, compiled_rule
from litecheck.checks.context import Context, Form
from litecheck.checks.fault_conditions import kind_under_conditions
from litecheck.checks.impacts import ignore_types
from litecheck.checks.types import impact_of, types_fault, types_run
from litecheck.checks.wording import requirement_phrase
from litecheck.finding import Finding, Waiver, Where
from litecheck.model.graph import name_of
from litecheck.model.types import Operator, Subgraph
from litecheck.profile.custom_operators import compiler_of, has_kernel
from litecheck.profile.implicit_requirements import kernel_needed, must_be_listed, types_supported
from litecheck.profile.parser import ANY_SUBGRAPH, ANY_TENSOR
from litecheck.profile.types import Profile, Requirement

#: Requirements of the parameters of a tensor, which depend on its type.
_PARAMETERS = ("granularity", "axis", "zero_point", "scale", "range")
#: Requirements whose findings make a finding of the table of types redundant.
_TYPED = (
    "/dtype",
    "/operands",
    "/unsupported",
    "/data_types",
    "/input_types",
    "/unknown_types",
    "/conversion",
    "/lstm_extensions",
    "/version",
)


def check_operator(bound: BoundOperator) -> list[Finding]:
    """Check an operator against every requirement of its rule.

    Checks that need a single tensor run once per tensor. Limits run once per group of operators with the same rule,
    options, tensor types and shapes.
    """
    ready = compiled_rule(bound.rule)
    form = bound.form = _form_of(bound) if ready.structured else None
    unproved = tuple([(role, bit) for role, bit in ready.alone if not _all_passed(bound.roles[role], bit)])
    found = _run_checks(bound, ready.remaining(form is not None and form.sound, bound.complete, unproved))
    if not found:
        for role, bit in unproved:
            for operand in bound.roles[role]:
                operand.facts.proved |= bit
    if ready.any_of:
        nearest = _check_alternatives(bound, ready)
        found = [f for f in found if not _follows_wrong_type(f, nearest)] + nearest
    if form is not None and not found and not bound.reads_neighbors:
        form.sound = True
    return found


def check_each_requirement(bound: BoundOperator) -> list[Finding]:
    """Check an operator against every requirement of its rule, independent of other requirements, as compilers do."""
    ready, operands = compiled_rule(bound.rule), bound.measurable()
    # A comparison with the only allowed value skips most of the about 30 limits of an operator.
    left = tuple([one for one, usual in ready.settled if usual is None or usual[0](operands) != usual[1]])
    found = _run_checks(bound, left, remember=False)
    return found + _check_alternatives(bound, ready) if ready.any_of else found


def finding_for(subgraph: Subgraph, operator: Operator, requirement: Requirement, found: str) -> Finding:
    """Return the finding of an operator that violates a requirement. ``found`` completes "found ..."."""
    return _make_finding(_where(subgraph, operator), requirement, Fault(found))


def finding_for_missing_rule(subgraph: Subgraph, operator: Operator, profile: Profile) -> Finding:
    """Return the finding of an operator that a target's profile has no rule for."""
    return finding_for(subgraph, operator, must_be_listed(profile, operator.opcode), "it is not in the list")


def _follows_wrong_type(finding: Finding, alternative: list[Finding]) -> bool:
    """Return True if a finding is about the parameters of a tensor that has the wrong type for an alternative."""
    wrong = {f.where.tensor for f in alternative if f.path.endswith("/dtype") and f.level == "violation"}
    return finding.where.tensor in wrong and finding.path.rpartition("/")[2] in _PARAMETERS


def _all_passed(operands: tuple[BoundOperand, ...], bit: int) -> bool:
    """Return True if every operand's tensor has passed the check with this bit."""
    for operand in operands:  # noqa: SIM110 - a loop: this is asked of every role of every operator
        if not operand.facts.proved & bit:
            return False
    return True


def _form_of(bound: BoundOperator) -> Form:
    """Return the results of the operators with the same structure as this operator: they have the same limits."""
    operator, facts, read = bound.operator, bound.written, bound.read
    options = None if operator.options is None else id(operator.options.fields)
    written = (-1, *operator.outputs, -1, *operator.intermediates)
    forms = (
        *[read[i].form if i >= 0 else None for i in operator.inputs],
        *[facts[i].form if i >= 0 else None for i in written],
    )
    aliased = not set(operator.outputs).isdisjoint(operator.inputs)
    reshaped = bound.context.reshaped_tensors
    shapes = tuple([(i, reshaped[i].shape) for i in operator.inputs if i in reshaped]) if reshaped else ()
    key = bound.rule, operator.version, options, forms, aliased, shapes
    known = bound.context.forms
    return known.get(key) or known.setdefault(key, Form())


def finding_for_forbidden_operator(subgraph: Subgraph, operator: Operator, profile: Profile) -> Finding:
    """Return the finding for an operator of the profile's type without a rule, in a profile that forbids such
    operators. A runtime without a kernel for any types fails as its table of types states."""
    types = profile.types.operators.get(operator.opcode) if profile.types else None
    fault = Fault("it is not in the profile", effect=types.otherwise if types and not types.runs else None)
    return _make_finding(_where(subgraph, operator), must_be_listed(profile, operator.opcode), fault)


def check_subgraph(context: Context, profile: Profile) -> list[Finding]:
    """Check the inputs and outputs of a subgraph against the profile's rule for subgraphs."""
    rule = profile.operators.get(ANY_SUBGRAPH)
    if rule is None:
        return []
    subgraph = context.subgraph
    whole = Operator(-1, ANY_SUBGRAPH, subgraph.inputs, subgraph.outputs)
    return _run_checks(BoundOperator(context, whole, rule), compiled_rule(rule).checks)


def check_tensors(
    context: Context, tensors: Iterable[int], profile: Profile, found: list[Finding]
) -> Iterator[Finding]:
    """Yield findings for tensors whose quantization makes LiteRT fail to load the model, unless ``found`` has one."""
    rule = profile.operators.get(ANY_TENSOR)
    if rule is None:
        return
    requirement = next(r for r in rule.requirements if r.verb == "granularity")
    subgraph = context.subgraph
    told = {(f.where.subgraph, f.where.tensor) for f in found if f.path.endswith("/granularity")}
    for facts in map(context.facts.__getitem__, tensors):
        bad = None if facts.details is not None else granularity.find_malformed_parameters(facts, None)
        if bad is None or (subgraph.index, facts.tensor.index) in told:
            continue
        operand = BoundOperand("tensor", None, facts)
        where = Where(subgraph.index, subgraph.name, -1, ANY_TENSOR, facts.tensor.name)
        yield _make_finding(where, requirement, at(operand, bad.found, required=bad.required))


def check_structure(context: Context, operator: Operator, profile: Profile) -> list[Finding]:
    """Return the findings of an operator outside a profile's types, from the structure rules that the profile includes.

    Only a profile that describes every operator of its runtime covers such operators.
    """
    if profile.unlisted != "violation":
        return []
    rules = (part.operators.get(operator.opcode) for part in profile.includes if part.judges == "structure")
    return [f for rule in rules if rule for f in check_operator(BoundOperator(context, operator, rule))]


def add_type_finding(bound: BoundOperator, profile: Profile, found: list[Finding]) -> list[Finding]:
    """Return the findings with that of the profile's table of types, unless there is a finding of types already.

    Findings of types get the measured impact of the operator's combination of types.
    """
    if profile.types is None:
        return found
    supported = bound.form.supported if bound.form else set()
    if not found and profile.types.name in supported:
        return found
    fault = types_fault(bound, profile.types)
    if fault is None:
        supported.add(profile.types.name)
        return ignore_types(found) if found and types_run(bound, profile.types) else found
    rejected = any("/limits/" in f.path and f.effect == "fails to load" for f in found)
    if any(f.path.endswith(_TYPED) for f in found):
        return [replace(f, effect=impact_of(bound, f, profile.types, fault, rejected)) for f in found]
    if rejected and fault.effect == "wrong results":
        fault = replace(fault, effect="fails to load")
    requirement = types_supported(profile, bound.rule.opcode)
    return (
        [*found, _make_finding(_where(bound.context.subgraph, bound.operator), requirement, fault)]
        if requirement
        else found
    )


def check_custom_operator(subgraph: Subgraph, operator: Operator, profile: Profile) -> list[Finding]:
    """Return the finding of a custom operator that the profile's runtime has no kernel for, or that a compiler wrote.

    An operator without a name is a violation: no kernel can be registered for it.
    """
    requirement, table = kernel_needed(profile), profile.types
    if (
        requirement is None
        or table is None
        or operator.opcode != "CUSTOM"
        or has_kernel(table.name, operator.custom_code)
    ):
        return []
    made = compiler_of(operator.custom_code)
    found = f"'{operator.custom_code}' needs a custom kernel or delegate"
    if not operator.custom_code:
        found = "the operator has no name (custom_code)"
        requirement = replace(
            requirement, level="violation", hint="state the name of the kernel in the operator code"
        )
    elif made:
        found = f"the model is compiled for {made.target}: {made.compiler} wrote '{operator.custom_code}'"
        requirement = replace(requirement, hint="validate the file that went into the compiler")
    return [_make_finding(_where(subgraph, operator), requirement, Fault(found))]


def _where(subgraph: Subgraph, operator: Operator) -> Where:
    name = name_of(subgraph, operator) if operator.index >= 0 else subgraph.name
    return Where(subgraph.index, subgraph.name, operator.index, operator.opcode, name)


def _check_alternatives(bound: BoundOperator, ready: CompiledRule) -> list[Finding]:
    """Return no finding if an alternative is satisfied, else those of the nearest alternative, with the names of all.

    The nearest alternative is that of the operator's form, where limits distinguish the forms, and then that with the
    fewest violations.
    """
    alternatives = ready.any_of
    tried = [_run_checks(bound, checks, remember=False) for _, checks in alternatives]

    def apart(found: list[Finding]) -> tuple[int, int, int]:
        graver = [f for f in found if f.level == "violation" and not f.waiver]
        return sum(f.path in ready.telling for f in found), len(graver), len(found)

    best = min(tried, key=apart)
    names = " or ".join(name for name, _ in alternatives)
    chosen = alternatives[tried.index(best)][0]
    return [replace(f, required=f"{f.required} (as {chosen}; the alternatives are {names})") for f in best]


def _run_checks(
    bound: BoundOperator, checks: tuple[CompiledRequirement, ...], remember: bool = True
) -> list[Finding]:
    found: list[Finding] = []
    for ready in checks:
        faults = ready.check(bound)
        if not faults:
            continue
        requirement, where = ready.requirement, _where(bound.context.subgraph, bound.operator)
        new = [_make_finding(where, requirement, fault, bound) for fault in faults]
        relaxed = requirement.relaxation
        if relaxed and ready.relaxed_check and not ready.relaxed_check(bound):
            if relaxed.shows != "conforms":
                waiver = Waiver(f"{relaxed.by.profile} ({relaxed.by})", relaxed.because)
                found += [replace(finding, waiver=waiver) for finding in new]
            continue
        if remember:
            grave = (
                fault for fault, f in zip(faults, new, strict=True) if f.level == "violation" or fault.kind
            )
            bound.add_fault(requirement.verb, grave)
        found += new
    return found


def _make_finding(
    where: Where, requirement: Requirement, fault: Fault, bound: BoundOperator | None = None
) -> Finding:
    kind = kind_under_conditions(bound, requirement, fault) if bound and requirement.faults else fault.kind
    operand, requirement = fault.operand, requirement.of(kind)
    if operand is not None:
        tensor, place = (
            operand.tensor,
            (where.subgraph, where.subgraph_name, where.operator, where.opcode, where.name),
        )
        where = Where(*place, operand.role, operand.position, tensor.index, tensor.name)
    elif fault.role is not None:
        where = replace(where, role=fault.role)
    settled = fault.level == "violation" or requirement.level == "violation"
    level = fault.level if fault.level and settled else requirement.level
    return Finding(
        requirement.path, level, where, fault.found, fault.required or requirement_phrase(requirement),
        fault.because or requirement.because, requirement.see, requirement.demand,
        fault.effect or requirement.effect, fault.channels, hint=requirement.hint,
    )  # fmt: skip
