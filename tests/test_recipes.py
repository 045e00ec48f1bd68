"""The recipes of CONTRIBUTING.md work: each addition is made in a copy of the source, and the program then
uses it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
FIXTURE = ROOT / "fixtures" / "conv_int8.tflite"
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@dataclass(frozen=True)
class Recipe:
    """Additions by file, at its end or after a line, and a program that works only with these additions."""

    added: Mapping[str, str]
    program: str
    behind: Mapping[str, str] = field(default_factory=dict)


OPERATOR = """
  SIGN:
    inputs: [input]
    outputs: [output]
    tensors: {input: activation, output: activation}
    same_quantization: [input, output]
    because: it is to be judged
    see: the test of the recipe
"""
DEVICE = '''
"""A device that computes by litecheck's own kernels."""

from litecheck.devices.device_kinds import DeviceKind
from litecheck.devices.port import AdapterAnswer

KIND = DeviceKind("acme", "litecheck.devices.adapters.acme:Acme")


class Acme:
    def __init__(self, options):
        pass

    def run(self, model, runs):
        import pathlib
        import tempfile

        from litecheck.model.load import load_model
        from litecheck.reference.engine.interpreter import run

        file = pathlib.Path(tempfile.mkdtemp()) / "model.tflite"
        file.write_bytes(model)
        loaded = load_model(file)
        return AdapterAnswer(tuple(tuple(run(loaded, one).outputs.values()) for one in runs))
'''
FORMAT = '''
"""The number of results, for whoever counts."""

from litecheck.rendering.report_view import JUDGING, Format


def render(sheet):
    return f"{sum(len(subject.rows) for subject in sheet.results().subjects)} results\\n"


FORMAT = Format("count", "a number", JUDGING, render)
'''
KERNEL = """

@kernel("STABLEHLO_CBRT", "float32")
def stablehlo_cbrt(input: Operand, output: OutputSpec) -> NDArray[Any]:
    return np.cbrt(input.data)
"""
ONE_OPERATOR = """
import numpy as np
import litecheck
from litecheck.model.build import ModelBuilder
builder = ModelBuilder()
main = builder.subgraph()
x, y = (main.tensor(name, (2,), "float32") for name in "xy")
main.add("STABLEHLO_CBRT", [x], [y])
main.inputs(x)
main.outputs(y)
assert litecheck.run(builder.finish(), (np.float32([8, 27]),)).outputs["y"].round(3).tolist() == [2, 3]
"""
VARIANT = """

@variant("ceiling", fixed=True)
def _ceiling(real: Floats, scales: Scales) -> Rescale:
    m, shift = quantize_multipliers(real)
    return Rescale(lambda x, m, right: -(-x * m >> right), (m, 31 - shift))
"""
ARITHMETIC = """arithmetic: acme
extends: litert-reference
title: Rounds up
operators:
  CONV_2D: {requantize: ceiling}
"""
DEFECT = """

@defect("off-by-one", "the result is one too large", rescales)
def off_by_one(kernel: Kernel, given: Arguments) -> Any:
    return kernel.function(**given) + 1
"""
PROBE = """
    pixel = ProbeOperand(draw_int8(rng, 1, 1, 1, 3), fine)
    yield probe("one pixel", opcode, [pixel], ProbeOutput(fine), ProbeExtras(options=ONE))


ONE: dict[str, Option] = {
    "filter_height": 1, "filter_width": 1, "stride_h": 1, "stride_w": 1, "padding": "VALID",
}  # fmt: skip
"""
ERRATUM = """
  - operator: CONV_2D
    types: [int8]
    resolvers: [reference]
    versions: acme 1
    does: adds one
    evidence: the test of the recipe
"""
NOTE = """
  tall_kernel:
    operators: [CONV_2D]
    most: 2
    found: its filters have {} rows
    required: filters of at most 2 rows
    because: the test of the recipe says so
"""
RESOLUTION = '''

def tall_kernel(operands: Operands, bound: str) -> float | None:
    """Return the number of rows of a filter."""
    weight = operands.one("weight")
    return None if weight is None else weight.shape[1]


RESOLUTION["tall_kernel"] = tall_kernel
'''
MEASUREMENT = '''

@measures(lambda plan, value: plan.edit("input", lambda t: t.but(shape=(int(value),))))
def first_length(operands: Operands) -> Measured:
    """How long the input is along its first dimension."""
    tensor = operands.one("input")
    return tensor.shape[0] if tensor and tensor.shape else None
