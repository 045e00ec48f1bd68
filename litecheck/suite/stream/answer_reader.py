"""Reader of a stream's answers, block by block: lost, repeated, reordered or malformed lines are errors with a
location."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np

from litecheck.suite.stream.batch import Ints
from litecheck.suite.stream.stream_header import END, Header, StreamError, parse_header

#: Largest number of characters shown of a line.
_SHOWN = 60


class AnswerReader:
    """Reader of a simulator's lines, with the number of the last line."""

    def __init__(self, lines: Iterable[bytes], source: str) -> None:
        self._lines = iter(lines)
        self._source = source
        self._line = 0
        self._held: list[bytes] = []
        self._end = b""

    def header(self, given: Header | None) -> Header:
        """Return the header in the answers, or the given header if there is none. Raise StreamError if both differ."""
        found = None
        for line in self._lines:
            self._line += 1
            if not line.startswith(b"#"):
                self._line -= 1
                self._held = [line]
                break
            if line.split(maxsplit=1)[0] == END.encode():
                self._end = line
                break
            if found is None and (given is None or line.startswith(b"#litecheck-stream")):
                found = parse_header(_decode(line), self._source, self._line)
        if found is None and given is None:
            text = _decode(self._held[0]) if self._held else ""
            if not text:
                raise StreamError(self._source, self._line + 1, "nothing came at all")
            parse_header(text, self._source, self._line + 1)
        if found and given and found != given:
            raise StreamError(
                self._source, 1, f"these are answers to another stream: {_difference_text(found, given)}"
            )
        made = found or given
        assert made is not None
        return made

    def answers(self, first: int, count: int, values: int) -> Ints:
        """Return the answers to ``count`` vectors, (count, values). Raise StreamError for wrong lines."""
        group, numbers = self._take(count)
        made = _parse_lines(group, values)
        if len(group) == count and made is not None:
            wrong = np.flatnonzero(made[:, 0] != first + np.arange(count))
            if not wrong.size:
                return made[:, 1:]
        self._raise_at_first(group, numbers, first, values)
        raise StreamError(
            self._source, self._line + 1, f"the answers end before that to vector {first + len(group)}"
        )

    def end(self, header: Header, sha256: str, needed: bool) -> None:
        """Check the last line: the count, and the hash of the answered vectors."""
        if not self._end:
            rest, numbers = self._take(1)
            if rest:
                message = f"{_line_text(rest[0])} comes where all {header.count} vectors are answered"
                raise StreamError(self._source, numbers[0], message)
            if not self._end and needed:
                raise StreamError(self._source, self._line + 1, f"the last line, {END} ..., did not come")
        words = _decode(self._end).split()
        if words and words[1:] != [str(header.count), sha256]:
            shown = " ".join(word[:12] for word in words[1:])
            raise StreamError(
                self._source,
                self._line,
                f"the vectors that were answered are not those of the header (seed {header.seed}): they end as {shown}, "
                f"not as {header.count} {sha256[:12]}; another seed, another version of litecheck, or a changed stream",
            )
        for line in self._lines:
            self._line += 1
            if line.strip():
                raise StreamError(self._source, self._line, f"behind the last line stands {_line_text(line)}")

    def _take(self, count: int) -> tuple[list[bytes], list[int] | range]:
        """Return up to ``count`` lines that are not comments, with their line numbers."""
        group, self._held = self._held[:count], self._held[count:]
        self._line += len(group)
        start = self._line - len(group) + 1
        numbers: list[int] | None = None
        while len(group) < count and not self._end:
            more = list(islice(self._lines, count - len(group)))
            if not more:
                break
            if numbers is None and b"#" not in b"".join(more):
                group += more
                self._line += len(more)
                continue
            numbers = list(range(start, start + len(group))) if numbers is None else numbers
            self._sort_out(more, group, numbers)
        return group, range(start, start + len(group)) if numbers is None else numbers

    def _sort_out(self, more: list[bytes], group: list[bytes], numbers: list[int]) -> None:
        for at, line in enumerate(more):
            self._line += 1
            if line.startswith(END.encode()):
                self._end = line
                self._lines = iter([*more[at + 1 :], *self._lines])
                return
            if not line.startswith(b"#"):
                group.append(line)
                numbers.append(self._line)

    def _raise_at_first(
        self, group: list[bytes], numbers: list[int] | range, first: int, values: int
    ) -> None:
        """Raise StreamError at the first line that is not an answer, or not the expected answer."""
        for at, (line, number) in enumerate(zip(group, numbers, strict=True)):
            one = _parse_lines([line], values)
            if one is None:
                form = f"a number and {values} value{'s' * (values != 1)}"
                raise StreamError(
                    self._source, number, f"{_line_text(line)} is not an answer, which is {form}"
                )
            found, due = int(one[0, 0]), first + at
            if found != due:
                raise StreamError(self._source, number, _misplaced_text(found, due, group[at + 1 :]))


def _misplaced_text(found: int, due: int, later: list[bytes]) -> str:
    if found < due:
        return f"the answer to vector {found} comes a second time, where that to vector {due} is due"
    if any(line.split(maxsplit=1)[:1] == [str(due).encode()] for line in later):
        return f"the answer to vector {found} comes before that to vector {due}: they are out of order"
    return f"the answer to vector {due} is lost: that to vector {found} comes instead"


def _parse_lines(group: list[bytes], values: int) -> Ints | None:
    """Parse lines of a number and ``values`` values; return None if a line is malformed."""
    text, width = b"".join(group), 1 + values
    if b"_" in text or not _regular(text, len(group), width):
        return None
    try:
        return np.array(list(map(int, text.split())), np.int64).reshape(len(group), width)
    except (ValueError, OverflowError):
        return None


def _regular(text: bytes, lines: int, width: int) -> bool:
    """Return True if the text has this number of lines with ``width`` words each."""
    characters = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    begins = characters > ord(" ")
    begins[1:] &= characters[:-1] <= ord(" ")
    words = np.cumsum(begins)[characters == ord("\n")]
    return np.array_equal(words, width * np.arange(1, lines + 1))


def _difference_text(found: Header, given: Header) -> str:
    names = (name for name in found.__slots__ if getattr(found, name) != getattr(given, name))
    return ", ".join(f"{name} is {getattr(found, name)}, not {getattr(given, name)}" for name in names)


def _decode(line: bytes) -> str:
    return line.decode("ascii", "replace")


def _line_text(line: bytes) -> str:
    text = _decode(line).strip()
    return repr(text[:_SHOWN] + ("..." if len(text) > _SHOWN else ""))
