"""The documentation agrees with the program: sessions, examples, links, lists of options and of problem
codes."""

from __future__ import annotations

import ast
import doctest
import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner

from docs.generate import WHOLE, documents, up_to_date
from docs.picture import PICTURE, picture
from docs.sessions import ROOT, refreshed, workshop
from docs.target_pages import linked_to_pages, pages
from litecheck.cli.app import app
from litecheck.files import MODEL_SUFFIXES
from litecheck.profile.load import load_profile
from litecheck.profile.parser import ANY_OPERATOR

DOCUMENTS = [*WHOLE, *documents()]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def fenced(text: str, language: str) -> list[str]:
    return [body for kind, body in FENCED.findall(text) if kind == language]


def commands() -> dict[str, Any]:
    """Return the program's commands by name: ``""`` is the program itself, ``group command`` a command of a
    group."""
    group: Any = typer.main.get_command(app)
    found = {name: group.get_command(None, name) for name in group.list_commands(None)}
    inner = {f"{name} {sub}": c for name, g in found.items() for sub, c in getattr(g, "commands", {}).items()}
    return {"": group, **found, **inner}


def options(command: Any) -> set[str]:
    """Return every spelling of a command's options."""
    return {name for p in command.params if p.param_type_name == "option" for name in p.opts}


def test_the_picture_is_up_to_date() -> None:
    assert PICTURE.read_text("utf-8") == picture(), "run python docs/picture.py"


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_generated_parts_and_sessions_are_up_to_date(path: Path) -> None:
    if "litert:" in path.read_text("utf-8"):
        pytest.importorskip("ai_edge_litert", reason="a session drives LiteRT")
        if not hasattr(os, "fork"):
            pytest.skip("the sessions need a system with fork, which limits memory")
    if "--compile" in path.read_text("utf-8"):
        pytest.importorskip("ethosu.regor", reason="a session asks Vela")
    assert path.read_text("utf-8") == up_to_date(path), "run python docs/generate.py, and review the changes"


def test_a_session_that_is_wrong_is_noticed() -> None:
    session = "```console\n$ litecheck --version\n{}\n$ echo $?\n0\n```\n"
    right = refreshed(session.format("litecheck 9"))
    assert right != session.format("litecheck 9")
    assert refreshed(right) == right
    assert refreshed(session.format("...")) == session.format("...")
    # Output that a page abbreviates as ``...`` stays abbreviated.
    assert refreshed(session.format("...\nlitecheck 9")) == right.replace("litecheck 0", "...\nlitecheck 0")
    usage = "```console\n$ litecheck --help\n{}\n```\n".format
    found = refreshed(usage("old\nolder\n...\noldest")).splitlines()
    assert (len(found), found[4]) == (7, "...")
    assert "old" not in "".join(found)


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    lost = [link for link in LINK.findall(path.read_text("utf-8")) if not leads_somewhere(path, link)]
    assert lost == []


def test_the_site_has_a_page_of_every_target() -> None:
    made = pages()
    links = linked_to_pages(text_of("docs/targets.md"))
    linked = set(re.findall(r"\]\((targets/[^)]+)\.md\)", links))
    assert linked == set(made)
    assert "../rules/targets/" not in links
    for name, text in made.items():
        profile = load_profile(name.removeprefix("targets/"))
        assert {f"## {op}" for op in profile.operators if op != ANY_OPERATOR} <= set(text.splitlines()), name


