"""Semantics by name. Examples: ``litert``, ``litert:xnnpack``, ``onnx:21``, ``onnx-dynamic``, ``onednn:half-away``."""

from __future__ import annotations

from litecheck.errors import ConfigError
from litecheck.quantizer.types import Semantics

#: Available names, with their optional suffix in brackets.
NAMES = ("litert[:RESOLVER]", "onnx[:OPSET]", "onnx-dynamic", "onednn[:ROUNDING]")


def semantics(name: str) -> Semantics:
    """Return the semantics with a name, importing only its module. Raise ConfigError for an unknown name.

    ``litert`` alone is the formula, which BUILTIN_REF computes. ``onnx`` alone is the latest operator version that
    litecheck supports. ``onednn`` alone rounds half to even. Raise the QuantizerError of the module for a resolver,
    version or rounding that does not exist.
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
        from litecheck.quantizer.onnx_dynamic import OnnxDynamic

        return OnnxDynamic()
    if document == "onednn" and (detail or not colon):
        from litecheck.quantizer.onednn import OneDnn

        return OneDnn(detail) if colon else OneDnn()
    raise ConfigError(f"no semantics {name!r}; there are {', '.join(NAMES)}")