'''
MEASURING = """profile: acme
title: Measures
extends: litert-runtime
ops:
  RELU: {limits: {first_length: {value: 1..8, because: the buffer has eight rows}}}
"""
TARGET = """profile: acme
title: A chip
extends: litert-int8
ops:
  CONV_2D: {unsupported: there is no such unit}
"""
CODE = "import litecheck, sys\n"
RECIPES = {
    "Add an operator": Recipe(
        {"rules/litert-runtime.yaml": OPERATOR},
        CODE + "from litecheck.profile.generate.plan_solver import conforming_plan\n"
        "profile = litecheck.load_profile('litert-runtime')\n"
        "assert conforming_plan(profile, profile.operators['SIGN']).one('input').dtype == 'int8'",
        {"rules/litert-runtime.yaml": "\nops:\n"},
    ),
    "Add a target": Recipe(
        {"rules/targets/acme.yaml": TARGET},
        CODE
        + "report = litecheck.validate(litecheck.load_model(sys.argv[1]), [litecheck.load_profile('acme')])\n"
        "assert any('unsupported' in finding.path for finding in report.active)",
    ),
    "Add a device": Recipe(
        {"litecheck/devices/adapters/acme.py": DEVICE},
        "from litecheck.cli import main\nimport sys\n"
        "sys.argv = ['litecheck', 'verify', sys.argv[1], '-d', 'acme', '-q', '--budget', '40']\nmain()",
    ),
    "Add a format": Recipe(
        {"litecheck/rendering/formats/count.py": FORMAT},
        CODE + "report = litecheck.Report(litecheck.__version__, litecheck.validate_file(sys.argv[1]))\n"
        "assert litecheck.render(report, 'count').endswith(' results\\n')",
    ),
    "Add a kernel": Recipe({"litecheck/reference/kernels/stablehlo.py": KERNEL}, ONE_OPERATOR),
    "Add a variant": Recipe(
        {
            "litecheck/reference/numerics/rescale.py": VARIANT,
            "rules/arithmetic/acme.yaml": ARITHMETIC,
        },
        CODE + "assert litecheck.load_arithmetic('acme').variants('CONV_2D')['requantize'] == 'ceiling'",
    ),
    "Add a defect": Recipe(
        {"litecheck/reference/defects/output_defects.py": DEFECT},
        "from litecheck.reference.defects.defects import defects_of\n"
        "assert 'off-by-one' in defects_of('CONV_2D')",
    ),
    "Add a probe": Recipe(
        {"litecheck/cases/probes/regions.py": PROBE},
        "from litecheck.cases.probes.catalogue import probes\n"
        "assert any(p.name == 'one pixel' for p in probes('MAX_POOL_2D'))",
        {"litecheck/cases/probes/regions.py": "ProbeExtras(others, options=options),\n        )\n"},
    ),
    "Add a known fault": Recipe(
        {"rules/arithmetic/known-faults.yaml": ERRATUM},
        "from litecheck.profile.known_faults import known_faults\n"
        "assert any(f.description == 'adds one' and 'CONV_2D' in f.operators for f in known_faults())",
    ),
    "Add a note on accuracy": Recipe(
        {"rules/notes.yaml": NOTE, "litecheck/profile/measurements/resolution.py": RESOLUTION},
        CODE + f"model = litecheck.load_model({str(FIXTURE)!r})\n"
        "assert any(f.path == 'CONV_2D/tall_kernel' for f in litecheck.validate(model).findings)",
    ),
    "Add an opcode": Recipe(
        {"schemas/tflite.yaml": "ACME_SCALE: 999, "},
        "from litecheck.flatbuffer.schema import load_schema\n"
        "assert load_schema().enum_name('BuiltinOperator', 999) == 'ACME_SCALE'",
        {"schemas/tflite.yaml": "    values: {ADD: 0, "},
    ),
    "Add a measurement": Recipe(
        {"litecheck/profile/measurements/options.py": MEASUREMENT},
        CODE + "open('acme.yaml', 'w').write(" + repr(MEASURING) + ")\n"
        "rule = litecheck.load_profile('acme.yaml').operators['RELU']\n"
        "assert any(r.path == 'RELU/limits/first_length' for r in rule.requirements)",
    ),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package, its rules and its schemas."""
    copy = tmp_path_factory.mktemp("source")
    for folder in ("litecheck", "rules", "schemas"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def ran(source: Path, program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    env = {**os.environ, "PYTHONPATH": str(source), "XDG_CACHE_HOME": str(folder)}
    command = [sys.executable, "-c", program, str(FIXTURE)]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_adds_its_feature(name: str, source: Path, tmp_path: Path) -> None:
    recipe = RECIPES[name]
    assert ran(source, recipe.program, tmp_path / "before").returncode != 0
    before = {
        path: (source / path).read_text("utf-8") if (source / path).exists() else None
        for path in recipe.added
    }
    for path, text in recipe.added.items():
        file, old = source / path, before[path]
        file.parent.mkdir(exist_ok=True)
        line = recipe.behind.get(path)
        head, found, tail = (old or "").partition(line) if line else (old or "", "", "")
        assert found or not line
        file.write_text(head + found + text + tail, "utf-8")
    done = ran(source, recipe.program, tmp_path / "after")
    for path, old in before.items():
        (source / path).unlink() if old is None else (source / path).write_text(old, "utf-8")
    assert done.returncode == 0, done.stderr


def test_every_recipe_of_the_guide_is_done_here() -> None:
    headings = set(re.findall(r"^## (Add an? .*)$", GUIDE, re.MULTILINE))
    assert headings - {"Add a check"} == set(RECIPES)
