"""Rule files that include rule files: read once, within a budget; files of another kind are not quoted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from litecheck.conversion.recipe_file import read_recipe
from litecheck.errors import ProfileError
from litecheck.profile import rule_file, yaml_reader
from litecheck.profile.load import load_profile
from litecheck.profile.rule_file import BYTES_MAX, DEPTH_MAX, FILES_MAX
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.suite.claims_file import load_claims
from litecheck.suite.waivers import load_waivers

SECRET = "token: hunter2\npassword: [a, b]\n"
CLAIMS = """\
claims: c
device: {{name: a, version: 1}}
profile: {{name: {profile}, version: 1}}
level: standard
arithmetic: {arithmetic}
operators: [TANH]
"""


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)


def test_files_that_include_each_other_ten_times_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_time: None
) -> None:
    read: list[str] = []
    whole = yaml_reader.read_file
    monkeypatch.setattr(
        yaml_reader, "read_file", lambda path, limit: (read.append(path.name), whole(path, limit))[1]
    )
    (tmp_path / "d").mkdir()
    for n in range(8):
        # Different names of a file do not make it a different file.
        names = ", ".join(f"{'d/../' * time}i{n + 1}.yaml" for time in range(10))
        write(tmp_path, **{f"i{n}": f"profile: p{n}\nincludes: [{names}]\n"})
    write(tmp_path, i8="profile: p8\nextends: litert-int8\n")
    assert load_profile(tmp_path / "i0.yaml").name == "p0"
    assert sorted(name for name in read if name.startswith("i")) == [f"i{n}.yaml" for n in range(9)]


def test_files_that_include_all_of_the_next_level_end(tmp_path: Path, in_time: None) -> None:
    ops = "ops:\n  ABS: {inputs: [input], outputs: [output], tensors: {input: a, output: a}, limits: {input.rank: 4}}\n"
    body = f"kinds: {{a: {{dtype: int8}}}}\n{ops}levels: {{ABS/limits/input.rank: note}}\n"
    for level in range(DEPTH_MAX + 1):
        below = ", ".join(f"l{level + 1}_{n}.yaml" for n in range(3)) if level < DEPTH_MAX else ""
        for n in range(3):
            text = f"profile: p{level}{n}\nactivations: any\nincludes: [{below}]\n{body}"
            write(tmp_path, **{f"l{level}_{n}": text})
    profile = load_profile(tmp_path / "l0_0.yaml")
    assert {r.level for r in profile.operators["ABS"].all_requirements() if r.verb == "limits"} == {"note"}


@pytest.mark.parametrize("key", ["extends", "includes"])
def test_circles_and_chains_end(tmp_path: Path, key: str) -> None:
    write(tmp_path, a=f"profile: a\n{key}: b.yaml\n", b=f"profile: b\n{key}: a.yaml\n")
    with pytest.raises(ProfileError, match=r"a\.yaml: extends or includes itself"):
        load_profile(tmp_path / "a.yaml")
    for n in range(DEPTH_MAX + 2):
        write(tmp_path, **{f"c{n}": f"profile: c{n}\n{key}: c{n + 1}.yaml\n"})
    with pytest.raises(ProfileError, match=f"more than {DEPTH_MAX} files deep"):
        load_profile(tmp_path / "c0.yaml")


def test_many_files_and_many_bytes_are_refused(tmp_path: Path) -> None:
    names = [f"f{n}" for n in range(FILES_MAX)]
    write(tmp_path, top=f"profile: t\nincludes: [{', '.join(f'{name}.yaml' for name in names)}]\n")
    write(tmp_path, **{name: f"profile: {name}\n" for name in names})
    with pytest.raises(ProfileError, match=f"more than {FILES_MAX} rule files"):
        load_profile(tmp_path / "top.yaml")
    large = "#" * (BYTES_MAX // 3)
    write(tmp_path, **{name: f"profile: {name}\n{large}\n" for name in names[:4]})
    with pytest.raises(ProfileError, match=f"exceed {BYTES_MAX >> 20} MB"):
        load_profile(tmp_path / "top.yaml")


def test_an_arithmetic_is_within_the_budget_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a="arithmetic: a\nextends: b.yaml\n", b="arithmetic: b\nextends: a.yaml\n")
    with pytest.raises(ProfileError, match="extends itself, or too many others"):
        load_arithmetic(tmp_path / "a.yaml")
    monkeypatch.setattr(rule_file, "FILES_MAX", 3)
    with pytest.raises(ProfileError, match="more than 3 rule files"):
        load_arithmetic(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    "secret", [SECRET, "- hunter2", "a: *hunter2", "hunter2: [\n", "profile: p\nhunter2: 1\n"]
)
@pytest.mark.parametrize("key", ["extends", "includes"])
def test_a_file_that_is_no_profile_is_not_quoted(tmp_path: Path, key: str, secret: str) -> None:
    write(tmp_path, secret=secret, a=f"profile: a\n{key}: secret.yaml\n")
    with pytest.raises(
        ProfileError, match=r"secret\.yaml.*is not a valid profile; to see the reason"
    ) as caught:
        load_profile(tmp_path / "a.yaml")
    assert "hunter2" not in str(caught.value)
    assert "token" not in str(caught.value)
    with pytest.raises(ProfileError, match=r"secret\.yaml") as named:
        load_profile(tmp_path / "secret.yaml")
    assert "is not a valid profile" not in str(named.value)


@pytest.mark.parametrize(("profile", "arithmetic"), [("secret.yaml", "tflm"), ("litert-int8", "secret.yaml")])
def test_claims_do_not_quote_a_file_of_another_kind(tmp_path: Path, profile: str, arithmetic: str) -> None:
    write(tmp_path, secret=SECRET, claims=CLAIMS.format(profile=profile, arithmetic=arithmetic))
    with pytest.raises(ProfileError, match=r"secret\.yaml.*is not a valid") as caught:
        load_claims(tmp_path / "claims.yaml")
    assert "token" not in str(caught.value)


def test_an_arithmetic_does_not_quote_a_file_of_another_kind(tmp_path: Path) -> None:
    write(tmp_path, secret=SECRET, a="arithmetic: a\nextends: secret.yaml\n")
    with pytest.raises(ProfileError, match=r"secret\.yaml.*is not a valid arithmetic") as caught:
        load_arithmetic(tmp_path / "a.yaml")
    assert "token" not in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")
def test_devices_and_pipes_are_not_read(tmp_path: Path, in_time: None) -> None:
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.yaml")
    for name in ("zero", "pipe"):
        write(tmp_path, a=f"profile: a\nextends: {name}.yaml\n", b=f"arithmetic: a\nextends: {name}.yaml\n")
        for call in (load_profile, load_arithmetic):
            for file in ("a" if call is load_profile else "b", name):
                with pytest.raises(ProfileError, match=rf"{name}\.yaml: cannot be read: got a device, pipe"):
                    call(tmp_path / f"{file}.yaml")


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        ("recipe", "- foo", "expected a recipe: a mapping with the key rules"),
        ("claims", "- foo", "expected claims: a mapping with the key claims"),
        ("waivers", "- foo", "expected waivers: a mapping with the key waivers"),
        ("arithmetic", "- foo", "expected an arithmetic: a mapping with the key arithmetic"),
        ("recipe", "claims: c\nprofile: {name: p}", "got claims 'c', expected recipe"),
        ("arithmetic", "claims: c\narithmetic: a", "got claims 'c', expected arithmetic"),
        ("profile", "claims: c\nprofile: {name: p}", "got claims 'c', expected profile"),
        ("profile", "rules: [{to: int8}]", "got recipe, expected profile"),
        ("claims", "profile: p\nops: {}", "got profile 'p', expected claims"),
        ("waivers", "profile: p", "got profile 'p', expected waivers"),
        ("recipe", "foo: bar", "unknown key 'foo'; available: rules"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, kind: str, text: str, why: str) -> None:
    readers = {
        "recipe": read_recipe, "claims": load_claims, "waivers": load_waivers, "arithmetic": load_arithmetic,
        "profile": load_profile,
    }  # fmt: skip
    write(tmp_path, a=text)
    with pytest.raises(ProfileError) as error:
        readers[kind](str(tmp_path / "a.yaml"))
    assert str(error.value).endswith(f"a.yaml:1: {why}")


def test_claims_may_list_operators_alone(tmp_path: Path) -> None:
    write(tmp_path, a="operators: [TANH]\nwaivers: []\narithmetic: litert-reference\n")
    assert set(load_claims(tmp_path / "a.yaml", "litert-int8").operators) == {"TANH"}
