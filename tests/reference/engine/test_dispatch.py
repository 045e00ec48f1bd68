def test_operands_of_a_type_that_kernels_do_not_have_are_told() -> None:
    """Numbers of a float64 bias, of float crops: an error with the operator's name, as for all that does not fit."""
    from litecheck.profile.load import load_profile
    from litecheck.suite.case import SuiteCase
    from litecheck.suite.make import zeros
    from litecheck.suite.plan import planned

    tried = 0
    for opcode in ("CONV_2D", "PADV2", "BATCH_TO_SPACE_ND", "RIGHT_SHIFT", "SVDF"):
        for case in planned(load_profile("litert-runtime"), "smoke", (opcode,), 0):
            if (
                isinstance(case, SuiteCase)
                and case.broken.endswith("/dtype")
                and (inputs := zeros(case.model))
            ):
                tried += 1
                try:
                    Machine(case.model).run(case.model.subgraphs[0], inputs[0])
                except RunError as error:
                    assert opcode in str(error)
    assert tried > 10
