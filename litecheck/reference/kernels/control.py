"""Operators that run other subgraphs or have state: IF, WHILE, CASE, COMPOSITE, CALL_ONCE and resource variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from litecheck.reference.compute_limits import budget
from litecheck.reference.registry import ANY, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec, RunError

if TYPE_CHECKING:
    from litecheck.reference.engine.interpreter import ReferenceInterpreter


@kernel("IF", "bool", type_role="condition")
def if_(
    condition: Operand,
    operands: tuple[Operand, ...],
    results: tuple[OutputSpec, ...],
    options: Options,
    interpreter: ReferenceInterpreter,
) -> tuple[Array, ...]:
    """outputs = outputs of the first subgraph if the condition (one bool) is true, else those of the second.

    Stored integers are passed unchanged, even if quantizations inside and outside differ. Source: tflite/kernels/if.cc.
    """
    branch = "then_subgraph_index" if _read_condition(condition.data) else "else_subgraph_index"
    return interpreter.call(_subgraph(options, branch), _arrays(operands))


@kernel("STABLEHLO_CASE", ANY)
def stablehlo_case(
    index: Operand,
    operands: tuple[Operand, ...],
    results: tuple[OutputSpec, ...],
    options: Options,
    interpreter: ReferenceInterpreter,
) -> tuple[Array, ...]:
    """outputs = outputs of the subgraph at ``index`` in the list of branches; of the last subgraph for an index outside.

    Stored integers are passed unchanged. Source: tflite/kernels/stablehlo_case.cc.
    """
    branches = [int(i) for i in options.get("branch_subgraph_indices", ())] if options is not None else []
    if not branches:
        raise RunError("there is no branch")
    at = int(index.data.reshape(-1)[0])
    return interpreter.call(branches[at if 0 <= at < len(branches) else -1], _arrays(operands))


@kernel("STABLEHLO_COMPOSITE", ANY)
def stablehlo_composite(
    operands: tuple[Operand, ...],
    results: tuple[OutputSpec, ...],
    options: Options,
    interpreter: ReferenceInterpreter,
) -> tuple[Array, ...]:
    """outputs = outputs of the decomposition; the name and the attributes of the composite have no effect.

    The decomposition is an ordinary subgraph: constants outside are computed inputs of its operators. Source:
    tflite/kernels/stablehlo_composite.cc.
    """
    return interpreter.call(_subgraph(options, "decomposition_subgraph_index"), _arrays(operands))


@kernel("WHILE", ANY)
def while_(
    operands: tuple[Operand, ...],
    results: tuple[OutputSpec, ...],
    options: Options,
    interpreter: ReferenceInterpreter,
) -> tuple[Array, ...]:
    """outputs = operands after the body has run on them while the condition subgraph returns true. Shapes may change.

    Values passed from one iteration to the next are in no tensor, and count as memory here. Source: tflite/kernels/while.cc.
    """
    condition, body = _subgraph(options, "cond_subgraph_index"), _subgraph(options, "body_subgraph_index")
    arrays, spent, kept = _arrays(operands), budget(), 0
    while True:
        condition_outputs = interpreter.call(condition, arrays)
        if len(condition_outputs) != 1 or not _read_condition(condition_outputs[0]):
            spent.allocated -= kept
            return arrays
        arrays = interpreter.call(body, arrays)
        spent.allocated -= kept
        kept = sum(array.nbytes for array in arrays)
        spent.allocated += kept


@kernel("CALL_ONCE", ANY)
def call_once(options: Options, interpreter: ReferenceInterpreter) -> tuple[Array, ...]:
    """Run a subgraph without inputs and outputs on the first call only. It assigns the initial contents of variables.

    Source: tflite/kernels/call_once.cc.
    """
    subgraph = _subgraph(options, "init_subgraph_index")
    if subgraph not in interpreter.initialized:
        interpreter.initialized.add(subgraph)
        interpreter.call(subgraph, ())
    return ()


@kernel("VAR_HANDLE", ANY)
def var_handle(output: OutputSpec, options: Options, interpreter: ReferenceInterpreter) -> Array:
    """output = number of the variable called ``shared_name`` in ``container``, which exists as long as the interpreter.

    Source: tflite/kernels/var_handle.cc.
    """
    name = tuple(str(options.get(key, "") if options else "") for key in ("container", "shared_name"))
    return np.array(interpreter.handle_of((name[0], name[1])), np.int32)


@kernel("READ_VARIABLE", ANY)
def read_variable(resource: Operand, output: OutputSpec, interpreter: ReferenceInterpreter) -> Array:
    """output = stored values last assigned to a variable, unchanged. Source: tflite/kernels/read_variable.cc."""
    name = _variable(resource, interpreter)
    contents = interpreter.resources[name]
    if contents is None:
        raise RunError(f"variable {name[1]!r} is read before anything was assigned to it")
    if contents.dtype != np.dtype(NUMPY_TYPES.get(output.dtype, contents.dtype)):
        raise RunError(f"variable {name[1]!r} holds {contents.dtype}, not {output.dtype}")
    return contents


@kernel("ASSIGN_VARIABLE", ANY)
def assign_variable(
    resource: Operand, value: Operand, interpreter: ReferenceInterpreter
) -> tuple[Array, ...]:
    """Assign stored values to a variable. Source: tflite/kernels/assign_variable.cc."""
    name = _variable(resource, interpreter)
    before = interpreter.resources[name]
    budget().allocated += value.data.nbytes - (0 if before is None else before.nbytes)
    interpreter.resources[name] = value.data
    return ()


def _variable(resource: Operand, interpreter: ReferenceInterpreter) -> tuple[str, str]:
    return interpreter.resource_name(int(resource.data.reshape(-1)[0]))


def _read_condition(data: Array) -> bool:
    if data.size != 1:
        raise RunError(f"the condition has {data.size} values, not one")
    return bool(data.reshape(-1)[0])


def _subgraph(options: Options, key: str) -> int:
    return int(options.get(key, 0)) if options is not None else 0


def _arrays(values: tuple[Operand, ...]) -> tuple[Array, ...]:
    return tuple(value.data for value in values)
