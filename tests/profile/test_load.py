"""Rule files: accepted content, rejected content with its line, and extensions that only narrow."""

from __future__ import annotations

import os
from fractions import Fraction

import pytest

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.builder import Builder
from litecheck.profile.constraints import narrower
from litecheck.profile.load import ProfileFiles, load_profile, profile_names
from litecheck.profile.types import Exactly, MultipleOf, OneOf, PowerOf, ProductOf, Range, Roles, SameAs

BASE = """\
profile: base
title: A base
activations: int8
kinds:
  activation: {dtype: int8, zero_point: -128..127, granularity: per-tensor, scale: positive}
  weight: {dtype: int8, range: -127..127, zero_point: 0, granularity: [per-axis, per-tensor], axis: 0}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors:
      input: activation
      weight: weight
      bias: {dtype: int32, scale: {product_of: [input, weight], ulps: 1}}
      output: activation
    limits: {stride_w: 1..4}
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors: {values: activation, output: activation}
    same_quantization: [values, output]
levels:
  "*/weight/granularity": note
"""


@pytest.fixture
def load(tmp_path):
    (tmp_path / "base.yaml").write_text(BASE)

    def load(text, name="child"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(text)
        return load_profile(path)

    return load


def child(body):
    return f"profile: child\nextends: base.yaml\n{body}"


def value(profile, path):
    return next(r for r in profile.requirements() if r.path == path).value


def test_the_profiles_that_come_along_load():
    assert {"litert-int8", "litert-runtime", "litert-int16x8"} <= set(profile_names())
    for name in profile_names():
        assert load_profile(name).name == name


def test_the_template_for_vendors_loads_and_narrows():
    from litecheck.data import rules_dir

    template = load_profile(rules_dir() / "template.yaml")
    assert template.extends == "litert-int8"
    assert template.unlisted == "violation"
    inherited = {r.path for r in load_profile("litert-int8").requirements()}
    assert len({r.path for r in template.requirements()} - inherited) >= 3


def test_every_demand_names_its_own_line(load):
    profile = load(BASE, "base")
    lines = BASE.splitlines()
    for r in profile.requirements():
        assert r.demand.file.endswith("base.yaml")
        key = {"operands": r.path.split("/")[0], "limits": "limits"}.get(r.verb, r.verb)
        assert key in lines[r.demand.line - 1], (r.path, r.demand.line)


def test_values(load):
    profile = load(BASE, "base")
    assert value(profile, "CONV_2D/weight/range") == Range(Fraction(-127), Fraction(127))
    assert value(profile, "CONV_2D/bias/scale") == ProductOf(("input", "weight"), 1)
    assert value(profile, "CONCATENATION/same_quantization") == Roles(("values", "output"))
    assert value(profile, "CONV_2D/limits/stride_w") == Range(Fraction(1), Fraction(4))
    assert next(r for r in profile.requirements() if r.path == "CONV_2D/weight/granularity").level == "note"


def test_a_type_that_alone_decides_scope_is_no_demand(load):
    profile = load("profile: p\nkinds: {activation: {dtype: int8}}\nops:\n  ARG_MAX:\n    inputs: [input]\n"
                   "    outputs: [output]\n    tensors: {input: activation}\n")  # fmt: skip
    assert not any(r.verb == "dtype" for r in profile.requirements())


def test_a_range_no_value_of_the_type_can_leave_is_no_demand(load):
    text = BASE.replace("zero_point: -128..127", "zero_point: -128..127, range: -128..127")
    assert not any(r.path == "CONV_2D/input/range" for r in load(text, "base").requirements())
    narrowed = load(child("kinds: {activation: {range: -127..127}}\n"))
    assert value(narrowed, "CONV_2D/input/range") == Range(Fraction(-127), Fraction(127))


def test_a_narrower_kind_reaches_inherited_operators(load):
    profile = load(child("kinds: {weight: {range: -63..63}}\n"))
    assert value(profile, "CONV_2D/weight/range") == Range(Fraction(-63), Fraction(63))
    assert (
        next(r for r in profile.requirements() if r.path == "CONV_2D/weight/range").demand.profile == "child"
    )


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("ops: {CONV_2D: {tensors: {weight: {range: -128..126}}}}", 3, "allows more than base"),
        ("ops: {CONV_2D: {tensors: {weight: {granularity: [per-axis, none]}}}}", 3, "allows more than base"),
        (
            "ops: {CONV_2D: {tensors: {bias: {scale: {product_of: [input, weight], ulps: 2}}}}}",
            3,
            "allows more",
        ),
        ("ops: {CONV_2D: {tensors: {bias: {scale: positive}}}}", 3, "allows more"),
        ("ops: {CONV_2D: {limits: {stride_w: 1..5}}}", 3, "allows more"),
        ("ops: {CONCATENATION: {same_quantization: [values]}}", 3, "allows more"),
        ("ops: {CONV_2D: {optional: [bias, weight]}}", 3, "does not let weight be absent"),
        ("ops: {CONV_2D: {except: [{output: int16}]}}", 3, "cannot except more"),
        ("ops: {CONV_2D: {inputs: [input, filter, bias]}}", 3, "must begin with the inherited"),
        ("levels: {CONV_2D/weight/zero_point: note}", 3, "milder"),
    ],
)
def test_loosening_is_refused_with_its_line(load, body, line, message):
    with pytest.raises(ProfileError, match=message) as refused:
        load(child(body + "\n"))
    assert refused.value.line == line
    assert refused.value.file.endswith("child.yaml")


