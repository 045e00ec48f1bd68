"""Text report of a conversion, legible at 80 columns and without color."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from litecheck.conversion.record import ConversionRecord, ConvertedTensor
from litecheck.rendering.conversion import layer_wording, loss, sharing, wording
from litecheck.rendering.conversion.names import LONG, table_names
from litecheck.rendering.escape import NAME, shorten, visible
from litecheck.rendering.text_page import LABEL, VERDICTS
from litecheck.rendering.validation.grouping import blocks
from litecheck.rendering.validation.targets import target_lines
from litecheck.rendering.validation.text import ValidationPage
from litecheck.summary_text import count_of

_HEADS = (*wording.TENSOR_HEADS, ">equal", "by", "tensor")
_FEW = 12


def print_report(record: ConversionRecord, console: Console, verbose: bool = False) -> None:
    """Print the new model, its source and its loss; ``verbose`` and a dry run shorten no list."""
    page = ConversionPage(console, verbose or record.tried)
    page.head(record)
    page.fix(record)
    page.low_resolution(record)
    for block in blocks(record.report.active):
        page.block(block)
    for line in target_lines(record.report):
        page.line(line)
    page.stays(record)
    page.print_shared_scales(record)
    page.choices(record)
    page.weights(record)
    page.print_changes("equalized", layer_wording.equalization_lines(record))
    page.print_changes("biases corrected", layer_wording.correction_lines(record))
    page.agreement(record)
    page.sensitivity(record)
    page.tensors(record)
    page.line(Text(visible(_conclusion(record)), _style(record)))


def _style(record: ConversionRecord) -> str:
    return VERDICTS["violates" if record.failed_gates else record.verdict]


def _conclusion(record: ConversionRecord) -> str:
    """Return the verdict with the counts of operators. Example: ``conforms: 7 of 8 operators int8; 1 gate failed: nothing
    written``."""
    gates = count_of(len(record.failed_gates), "gate") if record.failed_gates else ""
    written = "written with --force" if record.target else "nothing written"
    return f"{record.verdict}: {wording.summary(record)}{f'; {gates} failed: {written}' if gates else ''}"


def brief(record: ConversionRecord) -> str:
    """Return a line if the new model violates or has a tensor of low effective resolution, and one for each failed gate."""
    if record.verdict != "violates" and not record.low_resolution and not record.failed_gates:
        return ""
    lines = (_conclusion(record), *(f"failed gate {gate}" for gate in record.failed_gates))
    return "".join(f"{visible(f'{record.source}: {line}')}\n" for line in lines)


class ConversionPage(ValidationPage):
    """The sections of a conversion's report."""

    @property
    def names(self) -> int | None:
        """Largest length of a name; None if ``verbose``."""
        return None if self.verbose else NAME

    def head(self, record: ConversionRecord) -> None:
        """Print the source, the verdict, warnings and facts."""
        self.title(record.source, wording.outcome(record), _style(record))
        for warning in record.warnings:
            self.line(Text(visible(warning), "bold yellow"), Text("warning", "bold yellow"), 2 + LABEL)
        self.facts(wording.facts(record))
        self.line()

    def stays(self, record: ConversionRecord) -> None:
        """Print the operators that stay float32, or int8 in a uint8 model, each kind with its reason."""
        total = count_of(len(record.conversion.plan.operators), "operator")
        for dtype in dict.fromkeys(one.dtype for one in record.stays):
            rows = [one for one in record.stays if one.dtype == dtype]
            number = sum(len(one.places) for one in rows)
            self.section(f"stays {dtype}", f"{number:,} of {total}")
            self.table(
                [
                    (
                        f"{len(one.places):,}",
                        visible(one.opcode),
                        f"{self.phrase(': '.join(filter(None, (one.demand, one.reason))))} ({self.numbers(one.places)})",
                    )
                    for one in rows
                ]
            )
            self.line()

    def fix(self, record: ConversionRecord) -> None:
        """Print the cause of a large loss and the options that reduce it."""
        if record.fix is None:
            return
        if (title := loss.fix_title(record)) not in record.warnings:
            self.line(Text(title, "bold"), Text("warning", "bold yellow"), 2 + LABEL)
        for label, text in loss.fix_lines(record):
            # Options are complete, so that they can be copied.
            self.print_labeled(label, visible(text) if label == "fix" else self.phrase(text))
        self.line()

    def low_resolution(self, record: ConversionRecord) -> None:
        """Print the group members with a low effective resolution."""
        for group, member in sharing.low_resolution(record):
            title = Text(visible(sharing.resolution_title(group, member, self.names)), "bold")
            self.line(title, Text("warning", "bold yellow"), 2 + LABEL)
            for label, text in sharing.resolution_lines(group, member, self.names):
                self.print_labeled(label, self.phrase(text))
            self.line()

    def print_shared_scales(self, record: ConversionRecord) -> None:
        """Print the effective resolution of every member of every group, the worst first."""
        rows = [
            (sharing.effective_bits_text(group, member), wording.extent(member.low, member.high), f"{group.scale:.4g}",
             sharing.joint_number(member.joints[-1]), member.name)
            for group in record.groups
            for member in group.members
        ]  # fmt: skip
        if not rows:
            return
        self.section("shared scales", sharing.sharing_title(record))
        self._cut((">resolution", ">range", ">scale", "joined by", "tensor"), rows, ("scale", "range"))

    def choices(self, record: ConversionRecord) -> None:
        """Print decisions besides those of rules and ranges."""
        found = wording.choices(record)
        if found:
            self.section("also decided", count_of(len(found), "choice"))
            self.items(found, _FEW)
            self.line()

    def print_changes(self, title: str, found: Sequence[str]) -> None:
        """Print changes of layers: a summary, then a line each."""
        if found:
            self.section(title, found[0])
            self.items(found[1:], _FEW)
            self.line()

    def weights(self, record: ConversionRecord) -> None:
        """Print the errors of weights relative to their earlier quantization, the worst first."""
        if not record.weights:
            return
        self.section("weights", wording.weights_title(record))
        rows = wording.weight_rows(record)
        self._cut((">largest", ">RMS", "worst channels", "tensor"), rows, ("worst channels",))

    def agreement(self, record: ConversionRecord) -> None:
        """Print the agreement of both models' outputs on the data."""
        for title, found in wording.agreements(record):
            self.section(title, visible(f"({found.source}; {found.runtime})"))
            for name, text in wording.agreement_lines(found):
                self.line(f"{shorten(name, NAME)}: {text}", "", 2)
            self.line()

    def sensitivity(self, record: ConversionRecord) -> None:
        """Print the cost of quantizing each operator alone, the worst first: as many as the user requested."""
        if record.sensitivity:
            self.section("sensitivity", layer_wording.sensitivity_title(record.sensitivity))
            rows = list(map(layer_wording.sensitive, record.sensitivity))
            self._cut(layer_wording.SENSITIVITY, rows, (), len(rows))

    def tensors(self, record: ConversionRecord) -> None:
        """Print the computed tensors, the lowest SNR first; with ``verbose`` or in a dry run also the constants."""
        found = wording.worst_first(record.tensors)
        if self.verbose:
            found += [one for one in record.tensors if one.constant]
        if not found:
            return
        order = ", the lowest SNR first" if record.agreement else ""
        self.section("tensors", f"{count_of(len(found), 'tensor')}{order}")
        self._cut(_HEADS, [self._tensor(one) for one in found], ("by", "zero point", "range", "clipped"))

    def _tensor(self, one: ConvertedTensor) -> tuple[str, ...]:
        equal = wording.equal_share(one.agreement) if one.agreement else ""
        by = "; ".join(map(visible, wording.scale_reasons(one.form))) if self.verbose else ""
        return *wording.tensor_cells(one), equal, by, one.name

    def _cut(
        self,
        heads: tuple[str, ...],
        rows: Sequence[tuple[str, ...]],
        spare: tuple[str, ...],
        most: int = _FEW,
    ) -> None:
        """Print the first rows of a table, with short names in its last column; ``verbose`` shortens nothing."""
        shown = rows if self.verbose else rows[:most]
        names = [row[-1] for row in shown]
        named = [shorten(name, NAME) for name in names] if self.verbose else table_names(names)
        shown = [(*row[:-1], name) for row, name in zip(shown, named, strict=True)]
        self.grid(
            heads, shown, [""] * len(shown), None, spare, least=min(LONG, max(map(len, named), default=0))
        )
        self.more(len(rows) - len(shown))
        self.line()
