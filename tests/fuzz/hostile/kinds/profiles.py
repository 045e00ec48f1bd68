"""YAML profiles that fan out, refer to themselves, nest, name devices, or have hostile text."""

from __future__ import annotations

from pathlib import Path
from random import Random

from litecheck.data import rules_dir
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import LIMITED, reports
from tests.fuzz.hostile.mangle import nested, text
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special
from tests.fuzz.hostile.words import name
from tests.fuzz.seeds import FIXTURES

#: Keys that name further files.
REFERENCES = ("extends", "includes")


def quoted(content: str) -> str:
    """Return a YAML scalar in double quotes that holds any text."""
    out = [c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\U{ord(c):08x}" for c in content]
    return '"' + "".join(out) + '"'


def _fan(rng: Random, box: Sandbox) -> str:
    depth, width = rng.choice(((8, 10), (3, 3), (9, 2), (2, 2000)))
    key = rng.choice(("includes", "includes", "extends"))
    for level in range(depth):
        following = ",".join([f"i{level + 1}.yaml"] * (width if key == "includes" else 1))
        value = f"[{following}]" if key == "includes" else following
        (box.work / f"i{level}.yaml").write_text(f"profile: p{level}\n{key}: {value}\n")
    last = rng.choice(("profile: last\n", "profile: last\nextends: i0.yaml\n"))
    (box.work / f"i{depth}.yaml").write_text(last)
    return "i0.yaml"


def _references(rng: Random, box: Sandbox) -> str:
    target = rng.choice(
        (
            "../../secret.yaml",
            "../../secret.yaml",
            "/etc/passwd",
            "/dev/zero",
            "p.yaml",
            "special.yaml",
            "special.yaml",
        )
    )
    special(box, "special.yaml", rng)
    key = rng.choice(REFERENCES)
    value = f"[{target}]" if key == "includes" else target
    (box.work / "p.yaml").write_text(f"profile: x\n{key}: {value}\n")
    return "p.yaml"


def _aliases(rng: Random, box: Sandbox) -> str:
    lines = ["profile: x", "extends: litert-int8", "a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, rng.choice((3, 12, 30)))]
    circle = rng.choice(("", "ops: &o {ADD: *o}", "kinds: &k [*k]"))
    (box.work / "p.yaml").write_text("\n".join([*lines, circle]) + "\n")
    return "p.yaml"


def _tags(rng: Random, box: Sandbox) -> str:
    code = box.python("yaml").strip()
    tag = rng.choice(
        (
            f"!!python/object/apply:builtins.exec [{quoted(code)}]",
            f"!!python/object/new:os.system ['touch {box.canary('yaml')}']",
            "!!binary aGFsbG8=",
            "!!set {a, b}",
            "!!timestamp 2001-01-01",
            "!!pwned x",
            "!!python/name:os.system",
        )
    )
    (box.work / "p.yaml").write_text(f"profile: x\nextends: litert-int8\ntitle: {tag}\n")
    return "p.yaml"


def _texts(rng: Random, box: Sandbox) -> str:
    hostile = [quoted(name(rng)[:20_000]) for _ in range(12)]
    head = "profile: x\nextends: litert-int8\n"
    line = rng.choice(
        (
            f"profile: {hostile[0]}\nextends: litert-int8",
            f"profile: x\nextends: litert-int8\ntitle: {hostile[0]}\nsource: {hostile[1]}",
            f"profile: x\nextends: {hostile[0]}",
            f"profile: x\nextends: litert-int8\n{hostile[0]}: 1",
            f"profile: x\nincludes: [{hostile[0]}]",
            f"profile: x\nextends: litert-int8\nops:\n  {hostile[0]}: {{}}",
            f"profile: x\nextends: litert-int8\nunlisted: {hostile[0]}",
            f"profile: x\nextends: litert-int8\nkinds:\n  weight: {{scale: normal, because: {hostile[0]}}}",
            f"profile: x\nextends: litert-int8\nops:\n  CONV_2D: {{limits: {{stride_w: {hostile[0]}}}}}",
            _limited(hostile, "CONV_2D", "stride_w"),
            _limited(hostile, "FULLY_CONNECTED", "weight.rank"),
            f"profile: x\nextends: litert-int8\nops:\n  FULLY_CONNECTED: {{unsupported: {hostile[0]}}}",
            f"{head}relaxes:\n  FULLY_CONNECTED/weight/zero_point: {{value: -1..9, because: {hostile[2]}}}",
        )
    )
    (box.work / "p.yaml").write_text(line + "\n", encoding="utf-8")
    return "p.yaml"


def _limited(hostile: list[str], opcode: str, measurement: str) -> str:
    """Return a profile whose findings quote its texts."""
    keys = ("profile", "title", "source", "runtime")
    head = "".join(f"{key}: {text}\n" for key, text in zip(keys, hostile, strict=False))
    rule = f"limits: {{{measurement}: 7..9}}\n    because: {hostile[4]}\n    see: {hostile[5]}"
    return f"{head}extends: litert-int8\nops:\n  {opcode}:\n    {rule}"


def _spoiled(rng: Random, box: Sandbox) -> str:
    content = (rules_dir() / "template.yaml").read_bytes()
    if rng.random() < 0.5:
        lines = content.decode().splitlines()
        at = rng.randrange(len(lines))
        key = lines[at].partition(":")[0]
        huge = rng.choice(
            (
                "9" * 400,
                "9" * 5000,
                "1e999",
                "0x" + "f" * 500,
                "1:" * 50_000,
                nested(rng.choice((400, 20_000))),
                "- " * 20_000,
                "? " * 5000,
                "&a " * 500,
                "{" * 3000,
                "1/0",
                "0/0",
                ".nan..5",
                "5..1",
                "x" * 1_000_000,
                "| \t",
                "-" * 5000,
            )
        )
        lines[at] = f"{key}: {huge}"
        content = "\n".join(lines).encode()
    else:
        content = text(rng, content)
    (box.work / "p.yaml").write_bytes(content)
    return "p.yaml"


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a hostile profile, for every command with the option."""
    kind = rng.choices((_fan, _references, _aliases, _tags, _texts, _spoiled), (1, 4, 2, 2, 8, 5))[0]
    profile = kind(rng, box)
    if rng.random() < 0.1:
        profile = "./special"
        special(box, "special", rng)
    model = str(FIXTURES / rng.choice(("conv_int8.tflite", "fc_int8.tflite", "broken_bias_int8.tflite")))
    options, files = reports(rng, "validate")
    plain = rng.choice(([], ["-f", "json"]))
    command, writes = rng.choices(
        (
            (["validate", model, *options], files),
            (["rules", *plain], []),
            (["rules", "CONV_2D", *plain], []),
            (["rules", "--source"], []),
            (["explain", "CONV_2D"], []),
            (["explain", "*/weight/*"], []),
            (
                [
                    "verify",
                    model,
                    "-d",
                    "litert:reference",
                    "--set",
                    "inputs=random",
                    "--budget",
                    "5",
                    *LIMITED,
                ],
                [],
            ),
            (
                ["suite", "make", "-o", "made", "--level", "smoke", "--no-defects", "--select", "TANH"],
                ["made"],
            ),
            (
                [
                    "convert",
                    str(FIXTURES / "float.tflite"),
                    "--data",
                    "random:1",
                    "--device",
                    "litecheck",
                    "-o",
                    "out.tflite",
                ],
                ["out.tflite"],
            ),
        ),
        (8, 2, 2, 3, 2, 1, 1, 2, 2),
    )[0]
    return Case(f"{command[0]}: profile {kind.__name__[1:]}", (*command, "--profile", profile), tuple(writes))
