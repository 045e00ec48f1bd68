"""Every command runs in a folder with a module of the same name as each imported module, and imports none of
them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).with_name("litecheck")
SCRIPT = """
import numpy as np
def get_calibration_data():
    return [{"0": np.zeros(SHAPE, np.TYPE)}]
"""
SUITE = "suite make -o {out}/suite --select TANH --level smoke -j 2 -q"

needs_litert = pytest.mark.skipif(find_spec("ai_edge_litert") is None, reason="needs ai-edge-litert")
needs_tflm = pytest.mark.skipif(find_spec("tflite_micro") is None, reason="needs tflite-micro")
needs_vela = pytest.mark.skipif(find_spec("ethosu") is None, reason="needs ethos-u-vela")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    names = {*sys.stdlib_module_names, *packages_distributions(), "sitecustomize", "usercustomize", "rules"}
    for name in names:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(f"open({str(folder / 'ran')!r}, 'a').write({name!r} + ' ')\n")
    for name in ("fc_int8.tflite", "conv_int8.tflite", "float.tflite"):
        shutil.copy(ROOT / "fixtures" / name, folder)
    return folder


def litecheck(folder: Path, out: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = [word.format(out=out, python=sys.executable, root=ROOT) for word in command.split()]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = {**kept, "XDG_CACHE_HOME": str(out / "cache")}
    return subprocess.run(
        [PROGRAM, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.mark.slow
@pytest.mark.skipif(not PROGRAM.exists(), reason="litecheck is not installed in this environment")
@pytest.mark.parametrize(
    "commands",
    [
        "validate fc_int8.tflite -f text -f html:{out}/a.html -f sarif:{out}/a.sarif",
        "inspect fc_int8.tflite",
        "explain CONV_2D/weight/zero_point",
        "rules CONV_2D",
        "quantize {out}/x.npy -o {out}/q.npy --scale 1/128 --zero-point -3",
        "compare {out}/x.npy {out}/x.npy -f json",
        "run fc_int8.tflite --seed 0 --statistics",
        "convert float.tflite -o {out}/made.tflite --data {out}/x.npy",
        pytest.param("convert float.tflite -o {out}/made.tflite --data {out}/data.py", marks=needs_litert),
        pytest.param("validate conv_int8.tflite --profile ethos-u55 --compile", marks=needs_vela),
        pytest.param(
            "verify fc_int8.tflite --device litert:reference -q --budget 200 --reproduce {out}/repro",
            marks=needs_litert,
        ),
        pytest.param("verify fc_int8.tflite --device tflm -q --budget 200", marks=needs_tflm),
        pytest.param("diagnose --device litert:xnnpack --select TANH", marks=needs_litert),
        pytest.param(
            f"{SUITE} ; suite run {{out}}/suite --device litert:reference -o {{out}}/results ; "
            "suite judge {out}/suite {out}/results ; suite prove {out}/suite",
            marks=needs_litert,
        ),
    ],
)
def test_no_module_of_the_current_folder_runs(hostile: Path, tmp_path: Path, commands: str) -> None:
    (tmp_path / "data.py").write_text(SCRIPT.replace("SHAPE", "(1, 6)").replace("TYPE", "float32"))
    np.save(tmp_path / "x.npy", np.zeros((1, 6), np.float32))
    for command in commands.split(" ; "):
        done = litecheck(hostile, tmp_path, command)
        assert done.returncode in (0, 1), (command, done.stdout, done.stderr)
    ran = hostile / "ran"
    assert not ran.exists(), ran.read_text()
