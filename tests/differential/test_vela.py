"""The profiles of Ethos-U beside Vela: random operators, and every model there is, operator by operator."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.target_pages import types
from litecheck.checks.placement import placement
from litecheck.devices.vela import Vela
from litecheck.model.load import load_models
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from tests.differential.vela import PLACES, blind, compared

pytestmark = pytest.mark.slow

pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")

#: How many of 300 random operators, odd ones included, may run elsewhere than a profile says.
TARGETS = {"ethos-u55": 0.97, "ethos-u65": 0.97, "ethos-u85": 0.95}
#: One custom operator on a constant, made to fail: the compiler finds no input and fails, too.
NO_INPUT = "model_invoking_error.tflite"


@pytest.mark.parametrize("target", TARGETS)
def test_random_operators_run_where_the_profile_says(target: str) -> None:
    score = compared(blind(20, 300), target)
    assert score.trials > 250
    assert score.agreed / score.trials >= TARGETS[target], score.apart
    assert score.list_agreed < score.agreed


@pytest.mark.parametrize("target", TARGETS)
def test_the_table_of_operators_has_every_type_that_runs(target: str) -> None:
    profile, seen, missing = load_profile(target), 0, set()
    with Vela(target, seconds=5) as compiler:
        for model in blind(21, 200):
            main = model.subgraphs[0]
            (operator,) = main.operators
            if compiler.compile(model).fates[0] == "npu":
                seen += 1
                maps = {main.tensors[i].dtype for i in operator.inputs if i >= 0}
                if not maps & set(types(profile, operator.opcode).split(", ")):
                    missing.add((operator.opcode, *sorted(maps)))
    assert seen > 50
    # Known to be missing, as docs/targets.md says.
    assert missing <= {("PRELU", "uint8")}
    assert "float32" not in types(profile, "ADD")
    assert types(profile, "CUSTOM") == "-"


@pytest.mark.parametrize("target", TARGETS)
def test_every_operator_of_real_models_runs_where_the_profile_says(target: str, models: Path) -> None:
    profile, apart, seen = load_profile(target), [], 0
    with Vela(target, seconds=120) as compiler:
        for file in sorted(models.glob("*.tflite")):
            for model in load_models(file) if file.name != NO_INPUT else ():
                assert isinstance(model, Model)
                compiled = compiler.compile(model)
                report, _ = placement(model, profile)
                wanted = [PLACES[fate] for fate in compiled.fates]
                seen += len(wanted)
                if set(wanted) & {"refused", "crashes"}:
                    agreed = set(wanted) & {op.place for op in report.operators}
                    apart += [] if agreed else [f"{file.name}: {compiled.ending} {compiled.said}"]
                    continue
                pairs = zip(wanted, report.operators, strict=True)
                apart += [f"{file.name} {op.opcode} #{op.index}: {w}" for w, op in pairs if op.place != w]
                if target != "ethos-u85" and compiled.partitions != report.partitions:
                    apart.append(f"{file.name}: {compiled.partitions} partitions, not {report.partitions}")
    assert seen > 360
    assert not apart