def test_loosening_under_relaxes_is_attached_to_the_demand(load):
    profile = load(
        child("relaxes:\n  CONV_2D/weight/range: {value: -128..127, because: the array is 9 bits wide}\n")
    )
    relaxed = next(r for r in profile.requirements() if r.path == "CONV_2D/weight/range")
    assert relaxed.value == Range(Fraction(-127), Fraction(127))
    assert relaxed.relaxation.value == Range(Fraction(-128), Fraction(127))
    assert relaxed.relaxation.by.line == 4


def test_same_quantization_is_relaxed_to_fewer_roles(load):
    body = "relaxes:\n  CONCATENATION/same_quantization: {value: [values], because: the output is rescaled}\n"
    r = next(r for r in load(child(body)).requirements() if r.path == "CONCATENATION/same_quantization")
    assert r.relaxation.value == Roles(("values",))
    assert r.value == Roles(("values", "output"))


def test_operands_cannot_be_relaxed(load):
    with pytest.raises(ProfileError, match="cannot be relaxed") as refused:
        load(child("relaxes:\n  CONV_2D/input/operands: {value: present, because: it is not needed}\n"))
    assert refused.value.line == 4


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("profile: p\nops: {}\nopps: {}\n", 3, "unknown key 'opps'; did you mean 'ops'"),
        ("profile: p\nprofile: q\n", 2, "twice, first on line 1"),
        ("title: nameless\n", 1, "its name, is missing"),
        ("profile: p\nextends: litert-int9\n", None, "did you mean 'litert-int8'"),
        ("profile: p\nextends: litert-xnnpack\n", None, "it is an arithmetic, for --arithmetic"),
        ("title: t\narithmetic: a\n", 2, "got arithmetic 'a', expected profile"),
        ("- foo\n", 1, "expected a profile: a mapping with the key profile"),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], tensors: {c: {dtype: int8}}}\n",
            3,
            "no operand 'c'",
        ),
        ("profile: p\nops:\n  ADD: {inputs: [a, a], outputs: [b]}\n", 3, "two operands called 'a'"),
        ("profile: p\nops:\n  ADD: {outputs: [b]}\n", 3, "inputs is missing"),
        ("profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], tensors: {a: activaton}}\n", 3, "no kind"),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], tensors: {a: {scale: big}}}\n",
            3,
            "scale takes a number",
        ),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], tensors: {a: {range: 5..1}}}\n",
            3,
            "is empty",
        ),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], tensors: {a: {scale: 1/0}}}\n",
            3,
            "not a number",
        ),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], limits: {strid_w: 1}}\n",
            3,
            "did you mean 'stride_w'",
        ),
        ("profile: p\nops:\n  ADD: {inputs: [a, c], repeated: [a], outputs: [b]}\n", 3, "only the last"),
        ("profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], scope: [c]}\n", 3, "no operand 'c'"),
        ("profile: p\nlevels: {ADD/a/scale: eror}\n", 2, "a level is one of .*not 'eror'"),
        ("profile: p\nlevels: {ADD/a/scale: note}\n", 2, "no requirement 'ADD/a/scale'"),
        ("profile: p\nunlisted: maybe\n", 2, "unlisted is one of 'not covered', "),
        ("profile: p\nunlisted: stays on CPU\n", 2, "did you mean 'stays on the CPU'"),
        ("profile: p\nunlisted: stays on the CPU\n", 2, "takes judges: placement"),
        (
            "profile: p\nextends: litert-int8\nkinds:\n  weight:\n    granularity: per-tensor\n",
            5,
            "weight: granularity reaches no operand",
        ),
        ("profile: p\njudges: taste\n", 2, "judges is one of 'quantization', 'structure', 'placement'"),
        (
            "profile: p\nops:\n  CONV2D: {inputs: [a], outputs: [b]}\n",
            3,
            "no operator 'CONV2D'; did you mean 'CONV_2D'",
        ),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b]}\n",
            3,
            "ADD: no operand says of which type it speaks",
        ),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], shapes: broadcast_7d}\n",
            3,
            "no law of shapes 'broadcast_7d'; did you mean 'broadcast'",
        ),
        (
            "profile: p\nops:\n  ADD: {inputs: [a], outputs: [b], intermediates: [b]}\n",
            3,
            "two operands called 'b'",
        ),
        (
            "profile: p\neffects: {ADD/a/scale: explodes}\n",
            2,
            "an effect is one of .*'crashes', .*; not 'explodes'",
        ),
        ("profile: p\neffects: {ADD/a/scale: crashes}\n", 2, "no requirement 'ADD/a/scale'"),
        ("profile: p\nincludes: litert-strukture\n", None, "did you mean 'litert-structure'"),
        ("profile: p\nops:\n  ADD: [1\n", 4, "not YAML"),
        ("profile: [p\n", 2, "not YAML"),
        ("- a\n", 1, "mapping"),
        ("", 1, "mapping"),
    ],
)
def test_errors_have_their_line(load, text, line, message):
    with pytest.raises(ProfileError, match=message) as refused:
        load(text)
    assert refused.value.line == line


