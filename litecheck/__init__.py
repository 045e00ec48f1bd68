"""litecheck judges quantized LiteRT (.tflite) models against the 8-bit specification.

>>> import litecheck
>>> model = litecheck.load_model("model.tflite")
>>> report = litecheck.validate(model)
>>> [finding.path for finding in report.active]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from litecheck.version import __version__ as __version__

if TYPE_CHECKING:
    from litecheck.checks.validate import validate as validate
    from litecheck.checks.validate import validate_file as validate_file
    from litecheck.convert.record import ConversionRecord as ConversionRecord
    from litecheck.convert.session import convert_model as convert_model
    from litecheck.convert.settings import ConversionSettings as ConversionSettings
    from litecheck.devices.port import DeviceError as DeviceError
    from litecheck.devices.registry import open_device as open_device
    from litecheck.errors import ConfigError as ConfigError
    from litecheck.errors import LitecheckError as LitecheckError
    from litecheck.errors import ModelError as ModelError
    from litecheck.errors import Problem as Problem
    from litecheck.errors import ProfileError as ProfileError
    from litecheck.finding import Finding as Finding
    from litecheck.model.load import load_model as load_model
    from litecheck.model.load import load_models as load_models
    from litecheck.profile.load import load_profile as load_profile
    from litecheck.profile.load import profile_names as profile_names
    from litecheck.reference.engine.arithmetic import arithmetic_names as arithmetic_names
    from litecheck.reference.engine.arithmetic import load_arithmetic as load_arithmetic
    from litecheck.reference.engine.interpreter import Machine as Machine
    from litecheck.reference.engine.interpreter import Run as Run
    from litecheck.reference.engine.interpreter import run as run
    from litecheck.reference.operands import RunError as RunError
    from litecheck.rendering.formats import render as render
    from litecheck.report import ModelReport as ModelReport
    from litecheck.report import Report as Report
    from litecheck.verify.campaign import verify_model as verify_model
    from litecheck.verify.outcome import Verification as Verification

#: The modules that public names come from, imported when a name is first used.
_HOMES = {
    "checks.validate": ("validate", "validate_file"),
    "model.load": ("load_model", "load_models"),
    "profile.load": ("load_profile", "profile_names"),
    "reference.engine.interpreter": ("run", "Machine", "Run"),
    "reference.engine.arithmetic": ("load_arithmetic", "arithmetic_names"),
    "reference.operands": ("RunError",),
    "rendering.formats": ("render",),
    "errors": ("ConfigError", "LitecheckError", "ModelError", "Problem", "ProfileError"),
    "finding": ("Finding",),
    "report": ("ModelReport", "Report"),
    "verify.campaign": ("verify_model",),
    "verify.outcome": ("Verification",),
    "devices.registry": ("open_device",),
    "devices.port": ("DeviceError",),
    "convert.session": ("convert_model",),
    "convert.settings": ("ConversionSettings",),
    "convert.record": ("ConversionRecord",),
}
_PUBLIC = {name: f"litecheck.{home}" for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'litecheck' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
