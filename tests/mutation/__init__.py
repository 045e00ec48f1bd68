"""Mutation coverage of the mirrored tests: ``python -m tests.mutation --cases 300 --seed S --jobs 2 -o report.jsonl``.

The program draws single mutants of ``litecheck/``: an operator, a number, a return value or a condition is replaced.
For each mutant a child process imports the changed module and runs the tests of the mirrored file.
``litecheck/model/submodels.py`` has ``tests/model/test_submodels.py``. The files of the checkout stay as they are.

A module without a mirrored file is listed as *no mirrored test*. Its mutants run the files of the mirrored folder that
import the module, or every file of this folder if none imports it, in both cases without the slow tests.

With ``--reach FOLDER`` a survivor also runs the quick tests of the mirrored package, ``tests/model`` for this module.
Only files that execute the mutant's block run, the nearest first: ``python -m tests.mutation.measure FOLDER`` measures
these files once.

A mutant is *killed* if a test fails that passes without the mutant. It is *survived* if every test passes, and *unclear*
if the tests also fail without the mutant. The mirrored file also kills a mutant by exceeding the time limit, if its tests
end in half of this time without the mutant; the tests of the package do not. *Equivalent* survivors compute the same for
every input: ``equivalents.yaml`` lists them with their reasons, and the coverage leaves them out.
"""
