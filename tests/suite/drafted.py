"""Drafts of operators, for tests of the modules that make cases from them."""

from __future__ import annotations

import hashlib

import numpy as np

from litecheck.profile.load import load_profile
from litecheck.profile.operator_plan import Plan
from litecheck.suite.case_templates import templates_of
from litecheck.suite.drafts import Draft, draft_form
from litecheck.suite.option_combinations import choices

#: A profile of few words: ADD with two types of ``rhs`` and two alternatives, FULLY_CONNECTED with two granularities.
SMALL = """
profile: small
title: A small profile
source: a test
kinds:
  activation: {dtype: int8, granularity: per-tensor}
  weight: {dtype: int8, zero_point: 0}
ops:
  ADD:
    inputs: [lhs, rhs]
    outputs: [output]
    tensors:
      lhs: activation
      rhs: {dtype: [int8, int16]}
      output: activation
  FULLY_CONNECTED:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {kind: weight, granularity: [per-axis, per-tensor], axis: 0}
      output: activation
"""


def draft_of(
    opcode: str, form: str = "", kind: str = "int8", profile: str = "litert-runtime", choice: int = 0
) -> Draft:
    """Return the draft of a form, by default the first, under one of the rule's choices of types."""
    loaded, forms = load_profile(profile), templates_of(opcode).forms
    rule = loaded.operators[opcode]
    chosen = forms[0] if not form else next(f for f in forms if f.name == form)
    return draft_form(loaded, rule, chosen, list(choices(loaded, rule, kind))[choice])


def fingerprint(*plans: Plan | None) -> str:
    """Return a short hash of operands and options; scales count with 5 digits."""
    found = hashlib.sha256()
    for plan in plans:
        for role, tensors in {} if plan is None else plan.operands.items():
            for t in tensors:
                scales = " ".join(f"{s:.5g}" for s in np.ravel(t.scale))
                found.update(
                    f"{role} {t.dtype} {t.shape} {scales} {np.ravel(t.zero_point).tolist()};".encode()
                )
                found.update(b"" if t.values is None else np.asarray(t.values).astype(np.float64).tobytes())
        found.update(b"-" if plan is None else str(sorted(plan.options.items())).encode())
    return found.hexdigest()[:12]
