"""The ways in which devices compute wrongly, and how they are distinguished.

Five words, one meaning each, wherever litecheck speaks of unexpected integers:

- a *variant* is a way to take a step of a kernel that somebody stands for: an arithmetic names it
  (litecheck.reference.engine.arithmetic), and whoever uses that arithmetic computes rightly by it;
- a *defect* is a way to compute that nobody stands for, but devices are found to have: it stands around a kernel,
  whatever its variants (here; arithmetic files and reports have it under the key ``defect``);
- a *deviation* is a choice in which a device's QUANTIZE or DEQUANTIZE is not as the document has it, be it a variant
  or a defect: there both are settings of the same recipe (litecheck.quantizer.causes);
- a *cause* is what was shown to explain the differences at hand: variants, defects, deviations, or a pattern
  (litecheck.comparison.cause_search, litecheck.quantizer.causes.integer_search);
- an *erratum* is what versions of a published runtime are known to do wrong, whoever runs them
  (litecheck.comparison.errata).
"""
