"""HTML of each part and span of a document, and the policy that pages are bound to."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from litecheck.rendering.document import Collapsible, Part
from litecheck.rendering.html.page import embed_json, frame_page, interactive, page, text
from tests.rendering.a_document import DOCUMENT, PARTS

WRITTEN = {
    "First": "<h2>First <code>x</code></h2>",
    "Second": "<h3>Second</h3>",
    "spans": '<p>plain *text* <code>a`b</code><b>bold_</b><span class="sign" data-conclusion="fails" title="fails">≠'
    '</span><a href="https://example.org/a">page</a><br><a href="#part">a|part</a>javascript:x</p>',
    "list": "<ul><li>one</li><li><b>two</b></li><li>and 1,200 more</li></ul>",
    "all": "<ul><li>all</li></ul>",
    "facts": "<dl><dt>label_</dt><dd>fact<code>c</code></dd></dl>",
    "grid": '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="rows"><thead><tr>'
    '<th>name</th><th class="number">count</th></tr></thead><tbody><tr><td><code>a|b</code></td>'
    '<td class="number">1|2<br>3</td></tr></tbody></table></div>',
    "closed": '<details class="part"><summary><b>closed &lt;b&gt;</b> rest <span class="sign" data-conclusion="exact"'
    ' title="exact">=</span><a href="https://e.org">https:/<wbr>/<wbr>e.org</a><br><code>k</code></summary><p>in</p>'
    "</details>",
    "open": '<details class="part" open><summary><b>open</b></summary><div id="there"><p>out</p></div></details>',
}


@pytest.mark.parametrize(("part", "expected"), [*zip(PARTS, WRITTEN.values(), strict=True)], ids=WRITTEN)
def test_parts(part: Part, expected: str) -> None:
    assert expected in page(replace(DOCUMENT, parts=(part,)))


def test_head_of_a_page() -> None:
    made = page(DOCUMENT)
    assert "<title>m.tflite on npu: fails</title>" in made
    verdict = '<strong id="verdict" data-verdict="fails">fails</strong>'
    assert f"<code>m.tflite</code> on <b>npu</b> {verdict}" in made
    assert "2 of 3 &lt;fail&gt;" in made
    assert "<div><dt>device</dt><dd>npu_1</dd></div>\n<div><dt>litecheck</dt><dd>1.0</dd></div>" in made
    bare = page(replace(DOCUMENT, verdict=""))
    assert "<title>m.tflite on npu</title>" in bare
    assert 'id="verdict"' not in bare


def test_long_names_may_break() -> None:
    """A word of 12 or more characters has a break opportunity after each slash and underscore."""
    made = page(replace(DOCUMENT, parts=(Collapsible("t", ("block/conv_2d", " ", "block/conv_"), ()),)))
    assert "block/<wbr>conv_<wbr>2d block/conv_<" in made


def test_a_page_runs_only_its_own_style_and_script() -> None:
    made = frame_page("a<b", "<p>body</p>", "p{}", "run()")
    (policy,) = re.findall(r'content="(default-src[^"]*)"', made)
    style = re.search(r"<style>\n?(.*?)</style>", made, re.DOTALL)
    assert style is not None

    def digest(source: str) -> str:
        return b64encode(sha256(source.encode()).digest()).decode()

    assert f"script-src 'sha256-{digest('run()')}'" in policy
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert policy.endswith("; img-src data:; base-uri 'none'; form-action 'none'")
    assert "script-src" not in frame_page("t", "b")
    assert "<title>a&lt;b</title>" in made
    assert "<p>body</p>" in made


def test_embedded_values_hold_no_markup() -> None:
    assert embed_json({"a": "</script>&", "b": [1, 2]}) == (
        '{"a":"\\u003c/script\\u003e\\u0026","b":[1,2]}'
    )  # fmt: skip
    with pytest.raises(ValueError, match="JSON"):
        embed_json(float("nan"))


def test_an_interactive_page_has_its_parts_and_scripts(tmp_path: Path) -> None:
    scripts = [tmp_path / name for name in ("a.js", "b.js")]
    for file in scripts:
        file.write_text(f"// {file.name}")
    made = interactive("t", "<p>$words</p><script>$script</script>", {"words": "w"}, scripts, "/* own */")
    assert "<p>w</p><script>// a.js\n// b.js</script>" in made
    assert made.index("/* The table of operators */") < made.index("/* own */")


def test_text_is_escaped() -> None:
    assert text('a<"\x1b') == "a&lt;&quot;\\x1b"
