"""JSON of a conversion: everything except the plan; schemas/conversion.schema.json describes it."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import Any

from litecheck.conversion.model_calibration import Calibration
from litecheck.conversion.precision_budget import BudgetChoice, TriedAssignment
from litecheck.conversion.record import ConversionRecord, ConvertedTensor
from litecheck.conversion.sensitivity import OperatorSensitivity
from litecheck.conversion.shared_scales import SharedQuantization
from litecheck.rendering.validation.values import values as validation_values
from litecheck.report import Report

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1


def values(record: ConversionRecord) -> dict[str, Any]:
    """Return the record as plain dicts and lists."""
    conversion, plan = record.conversion, record.conversion.plan
    (judged,) = validation_values(Report(record.version, (record.report,)))["models"]
    return {
        "litecheck_conversion": VERSION,
        "version": record.version,
        "source": record.source,
        "target": record.target or None,
        "verdict": record.verdict,
        "exit_code": record.exit_code,
        "to": conversion.request.to,
        "recipe": conversion.request.recipe.file if conversion.request.recipe else None,
        "profile": plan.profile,
        "generation": plan.generation,
        "source_sha256": plan.source,
        "size": {"before": record.source_size, "after": record.size},
        "failed_gates": list(record.failed_gates),
        "fix": None if record.fix is None else {**asdict(record.fix), "options": list(record.fix.options)},
        "becomes": dict(record.becomes),
        "added": dict(record.added_operators),
        "stays": [asdict(one) for one in record.stays],
        "operators": [
            {
                "subgraph": one.subgraph,
                "operator": one.operator,
                "opcode": one.opcode,
                "name": one.name,
                "becomes": one.becomes,
                "because": one.because,
            }
            for one in plan.operators
        ],
        "tensors": [_tensor(one) for one in record.tensors],
        "groups": [_group(one) for one in record.groups],
        "starved": record.low_resolution,
        "calibration": None if record.calibration is None else _calibration(record.calibration),
        "agreement": None if record.agreement is None else record.agreement.to_plain(),
        "evaluation": None if record.evaluation is None else record.evaluation.to_plain(),
        "weights": [asdict(one) for one in record.weights],
        "equalized": None if record.pairs is None else [asdict(pair) for pair in record.pairs],
        "corrected": None if record.correction is None else asdict(record.correction),
        "budget": None if record.budget is None else _budget(record.budget),
        "sensitivity": None if record.sensitivity is None else [_sensitivity(s) for s in record.sensitivity],
        "warnings": list(record.warnings),
        "notes": list(record.notes),
        "validation": judged,
    }


def _tensor(one: ConvertedTensor) -> dict[str, Any]:
    form, found = one.form, one.agreement
    return {
        "subgraph": one.subgraph,
        "tensor": one.tensor,
        "name": one.name,
        "constant": one.constant,
        "dtype": form.dtype,
        "scale": [float(str(scale)) for scale in form.scale],
        "zero_point": form.zero_point.tolist(),
        "axis": form.axis if form.scale.size > 1 else None,
        "range": [form.low, form.high],
        "values": None if one.values is None else list(one.values),
        "rules": list(form.rules),
        "because": form.because,
        "snr": found.snr if found and isfinite(found.snr) else None,
        "snr_without_dc": found.snr_without_dc if found and isfinite(found.snr_without_dc) else None,
        "saturated": found.saturated_share if found else None,
        "clipped": found.clipped_share if found else None,
    }


def _budget(choice: BudgetChoice) -> dict[str, Any]:
    def plain(one: TriedAssignment) -> dict[str, Any]:
        assigned = {name: sorted(own) for name, own in asdict(one.assignment).items()}
        return {**assigned, "size": one.size, "snr": one.snr if isfinite(one.snr) else None}

    uniform = [plain(one) for one in choice.uniform]
    return {"limit": str(choice.budget), "chosen": plain(choice.trial), "uniform": uniform}


def _sensitivity(one: OperatorSensitivity) -> dict[str, Any]:
    return {**asdict(one), "snr": one.snr if isfinite(one.snr) else None}


def _group(group: SharedQuantization) -> dict[str, Any]:
    plain = asdict(group)
    for told, member in zip(plain["members"], group.members, strict=True):
        told["starved"] = member.low_resolution
    return plain


def _calibration(found: Calibration) -> dict[str, Any]:
    statistics = found.statistics
    return {
        "methods": found.methods,
        "samples": statistics.samples,
        "source": statistics.source,
        "runtime": statistics.runtime,
        "file": found.file or None,
        "warnings": list(found.warnings),
    }
