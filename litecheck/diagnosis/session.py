"""Complete diagnosis runs: open the device, make probes, and stamp the diagnosis with the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from litecheck.devices.function import check_any_model
from litecheck.devices.port import Device, Limits
from litecheck.devices.registry import open_device
from litecheck.diagnosis.identification import add_provenance, diagnose
from litecheck.diagnosis.probe_sets import REPEATS, prepare_probes, untested_operators
from litecheck.diagnosis.result import Diagnosis
from litecheck.errors import wrong_type
from litecheck.model.types import Model
from litecheck.public_call import shows_call


@shows_call("litecheck.diagnose('litert:xnnpack', models=[model], select=['ADD'])")
def diagnose_device(
    device: str | Device | Callable[..., Any],
    models: Sequence[Model] = (),
    *,
    select: Sequence[str] = (),
    seed: int = 0,
    repeat: int = REPEATS,
    jobs: int = 1,
    limits: Limits | None = None,
    build: str = "",
) -> Diagnosis:
    """Identify the arithmetic of a device, given as for ``verify``; a function must have ``model`` as its first
    parameter.

    The operators of ``models`` are tried in addition to the probes, ``select`` (``CONV_2D``) restricts both; the
    smallest probe of each operator is run ``repeat`` times. ``build`` states the device's version. Raise DeviceError
    for a device that cannot be opened, RunError for operators without probes that no model has.
    """
    if isinstance(models, (Model, str)) or isinstance(select, str):
        call = "litecheck.diagnose('litert:xnnpack', [model], select=['CONV_2D'])"
        raise wrong_type("diagnose", "a sequence of Models, and one of operators", models or select, call)
    opened = open_device(device, limits) if isinstance(device, str) or callable(device) else device
    try:
        check_any_model(opened, "a diagnosis")
        groups = prepare_probes(models, select, seed, repeat)
        found = diagnose(opened, groups, models=[model.file for model in models], seed=seed, jobs=jobs)
    finally:
        if opened is not device:
            opened.close()
    return add_provenance(found, build, untested_operators(models, groups))
