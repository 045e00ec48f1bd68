"""Wrong computations of devices, and methods to distinguish them.

Five words for unexpected integers have one meaning each:

- a *variant* is one way to compute a step of a kernel. An arithmetic names it (litecheck.reference.engine.arithmetic),
  and a device that follows its arithmetic is correct;
- a *defect* is a wrong computation that occurs in devices. It wraps a kernel with any variants (this package; its key
  in arithmetic files and reports is ``defect``);
- a *deviation* is a difference between a device's QUANTIZE or DEQUANTIZE and the document, by a variant or a defect:
  both are settings of one recipe (litecheck.quantizer.causes);
- a *cause* explains the observed differences: variants, defects, deviations, or a pattern
  (litecheck.comparison.cause_search, litecheck.quantizer.causes.integer_search);
- an *erratum* is a known fault of versions of a published runtime (litecheck.comparison.errata).
"""