def leads_somewhere(path: Path, link: str) -> bool:
    if "://" in link:
        return True
    file, _, anchor = link.partition("#")
    target = path.parent / file if file else path
    if not target.exists():
        return False
    text = target.read_text("utf-8") if anchor else ""
    if target.suffix != ".md" and re.fullmatch(r"L\d+", anchor):
        return int(anchor[1:]) <= len(text.splitlines())
    return not anchor or anchor in anchors(text)


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub derives from the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.slow
@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_python_examples_give_the_shown_output(path: Path) -> None:
    examples = "\n".join(fenced(path.read_text("utf-8"), "python"))
    if "litert:" in examples:
        pytest.importorskip("ai_edge_litert", reason="an example drives LiteRT")
    test = doctest.DocTestParser().get_doctest(examples, {}, named(path), str(path), 0)
    told: list[str] = []
    with workshop():
        result = doctest.DocTestRunner().run(test, out=told.append)
    assert result.failed == 0, "".join(told)
    assert bool(test.examples) == (path.name in ("README.md", "library.md"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_command_shown_has_the_options_it_is_shown_with(path: Path) -> None:
    known = commands()
    for line in re.findall(r"(?<![\w./])litecheck [a-z](?:(?! \| )[^`#\n])*", "\n".join(shell_lines(path))):
        words = shlex.split(line)
        name = next((n for n in (" ".join(words[1:3]), words[1]) if n in known), None)
        if name is not None:
            given = {word.partition("=")[0] for word in words[2:] if word.startswith("-") and word != "-"}
            assert given <= options(known[name]) | {"--help", "-h"}, line


def shell_lines(path: Path) -> Iterator[str]:
    """Yield command lines of sessions, scripts, indented blocks and text in backquotes."""
    text = path.read_text("utf-8")
    for body in (*fenced(text, "console"), *fenced(text, "yaml")):
        yield from (line.removeprefix("$ ") for line in body.splitlines() if "litecheck validate" in line)
    plain = FENCED.sub("", text)
    yield from re.findall(r"^    (litecheck .*)$", plain, re.MULTILINE)
    yield from re.findall(r"`(litecheck [^`\n]+)`", plain)


def test_every_option_is_in_the_guide() -> None:
    pages = (
        "validate",
        "quantizer",
        "run",
        "verify",
        "diagnose",
        "convert",
        "suite",
        "stream",
        "trace",
        "diff",
    )
    guide = "".join(text_of(f"docs/{page}.md") for page in pages)
    missing = {
        (name, option)
        for name, command in commands().items()
        for option in options(command)
        if f"`{option}`" not in guide and f"`{option} " not in guide
    }
    assert missing == set()


def problem_codes() -> set[str]:
    """Return the problem codes of the readers: string constants with hyphens, and ``misaligned``."""
    sources = [*ROOT.glob("litecheck/flatbuffer/*.py"), *ROOT.glob("litecheck/model/*.py")]
    nodes = (node for source in sources for node in ast.walk(ast.parse(source.read_text("utf-8"))))
    values = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {value for value in values if re.fullmatch(r"[a-z]+(-[a-z]+)+|misaligned", value)}


def test_every_problem_code_is_explained_once() -> None:
    explained = re.findall(r"^\| `([a-z-]+)` \|", text_of("docs/reading.md"), re.MULTILINE)
    assert len(problem_codes()) > 30
    assert sorted(explained) == sorted(problem_codes())


def test_every_format_and_profile_is_in_the_guide() -> None:
    from litecheck.profile.load import profile_names
    from litecheck.rendering.formats import formats
    from litecheck.rendering.report_view import EVERY

    for command in EVERY:
        guide = text_of(f"docs/{'quantizer' if command == 'compare' else command}.md")
        assert [name for name in formats(command) if f"| `{name}` |" not in guide] == [], command
    index = text_of("docs/index.md")
    assert [name for name in profile_names() if name.startswith("litert") and f"`{name}`" not in index] == []


def test_whole_profiles_in_the_guide_load(tmp_path: Path) -> None:
    from litecheck.profile.load import load_profile

    guide = (
        *fenced(text_of("docs/rules-language.md"), "yaml"),
        *fenced(text_of("docs/writing-a-profile.md"), "yaml"),
        *fenced(text_of("docs/your-chip.md"), "yaml"),
    )
    whole = [block for block in guide if block.startswith("profile: ")]
    assert len(whole) > 1
    for block in whole:
        (tmp_path / "guide.yaml").write_text(block)
        assert tuple(load_profile(tmp_path / "guide.yaml").requirements())


def test_the_npu_beside_a_cpu_places_the_operators_that_its_page_states(tmp_path: Path) -> None:
    page = text_of("docs/your-chip.md")
    (npu,) = (block for block in fenced(page, "yaml") if block.startswith("profile: "))
    (tmp_path / "npu.yaml").write_text(npu)
    model = str(ROOT / "fixtures" / "conv_int8.tflite")
    shown = CliRunner().invoke(app, ["validate", model, "--profile", str(tmp_path / "npu.yaml")]).output
    stated = ("1 on the NPU, 6 on the CPU", "74.9 % of MACs on the NPU")
    assert [text for text in stated if text not in " ".join(page.split())] == []
    assert [text for text in stated if text not in " ".join(shown.split())] == []


def test_every_key_and_effect_is_in_the_rule_language() -> None:
    from litecheck.finding import EFFECTS
    from litecheck.profile.builder import KEYS
    from litecheck.profile.parser import OPERATOR_KEYS

    guide = text_of("docs/rules-language.md")
    assert [word for word in (*KEYS, *OPERATOR_KEYS, *EFFECTS) if f"`{word}`" not in guide] == []


def test_every_status_is_in_the_guide() -> None:
    from litecheck.summary_text import STATUSES

    guide = text_of("docs/validate.md")
    assert [status for status in STATUSES if f"| {status} |" not in guide] == []


def test_every_key_of_the_configuration_file_is_in_the_guide() -> None:
    from litecheck.cli.config import _READERS

    (example,) = fenced(text_of("docs/validate.md"), "toml")
    assert [key for key in _READERS if not re.search(rf"^(\[tool\.litecheck\.)?{key}\b", example, re.M)] == []


def test_the_action_uses_existing_options() -> None:
    action = yaml.safe_load(text_of("action.yml"))
    steps = action["runs"]["steps"]
    used = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)=?", steps[1]["run"])) - {"-r", "-n"}
    assert used >= {"--profile", "--format", "--baseline", "--fail-on", "-f"}
    assert used <= options(commands()["validate"])
    given = {
        name.removeprefix("inputs.") for step in steps for name in re.findall(r"inputs\.[\w-]+", str(step))
    }
    assert given == set(action["inputs"])
    table = re.findall(r"^\| `([a-z-]+)` \|", text_of("docs/ci.md"), re.MULTILINE)
    assert table == list(action["inputs"])


def test_the_hook_runs_an_existing_command_on_model_files() -> None:
    (hook,) = yaml.safe_load(text_of(".pre-commit-hooks.yaml"))
    program, command = hook["entry"].split()
    assert (program, command in commands()) == ("litecheck", True)
    assert all(re.search(hook["files"], f"a{suffix}") for suffix in MODEL_SUFFIXES)
    assert not re.search(hook["files"], "a.yaml")


def test_the_change_log_has_this_version() -> None:
    from litecheck import __version__

    assert f"{__version__}" in text_of("CHANGELOG.md")


@pytest.mark.models
def test_the_list_of_public_models_is_that_of_the_folder(models: Path) -> None:
    (listed,) = fenced(text_of("docs/models.md"), "text")
    sums = dict(reversed(line.split()) for line in listed.splitlines())
    there = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in models.glob("*.tflite")}
    assert there == {name: sums[name] for name in there}
    assert all(f"| `{name}` |" in text_of("docs/models.md") for name in sums)


