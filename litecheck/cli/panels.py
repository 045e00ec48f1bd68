"""Titles of the groups of options in ``--help``. A command's signature sets their order, common options first."""

from __future__ import annotations

from typing import Final

RULES: Final = "Rules"
DEVICE: Final = "Device and reference"
PARAMETERS: Final = "Quantization parameters"
CONVERSION: Final = "Conversion"
SCOPE: Final = "Scope"
INPUTS: Final = "Inputs"
CHECK: Final = "Check of a certificate"
STREAM: Final = "Stream for a simulator"
FAILURE: Final = "Failure conditions"
LIMITS: Final = "Time and memory"
OUTPUT: Final = "Output"
ADVANCED: Final = "Advanced"