INCLUDED = """\
profile: rigid
activations: any
judges: structure
runtime: rigid 2.0
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    limits: {stride_w: 1..2, stride_h: 1..2}
    shapes: SHAPES
  SUBGRAPH:
    inputs: [inputs]
    repeated: [inputs]
    outputs: []
    tensors: {inputs: {dtype: int8}}
  SQUARE: {inputs: [input], outputs: [output], limits: {input.rank: 1..4}}
effects:
  "*/*": crashes
  "*/*/*": crashes
levels:
  CONV_2D/limits/stride_h: warning
"""


@pytest.fixture
def including(load):
    """Return a loader of a profile of CONV_2D that includes another; ``change`` edits the text of the included
    profile."""

    def including(change=lambda text: text, more=""):
        law = load_profile("litert-structure").operators["ADD"].law
        load(change(INCLUDED.replace("SHAPES", law)), "rigid")
        own = BASE[: BASE.index("  CONCATENATION")].replace(
            "profile: base", "profile: whole\nincludes: rigid.yaml"
        )
        return load(own + more, "whole")

    return including


def requirement(profile, path):
    return next(r for r in profile.requirements() if r.path == path)


def test_included_requirements_apply_to_listed_operators(including):
    profile = including()
    assert set(profile.operators) == {"CONV_2D", "SUBGRAPH"}, (
        "the included SQUARE is not an operator of this profile"
    )
    assert value(profile, "CONV_2D/limits/stride_w") == Range(Fraction(1), Fraction(4)), (
        "the profile's own value applies"
    )
    joined = requirement(profile, "CONV_2D/limits/stride_h")
    assert (joined.value, joined.demand.profile, joined.level, joined.effect) == (
        Range(Fraction(1), Fraction(2)), "rigid", "warning", "crashes",
    )  # fmt: skip
    assert requirement(profile, "CONV_2D/shapes").demand.profile == "rigid"
    assert profile.operators["CONV_2D"].law
    assert (profile.judges, profile.runtime, profile.activations) == ("quantization", "", ("int8",))


