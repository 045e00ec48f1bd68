"""Plain technical English, as far as a machine sees it: help of all commands, rewritten pages, docstrings."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litecheck.cli.app import app
from tests.test_documentation import FENCED, commands

ROOT = Path(__file__).resolve().parent.parent
#: Words and phrases with the term of the glossary.
BANNED = {
    r"\bjudged by\b": "checked against",
    r"\bdemanded by\b": "rule",
    r"\bnot judged\b": "not checked",
    r"\brefused at load\b": "fails to load",
    r"\bcomputes wrongly\b": "wrong results",
    r"\bfolded away\b": "optimized out",
    r"\blargest live set\b": "peak activation memory",
    r"\bnever tried\b": "not exercised",
    r"\bdepartures?\b": "defect",
    r"\btruth values?\b": "bool",
    r"\b(low|high) rail\b": "at min, at max",
    r"\bunused codes\b": "unused levels",
    r"\bwhat becomes of\b": "impact",
    r"\btold apart\b": "distinguished",
    r"\bis (told|asked)\b": "active verb",
    r"\bof which\b": "a new sentence",
    r"\b(by|of|for) itself\b": "isolated, separate",
    r"\bdies\b": "crashes",
    r"\bnobody\b": "no NOUN",
    r"\bbehaviour|\bcolour|\bneighbour|flavour": "American spelling",
}
#: Pages in the language of the glossary. A page joins the list when it is rewritten.
PAGES = (
    "CONTRIBUTING.md", "README.md", "docs/ci.md", "docs/convert.md", "docs/converters.md",
    "docs/devices.md", "docs/diagnose.md", "docs/glossary.md", "docs/how-litecheck-is-built.md",
    "docs/how-to-bad-accuracy.md", "docs/how-to-microcontroller.md", "docs/how-to-pytorch.md",
    "docs/how-to-qualify-a-delegate.md",
    "docs/index.md", "docs/mutation-coverage.md", "docs/library.md", "docs/models.md", "docs/operators.md",
    "docs/quantizer.md", "docs/reading.md", "docs/rules-language.md", "docs/rules.md", "docs/run.md",
    "docs/security.md", "docs/specification.md", "docs/stream.md", "docs/suite.md", "docs/targets.md", "docs/trace.md",
    "docs/validate.md", "docs/verify.md", "docs/writing-a-profile.md", "docs/your-chip.md",
)  # fmt: skip
#: Words that a sentence of a rewritten page may have.
LONGEST = 30


#: Folders with modules of the same file name, and the reason. ``/*`` includes all folders below.
SAME_ROLE = {
    "a family of operators": (
        "cases/probes", "model/shapes", "profile/measurements", "reference/kernels", "reference/numerics", "targets/*",
    ),
    "measurements have the name of the measured thing": (".", "checks", "model", "profile/measurements", "targets/*"),
    "a command has the name of its function": ("checks", "cli", "reference/kernels"),
    "the types, the wording, the reader or the registry of a package": (
        "checks", "comparison", "devices", "model", "profile", "profile/measurements", "quantizer", "reference",
        "reference/defects",
    ),
    "the result or the settings of a capability": ("conversion", "diagnosis", "verification"),
    "the placement of a kind of target": (".", "targets/*"),
    "the name of the runtime": ("devices/adapters", "quantizer"),
}  # fmt: skip


def repeated_names(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the file names of several modules without an entry of SAME_ROLE, with their folders.

    A module of ``rendering`` has the name of its content or of its format.
    """
    folders = defaultdict(list)
    for file in files:
        folder, _, name = f"./{file}".rpartition("/")
        folders[name].append(folder.removeprefix("./"))

    def covered(found: list[str]) -> bool:
        found = [folder for folder in found if not f"{folder}/".startswith("rendering/")]
        return len(found) < 2 or any(
            all(_among(folder, allowed) for folder in found) for allowed in SAME_ROLE.values()
        )

    return {
        name: found
        for name, found in folders.items()
        if len(found) > 1 and name != "__init__.py" and not covered(found)
    }


def _among(folder: str, allowed: tuple[str, ...]) -> bool:
    return any(
        folder == one or (one.endswith("/*") and f"{folder}/".startswith(one.removesuffix("*")))
        for one in allowed
    )


def test_a_module_name_has_one_meaning() -> None:
    package = ROOT / "litecheck"
    assert repeated_names(p.relative_to(package).as_posix() for p in package.rglob("*.py")) == {}


def test_a_repeated_module_name_is_seen() -> None:
    assert repeated_names(["suite/a.py", "verification/a.py", "suite/__init__.py", "model/__init__.py"]) == {
        "a.py": ["suite", "verification"]
    }
    assert repeated_names(["model/shapes/conv.py", "reference/kernels/conv.py"]) == {}


