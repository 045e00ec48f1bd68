"""Models with their operators in further shapes: the additional entry point, and a fault that only it shows."""

from __future__ import annotations

from litecheck.arrays import Arrays
from litecheck.cases import model_parts
from litecheck.cases.geometry.design import ONCE, rows_of
from litecheck.cases.probes.catalogue import probes
from litecheck.cases.shape_variants import KEY, in_other_shapes
from litecheck.devices.port import Job
from litecheck.model.load import model_from
from litecheck.model.save import model_bytes
from litecheck.verification.campaign import run
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess
from tests.verification.planted import two_operators


def test_each_kind_of_operator_gets_the_shapes_of_its_design() -> None:
    model = two_operators()
    made = model_from(model_bytes(in_other_shapes(model)), "made")
    first, others = model_parts.entries(made)
    assert [op.opcode for op in first.operators] == [op.opcode for op in model.subgraphs[0].operators]
    kinds = [op.opcode for op in others.operators]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        kind: len(rows_of(kind, ONCE)) for kind in ("ADD", "LEAKY_RELU")
    }
    assert [signature.key for signature in made.signatures if signature.subgraph == others.index] == [KEY]
    produced = {index for op in others.operators for index in op.outputs}
    assert not produced & {index for op in others.operators for index in op.inputs}
    assert sum("batch 5" in others.tensors[op.outputs[0]].name for op in others.operators) > 0


def test_a_model_without_a_design_stays_as_it_is() -> None:
    model = probes("SVDF")[0].model
    assert in_other_shapes(model) is model


def test_a_fault_of_wide_tensors_is_found() -> None:
    def change(job: Job, number: int, outputs: Arrays) -> Arrays:
        for output in outputs:
            if output.ndim > 1:
                output[..., 256:, :] ^= 1
        return outputs

    model, device = two_operators(), InProcess("litert-reference", change)
    assert run(model, device, Settings()).exit_code == 0
    found = run(in_other_shapes(model), device, Settings(shapes=True))
    assert found.exit_code == 1
