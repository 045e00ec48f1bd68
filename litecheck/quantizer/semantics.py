"""Semantics by name: ``litert``, ``litert:xnnpack``, ``onnx:21``, ``onnx-dynamic``, ``onednn:half-away`` and so on."""

from __future__ import annotations

from litecheck.errors import ConfigError
from litecheck.quantizer.types import Semantics

#: What there is to choose from; in brackets what may follow the name.
NAMES = ("litert[:RESOLVER]", "onnx[:VERSION]", "onnx-dynamic", "onednn[:ROUNDING]")


def semantics(name: str) -> Semantics:
    """The semantics of that name; only what it needs is imported. Raises ConfigError for a name unknown.

    ``litert`` alone is the formula, which BUILTIN_REF computes; ``onnx`` alone is the latest operator version litecheck
    knows, ``onednn`` alone rounds half to even. A resolver, version or rounding that does not exist raises what its
    module raises, a QuantizerError.
    """
    document, colon, detail = name.partition(":")
    if document == "litert" and not colon:
        from litecheck.quantizer import litert

        return litert
    if document == "litert" and detail:
        from litecheck.quantizer.litert_resolvers import ResolverSemantics

        return ResolverSemantics(detail)
    if document == "onnx" and (detail.isdecimal() or not colon):
        from litecheck.quantizer.onnx import Onnx

        return Onnx(int(detail)) if colon else Onnx()
    if document == "onnx-dynamic" and not colon:
        from litecheck.quantizer.dynamic import OnnxDynamic

        return OnnxDynamic()
    if document == "onednn" and (detail or not colon):
        from litecheck.quantizer.onednn import OneDnn

        return OneDnn(detail) if colon else OneDnn()
    raise ConfigError(f"no semantics {name!r}; there are {', '.join(NAMES)}")
