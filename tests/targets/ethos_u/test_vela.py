"""The profiles of Ethos-U compared with Vela: random operators and all available models, operator by operator."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path

import pytest

from docs.target_pages import types
from litecheck.model.load import load_models
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.compiler.vela import Vela, placement_differences
from litecheck.targets.ethos_u.placement import place_model
from tests.differential.conversion import models as float_models
from tests.differential.vela import Score, blind, compared, long_sides
from tests.differential.vela_bounds import bounds
from tests.differential.vela_converted import converted, placed_conversion
from tests.differential.vela_mixtures import KINDS, mixed
from tests.differential.vela_partitions import tangled
from tests.differential.vela_promises import Promises

pytestmark = pytest.mark.slow

pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")

TARGETS = ("ethos-u55", "ethos-u65", "ethos-u85")
#: The U65 has the U55's rules.
BOUNDS = ("ethos-u55", "ethos-u85")
#: Least share of practical operators that run as the profile states.
AGREED = 0.98
#: The same at the bounds of a profile, where a share of the plans leave out operands of an LSTM.
AGREED_AT_BOUNDS = 0.95
#: Number of random graphs with compared partitions.
GRAPHS = 150


def assert_agreement(score: Score, least: float = AGREED) -> None:
    """Check that practical operators agree, and that other forms and the printed list agree less often."""
    practical, unverified = score.practical, score.unverified
    assert practical.trials > 30
    assert practical.agreed / practical.trials >= least, practical.apart
    assert practical.list_agreed < practical.agreed
    assert unverified.agreed / unverified.trials < practical.agreed / practical.trials


@pytest.mark.parametrize("target", BOUNDS)
def test_practical_operators_have_the_predicted_placement(target: str) -> None:
    assert_agreement(compared(blind(20, 140), target))


@pytest.mark.parametrize("target", BOUNDS)
def test_practical_operators_with_large_dimensions_have_the_predicted_placement(target: str) -> None:
    assert_agreement(compared(long_sides(20, 160), target))


#: 1 of 96 models at the bounds of a profile is compiled.
SHARE = 48


@pytest.mark.parametrize("target", BOUNDS)
def test_each_requirement_equals_the_compilers_on_both_sides(target: str) -> None:
    assert_agreement(
        compared(islice(bounds(target, seed=3, most=1), 0, None, SHARE), target), AGREED_AT_BOUNDS
    )


@pytest.mark.parametrize("target", BOUNDS)
def test_converted_graphs_have_the_predicted_placement(target: str) -> None:
    promises = converted(target, graphs=12, first=500, only="graph-")
    assert promises.models == 12
    assert promises.whole
    assert not promises.apart


def test_a_wrong_prediction_is_found() -> None:
    """Control: the same model, compiled for a target that leaves its comparison to the CPU."""
    name, model, runs = next(float_models(0, "net-comparison"))
    (told,) = placed_conversion(model, runs, "ethos-u85").report.targets
    promises = Promises()
    with Vela("ethos-u55") as compiler:
        promises.count(name, told, compiler.compile(placed_conversion(model, runs, "ethos-u85").model))
    assert promises.apart


@pytest.mark.parametrize("target", TARGETS)
def test_the_table_of_operators_has_every_type_that_runs(target: str) -> None:
    profile, seen, missing = load_profile(target), 0, set()
    with Vela(target, seconds=5) as compiler:
        for model, _ in blind(21, 200):
            main = model.subgraphs[0]
            (operator,) = main.operators
            if compiler.compile(model).outcomes[0] == "npu":
                seen += 1
                maps = {main.tensors[i].dtype for i in operator.inputs if i >= 0}
                if not maps & set(types(profile, operator.opcode).split(", ")):
                    missing.add((operator.opcode, *sorted(maps)))
    assert seen > 50
    assert not missing
    assert "float32" not in types(profile, "ADD")
    assert types(profile, "CUSTOM") == "-"


@pytest.mark.parametrize("target", TARGETS)
def test_every_operator_of_real_models_has_the_predicted_placement(target: str, models: Path) -> None:
    profile, apart, seen = load_profile(target), [], 0
    with Vela(target, seconds=120) as compiler:
        for file in sorted(models.glob("*.tflite")):
            for model in load_models(file):
                assert isinstance(model, Model)
                compiled = compiler.compile(model)
                report, _ = place_model(model, profile)
                seen += len(compiled.outcomes)
                for n, place in placement_differences(
                    [op.place for op in report.operators], compiled
                ).items():
                    op = report.operators[n]
                    apart.append(
                        f"{file.name} {op.opcode} #{op.index}: {place} {compiled.ending} {compiled.log}"
                    )
                if not compiled.ending and compiled.partitions != report.partitions:
                    apart.append(f"{file.name}: {compiled.partitions} partitions, not {report.partitions}")
    assert seen > 360
    assert not apart


@pytest.mark.parametrize("target", BOUNDS)
def test_partitions_of_random_graphs_equal_the_compilers(target: str) -> None:
    """Control: counted in the order of the file, most partition counts differ."""
    profile, apart, in_the_file = load_profile(target), [], 0
    with Vela(target) as compiler:
        for number in range(GRAPHS):
            model = tangled(number)
            report, compiled = place_model(model, profile)[0], compiler.compile(model)
            assert not compiled.ending
            if report.partitions != compiled.partitions:
                apart.append(f"{number}: {compiled.partitions} partitions, not {report.partitions}")
            places = [op.place for op in report.operators]
            in_the_file += sum(place == "npu" for place, _ in groupby(places)) == compiled.partitions
    assert not apart
    assert in_the_file < GRAPHS / 2


@pytest.mark.parametrize("target", BOUNDS)
def test_partitions_with_decomposed_operators_equal_the_compilers(target: str) -> None:
    """Control: without decompositions, many partition counts differ. The U55 rejects bool inputs and outputs."""
    profile = load_profile(target)
    plain = replace(profile, rewrites=replace(profile.rewrites, decompositions={}))
    apart, as_one = list[str](), 0
    with Vela(target) as compiler:
        for number in range(GRAPHS):
            model = mixed(number, KINDS[target])
            compiled = compiler.compile(model)
            assert not compiled.ending
            counts = [place_model(model, one)[0].partitions for one in (profile, plain)]
            if counts[0] != compiled.partitions:
                apart.append(f"{number}: {compiled.partitions} partitions, not {counts[0]}")
            as_one += counts[1] == compiled.partitions
    assert not apart
    assert as_one < GRAPHS - 2
