"""Validation of quantized LiteRT (.tflite) models, conversion of float models, bit-exact verification of devices.

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
    from litecheck.checks.baseline import read_baseline as read_baseline
    from litecheck.checks.filters import apply_baseline as apply_baseline
    from litecheck.checks.filters import filter_report as filter_report
    from litecheck.checks.filters import write_baseline as write_baseline
    from litecheck.checks.validate import validate as validate
    from litecheck.checks.validate import validate_file as validate_file
    from litecheck.conversion.pipeline import convert_model as _convert
    from litecheck.conversion.pipeline import convert_model as convert_model
    from litecheck.conversion.record import ConversionRecord as ConversionRecord
    from litecheck.conversion.settings import ConversionSettings as ConversionSettings
    from litecheck.devices.port import Device as Device
    from litecheck.devices.port import DeviceError as DeviceError
    from litecheck.devices.port import Limits as Limits
    from litecheck.devices.port import NotDelegated as NotDelegated
    from litecheck.devices.port import NotSupported as NotSupported
    from litecheck.devices.registry import open_device as open_device
    from litecheck.diagnosis.result import Diagnosis as Diagnosis
    from litecheck.diagnosis.session import diagnose_device as _diagnose
    from litecheck.differences.change import Change as Change
    from litecheck.differences.change import ModelDifference as ModelDifference
    from litecheck.differences.model_difference import diff as diff
    from litecheck.errors import ConfigError as ConfigError
    from litecheck.errors import LitecheckError as LitecheckError
    from litecheck.errors import ModelError as ModelError
    from litecheck.errors import Problem as Problem
    from litecheck.errors import ProfileError as ProfileError
    from litecheck.finding import Finding as Finding
    from litecheck.model.edit import SubgraphEditor as SubgraphEditor
    from litecheck.model.edit import with_subgraphs as with_subgraphs
    from litecheck.model.load import load_model as load_model
    from litecheck.model.load import load_models as load_models
    from litecheck.model.matching import ModelMatch as ModelMatch
    from litecheck.model.matching import match as match
    from litecheck.model.save import model_bytes as model_bytes
    from litecheck.model.save import save_model as save_model
    from litecheck.model.types import Model as Model
    from litecheck.model.types import Operator as Operator
    from litecheck.model.types import Subgraph as Subgraph
    from litecheck.model.types import Tensor as Tensor
    from litecheck.profile.load import load_profile as load_profile
    from litecheck.profile.load import profile_names as profile_names
    from litecheck.profile.types import Profile as Profile
    from litecheck.quantization import Quantization as Quantization
    from litecheck.quantizer.array_quantization import dequantize as dequantize
    from litecheck.quantizer.array_quantization import quantize as quantize
    from litecheck.quantizer.calibrate import from_data as _choose_parameters
    from litecheck.quantizer.comparison_result import Comparison as Comparison
    from litecheck.quantizer.dynamic_quantization import dynamic_quantize as dynamic_quantize
    from litecheck.quantizer.tensor_comparison import compare as compare
    from litecheck.quantizer.types import Parameters as Parameters
    from litecheck.quantizer.types import QuantizerError as QuantizerError
    from litecheck.reference.compute_limits import ComputeLimits as ComputeLimits
    from litecheck.reference.compute_limits import LimitError as LimitError
    from litecheck.reference.engine.arithmetic import Arithmetic as Arithmetic
    from litecheck.reference.engine.arithmetic import arithmetic_names as arithmetic_names
    from litecheck.reference.engine.arithmetic import load_arithmetic as load_arithmetic
    from litecheck.reference.engine.interpreter import ReferenceInterpreter as ReferenceInterpreter
    from litecheck.reference.engine.interpreter import Run as Run
    from litecheck.reference.engine.interpreter import run as run
    from litecheck.reference.runtime_tensors import RunError as RunError
    from litecheck.rendering.arithmetic_file import arithmetic_yaml as arithmetic_yaml
    from litecheck.rendering.explain import explain as explain
    from litecheck.rendering.formats import render as render
    from litecheck.rendering.inspect_json import model_values as _inspect
    from litecheck.report import ModelReport as ModelReport
    from litecheck.report import Report as Report
    from litecheck.suite.manifest import read_suite as read_suite
    from litecheck.suite.result_verdicts import judge as _judge_suite
    from litecheck.suite.results import read_results as read_results
    from litecheck.suite.suite_run import run as _run_suite
    from litecheck.suite.suite_writer import Scope as _SuiteScope
    from litecheck.suite.suite_writer import make as _make_suite
    from litecheck.suite.verdict import SuiteReport as SuiteReport
    from litecheck.tracing.trace_result import Culprit as Culprit
    from litecheck.tracing.trace_result import Trace as Trace
    from litecheck.tracing.trace_session import trace as trace
    from litecheck.verification.campaign import verify_model as _verify
    from litecheck.verification.campaign import verify_model as verify_model
    from litecheck.verification.result import Verification as Verification
    from litecheck.verification.settings import Settings as Settings
    from litecheck.verification.several_models import UnverifiedModel as UnverifiedModel
    from litecheck.verification.several_models import Verifications as Verifications
    from litecheck.verification.several_models import verify_files as verify_files

    convert = _convert
    diagnose = _diagnose
    choose_parameters = _choose_parameters
    inspect = _inspect
    judge_suite = _judge_suite
    SuiteScope = _SuiteScope
    make_suite = _make_suite
    run_suite = _run_suite
    verify = _verify

#: Public names by module, imported on first use. ``name=attribute`` means that the module calls it ``attribute``.
_HOMES = {
    "checks.baseline": "read_baseline",
    "checks.filters": "apply_baseline filter_report write_baseline",
    "checks.validate": "validate validate_file",
    "conversion.pipeline": "convert=convert_model convert_model",
    "conversion.record": "ConversionRecord",
    "conversion.settings": "ConversionSettings",
    "devices.port": "Device DeviceError Limits NotDelegated NotSupported",
    "devices.registry": "open_device",
    "diagnosis.result": "Diagnosis",
    "diagnosis.session": "diagnose=diagnose_device",
    "differences.change": "Change ModelDifference",
    "differences.model_difference": "diff",
    "errors": "ConfigError LitecheckError ModelError Problem ProfileError",
    "finding": "Finding",
    "model.edit": "SubgraphEditor with_subgraphs",
    "model.load": "load_model load_models",
    "model.matching": "ModelMatch match",
    "model.save": "model_bytes save_model",
    "model.types": "Model Operator Subgraph Tensor",
    "profile.load": "load_profile profile_names",
    "profile.types": "Profile",
    "quantization": "Quantization",
    "quantizer.calibrate": "choose_parameters=from_data",
    "quantizer.comparison_result": "Comparison",
    "quantizer.dynamic_quantization": "dynamic_quantize",
    "quantizer.array_quantization": "dequantize quantize",
    "quantizer.tensor_comparison": "compare",
    "quantizer.types": "Parameters QuantizerError",
    "reference.compute_limits": "ComputeLimits LimitError",
    "reference.engine.arithmetic": "Arithmetic arithmetic_names load_arithmetic",
    "reference.engine.interpreter": "ReferenceInterpreter Run run",
    "reference.runtime_tensors": "RunError",
    "rendering.arithmetic_file": "arithmetic_yaml",
    "rendering.explain": "explain",
    "rendering.formats": "render",
    "rendering.inspect_json": "inspect=model_values",
    "report": "ModelReport Report",
    "suite.manifest": "read_suite",
    "suite.result_verdicts": "judge_suite=judge",
    "suite.results": "read_results",
    "suite.suite_run": "run_suite=run",
    "suite.suite_writer": "SuiteScope=Scope make_suite=make",
    "suite.verdict": "SuiteReport",
    "tracing.trace_result": "Culprit Trace",
    "tracing.trace_session": "trace",
    "verification.campaign": "verify=verify_model verify_model",
    "verification.result": "Verification",
    "verification.settings": "Settings",
    "verification.several_models": "UnverifiedModel Verifications verify_files",
}
_PUBLIC = {
    name: (home, other or name)
    for home, names in _HOMES.items()
    for name, _, other in (word.partition("=") for word in names.split())
}

__all__ = ["__version__", *_PUBLIC]

if not TYPE_CHECKING:  # type checkers see only the imports above

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'litecheck' has no attribute {name!r}")
        home, other = _PUBLIC[name]
        return getattr(import_module(f"litecheck.{home}"), other)


def __dir__() -> list[str]:
    return sorted(__all__)
