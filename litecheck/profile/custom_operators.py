"""Custom operators from ``rules/types/customs.yaml``: kernels that runtimes bring, and operators that compilers write."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from litecheck.data import rules_dir
from litecheck.profile.yaml_reader import entries, read_yaml, texts

FILE = "rules/types/customs.yaml"


@dataclass(frozen=True, slots=True)
class CompilerOperator:
    """Target and compiler of an operator that stands for compiled operators, and its line in the file."""

    target: str
    compiler: str
    names: tuple[str, ...]


def compiler_of(custom_code: str) -> CompilerOperator | None:
    """Return the compiler that writes a custom operator; None for operators of a model. Example: ``ethos-u``."""
    return next((c for c in _customs()[0] if any(fnmatchcase(custom_code, name) for name in c.names)), None)


def has_kernel(table: str, custom_code: str) -> bool:
    """Return True if the runtime of a table of types has a kernel for a custom operator."""
    return custom_code in _customs()[1].get(table, ())


def kernels_line(table: str) -> int:
    """Return the line of the file that lists the custom operators with a kernel in the runtime of a table."""
    return entries(read_yaml(rules_dir() / "types" / "customs.yaml", FILE).get("kernels"), FILE).lines.get(
        table, 1
    )


@cache
def _customs() -> tuple[tuple[CompilerOperator, ...], dict[str, tuple[str, ...]]]:
    top = read_yaml(rules_dir() / "types" / "customs.yaml", FILE)
    compilers = top.entries("compiled").values.items()
    made = ((target, entries(node, FILE)) for target, node in compilers)
    compiled = tuple(CompilerOperator(target, c.text("by"), c.texts("names")) for target, c in made)
    kernels = {name: texts(node) for name, node in top.entries("kernels").values.items()}
    return compiled, kernels