def test_an_impact_applies_to_own_and_included_requirements(including):
    profile = including()
    assert requirement(profile, "CONV_2D/weight/zero_point").effect == "the profile forbids it"
    profile = including(more="effects:\n  '*/*/*': wrong results\n")
    assert requirement(profile, "CONV_2D/weight/zero_point").effect == "wrong results"
    assert requirement(profile, "CONV_2D/limits/stride_h").effect == "wrong results"
    assert requirement(profile, "CONV_2D/shapes").effect == "crashes"


def test_an_impact_of_a_parent_does_not_apply_to_a_childs_requirements(load):
    load(BASE.replace("levels:", "effects: {'*/*/*': crashes}\nlevels:"), "base")
    profile = load(child("kinds: {weight: {zero_point: 0}}\nops: {CONV_2D: {limits: {stride_h: 1..2}}}\n"))
    effects = {
        path: requirement(profile, f"CONV_2D/{path}").effect for path in ("bias/dtype", "limits/stride_h")
    }
    assert effects == {"bias/dtype": "crashes", "limits/stride_h": "the profile forbids it"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("[input, weight, bias]", "[x, weight, bias]"),
            "the operands x, weight, bias are input, weight, bias in",
        ),
        (("outputs: [output]\n    limits", "outputs: [y]\n    limits"), "the operands y are output in"),
    ],
)
def test_included_operands_must_be_called_the_same(including, change, message):
    def renamed(text):
        assert change[0] in text
        return text.replace(*change)

    with pytest.raises(ProfileError, match=message) as refused:
        including(renamed)
    assert refused.value.file.endswith("rigid.yaml")
    assert refused.value.line == 6


def test_inherited_keys_of_a_file(load):
    load(BASE.replace("title:", "runtime: ACME compiler 4.2\njudges: structure\ntitle:"), "base")
    assert (load(child("")).runtime, load(child("")).judges) == ("ACME compiler 4.2", "structure")
    own = load(child("runtime: other 1\njudges: quantization\n"))
    assert (own.runtime, own.judges) == ("other 1", "quantization")


def test_a_scope_is_not_wanted_of_a_profile_of_any_type(load):
    profile = load("profile: p\nactivations: any\nops:\n  ADD: {inputs: [a], outputs: [b]}\n")
    assert profile.operators["ADD"].activations == ()


@pytest.mark.parametrize("reasoned", [True, False])
def test_a_profile_that_comes_along_gives_a_reason_for_every_demand(tmp_path, monkeypatch, reasoned):
    text = "profile: ours\nops:\n  ADD:\n    inputs: [a]\n    outputs: [b]\n    scope: [a]\n    tensors:\n"
    text += "      a: {zero_point: 0, because: so it is}\n" if reasoned else "      a: {zero_point: 0}\n"
    (tmp_path / "ours.yaml").write_text(text)
    monkeypatch.setattr("litecheck.profile.load.rules_dir", lambda: tmp_path)
    profile = load_profile("ours")
    if reasoned:
        assert value(profile, "ADD/a/zero_point") == Exactly(Fraction(0))
        return
    with pytest.raises(ProfileError, match="ADD/a/zero_point: a because is missing") as refused:
        tuple(profile.requirements())
    assert (refused.value.file, refused.value.line) == ("rules/ours.yaml", 8)


