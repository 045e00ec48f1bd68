"""Nothing that LiteRT's FlatBuffers verifier refuses is accepted; and what is refused besides, and why.

What litecheck refuses although the verifier lets it pass, by code. Some of it LiteRT even runs, with finite results;
each code was looked at, and the refusal stands, because the file says something that cannot be:

    code                  what LiteRT does                        why the refusal stands
    --------------------  --------------------------------------  --------------------------------------------------
    bad-vtable            its verifier never reads a table's      the size is wrong only where a file is damaged;
                          own size; runs                          the fields are then as doubtful
    field-outside-table   as above; runs                          a field outside its own table is another table's
    misaligned            refuses the file itself                 -
    offset-zero           takes the offset's own bytes for the    no writer does it, and what is read is noise
                          table it leads to; runs
    shared-too-often      has no budget below 1,000,000 tables,   following every reference does not end in time;
                          none for vectors; runs or hangs         no writer shares like this
    bad-version           refuses the file itself                 -
    no-subgraph           dereferences what is not there: dies    -
    incomplete-subgraph   refuses the file itself                 -
    no-buffers            refuses the file itself                 -
    buffer-outside-file   refuses, unless nothing reads it; the   the bytes it names do not exist
                          sum of offset and size may wrap
    wrong-buffer-size     refuses a constant that is too short;   int4 with one byte per value: it reads half of the
                          runs with one that is too long          values (other long ones are accepted, with a remark)
    bad-shape             refuses; runs where no operator reads   a rank above the runtime's limit, a negative size
    index-out-of-range    refuses operands of the main subgraph;  the thing meant does not exist: a signature that
                          ignores metadata, signatures nobody     names no tensor fails when it is called
                          calls, options the operator has not
    used-before-made      reads memory that nobody wrote: dies,   the result is noise
                          fails, or runs
    constant-output       writes into the mapped file: dies,      the result is noise
                          or refuses to resize the tensor
    weights-file-missing  does not know external buffers; runs    the constants cannot be looked at
    unknown-packing       does not know external buffers          the constants cannot be looked at
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from litecheck.flatbuffer import references
from litecheck.flatbuffer import verifier as structure
from litecheck.model import execution_order, external, integrity
from tests.differential.verifier import Litert, Pair, codes_of, compare, summary
from tests.fuzz.mutate import mutant
from tests.fuzz.seeds import FIXTURES, built

pytestmark = [pytest.mark.runtime, pytest.mark.slow]
MUTANTS = 300


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    return list(compare(built(), 1, range(MUTANTS)))


def test_nothing_the_verifier_refuses_is_accepted(pairs: list[Pair]) -> None:
    missed = [(p.mutant.number, p.mutant.seed, p.mutant.operator) for p in pairs if p.missed]
    assert missed == []
    assert sum(p.stage == "invalid" for p in pairs) > MUTANTS / 10, "the verifier did refuse some"


def test_whatever_is_refused_and_runs_is_explained_above(pairs: list[Pair]) -> None:
    codes = {code for pair in pairs if pair.suspicious for code in pair.codes}
    assert codes <= set(re.findall(r"^    ([a-z-]+)  ", str(__doc__), re.MULTILINE))


#: Where codes are given.
MODULES = (structure, references, integrity, execution_order, external)


def test_every_code_that_needs_a_judgement_has_one() -> None:
    """Codes for which there is no room beside the verifier are those both refuse."""
    both = {"file-too-short", "bad-identifier", "offset-outside-file", "vtable-outside-file", "vector-outside-file",
            "string-not-terminated"}  # fmt: skip
    sources = (Path(str(m.__file__)).read_text(encoding="utf-8") for m in MODULES)
    codes = {code for text in sources for code in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', text)}
    assert codes - both == set(re.findall(r"^    ([a-z]+-[a-z-]+)  ", str(__doc__), re.MULTILINE))


def test_sound_models_are_accepted_by_both() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    litert = Litert()
    for name in ("conv_int8", "fc_int8", "int16x8", "outside_buffers", "appended_zip"):
        path = FIXTURES / f"{name}.tflite"
        assert (codes_of(path), litert.stage(path)) == ((), ("ran", "")), name
    litert.close()


def test_a_verifier_that_misses_something_would_be_noticed(pairs: list[Pair]) -> None:
    refused = next(p for p in pairs if p.stage == "invalid")
    assert Pair(refused.mutant, (), refused.stage, refused.said).missed
    assert not refused.missed
    assert "rejects" in summary(pairs)


def test_a_child_that_dies_is_replaced(tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    litert = Litert()
    assert litert.stage(FIXTURES / "fc_int8.tflite")[0] == "ran"
    assert litert._child is not None
    litert._child.kill()
    litert._child.wait()
    kind, _ = litert.stage(FIXTURES / "fc_int8.tflite")
    assert kind == "died"
    assert litert.stage(FIXTURES / "fc_int8.tflite")[0] == "ran"
    litert.close()


def test_the_mutants_are_those_of_the_fuzzer(pairs: list[Pair]) -> None:
    first = pairs[0].mutant
    assert first == mutant(built(), 1, first.number)
