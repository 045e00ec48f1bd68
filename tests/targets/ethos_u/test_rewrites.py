"""Rewrites in profiles of targets: parsed, inherited, and rejected with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.model.types import Operator
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.decomposition import DecompositionStep

_TOP = """\
profile: acme
judges: placement
target: ethos-u
activations: any
unlisted: stays on the CPU
rewrites:
"""
_FUSED = """\
  fuses:
    CONV_2D:
      {before: SPACE_TO_BATCH_ND, after: BATCH_TO_SPACE_ND, dilation: block_shape, across: SQUEEZE, because: it is one}
"""
_CONVERTED = """\
  converts:
    bool: {because: it has bytes, see: its page}
"""
_KEPT = """\
  resident:
    VAR_HANDLE: {because: it lives in one place}
"""
_UNFOLDED = """\
  decomposes:
    BATCH_MATMUL:
      steps: {left: [lhs], right: [rhs], result: [left, right]}
      where: {left: [adj_x], right: [not adj_y, shared]}
      because: it is transposed
"""


def written(folder: Path, text: str, name: str = "acme") -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


def test_both_are_read_and_inherited(tmp_path: Path) -> None:
    written(tmp_path, _TOP + _FUSED + _CONVERTED)
    child = written(tmp_path, "profile: acme-2\nextends: acme.yaml\njudges: placement\n", "acme-2")
    rewrites = load_profile(child).rewrites
    fusion, conversion = rewrites.fusions["CONV_2D"], rewrites.casts["bool"]
    assert (fusion.before, fusion.after, fusion.dilation) == ("SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND", 1)
    assert fusion.across == ("SQUEEZE",)
    assert (fusion.because, str(fusion.demand).rpartition(":")[2]) == ("it is one", "8")
    assert (conversion.because, conversion.see) == ("it has bytes", "its page")


def test_steps_are_read_and_made_where_a_condition_holds(tmp_path: Path) -> None:
    unfolding = load_profile(written(tmp_path, _TOP + _UNFOLDED)).rewrites.decompositions["BATCH_MATMUL"]
    left, right, result = unfolding.steps
    assert [step.reads for step in unfolding.steps] == [(0,), (1,), (-1, -2)]
    plain = Operator(0, "BATCH_MATMUL", (0, 1), (2,))
    assert not left.is_needed(plain, "int8", shared=True)
    assert right.is_needed(plain, "int8", shared=False)
    assert result.is_needed(plain, "int8", shared=False)
    assert DecompositionStep((0,), ("int16",)).is_needed(plain, "int16", shared=False)
    assert not DecompositionStep((0,), ("int16", "shared")).is_needed(plain, "int8", shared=False)
    assert DecompositionStep((0,), ("int16", "shared")).is_needed(plain, "int8", shared=True)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (_FUSED.replace("CONV_2D", "CONV2D"), r"acme.yaml:8: no operator 'CONV2D'; did you mean 'CONV_2D'"),
        (_FUSED.replace("BATCH_TO", "BATCHES_TO"), "no operator 'BATCHES_TO_SPACE_ND'; did you mean"),
        (_FUSED.replace("block_shape", "block"), "no operand of SPACE_TO_BATCH_ND 'block'; did you mean 'block_shape'"),
        (_FUSED.replace("SQUEEZE", "SQUEZE"), "no operator 'SQUEZE'; did you mean 'SQUEEZE'"),
        (_FUSED.replace("because: it is one", "see: there"), "acme.yaml:8: CONV_2D: a because is missing"),
        (_FUSED.replace("dilation:", "delation:"), "delation"),
        (_CONVERTED.replace("bool", "boole"), "acme.yaml:8: no type 'boole'; did you mean 'bool'"),
        (_CONVERTED.replace("converts", "convert"), "convert"),
        (_UNFOLDED.replace("[lhs]", "[lsh]"), "acme.yaml:9: no operand or step 'lsh'; did you mean 'lhs'"),
        (_UNFOLDED.replace("[left, right]", "[left, write]"), "no operand or step 'write'; did you mean 'right'"),
        (_UNFOLDED.replace("[adj_x]", "[adj_xx]"), "no option or type 'adj_xx'; did you mean 'adj_x'"),
        (_UNFOLDED.replace("left: [adj_x]", "result: [adj_x]"), "a step with conditions reads one operand"),
        (_UNFOLDED.replace("left: [adj_x]", "light: [adj_x]"), "light"),
        (_UNFOLDED.replace("BATCH_MATMUL", "BATCH_MATMULT"), "no operator 'BATCH_MATMULT'; did you mean"),
        (_KEPT.replace("HANDLE", "HANDEL"), "no operator 'VAR_HANDEL'; did you mean 'VAR_HANDLE'"),
        (_KEPT.replace("because:", "see:"), "acme.yaml:8: VAR_HANDLE: a because is missing"),
        ("  decomposes:\n    ADD: {because: it is several}\n", "acme.yaml:8: ADD: steps are missing"),
        ("  fuses: CONV_2D\n", "expected a mapping, KEY: VALUE; got 'CONV_2D'"),
    ],
)  # fmt: skip
def test_errors_have_their_line_number(tmp_path: Path, entry: str, words: str) -> None:
    with pytest.raises(ProfileError, match=words):
        load_profile(written(tmp_path, _TOP + entry))