def test_a_user_need_not_give_reasons(load):
    assert requirement(load(BASE, "base"), "CONV_2D/weight/zero_point").because == ""


def test_nothing_to_judge_and_intermediates(load):
    text = "profile: p\nactivations: any\nops:\n  VAR_HANDLE:\n    inputs: []\n    outputs: [resource]\n"
    text += "    intermediates: [scratch]\n    optional: [scratch]\n    nothing_to_judge: it holds no data\n"
    rule = load(text).operators["VAR_HANDLE"]
    assert rule.nothing_to_judge == "it holds no data"
    assert rule.roles == ("resource", "scratch")


def test_scalars_stay_text(load):
    """YAML's own interpretation of no, 1:20 and 1e-3 is not used."""
    text = BASE.replace("limits: {stride_w: 1..4}", "limits: {bias.constant: no}")
    assert value(load(text, "base"), "CONV_2D/limits/bias.constant") == Exactly("no")


def test_hostile_files_are_errors_at_once(load, tmp_path):
    with pytest.raises(ProfileError, match=r"nested too deeply|not YAML"):
        load("profile: p\nops: " + "[" * 500 + "]" * 500)
    with pytest.raises(ProfileError, match="no such file"):
        load_profile(tmp_path / "missing.yaml")
    (tmp_path / "big.yaml").write_bytes(b"#" * (5 << 20))
    with pytest.raises(ProfileError, match="too large"):
        load_profile(tmp_path / "big.yaml")
    with pytest.raises(ProfileError, match="extends or includes itself"):
        load("profile: p\nextends: child.yaml\n")
    aliases = "profile: p\nkinds:\n" + "".join(
        f"  k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10) if n else '1'}]\n" for n in range(12)
    )
    with pytest.raises(ProfileError):
        load(aliases)


N = Fraction


@pytest.mark.parametrize(
    ("child", "parent", "fits"),
    [
        (Range(N(-1), N(1)), Range(N(-2), N(2)), True),
        (Range(N(-3), N(1)), Range(N(-2), N(2)), False),
        (Exactly(N(0)), Range(N(-2), N(2)), True),
        (OneOf((Exactly(N(0)), Exactly(N(3)))), Range(N(-2), N(2)), False),
        (Exactly("int8"), OneOf((Exactly("int8"), Exactly("int4"))), True),
        (OneOf((Exactly("int8"), Exactly("int4"))), Exactly("int8"), False),
        (Exactly("per-axis"), Exactly("any"), True),
        (Exactly("any"), Exactly("per-axis"), False),
        (Exactly("normal"), Exactly("positive"), True),
        (Exactly("positive"), Exactly("normal"), False),
        (Exactly(N(1, 256)), Exactly("normal"), True),
        (Exactly(N(1, 256)), Exactly(N(1, 256), N(1, 1000)), True),
        (Exactly(N(1, 256), N(1, 100)), Exactly(N(1, 256), N(1, 1000)), False),
        (MultipleOf(N(16)), MultipleOf(N(8)), True),
        (MultipleOf(N(12)), MultipleOf(N(8)), False),
        (Exactly(N(32)), MultipleOf(N(8)), True),
        (PowerOf(2), Exactly("positive"), True),
        (SameAs("weight"), Exactly("per-axis"), False),
        (ProductOf(("a", "b"), 0), ProductOf(("a", "b"), 1), True),
        (ProductOf(("a", "c"), 0), ProductOf(("a", "b"), 1), False),
        (Roles(("a", "b", "c")), Roles(("a", "b")), True),
        (Roles(("a",)), Roles(("a", "b")), False),
    ],
)
def test_narrowness(child, parent, fits):
    assert narrower(child, parent) is fits
    assert narrower(parent, parent)


