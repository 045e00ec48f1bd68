"""Kinds of targets: the built-in kinds, and a kind of an installed package with a measurement, a profile and
a placement."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from litecheck.errors import ConfigError
from litecheck.target_kinds import bundled_kinds, import_attribute, target_kind

FIXTURE = Path(__file__).resolve().parent.parent / "fixtures" / "conv_int8.tflite"
INIT = """
from pathlib import Path

from litecheck.target_kinds import TargetKind

KIND = TargetKind(
    "acme",
    place="acme_npu.placement:place_model",
    measurements=("acme_npu.measurements",),
    compiler="acme_npu.compiler:compile_for_target",
    profiles=Path(__file__).parent / "profiles",
)
"""
MEASUREMENTS = '''
from litecheck.profile.measurements.register import dimensions, measures


def _with_channels(plan, value):
    return plan.edit("input", lambda tensor: dimensions(tensor, (*tensor.shape[:-1], int(value))))


@measures(_with_channels)
def channel_remainder(operands):
    """Remainder of the input channels divided by 16. Example: 24 channels give 8."""
    return operands.one("input").shape[-1] % 16
'''
PLACEMENT = '''
from litecheck.targets.lists.placement import place_model as place_by_list


def place_model(model, profile):
    """Place as a list does; the NPU runs one partition at most."""
    report, findings = place_by_list(model, profile)
    assert report.partitions <= 1 or profile.name == "acme-npu"
    return report, findings
'''
COMPILER = '''
from litecheck.placement import CompilerReport


def compile_for_target(model, target):
    """Confirm every placement."""
    return CompilerReport("acme-cc 1.0", "", (), target.partitions, 0, {"SRAM": 4096})
'''
PROFILE = """
profile: acme-npu
title: Acme NPU
source: the data sheet of the Acme NPU
runtime: acme-cc 1.0
judges: placement
target: acme
activations: any
unlisted: stays on the CPU
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    limits: {channel_remainder: {value: 0, because: the NPU reads 16 channels at a time, see: data sheet}}
  RESHAPE:
    inputs: [input, shape]
    optional: [shape]
    outputs: [output]
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder on the import path with the package acme_npu and its metadata, as pip installs them."""
    folder = tmp_path / "site"
    files = {
        "acme_npu/__init__.py": INIT,
        "acme_npu/measurements.py": MEASUREMENTS,
        "acme_npu/placement.py": PLACEMENT,
        "acme_npu/compiler.py": COMPILER,
        "acme_npu/profiles/acme-npu.yaml": PROFILE,
        "acme_npu-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-npu\nVersion: 1.0\n",
        "acme_npu-1.0.dist-info/entry_points.txt": "[litecheck.targets]\nacme = acme_npu:KIND\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip())
    return folder


def litecheck(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program with the folder of the package on the import path."""
    program = f"import sys; sys.path.insert(0, {str(package)!r}); from litecheck.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=package, timeout=120
    )


def test_an_installed_kind_places_operators_by_its_own_measurement(package: Path) -> None:
    done = litecheck(package, "validate", str(FIXTURE), "--profile", "acme-npu")
    assert done.returncode == 0, done.stderr
    assert "acme-npu: 1 on the NPU, 6 on the CPU; 1 NPU partition" in " ".join(done.stdout.split())
    assert "channel remainder is 3" in " ".join(done.stdout.split())
    gated = litecheck(package, "validate", str(FIXTURE), "--profile", "acme-npu", "--fail-on-fallback")
    assert gated.returncode == 1


def test_an_installed_kind_has_its_compiler_and_measurement(package: Path) -> None:
    done = litecheck(package, "validate", str(FIXTURE), "--profile", "acme-npu", "--compile")
    assert "acme-cc 1.0" in done.stdout
    listed = litecheck(package, "rules", "--measurements", "channel_remainder")
    assert "24 channels give 8" in " ".join(listed.stdout.split())
    assert "acme-npu" in litecheck(package, "rules", "--profiles").stdout + litecheck(package, "rules").stdout


def test_a_kind_that_cannot_be_imported_is_a_clear_error(package: Path) -> None:
    (package / "acme_npu" / "__init__.py").write_text("1 / 0\n")
    profile = package / "npu.yaml"
    profile.write_text(PROFILE.lstrip())
    done = litecheck(package, "validate", str(FIXTURE), "--profile", str(profile))
    assert done.returncode == 64
    assert "target kind 'acme' of acme-npu cannot be imported: division by zero" in " ".join(
        done.stderr.split()
    )
    assert "Traceback" not in done.stderr


def test_own_kinds_are_found_by_existing() -> None:
    assert tuple(bundled_kinds()) == ("ethos-u", "lists")
    for kind in bundled_kinds().values():
        for reference in filter(None, (kind.place, kind.rewrites, kind.requirements, kind.compiler)):
            assert callable(import_attribute(reference))


def test_an_unknown_kind_and_missing_code() -> None:
    with pytest.raises(ConfigError, match=r"unknown target kind 'ethos'; did you mean 'ethos-u'"):
        target_kind("ethos")
    with pytest.raises(ConfigError, match=r"target code 'litecheck\.errors:nothing' cannot be imported"):
        import_attribute("litecheck.errors:nothing")
