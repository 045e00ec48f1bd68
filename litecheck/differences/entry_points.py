"""Changes of inputs, outputs, signatures, subgraphs and metadata."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.differences.change import Change, ChangeKind
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.model.types import Model, Signature

#: Largest number of displayed characters of metadata.
_SHORT = 40


def entry_changes(match: SubgraphMatch) -> Iterator[Change]:
    """Yield changes of the inputs and outputs of a subgraph: number, order, names."""
    yield from _ends(match, "model-inputs", match.first.inputs, match.second.inputs)
    yield from _ends(match, "model-outputs", match.first.outputs, match.second.outputs)


def _ends(
    match: SubgraphMatch, kind: ChangeKind, old: tuple[int, ...], new: tuple[int, ...]
) -> Iterator[Change]:
    homes = tuple(match.tensors.get(index, -1) for index in new)
    number = match.first.index
    if len(old) != len(new):
        yield Change(kind, number, before=str(len(old)), after=str(len(new)))
    elif homes != old and sorted(homes) == sorted(old):
        order = [old.index(home) for home in homes]
        yield Change(kind, number, before=str(list(range(len(old)))), after=str(order), text="another order")
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        names = match.first.tensors[one].name, match.second.tensors[other].name
        if names[0] != names[1] and homes[place] == one:
            role = f"{kind.removesuffix('s').replace('-', ' ')} {place}"
            yield Change("name", number, role=role, before=names[0], after=names[1])


def model_changes(match: ModelMatch) -> Iterator[Change]:
    """Yield subgraphs, signatures and metadata that only one model has, or that differ."""
    one, other = match.first, match.second
    for number in range(len(match.subgraphs), max(len(one.subgraphs), len(other.subgraphs))):
        words = ("present", "absent") if number < len(one.subgraphs) else ("absent", "present")
        yield Change("subgraph", number, before=words[0], after=words[1])
    signatures = [{s.key: s for s in model.signatures} for model in (one, other)]
    for key in dict.fromkeys((*signatures[0], *signatures[1])):
        before, after = (_signature_text(side.get(key)) for side in signatures)
        if before != after:
            yield Change("signature", name=key, before=before, after=after)
    blocks = [{name: _block(model, number) for name, number in model.metadata} for model in (one, other)]
    for name in dict.fromkeys((*blocks[0], *blocks[1])):
        held = [side.get(name) for side in blocks]
        if held[0] != held[1]:
            before, after = map(_content, held)
            if before == after:
                yield Change("metadata", name=name, text=f"{before}, other content")
            else:
                yield Change("metadata", name=name, before=before, after=after)


def _content(block: bytes | None) -> str:
    """Return a short text unchanged, other content as its size. Example: ``1.5.0``."""
    if block is None:
        return "absent"
    text = block.rstrip(b"\0").decode("latin-1")
    return text if 0 < len(text) <= _SHORT and text.isprintable() else f"{len(block):,} bytes"


def _signature_text(signature: Signature | None) -> str:
    if signature is None:
        return "absent"
    ends = (", ".join(sorted(name for name, _ in side)) for side in (signature.inputs, signature.outputs))
    return "({}) to ({})".format(*ends)


def _block(model: Model, number: int) -> bytes:
    return model.buffers[number].data.tobytes() if number < len(model.buffers) else b""
