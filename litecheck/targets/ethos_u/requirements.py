"""Requirements of the compiler's rewrites, which no rule of an operator states."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from litecheck.profile.types import Exactly, Profile, Requirement
from litecheck.targets.ethos_u.graph.resident_variables import has_handles
from litecheck.targets.ethos_u.rewrites import Fusion, ResidentVariables, rewrites_of

_VERB = "unsupported"
_CONSTANT = Exactly("a constant")
_TOGETHER = Exactly("on the accelerator with all that read or write its variable")


def constant_block_shape(fusion: Fusion) -> Requirement:
    """Return the requirement that the dilation of a fused convolution is a constant."""
    return Requirement(
        f"{fusion.before}/{_VERB}", _VERB, None, _CONSTANT, fusion.because, fusion.see, fusion.demand,
        effect="crashes the compiler",
    )  # fmt: skip


def variable_on_npu(variables: ResidentVariables, opcode: str) -> Requirement:
    """Return the requirement that all readers and writers of an operator's variable are on the NPU."""
    return Requirement(
        f"{opcode}/{_VERB}", _VERB, None, _TOGETHER, variables.because, variables.see, variables.demand,
        effect="crashes the compiler",
    )  # fmt: skip


def requirements_of_rewrites(profile: Profile, names: list[str]) -> Iterator[Requirement]:
    """Return the requirements of a profile's rewrites for operators that a pattern matches. Example: ``["SPACE_*"]``."""
    rewrites = rewrites_of(profile)
    for fusion in rewrites.fusions.values():
        if any(fnmatchcase(fusion.before, name) for name in names):
            yield constant_block_shape(fusion)
    for variables in rewrites.variables.values():
        for opcode in profile.operators:
            if has_handles(opcode) and any(fnmatchcase(opcode, name) for name in names):
                yield variable_on_npu(variables, opcode)
