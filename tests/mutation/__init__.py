"""Mutation coverage of the mirrored tests: ``python -m tests.mutation --cases 300 --seed S --jobs 2 -o report.json``.

The program draws single mutants of ``litecheck/``: an operator, a number, a return value or a condition is replaced.
For each mutant a child process imports the changed module and runs the tests of the mirrored file.
``litecheck/model/cut.py`` has ``tests/model/test_cut.py``. The files of the checkout stay as they are.

A module without a mirrored file is listed as *no mirrored test*. Its mutants run the files of the mirrored folder that
import the module, or every file of this folder if none imports it, in both cases without the slow tests.

A mutant is *killed* if a test fails that passes without the mutant, or if the tests exceed the time limit.
It is *survived* if every test passes, and *unclear* if the tests also fail without the mutant.
"""
