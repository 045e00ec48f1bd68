"""Command lines: which command reads a hostile file, with which options, and which outputs it is told to write."""

from __future__ import annotations

from random import Random

from litecheck.rendering.formats import formats
from tests.fuzz.hostile.stock import RUNTIME

#: Suffixes of reports in files, by format; written.py judges them by these.
SUFFIXES = {
    "text": "txt", "json": "json", "html": "html", "gitlab": "json", "junit": "xml", "markdown": "md", "sarif": "sarif",
    "csv": "csv", "model-explorer": "json", "github": "github",
}  # fmt: skip
#: A command line without the program, and the outputs that it names.
Line = tuple[tuple[str, ...], tuple[str, ...]]


def line(*parts: str | Line) -> Line:
    """Return one command line from words and from lines, with the outputs of all."""
    words: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    for part in parts:
        words += (part,) if isinstance(part, str) else part[0]
        outputs += () if isinstance(part, str) else part[1]
    return words, outputs


def reports(rng: Random, command: str) -> Line:
    """Return the options of reports: one to stdout, in some cases others to files."""
    names = list(formats(command))
    words: tuple[str, ...] = ("-f", rng.choice((rng.choice(names), "text")))
    outputs: tuple[str, ...] = ()
    for name in rng.sample(names, rng.choice((0, 0, 1, 2))):
        file = f"report-{name}.{SUFFIXES.get(name, 'txt')}"
        words, outputs = (*words, "-f", f"{name}:{file}"), (*outputs, file)
    return (*words, *_manner(rng, command)), outputs


def _manner(rng: Random, command: str) -> tuple[str, ...]:
    if command in ("compare", "diagnose", "run"):
        return ()
    return rng.choice(((), (), (), ("-q",), ("-v",)))


def plain_report(rng: Random) -> Line:
    """Return the format option of commands that know text and JSON only."""
    return ("-f", rng.choice(("text", "json"))), ()


def judge_model(rng: Random, model: str, *options: str) -> Line:
    """Return ``validate`` of a model: rules of several profiles, reports of all formats."""
    profile = rng.choice(((), (), ("-p", "litert-int8"), ("-p", "tflm"), ("-p", "ethos-u55")))
    more = rng.choice(((), (), (), ("--statistics",), ("--require-coverage",), ("--fail-on", "note")))
    base = rng.choice((((), ()),) * 5 + ((("--write-baseline", "new.json"), ("new.json",)),))
    return line("validate", reports(rng, "validate"), (profile, ()), (more, ()), base, (options, ()), "--", model)


def show_model(rng: Random, model: str) -> Line:
    """Return ``inspect`` of a model."""
    more = rng.choice(((), ("-t",), ("--op", "0"), ("--op", "0", "--subgraph", "1"), ("--subgraph", "0", "-t")))
    return line("inspect", plain_report(rng), (more, ()), "--", model)


def run_model(rng: Random, model: str, *options: str) -> Line:
    """Return ``run`` of a model on random inputs."""
    out = rng.choice(((("--stats",), ()), (("-o", "out.npz"), ("out.npz",)), (("-o", "out.npz", "--keep", "all"), ("out.npz",))))
    more = rng.choice(((), (), ("--signature", "serving_default"), ("--arithmetic", "litert-xnnpack")))
    return line("run", "--random", "0", out, reports(rng, "run"), (more, ()), (options, ()), "--", model)


def verify_model(rng: Random, model: str, device: str, *options: str) -> Line:
    """Return ``verify`` of a model on a device, with a budget that keeps it short."""
    kept = rng.choice((((), ()),) * 3 + ((("--reproduce", "failing"), ("failing",)), (("--record", "kept"), ("kept",))))
    more = rng.choice(((), (), ("--whole",), ("--drift",), ("--dry-run",), ("--scrub",), ("--require-coverage",)))
    budget = ("--feed", "random", "--budget", "10", "--timeout", "5", "--memory", "2000")
    return line(
        "verify", "-d", device, reports(rng, "verify"), kept, (more, ()), (budget, ()), (options, ()), "--", model
    )


def convert_model(rng: Random, model: str, *options: str, data: bool = True) -> Line:
    """Return ``convert`` of a model, on random data unless the options name data."""
    kinds = rng.choice(((), (), ("--to", "int16x8"), ("--to", "dynamic"), ("--to", "float16"), ("--to", "uint8")))
    drawn = ("--random", "2") if data else ()
    out = rng.choice(((("-o", "out.tflite"), ("out.tflite",)), (("--dry-run",), ())))
    kept = rng.choice((((), ()),) * 4 + ((("--save-plan", "made.json"), ("made.json",)), (("--statistics", "s.json"), ("s.json",))))
    words = (*kinds, *drawn, "--device", "litecheck", *options)
    return line("convert", out, kept, reports(rng, "convert"), (words, ()), "--", model)


def diagnose_model(rng: Random, model: str, device: str) -> Line:
    """Return ``diagnose`` of a device on the operators of a model."""
    return line(
        "diagnose", "-d", device, reports(rng, "diagnose"), "--repeats", "0", "--timeout", "5", "--memory", "2000", "--", model
    )


def tensor_of_model(rng: Random, model: str, tensor: str) -> Line:
    """Return a command that looks for one tensor of a model."""
    place = f"{model}:{tensor}"
    return rng.choice(
        (
            line("dequantize", "-o", "t.npy", plain_report(rng), (("--", place), ("t.npy",))),
            line("quantize", "--like", place, "-o", "t.npy", plain_report(rng), (("--", "x.npy"), ("t.npy",))),
            line("compare", "--like", place, reports(rng, "compare"), "--", "x.npy", "x.npy"),
        )
    )


def any_command(rng: Random, model: str, tensor: str = "input") -> Line:
    """Return a command that reads a model, one of all."""
    makers = [judge_model] * 6 + [show_model] * 2 + [run_model] * 3 + [convert_model] * 3
    number = rng.randrange(len(makers) + 2)
    if number < len(makers):
        return makers[number](rng, model)
    if number == len(makers) or not RUNTIME:
        return tensor_of_model(rng, model, tensor)
    return verify_model(rng, model, RUNTIME)
