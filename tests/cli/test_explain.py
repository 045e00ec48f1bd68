"""litecheck explain."""

from __future__ import annotations

from collections.abc import Callable

from typer.testing import Result

from litecheck.profile.load import profile_names

Run = Callable[..., Result]


def test_one_requirement(run: Run) -> None:
    result = run("explain", "FULLY_CONNECTED/weight/zero_point", "-p", "tiny.yaml")
    assert result.exit_code == 0
    assert "required     zero point 0 of weight" in result.stdout
    assert "because      a zero point costs a sum" in result.stdout
    assert "demanded by  tiny, tiny.yaml:" in result.stdout
    assert "level        violation" in result.stdout
    assert "effect       the profile forbids it" in result.stdout
    assert "zero point is 3; tiny" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_an_operator_and_wildcards(run: Run) -> None:
    everything = run("explain", "FULLY_CONNECTED", "-p", "tiny.yaml").stdout
    assert everything.count("\n  required ") == 10
    some = run("explain", "*/*/granularity", "-p", "tiny.yaml").stdout
    assert [li for li in some.splitlines() if li.startswith("F")] == [
        "FULLY_CONNECTED/input/granularity (tiny)",
        "FULLY_CONNECTED/weight/granularity (tiny)",
        "FULLY_CONNECTED/output/granularity (tiny)",
    ]


def test_the_example_has_the_effect_of_the_requirement(run: Run) -> None:
    told = run("explain", "TANH/output/scale", "-p", "litert-int8").stdout
    assert "effect       the page forbids it" in told
    assert told.split()[-4:] == ["(the", "page", "forbids", "it)"]


def test_an_unknown_path(run: Run) -> None:
    result = run("explain", "FULLY_CONNECTED/wait", "-p", "tiny.yaml")
    assert result.exit_code == 64
    assert "did you mean 'FULLY_CONNECTED/weight'?" in result.stderr


def test_every_requirement_of_the_shipped_profiles_has_an_explanation(run: Run) -> None:
    for profile in profile_names():
        result = run("explain", "*", "-p", profile)
        assert result.exit_code == 0
        assert result.stdout.count("  required ") == result.stdout.count("  example ")
