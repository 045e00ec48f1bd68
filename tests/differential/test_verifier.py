"""No file that LiteRT's FlatBuffers verifier rejects is accepted. Additional rejections are listed with their reasons.

Codes of files that litecheck rejects although the verifier accepts them. LiteRT runs some of these files with finite
outputs. Each rejection is intended, because the file contradicts itself:

    code                  LiteRT                                  reason of the rejection
    --------------------  --------------------------------------  --------------------------------------------------
    bad-vtable            verifier ignores a table's own size;    the size is wrong only in damaged files, whose
                          runs                                    fields are doubtful too
    field-outside-table   same; runs                              a field outside its table belongs to another table
    misaligned            rejects the file                        -
    offset-zero           reads the offset's bytes as the table;  no writer writes it, and the read values are
                          runs                                    accidental
    shared-too-often      no limit below 1,000,000 tables, none   following every reference takes too long; no writer
                          for vectors; runs or hangs              shares tables like this
    bad-version           rejects the file                        -
    no-subgraph           reads a missing subgraph: crashes       -
    incomplete-subgraph   rejects the file                        -
    no-buffers            rejects the file                        -
    buffer-outside-file   rejects, unless the buffer is unused;   the bytes do not exist
                          offset plus size may overflow
    wrong-buffer-size     rejects a short constant; runs with a   int4 with one byte per value: LiteRT reads half of
                          long constant                           them (further long constants are accepted, noted)
    bad-shape             rejects; runs if no operator reads it   a rank above the runtime's limit, a negative length
    index-out-of-range    rejects tensors of the main subgraph;   the target does not exist: a signature that names
                          ignores metadata, unused signatures,    no tensor fails when it is called
                          options that the operator lacks
    used-before-made      reads unwritten memory: crashes,        the outputs are accidental
                          fails, or runs
    constant-output       writes into the mapped file: crashes,   the outputs are accidental
                          or rejects resizing the tensor
    weights-file-missing  ignores external buffers; runs          the constants cannot be checked
    unknown-packing       ignores external buffers                the constants cannot be checked
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from litecheck.flatbuffer import references
from litecheck.flatbuffer import verifier as structure
from litecheck.model import execution_order, external_buffers, integrity
from tests.differential.verifier import Litert, Pair, codes_of, compare, summary
from tests.fuzz.mutate import mutant
from tests.fuzz.seeds import FIXTURES, built

pytestmark = [pytest.mark.runtime, pytest.mark.slow]
MUTANTS = 300


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    return list(compare(built(), 1, range(MUTANTS)))


def test_files_that_the_verifier_rejects_are_rejected(pairs: list[Pair]) -> None:
    missed = [(p.mutant.number, p.mutant.seed, p.mutant.operator) for p in pairs if p.missed]
    assert missed == []
    assert sum(p.stage == "invalid" for p in pairs) > MUTANTS / 10, "the verifier rejects some files"


def test_rejected_files_that_run_are_listed_above(pairs: list[Pair]) -> None:
    codes = {code for pair in pairs if pair.suspicious for code in pair.codes}
    assert codes <= set(re.findall(r"^    ([a-z-]+)  ", str(__doc__), re.MULTILINE))


#: Modules that define codes.
MODULES = (structure, references, integrity, execution_order, external_buffers)


def test_every_additional_rejection_is_listed() -> None:
    """Every code is either listed above or belongs to files that both reject."""
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


def test_a_verifier_with_gaps_is_noticed(pairs: list[Pair]) -> None:
    refused = next(p for p in pairs if p.stage == "invalid")
    assert Pair(refused.mutant, (), refused.stage, refused.message).missed
    assert not refused.missed
    assert "rejects" in summary(pairs)


def test_a_child_that_ends_is_replaced(tmp_path: Path) -> None:
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
