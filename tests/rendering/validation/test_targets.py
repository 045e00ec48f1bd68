"""Words for the placement of operators on a target and for the target's compiler."""

from __future__ import annotations

from types import SimpleNamespace as N
from typing import Any

import pytest

from litecheck.files import bytes_text
from litecheck.rendering.validation.targets import (
    compiler_text,
    place_text,
    places_of,
    target_facts,
    target_text,
)


def placed(number: int, place: str = "cpu", subgraph: int = 0, **more: Any) -> Any:
    known = {"partition": None, "unverified": ""}
    return N(opcode="ADD", index=number, place=place, subgraph=subgraph, **{**known, **more})


def compiler(count: int = 0, **more: Any) -> Any:
    known = {"otherwise": [placed(n) for n in range(count)], "ending": "", "memories": {"sram": 2048, "flash": 0},
             "partitions": 1, "macs": 1_234_567, "program": "vela"}  # fmt: skip
    return N(**{**known, **more})


def target(**more: Any) -> Any:
    known = {"places": {"npu": 3, "cpu": 1}, "optimized_out": 0, "unverified": [], "compiles": True,
             "live": 2048, "share": 0.5,
             "partitions": 2, "target": "npu-a", "compiler": None, "operators": ()}  # fmt: skip
    return N(**{**known, **more})


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            target(),
            "3 on the NPU, 1 on the CPU; 2 NPU partitions; 50.0 % of MACs on the NPU",
        ),
        (
            target(optimized_out=2, share=None, partitions=1),
            "1 on the NPU, 2 optimized out, 1 on the CPU; 1 NPU partition",
        ),
        (
            target(places={"npu": 0, "cpu": 1_200}, compiles=False),
            "1,200 on the CPU; nothing is compiled",
        ),
        (target(places={}, share=None, partitions=0), "no operators; 0 NPU partitions"),
    ],
)
def test_placements(made: Any, words: str) -> None:
    assert target_text(made).partition("; peak activation memory ")[0] == words
    assert target_text(made).endswith(f"; peak activation memory {bytes_text(2048)}")


@pytest.mark.parametrize(("count", "dots"), [(1, False), (5, False), (6, True)])
def test_a_handful_of_operators_is_named(count: int, dots: bool) -> None:
    """Five are named, more are left out."""
    some = compiler_text(compiler(count)).partition(";")[0]
    assert some.count("ADD #") == min(count, 5)
    assert some.endswith(", ...") == dots
    assert some.startswith(f"{count} operator{'s' * (count > 1)} placed differently: ADD #0 on the CPU")
    open_ = [placed(n, "npu", unverified="rank 7") for n in range(count)]
    told = target_text(target(unverified=open_)).split("; ")[1]
    assert told.startswith(f"{count} of them unverified: ADD #0 (rank 7)")
    assert told.count("ADD #") == min(count, 5)
    assert told.endswith(", ...") == dots


def test_a_compiler() -> None:
    told = compiler_text(compiler())
    assert told.startswith("placement as predicted; 1 NPU partition; 1,234,567 MACs; peak use ")
    assert told.endswith(" of sram")
    assert compiler_text(compiler(memories={})).endswith("; peak use no memory")
    assert compiler_text(compiler(ending=" it\n crashed ")) == "no compiled model, as predicted: it crashed"
    assert compiler_text(compiler(1, ending="why")).endswith("; no compiled model: why")


def test_operators_of_further_subgraphs() -> None:
    assert "ADD 1/#4 on the CPU" in compiler_text(compiler(otherwise=[placed(4, subgraph=1)]))


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (placed(0), "CPU"),
        (placed(0, "refused"), "rejected"),
        (placed(0, "crashes"), "crash"),
        (placed(0, "npu"), "optimized out"),
        (placed(0, "npu", partition=0), "NPU, partition 0"),
        (placed(0, "npu", partition=2, unverified="rank 7"), "NPU, partition 2, unverified (rank 7)"),
    ],
)
def test_one_operator(one: Any, words: str) -> None:
    assert place_text(one) == words


def test_several_targets() -> None:
    first, second = target(operators=(placed(0),)), target(target="npu-b", operators=(placed(0, "refused"),))
    assert places_of(N(targets=[first])) == {(0, 0): "CPU"}  # type: ignore[arg-type]
    assert places_of(N(targets=[first, second])) == {(0, 0): "npu-a: CPU; npu-b: rejected"}  # type: ignore[arg-type]
    facts = target_facts(N(targets=[target(compiler=compiler()), second]))  # type: ignore[arg-type]
    assert [name for name, _ in facts] == ["npu-a", "vela", "npu-b"]