@pytest.mark.slow
def test_every_flag_of_a_stream_is_explained_once() -> None:
    from litecheck.suite.stream.stream_kinds import stream_names
    from litecheck.suite.stream.vectors import Vectors

    guide = text_of("docs/stream.md")
    rows = [
        row.split(" | ")[0] + row.split(" | ")[1] for row in re.findall(r"^\| `.* \|$", guide, re.MULTILINE)
    ]
    explained = [name for row in rows for name in re.findall(r"`([\w-]+(?:=[\w-]+)?)`", row)]
    names = {
        name
        for stream in stream_names()
        for flag in Vectors(stream, "single-rounding", "smoke", 0, None).mutants
        for name in (flag.name, *flag.same)
    }
    assert len(names) > 40
    alone = {part for name in names for part in name.split("+")}
    assert [name for name in sorted(alone) if explained.count(name) != 1] == []


def test_the_page_of_integer_arithmetic_has_the_steps_that_are_called_through_modules() -> None:
    page = text_of("docs/arithmetic.md")
    for opcode, step in (("L2_NORMALIZATION", "inverse_sqrt"), ("LOG_SOFTMAX", "log of gemmlowp")):
        section = page.partition(f"\n### {opcode}\n")[2].partition("\n### ")[0]
        assert f"[{step}](#{step.replace(' ', '-')})" in section
        assert f"\n### {step}\n" in page
