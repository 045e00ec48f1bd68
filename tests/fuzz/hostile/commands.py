"""Command lines on a model: every command that reads a model, in every format, to stdout or into a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import signature
from random import Random

from litecheck.rendering.formats import formats
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.words import argument
from tests.fuzz.seeds import FIXTURES

#: Suffix of a report in each format; text is the default.
SUFFIXES = {
    "markdown": ".md",
    "csv": ".csv",
    "html": ".html",
    "json": ".json",
    "sarif": ".sarif",
    "junit": ".xml",
    "gitlab": ".json",
    "model-explorer": ".json",
    "github": ".github",
}
#: Devices without hardware; the last device prints hostile text and fails.
DEVICES = (
    "litert:reference",
    "litert:reference",
    "litert:xnnpack",
    "tflm",
    "command:./device {model} {runs}",
)
#: Limits of a case with a device, so that a campaign is short.
LIMITED = ("--timeout", "5", "--memory", "512")


@cache
def limited(command: str) -> tuple[str, ...]:
    """Return the options of the limits of a command that computes, else an empty tuple."""
    function = getattr(import_module(f"litecheck.cli.{command}"), command)
    return LIMITED if "memory" in signature(function).parameters else ()


DEVICE = """\
#!/bin/sh
printf '\\033]0;pwned\\007\\n::error title=pwned::device\\n\\302\\2331m \\342\\200\\256abc' >&2
printf '::stop-commands::pwned\\n'
exit 1
"""
CommandLine = Callable[[Random, str], tuple[list[str], list[str]]]


@cache
def names(command: str) -> tuple[str, ...]:
    """Return the formats of a command's report."""
    return tuple(formats(command))


def reports(rng: Random, command: str) -> tuple[list[str], list[str]]:
    """Return the options of none to two reports, and the files that they write."""
    argv: list[str] = []
    files: list[str] = []
    chosen = rng.sample(names(command), rng.choice((0, 1, 1, 2)))
    for number, name in enumerate(chosen):
        if number == 0 and rng.random() < 0.5:
            argv += ["-f", name]
        else:
            files.append(f"report-{number}{SUFFIXES.get(name, '.txt')}")
            argv += ["-f", f"{name}:{files[-1]}"]
    if rng.random() < 0.15:
        argv.append(rng.choice(("-q", "-v")))
    return argv, files


def validate(rng: Random, model: str) -> tuple[list[str], list[str]]:
    argv, files = reports(rng, "validate")
    if rng.random() < 0.4:
        argv += rng.choice(
            (
                ["--profile", "litert-int8"],
                ["--profile", "ethos-u55", "--fail-on-fallback"],
                ["--statistics"],
                ["--profile", "ethos-u85"],
                ["--select", argument(rng)],
                ["--ignore", argument(rng)],
                ["--set-level", argument(rng) + "=note"],
                ["--require-coverage"],
                ["--profile", "tflm"],
                ["--profile", argument(rng)],
                ["--fail-on", argument(rng)],
            )
        )
    if rng.random() < 0.1:
        files.append("known.json")
        argv += ["--write-baseline", "known.json"]
    return ["validate", *argv, "--", model], files


def inspect(rng: Random, model: str) -> tuple[list[str], list[str]]:
    argv = rng.choice(
        (
            ["-t"],
            [],
            ["-f", "json"],
            ["--operator", str(rng.randrange(4))],
            ["--subgraph", str(rng.randrange(3))],
        )
    )
    return ["inspect", *argv, "--", model], []


def run(rng: Random, model: str) -> tuple[list[str], list[str]]:
    argv, files = _without_manner(*reports(rng, "run"))
    argv += rng.choice(
        (["--seed", "0"], ["--seed", "0", "--statistics"], ["--seed", "0", "--outputs", "all"])
    )
    if rng.random() < 0.2:
        argv += [rng.choice(("--signature", "--member", "--arithmetic")), argument(rng)]
    return ["run", *limited("run"), *argv, "-o", "out.npz", "--", model], [*files, "out.npz"]


def _without_manner(argv: list[str], files: list[str]) -> tuple[list[str], list[str]]:
    return [a for a in argv if a not in ("-q", "-v")], files


def verify(rng: Random, model: str) -> tuple[list[str], list[str]]:
    argv, files = reports(rng, "verify")
    argv += rng.choice(
        (["--set", "inputs=random"], ["--unit", "model"], ["--set", "drift"], ["--unit", "2"], ["--dry-run"])
    )
    argv += rng.choice(
        ([], [], [], [], ["--select", argument(rng)], ["--unit", f"{argument(rng)}..{argument(rng)}"])
    )
    for option, key, folder in (
        ("--reproduce", "", "failing"),
        ("--set", "record=", "record"),
        ("--set", "checkpoint=", "journal.jsonl"),
    ):
        if rng.random() < 0.25:
            argv += [option, f"{key}{folder}"]
            files.append(folder)
    return ["verify", "-d", rng.choice(DEVICES), "--budget", "20", *LIMITED, *argv, "--", model], files


def diagnose(rng: Random, model: str) -> tuple[list[str], list[str]]:
    argv, files = _without_manner(*reports(rng, "diagnose"))
    return [
        "diagnose",
        "-d",
        "litert:reference",
        "--select",
        "TANH",
        "--repeat",
        "0",
        *LIMITED,
        *argv,
        "--",
        model,
    ], files


def convert(rng: Random, model: str) -> tuple[list[str], list[str]]:
    argv, files = reports(rng, "convert")
    data = ["--data", "random:2"] if rng.random() < 0.7 else ["--data", str(FIXTURES / "float_detector.npz")]
    argv += rng.choice((data, data, ["--to", "dynamic"], ["--to", "float16"], [*data, "--to", "int16x8"]))
    argv += rng.choice(
        (
            [],
            [],
            [],
            ["--keep-float", argument(rng)],
            ["--save-plan", "plan.json"],
            ["--calibration-cache", "statistics.json"],
        )
    )
    files += [file for file in ("plan.json", "statistics.json") if file in argv]
    return [
        "convert",
        "-o",
        "out.tflite",
        "--device",
        "litecheck",
        *limited("convert"),
        *argv,
        "--",
        model,
    ], [*files, "out.tflite"]


def dequantize(rng: Random, model: str) -> tuple[list[str], list[str]]:
    return ["dequantize", "-o", "w.npy", "--", f"{model}:{rng.choice(('weight', 'input', argument(rng)))}"], [
        "w.npy"
    ]


#: Commands with their share of the cases.
COMMANDS: dict[CommandLine, int] = {
    validate: 38,
    inspect: 16,
    run: 16,
    verify: 8,
    diagnose: 2,
    convert: 14,
    dequantize: 6,
}


def on_model(rng: Random, model: str, title: str, **fields: object) -> Case:
    """Return a case of a random command on a model file."""
    command = rng.choices(list(COMMANDS), list(COMMANDS.values()))[0]
    argv, writes = command(rng, model)
    return Case(f"{argv[0]}: {title}", tuple(argv), tuple(writes), **fields)  # type: ignore[arg-type]
