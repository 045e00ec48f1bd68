"""Valid files of every kind, created once: cases copy and damage them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fuzz.seeds import FIXTURES

ROOT = FIXTURES.parent
CLAIMS = """\
claims: acme
device: {name: ACME, version: r1p0, driver: acme 1}
profile: {name: litert-int8, version: 0.1.0}
level: smoke
arithmetic: litert-reference
operators:
  TANH:
waivers:
  - {cases: TANH/int8/refuse-output-scale-1, reason: erratum 17, expires: 2099-03-31}
"""
#: Commands that create the stock, run in its folder; FIX is replaced by the folder of fixtures.
_COMMANDS = (
    "suite make -o suite --select TANH --level smoke --no-defects -q",
    "suite run suite -d litert:reference -o results -q",
    "certify suite results --claims claims.yaml -o certificate.json -q",
    "suite judge suite results -f json:judged.json -f text:judged.txt",
    "convert FIX/float_detector.tflite --data FIX/float_detector.npz --device litecheck --dry-run "
    "--calibration-cache statistics.json --save-plan plan.json -q",
    "validate FIX/broken_bias_int8.tflite --write-baseline baseline.json -q",
    "verify FIX/fc_int8.tflite -d litert:reference --set inputs=random --budget 12 "
    "--set record=recorded --set checkpoint=journal.jsonl -q",
    "diagnose -d litert:reference --select TANH --repeat 0 -o arithmetic.yaml",
    "suite make --stream TANH --count 3",
    "run FIX/fc_int8.tflite --seed 0 -o outputs.npz",
)


def make(folder: Path) -> Path:
    """Create the stock in a new folder and return the folder."""
    folder.mkdir(parents=True)
    (folder / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "HOME": str(folder),
    }
    for command in _COMMANDS:
        words = [word.replace("FIX", str(FIXTURES)) for word in command.split()]
        argv = [sys.executable, "-m", "litecheck", *words]
        done = subprocess.run(
            argv, cwd=folder, env=environment, capture_output=True, check=False, timeout=300
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"litecheck {command}: exit code {done.returncode}\n{done.stderr.decode()}")
        if "--stream" in words:
            (folder / "stream.txt").write_bytes(done.stdout)
    return folder