#: Irregular participles at the end of module names.
IRREGULAR = "bound built chosen drawn fed found given held hidden kept known left lost made seen shown taken told written"
#: Participles and gerunds as names of modules, and the reasons.
NAMED_AFTER = {
    "the name of an operator, a requirement or a kind of device": (
        "checks/unsupported", "devices/adapters/recorded", "reference/kernels/fully_connected",
    ),
    "a noun of the field": (
        "devices/listing", "finding", "model/matching", "quantizer/rounding", "reference/kernels/indexing", "spelling",
        "targets/ethos_u/graph/lowering", "targets/ethos_u/measurements/resizing", "targets/generators/resizing",
        "verification/ranking", "profile/measurements/wiring", "conversion/binding", "conversion/planning",
    ),
    "a part of a report": ("*/wording", "rendering/validation/grouping", "rendering/conversion/sharing"),
}  # fmt: skip


def participles(modules: Iterable[str]) -> list[str]:
    """Return the modules whose name is a gerund, or ends in a participle, without an entry of NAMED_AFTER.

    *Example:* ``suite/untried`` and ``quantizer/dynamic_named``, but not ``devices/isolated_device``.
    """
    named = {module for modules in NAMED_AFTER.values() for module in modules}
    return [
        module
        for module in modules
        for stem in [module.rpartition("/")[2]]
        for last in [stem.rpartition("_")[2]]
        if (last in IRREGULAR.split() or re.search(r"..ed$", last) or re.fullmatch(r"[a-z]{3,}ing", stem))
        and not named & {module, f"*/{stem}"}
    ]


def test_module_names_are_nouns() -> None:
    package = ROOT / "litecheck"
    modules = {path.relative_to(package).with_suffix("").as_posix() for path in package.rglob("*.py")}
    assert participles(sorted(modules)) == []
    named = {module for modules in NAMED_AFTER.values() for module in modules if not module.startswith("*")}
    assert named <= modules


@pytest.mark.parametrize(
    ("module", "found"),
    [
        ("suite/untried", True),
        ("quantizer/dynamic_named", True),
        ("profile/measurements/bound", True),
        ("cases/geometry/covering", True),
        ("checks/wording", False),
        ("checks/unsupported", False),
        ("suite/unsupported", True),
        ("devices/isolated_device", False),
        ("profile/lazy_mapping", False),
    ],
)
def test_a_participle_as_a_module_name_is_seen(module: str, found: bool) -> None:
    assert bool(participles([module])) is found


def bare_participles(source: str) -> list[str]:
    """Return the public functions, methods and classes whose whole name is a participle. Properties may have such names.

    *Example:* ``def stored(values)``, but not ``def store(values)``.
    """
    module = ast.parse(source)
    scopes = (module, *(node for node in module.body if isinstance(node, ast.ClassDef)))
    return [
        node.name
        for scope in scopes
        for node in scope.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        if node.name.lower() in IRREGULAR.split() or re.fullmatch(r"[A-Za-z][a-z]+[^e]ed", node.name)
        if not any("property" in ast.unparse(one) for one in getattr(node, "decorator_list", ()))
    ]


def test_functions_and_classes_are_not_named_by_a_participle() -> None:
    found = {path.name: bare_participles(path.read_text()) for path in (ROOT / "litecheck").rglob("*.py")}
    assert {name: names for name, names in found.items() if names} == {}


def test_a_participle_as_the_name_of_a_function_is_seen() -> None:
    source = """
def stored(): ...
def feed(): ...
class Known: ...
class Box:
    @property
    def waived(self): ...
    def kept(self): ...
"""
    assert bare_participles(source) == ["stored", "Known", "kept"]


def banned(text: str) -> Iterator[str]:
    for pattern, term in BANNED.items():
        for found in re.finditer(pattern, text, re.IGNORECASE):
            yield f"{found[0]!r}: use {term}"


@pytest.mark.parametrize("name", sorted(commands()), ids=lambda name: name or "litecheck")
def test_help_uses_the_terms_of_the_glossary(name: str) -> None:
    shown = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200"}).stdout
    assert "Usage" in shown
    assert list(banned(" ".join(shown.split()))) == []


@pytest.mark.parametrize("name", PAGES)
def test_rewritten_pages_use_the_terms_of_the_glossary(name: str) -> None:
    assert list(banned(prose(name))) == []


@pytest.mark.parametrize("name", PAGES)
def test_sentences_of_rewritten_pages_are_short(name: str) -> None:
    sentences = re.split(r"(?<=[.:?!])\s+|\n\s*\n|\n[|#-]", prose(name))
    assert [s for s in sentences if len(s.split()) > LONGEST] == []


