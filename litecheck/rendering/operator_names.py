"""Names of operators and subgraphs in reports. The first subgraph is not named."""

from __future__ import annotations


def subgraph_prefix(subgraph: int) -> str:
    """Return ``subgraph 1, ``, or ``""`` for the first subgraph."""
    return f"subgraph {subgraph}, " if subgraph else ""


def operator_number(subgraph: int, operator: int) -> str:
    """Return ``#12``, or ``1/#12`` in subgraph 1."""
    return f"{subgraph}/#{operator}" if subgraph else f"#{operator}"


def operator_name(subgraph: int, operator: int, opcode: str) -> str:
    """Return ``CONV_2D #12``, or ``subgraph 1, CONV_2D #12``."""
    return f"{subgraph_prefix(subgraph)}{opcode} #{operator}"
