"""Shapes of operators that call subgraphs. LiteRT's kernels set the inputs of a subgraph to the shapes of the call.

Source: tflite/kernels/if.cc and while.cc, Prepare.
"""

from __future__ import annotations

from litecheck.model.shapes.call import Call, ShapeError, Shapes
from litecheck.model.shapes.dimensions import shape_text


def branch(call: Call) -> Shapes:
    """Return the output shapes that both branches of a condition have; None for a shape that depends on the branch."""
    given = call.shapes("operands")
    branches = [
        call.called(call.option(name), given) for name in ("then_subgraph_index", "else_subgraph_index")
    ]
    return _agreed(call, branches[0], branches[1])


def loop(call: Call) -> Shapes:
    """Return the output shapes of a loop's body, which may differ from its input shapes once; None for other changes.

    Raises ShapeError of the kind ``condition`` for a condition that is no single value.
    """
    given = call.shapes("operands")
    condition = call.called(call.option("cond_subgraph_index"), given)
    shape = condition[0] if condition else None
    if shape is not None and None not in shape and shape not in ((), (1,)):
        raise ShapeError(None, f"the condition has shape {shape_text(shape)}, [] or [1] wanted", "condition")
    body = call.option("body_subgraph_index")
    once = call.called(body, given)
    if once is None or once == given or None in once:
        return _agreed(call, given, once)
    return _agreed(call, once, call.called(body, once))


def _agreed(call: Call, first: Shapes | None, second: Shapes | None) -> Shapes:
    if first is None or second is None or not len(first) == len(second) == call.results:
        return (None,) * call.results
    return tuple(a if a == b else None for a, b in zip(first, second, strict=True))


__all__ = ["branch", "loop"]
