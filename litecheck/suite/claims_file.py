"""Parser of claims in YAML, with checks of keys, operators, types, levels, profiles and arithmetics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from litecheck.errors import ProfileError
from litecheck.files import file_digest, reason
from litecheck.profile.conformance import EVERY, read_conformance
from litecheck.profile.load import load_profile, narrow_profile, profile_names
from litecheck.profile.rule_file import read_document
from litecheck.profile.types import Conformance, Profile
from litecheck.profile.yaml_reader import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    entries,
    text,
)
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import arithmetic_names, load_arithmetic
from litecheck.spelling import suggestion
from litecheck.suite.case import LEVELS
from litecheck.suite.claims import Claims, ClaimsRecord, DeviceClaim, OperatorClaim
from litecheck.suite.waivers import read_waivers
from litecheck.version import __version__

KEYS = ("claims", "device", "profile", "level", "extensions", "types", "arithmetic", "operators", "waivers")
DEVICE_KEYS = ("name", "version", "driver", "program")
PROFILE_KEYS = ("name", "version", "rules")
_TOLERANCE = ("tolerance", "reals", "because")
OPERATOR_KEYS = ("types", "granularity", "arithmetic", *_TOLERANCE, "limits")
_GRANULARITIES = ("per-axis", "per-tensor")
_TYPES = (*INTEGER_RANGES, "bool", "float32")


def load_claims(path: str | Path, profile: str = "") -> Claims:
    """Load the claims of a file; paths in it are relative to its folder. Raise ProfileError with file and line.

    With the ``profile`` of a suite, a file that lists operators is enough: it claims these operators and nothing else.
    """
    place, shown = Path(path), str(path)
    top = read_document(place, shown, KEYS, "claims")
    if profile:
        top = _complete(top, profile, place)
    stated = _read_mapping(top, "profile").only(PROFILE_KEYS)
    base, *extensions = _profiles(stated, top.get("extensions"), place.parent)
    profiles = {profile.name: profile for _, profile in (base, *extensions)}
    files: dict[str, str] = {}
    operators = _operators(top, profiles.values(), files, place)
    limits = _limits(top)
    return Claims(
        record=ClaimsRecord(
            name=_word(top, "claims"),
            file=place.name,
            sha256=_digest(place),
            device=_device(_read_mapping(top, "device"))
            if "device" in top or not profile
            else DeviceClaim("", ""),
            profile=base[1].name,
            version=text(stated.get("version")) if profile else _suite_version(stated),
            level=_level(top),
            extensions=tuple(profile.name for _, profile in extensions),
        ),
        profiles=profiles,
        operators=operators,
        limited_profiles={p.name: _narrow_profile(ref, p, limits) for ref, p in (base, *extensions)}
        if limits
        else {},
        arithmetics=files,
        default=OperatorClaim(_types(top), (), _arithmetics(top, files, place)),
        rules=text(stated.get("rules")),
        waivers=read_waivers(top.get("waivers"), shown),
    )


def _complete(top: MappingNode, profile: str, place: Path) -> MappingNode:
    """Return the document, completed by the keys that a list of operators does not state."""
    plain: dict[str, Node] = {
        "claims": ScalarNode(place.stem, top.line, top.file),
        "profile": MappingNode(
            {"name": ScalarNode(profile, top.line, top.file)}, {"name": top.line}, top.line, top.file
        ),
        "level": ScalarNode(LEVELS[0], top.line, top.file),
    }
    added = {key: node for key, node in plain.items() if key not in top}
    lines = {**dict.fromkeys(added, top.line), **top.lines}
    return MappingNode({**added, **top.values}, lines, top.line, top.file)


def _digest(place: Path) -> str:
    try:
        return file_digest(place)
    except OSError as error:
        raise ProfileError(str(place), None, f"cannot be read: {reason(error)}") from error


def _word(owner: MappingNode, key: str) -> str:
    """Return the text of a required key."""
    word = text(owner.get(key))
    if not word:
        raise ProfileError(owner.file, owner.lines.get(key, owner.line), f"the key {key} is missing")
    return word


def _suite_version(stated: MappingNode) -> str:
    """Return the version of litecheck that made the suite, which a certificate states."""
    if not (version := text(stated.get("version"))):
        wanted = f"expected the version of litecheck that made the suite, as in {{name: ..., version: {__version__}}}"
        raise ProfileError(stated.file, stated.line, f"profile: got no version, {wanted}")
    return version


def _read_mapping(top: MappingNode, key: str) -> MappingNode:
    if key not in top:
        raise ProfileError(top.file, top.line, f"the key {key} is missing")
    return entries(top.get(key), top.file)


def _device(node: MappingNode) -> DeviceClaim:
    node.only(DEVICE_KEYS)
    return DeviceClaim(
        _word(node, "name"),
        _word(node, "version"),
        text(node.get("driver")),
        text(node.get("program")),
    )


def _level(top: MappingNode) -> str:
    (level,) = _read_words(top, "level", LEVELS) or (_word(top, "level"),)
    return level


def _read_words(owner: MappingNode, key: str, known: Collection[str] = ()) -> tuple[str, ...]:
    """Return the words of a key, each checked against ``known``."""
    return tuple(_read_word(node, key, known) for node in _nodes(owner.get(key)))


def _read_word(node: Node, key: str, known: Collection[str]) -> str:
    word = text(node)
    if known and word not in known:
        hint = suggestion(word, known, "there are")
        raise ProfileError(node.file, node.line, f"{key}: no {word!r}{hint}")
    return word


def _nodes(node: Node | None) -> tuple[Node, ...]:
    """Return a single node, or the nodes of a list."""
    if node is None or (isinstance(node, ScalarNode) and not node.value):
        return ()
    return node.values if isinstance(node, SequenceNode) else (node,)


def _types(owner: MappingNode) -> tuple[str, ...]:
    return _read_words(owner, "types", _TYPES)


def _profiles(stated: MappingNode, extensions: Node | None, folder: Path) -> list[tuple[str, Profile]]:
    """Return the profile and its extensions, each with the reference that loads it."""
    _word(stated, "name")
    found = []
    for node in (*_nodes(stated.get("name")), *_nodes(extensions)):
        ref = _file_or(node, "profile", profile_names(), folder)
        found.append((ref, load_profile(ref, quoting=False)))
    return found


def _file_or(node: Node, key: str, known: Collection[str], folder: Path) -> str:
    """Return a known name, or the path of a YAML file."""
    word = text(node)
    return str(folder / word) if word.endswith((".yaml", ".yml")) else _read_word(node, key, known)


def _arithmetics(owner: MappingNode, files: dict[str, str], place: Path) -> tuple[str, ...]:
    """Return names of arithmetics; the paths of arithmetics in own files are added to ``files``."""
    found = []
    for node in _nodes(owner.get("arithmetic")):
        ref = _file_or(node, "arithmetic", arithmetic_names(), place.parent)
        name = load_arithmetic(ref, quoting=False).name
        if name != ref and (name in arithmetic_names() or files.setdefault(name, ref) != ref):
            message = f"{text(node)}: calls its arithmetic {name!r}, which is another's name"
            raise ProfileError(node.file, node.line, message)
        found.append(name)
    return tuple(found)


def _operators(
    top: MappingNode, profiles: Iterable[Profile], files: dict[str, str], place: Path
) -> Mapping[str, OperatorClaim]:
    """Return the claim for each operator, from a list of names or a mapping."""
    known = dict.fromkeys((EVERY, *(opcode for profile in profiles for opcode in profile.operators)))
    node = top.get("operators")
    if isinstance(node, SequenceNode):
        return {_read_word(one, "operators", known): OperatorClaim() for one in node}
    found = {}
    for opcode, own in _read_mapping(top, "operators").values.items():
        line = entries(node, top.file).lines[opcode]
        _read_word(ScalarNode(opcode, line, top.file), "operators", known)
        found[opcode] = _operator(opcode, entries(own, top.file).only(OPERATOR_KEYS), files, place, line)
    if not found:
        raise ProfileError(
            top.file, top.lines["operators"], "nothing is claimed; '*' stands for all operators"
        )
    return found


def _operator(opcode: str, own: MappingNode, files: dict[str, str], place: Path, line: int) -> OperatorClaim:
    if opcode == EVERY and "limits" in own:
        raise ProfileError(own.file, own.lines["limits"], "limits are stated operator by operator")
    return OperatorClaim(
        _types(own),
        _read_words(own, "granularity", _GRANULARITIES),
        _arithmetics(own, files, place),
        _tolerance(opcode, own, line),
        "limits" in own,
    )


def _tolerance(opcode: str, own: MappingNode, line: int) -> Conformance | None:
    stated = {key: own.values[key] for key in _TOLERANCE if key in own}
    if not stated:
        return None
    lines = {key: own.lines[key] for key in stated}
    section = MappingNode(
        {opcode: MappingNode(stated, lines, line, own.file)}, {opcode: line}, line, own.file
    )
    return read_conformance(section, own.file, "claims", {})[opcode]


def _limits(top: MappingNode) -> MappingNode | None:
    """Return the limits of all operators, in the form of a profile; None without limits."""
    node = top.get("operators")
    stated = {} if node is None or isinstance(node, SequenceNode) else entries(node, top.file).values
    found = {
        opcode: MappingNode({"limits": limits}, {"limits": own.lines["limits"]}, own.line, own.file)
        for opcode, own in stated.items()
        if isinstance(own, MappingNode) and (limits := own.get("limits")) is not None
    }
    lines = {opcode: own.line for opcode, own in found.items()}
    return MappingNode(found, lines, top.lines["operators"], top.file) if found else None


def _narrow_profile(ref: str, profile: Profile, limits: MappingNode) -> Profile:
    """Return a profile narrowed by the limits of the operators it has."""
    own = {opcode: node for opcode, node in limits.values.items() if opcode in profile.operators}
    lines = {opcode: limits.lines[opcode] for opcode in own}
    return (
        narrow_profile(ref, MappingNode(own, lines, limits.line, limits.file), limits.file)
        if own
        else profile
    )