@pytest.mark.slow
@pytest.mark.parametrize("name", profile_names())
def test_bundled_profiles_pass_the_checks_of_users_files(name, tmp_path):
    """A profile loaded by its name skips slow checks of its rules. A copy in another folder has all checks."""
    (file,) = (*rules_dir().glob(f"{name}.yaml"), *rules_dir().glob(f"targets/{name}.yaml"))
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(file.read_bytes())
    loaded, bundled = load_profile(copy), load_profile(name)
    assert loaded.name == bundled.name == name
    assert [r.path for r in loaded.requirements()] == [r.path for r in bundled.requirements()]


def test_a_level_without_its_requirement_is_an_error_in_the_copy(tmp_path):
    """Negative control: the copy of the test above has the skipped checks."""
    copy = tmp_path / "copy.yaml"
    text = (rules_dir() / "litert-int8.yaml").read_text()
    copy.write_text(text.replace('"*/weight/granularity": note', '"*/weights/granularity": note'))
    with pytest.raises(ProfileError, match="no requirement"):
        load_profile(copy)


def _aged(path, seconds=10.0):
    """Set the time of the last edit back, so that the file counts as settled."""
    when = path.stat().st_mtime - seconds
    os.utime(path, (when, when))


def test_an_own_file_is_read_once_until_it_or_a_parent_is_edited(tmp_path):
    base, child = tmp_path / "base.yaml", tmp_path / "child.yaml"
    base.write_text(BASE)
    child.write_text(
        "profile: child\ntitle: A child\nextends: base.yaml\nops: {CONV_2D: {limits: {stride_w: 1..2}}}\n"
    )
    _aged(base)
    assert load_profile(child) is not load_profile(child), (
        "an edit within the clock's resolution would be missed"
    )
    _aged(child)
    first = load_profile(child)
    assert load_profile(child) is first
    base.write_text(BASE.replace("1..4", "1..3"))
    _aged(base, 20.0)
    second = load_profile(child)
    assert second is not first
    child.write_text(child.read_text().replace("1..2", "1..9"))
    with pytest.raises(ProfileError, match=r"allows more than base's 1\.\.3"):
        load_profile(child)
    child.unlink()
    with pytest.raises(ProfileError):
        load_profile(child)


@pytest.mark.parametrize(
    ("text", "built"),
    [
        ("ops: {CONV_2D: {limits: {stride_w: 1..2}}}", {"CONV_2D"}),
        ("levels: {CONV_2D/limits/stride_w: violation}", {"CONV_2D"}),
        ("reasons: {'*/values/zero_point': the wires are shared}", {"CONV_2D", "CONCATENATION"}),
        ("kinds: {weight: {zero_point: 0}}", {"CONV_2D", "CONCATENATION"}),
    ],
)
def test_rules_that_a_file_leaves_alone_are_not_built(load, monkeypatch, text, built):
    rules = set()
    rule = Builder._rule
    monkeypatch.setattr(
        Builder, "_rule",
        lambda self, draft, any_tensor: rules.add(draft.opcode) or rule(self, draft, any_tensor),
    )  # fmt: skip
    monkeypatch.setattr("litecheck.profile.load.ProfileFiles.load_file", _only_child(rules))
    load(f"profile: child\ntitle: A child\nextends: base.yaml\n{text}\n")
    assert rules == built


def _only_child(rules):
    """Return a loader that forgets the rules that were built for the parent's own checks."""
    inner = ProfileFiles.load_file

    def loaded(self, path, shown):
        found = inner(self, path, shown)
        if path.name == "base.yaml":
            rules.clear()
        return found

    return loaded