def prose(name: str) -> str:
    """Return a page without fenced and generated blocks, tables, code and addresses."""
    text = FENCED.sub("", (ROOT / name).read_text("utf-8"))
    text = re.sub(r"<!-- generated.*?<!-- end -->", "", text, flags=re.DOTALL)
    lines = (line for line in text.splitlines() if not line.startswith(("    ", "|", "!")))
    return re.sub(r"`[^`]*`|\]\([^)]*\)", " ", "\n".join(lines))


def test_a_banned_phrase_and_a_long_sentence_are_seen() -> None:
    assert list(banned("It is Refused at load.")) == ["'Refused at load': use fails to load"]
    assert list(banned("It conforms.")) == []


#: Folders of the package in which every docstring of a function begins with a verb.
IMPERATIVE = (
    "cases", "checks", "cli", "comparison", "conversion", "devices", "diagnosis", "differences", "flatbuffer", "model",
    "processes", "profile", "quantizer", "reference", "rendering", "suite", "targets", "tracing", "verification",
)  # fmt: skip
VERBS = frozenset(
    """
    Accept Add Adjust Align Allocate Answer Append Apply Arrange Ask Assign Attach Begin Bind Build
    Calculate Call Cancel Carry Certify Change Check Choose Clamp Clear Clip Close Collect Combine
    Compare Compile Complete Compute Concatenate Connect Continue Convert Copy Correct Count Create Crop
    Cut Damage Decode Delete Dequantize Describe Detach Detect Disable Discard Disconnect Distribute
    Divide Do Double Draw Drop Edit Encode End Enlarge Equalize Escape Estimate Evaluate Exchange
    Exclude Execute Expand Explain Export Extend Extract Fill Filter Find Fit Flip Flush Fold Fork
    Format Free Fuse Gather Generate Get Give Grade Group Guard Halve Handle Hide Identify Ignore Import
    Include Infer Initialize Insert Install Interpolate Invert Join Judge Keep Kill Leave Let Limit List
    Load Lock Lose Make Map Mark Match Measure Merge Move Multiply Name Narrow Negate Normalize Omit
    Open Order Overwrite Pack Pad Pair Parse Pass Pick Place Plant Prepare Print Process Prove Provide
    Put Quantize Queue Raise Rank Read Reap Rebuild Recheck Record Redirect Reduce Register Reject
    Release Remove Rename Render Repeat Replace Replay Report Request Rescale Reserve Reset Reshape
    Resize Resolve Restore Return Rewire Rewrite Round Run Sample Saturate Save Scale Scatter Search
    Select Send Separate Serialize Set Share Shift Show Shrink Sign Simplify Skip Slice Solve Sort Split
    Spread Stack Start Stop Store Subtract Suggest Sum Summarize Swap Take Tell Test Time Trace
    Transform Translate Transpose Treat Trim Truncate Try Turn Undo Unpack Update Use Validate Verify
    Visit Wait Waive Walk Warn Widen Wrap Write Yield
    """.split()
)
#: Kernels begin with the formula of their outputs, because docs/arithmetic.md shows it first.
FORMULA = re.compile(r"(outputs? = |(out|output)\[[^\]]*\] |c' = )")


def nouns_first(file: str, source: str) -> Iterator[str]:
    """Yield the functions of a module whose docstring does not begin with a verb. Properties and measurements are nouns."""
    for node in ast.walk(ast.parse(source)):
        decorators = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
        if not isinstance(node, ast.FunctionDef) or any(
            "property" in d or "measure" in d for d in decorators
        ):
            continue
        text = ast.get_docstring(node) or "Return."
        first, second = (*text.split(), "")[:2]
        verb = first.rstrip(".,:;") in VERBS and second != "of"
        if not verb and not (file.startswith("reference/kernels/") and FORMULA.match(text)):
            yield f"{file}:{node.lineno} {node.name}: {text.splitlines()[0]}"


@pytest.mark.parametrize("folder", IMPERATIVE)
def test_docstrings_of_functions_are_imperative(folder: str) -> None:
    package = ROOT / "litecheck"
    files = {path.relative_to(package).as_posix(): path for path in (package / folder).rglob("*.py")}
    assert files
    assert [
        found for file, path in files.items() for found in nouns_first(file, path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("model/a.py", "Return the shape.", False),
        ("model/a.py", "The shape.", True),
        ("model/a.py", "Sum of the lengths.", True),
        ("model/a.py", "Each input's shape.", True),
        ("model/a.py", "output = lhs + rhs.", True),
        ("reference/kernels/a.py", "output = lhs + rhs.", False),
        ("reference/kernels/a.py", "The sum of both operands.", True),
    ],
)
def test_a_noun_at_the_beginning_is_seen(file: str, text: str, found: bool) -> None:
    assert bool([*nouns_first(file, f'def a():\n    """{text}"""')]) is found
    assert [*nouns_first(file, f'@property\ndef a():\n    """{text}"""')] == []
