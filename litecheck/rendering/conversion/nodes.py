"""Node data of a conversion for Model Explorer: the new type of each operator of the float model."""

from __future__ import annotations

from typing import Any

from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.request import REAL
from litecheck.rendering.escape import shorten, visible

#: Background and text color of quantized operators, of operators that stay float32, and of the rest.
_QUANTIZED, _STAYS, _OTHER = ("#cdeae0", "#07513c"), ("#c44400", "#ffffff"), ("#e9ecef", "#000000")


def nodes(record: ConversionRecord) -> dict[str, Any]:
    """Return graph -> operator number -> the type that the operator becomes, and why it stays float32."""
    name = visible(f"litecheck convert: {record.source}")
    graphs: dict[str, Any] = {}
    for one in record.conversion.plan.operators:
        key = f"subgraph_{one.subgraph}" if one.subgraph else "main"
        background, text = _STAYS if one.becomes == REAL else _QUANTIZED if one.becomes else _OTHER
        graphs.setdefault(key, {"name": name, "results": {}})["results"][str(one.operator)] = {
            "value": shorten(": ".join(filter(None, (one.becomes, one.because))), 80),
            "bgColor": background,
            "textColor": text,
        }
    return graphs or {"main": {"name": name, "results": {}}}
