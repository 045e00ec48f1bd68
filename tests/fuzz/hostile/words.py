"""Hostile text: terminal escapes, bidirectional and invisible characters, commands to CI systems, markup, templates."""

from __future__ import annotations

from random import Random

#: Word of hostile text that litecheck prints only as a part of hostile input.
PWNED = "pwned"
#: Text that must be escaped in a terminal, a log or a page.
PIECES = (
    "\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://pwned\x1b\\", "\x1b[2J\x1b[H", "\x1bP1\x1b\\", "\x9b31m", "\x9d0;t\x9c",
    "\x08\x08\x08", "\x07", "\x0b", "\x0c", "\x7f", "\x85", "\r", "\t", "\r\n", "\n", "\n\n",
    "\u202eabc", "\u2066abc\u2069", "\u200b", "\u200f", "\u2028", "\u2029", "\ufeff", "\u00ad", "\U000e0041", "\ufff9",
    "\n::error title=pwned::x", "\n::stop-commands::pwned", "::add-mask::pwned", "\r::set-output name=pwned::x",
    "\n##[error]pwned", "\n  ##vso[task.setvariable variable=pwned]x", "\u2028::warning::pwned", "\x85::debug::pwned",
    "%0A::error title=pwned::x", "[red]x[/red]", "[link=http://pwned]x[/link]", ":smile:",
    "{0}{x!r}%s%n$(touch pwned)`touch pwned`",
    "<script>pwned()</script>", "\"'><img src=x onerror=pwned()>", "]]><pwned/>", "|x|\n|-|", "[x](javascript:pwned())",
    "=cmd|' /C pwned'!A0", "../../../pwned", "/etc/passwd", "\x00", "\udcff\udc80", "\udced\udca0\udc80", "-pwned",
    "--format", "a::b", "NUL", "'''\nraise SystemExit('pwned')\n'''", "\\", "\\n::error::pwned", "*?[", "~", "#0", "x:y,z=1",
)  # fmt: skip
#: Text that no file name and no command line argument can hold.
_NO_ARGUMENT = ("\x00",)


def piece(rng: Random) -> str:
    """Return a random element of PIECES."""
    return rng.choice(PIECES)


def name(rng: Random) -> str:
    """Return a hostile name: one to three pieces among letters, in some cases with many words or very long."""
    parts = [rng.choice(("", "conv", "a b", "x/y")) for _ in range(rng.choice((1, 1, 2, 3)))]
    text = "".join(part + piece(rng) for part in parts) + rng.choice(("", "", "end"))
    wrapped = rng.random()
    if wrapped < 0.15:
        text = (
            "word " * rng.randrange(1, 30) + rng.choice(("::error title=pwned::", "##[error]pwned ")) + text
        )
    elif wrapped < 0.2:
        text += "x" * rng.choice((61, 300, 5000, 70_000))
    return text


def argument(rng: Random) -> str:
    """Return a hostile name for a command line."""
    text = name(rng)[:2000]
    for character in _NO_ARGUMENT:
        text = text.replace(character, "_")
    return text or "_"


def file_name(rng: Random, suffix: str = "") -> str:
    """Return a hostile name of a file: no slash, at most 200 bytes before the suffix."""
    text = argument(rng).replace("/", "_")
    short = text.encode("utf-8", "surrogateescape")[:200].decode("utf-8", "surrogateescape") or "_"
    return (f"_{short}" if short in (".", "..") else short) + suffix
