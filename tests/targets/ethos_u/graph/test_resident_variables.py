"""A variable with readers or writers on both the NPU and the CPU crashes the compiler without a message."""

from __future__ import annotations

import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.placement import place_model

U55, U85 = load_profile("ethos-u55"), load_profile("ethos-u85")


def stream(reads: str, writes: str, made: bool = True, needed: bool = True) -> Model:
    """Return a variable with readers and writers on the NPU, ``n``, and on the CPU, ``f``: float operators stay
    there."""
    builder = ModelBuilder()
    main = builder.subgraph()
    handle = main.tensor("handle", (1,), "resource")
    if made:
        main.add("VAR_HANDLE", [], [handle], shared_name="rows")
    given, taken = [] if made else [handle], list[int]()

    def row(name: str, kind: str) -> int:
        return main.tensor(
            name, (1, 4), "int8" if kind == "n" else "float32", qparams(0.5) if kind == "n" else None
        )

    for n, kind in enumerate(reads):
        taken.append(row(f"read {n}", kind))
        main.add("READ_VARIABLE", [handle], [taken[-1]])
    for n, kind in enumerate(writes):
        given.append(row(f"written {n}", kind))
        main.add("ASSIGN_VARIABLE", [handle, given[-1]], [])
    if not needed:
        x, y = row("x", "n"), row("y", "n")
        main.add("ABS", [x], [y])
        given.append(x)
        taken = [y]
    main.inputs(*given)
    main.outputs(*taken)
    return builder.finish()


#: Models by readers and writers of the variable. Outcomes as observed in Vela 5.2.0.
TOGETHER = {f"{r} {w}": stream(r, w) for r, w in (("n", "n"), ("f", "f"), ("nn", ""), ("n", ""))}
APART = {f"{r} {w}": stream(r, w) for r, w in (("n", "f"), ("f", "n"), ("nf", ""), ("", "nf"), ("nf", "n"))}
UNMADE = {f"{r} {w}, from outside": stream(r, w, made=False) for r, w in (("n", "n"), ("f", "n"))}
IDLE = {"one that nobody reads": stream("n", "f", needed=False)}
STREAMS = {**TOGETHER, **APART, **UNMADE, **IDLE}


@pytest.mark.parametrize("name", STREAMS)
def test_a_variable_on_two_sides_crashes_the_compiler(name: str) -> None:
    report, found = place_model(STREAMS[name], U85)
    crashed = [op.index for op in report.operators if op.place == "crashes"]
    assert bool(crashed) == (name in APART or name in UNMADE)
    told = [f for f in found if f.effect == "crashes the compiler"]
    assert [f.where.operator for f in told] == crashed
    assert all(f.path.endswith("_VARIABLE/unsupported") for f in told)
    why = "no operator makes its handle" if name == "n n, from outside" else "stays on the CPU"
    assert all(why in f.found for f in told)


@pytest.mark.parametrize("name", STREAMS)
def test_without_operators_of_variables_on_the_npu_the_compiler_does_not_crash(name: str) -> None:
    report, _ = place_model(STREAMS[name], U55)
    assert "crashes" not in {op.place for op in report.operators}
