"""Renamed options of older versions, and their present names."""

from __future__ import annotations

from collections.abc import Mapping

_ANY: Mapping[str, str] = {"--random": "--seed SEED", "--stats": "--statistics", "--repeats": "--repeat N"}
_SET = (
    "device-version", "drift", "element", "inputs", "member", "record", "repeat", "scrub", "signature",
)  # fmt: skip

_RENAMED: Mapping[str, Mapping[str, str]] = {
    "validate": {
        "--level": "--set-level PATH=LEVEL",
    },
    "inspect": {"--op": "--operator N"},
    "run": {"--keep": "--outputs model|all"},
    "verify": {
        "--calibration": "--data PATH",
        "--profile": "--tolerances PROFILE",
        "--claim": "--set require=OPERATOR",
        "--feed": "--set inputs=KIND,...",
        "--segment": "--unit N",
        "--between": "--unit A..B",
        "--whole": "--unit model",
        "--journal": "--set checkpoint=FILE",
        **{f"--{key}": f"--set {key}=VALUE" for key in _SET},
        "--inputs": "--set inputs=KIND,... for kinds of inputs, or --data PATH for samples",
    },
    "diagnose": {"--op": "--select OPERATOR"},
    "convert": {
        "--random": "--data random:N",
        "--keep": "--keep-float OPERATOR",
        "--inputs": "--input-dtype TYPE",
        "--outputs": "--output-dtype TYPE",
        "--statistics": "--calibration-cache FILE",
        "--like": "--match CONVERTER",
    },
    "suite make": {"--no-flags": "--no-defects"},
    "suite run": {"--cluster-resource": "--cluster ADDRESS,resource=NAME"},
    "suite judge": {"--stream": "--stream-results FILE", "--header": "--stream-header FILE"},
}


def current_option(command: str, option: str) -> str:
    """Return the present form of an option of a command, "" if it was not renamed.

    Example: ``renamed("litecheck verify", "--whole")`` gives ``"--unit model"``.
    """
    name = command.removeprefix("litecheck ")
    return _RENAMED.get(name, {}).get(option) or _ANY.get(option, "")
