"""Arm Ethos-U55, U65 and U85: placement by the rules of the Vela compiler, and the compiler if it is installed."""

from litecheck.target_kinds import TargetKind
from litecheck.targets import measurements as shared
from litecheck.targets.ethos_u import measurements

_PACKAGE = "litecheck.targets.ethos_u"
KIND = TargetKind(
    "ethos-u",
    place=f"{_PACKAGE}.placement:place_model",
    measurements=(*shared.MODULES, *measurements.MODULES),
    rewrites=f"{_PACKAGE}.rewrites:Rewrites",
    requirements=f"{_PACKAGE}.requirements:requirements_of_rewrites",
    compiler=f"{_PACKAGE}.compiler.compiler_report:compile_for_target",
    device=f"{_PACKAGE}.device",
)
