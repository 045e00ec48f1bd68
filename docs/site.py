"""MkDocs hook: adds pages of rules, targets and mutants, and rewrites links to files outside of the documentation.

``SITE_REPOSITORY`` is the address of the repository's files, for example ``https://host/owner/name/blob/main``.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mkdocs.structure.files import File, Files

from docs.mutation_pages import pages as mutation_pages
from docs.rule_pages import pages as rule_pages
from docs.rule_pages import rules_index_on_the_site
from docs.target_pages import linked_to_pages
from docs.target_pages import pages as target_pages
from litecheck.profile.load import load_profile, profile_names

_OUTSIDE = re.compile(r"\[([^\]]*)\]\((\.\./(?:\.\./)*[^)]*)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the rule reference, the requirements of each target and the mutants of each suite."""
    profiles = [p for p in map(load_profile, profile_names()) if p.judges != "placement"]
    for path, text in rule_pages(profiles).items():
        files.append(File.generated(config, f"rules/{path}.md", content=text))
    for path, text in (mutation_pages() | target_pages()).items():
        files.append(File.generated(config, f"{path}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Replace links to files outside of the documentation."""
    inside = Path(config["docs_dir"]).resolve()
    source = Path(page.file.abs_src_path or inside / page.file.src_uri)
    repository = os.environ.get("SITE_REPOSITORY", "")

    def replaced(match: re.Match[str]) -> str:
        target, _, anchor = match[2].partition("#")
        path = (source.parent / target).resolve()
        if path.is_relative_to(inside):
            return match[0]
        if not repository:
            return match[1]
        return f"[{match[1]}]({repository}/{path.relative_to(inside.parent)}{'#' + anchor if anchor else ''})"

    if page.file.src_uri == "rules.md":
        found = {file.src_uri.removeprefix("rules/").removesuffix(".md") for file in files}
        markdown = rules_index_on_the_site(markdown, found)
    return _OUTSIDE.sub(replaced, linked_to_pages(markdown))
