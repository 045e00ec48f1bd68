from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from litecheck.devices import adapters, registry
from litecheck.devices.port import Answer, DeviceError, Job, Limits
from litecheck.devices.registry import known_devices, open_device, parse
from litecheck.model.types import Model
from litecheck.processes.memory import BY_SAMPLING

_PLUGIN = """
import numpy as np
from litecheck.devices.port import AdapterAnswer, NotDelegated
class Board:
    def __init__(self, options):
        self.options = options
    def run(self, model, runs):
        if self.options.get("mode") == "leave":
            raise NotDelegated("the board has no such operator")
        return AdapterAnswer(tuple((x + int(self.options["add"]),) for x, in runs), None, self.options[""])
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide a package ``acme`` with the device ``acme-npu``."""
    (tmp_path / "acme.py").write_text(_PLUGIN)
    facts = tmp_path / "acme-1.5.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.5\n")
    (facts / "entry_points.txt").write_text("[litecheck.devices]\nacme-npu = acme:Board\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("plugin")
def test_a_plugin_is_a_device() -> None:
    job = Job("0000-ADD", Model(()), b"", ((np.arange(3),),))
    device = open_device("acme-npu:board 3,add=40")
    try:
        answer = device.run(job)
    finally:
        device.close()
    described = device.described.removesuffix(f", {BY_SAMPLING}")
    assert (device.name, described) == (
        "acme-npu:board 3,add=40",
        "acme-npu:board 3,add=40 (acme 1.5)",
    )
    assert isinstance(answer, Answer)
    assert answer.message == "board 3"
    np.testing.assert_array_equal(answer.runs[0][0], [40, 41, 42])
    assert "acme-npu" in known_devices()


@pytest.mark.usefixtures("plugin")
def test_a_plugin_may_leave_an_operator() -> None:
    device = open_device("acme-npu,mode=leave", Limits(10))
    try:
        failure = device.run(Job("0000-ADD", Model(()), b"", ()))
    finally:
        device.close()
    assert not isinstance(failure, Answer)
    assert (failure.outcome.value, failure.message) == ("not delegated", "the board has no such operator")


@pytest.mark.usefixtures("plugin")
def test_a_plugin_with_listed_options_rejects_others(tmp_path: Path) -> None:
    (tmp_path / "acme.py").write_text(
        _PLUGIN.replace("class Board:", "class Board:\n    options = ('add', 'mode')")
    )
    open_device("acme-npu:board 3,add=40").close()
    assert error("acme-npu:board 3,ad=40") == (
        "--device acme-npu:board 3,ad=40: cannot be opened, refused: unknown option 'ad'; did you mean 'add'?"
    )


def error(text: str) -> str:
    with pytest.raises(DeviceError) as raised:
        open_device(text)
    return str(raised.value)


@pytest.mark.usefixtures("plugin")
def test_an_unknown_device_lists_the_known_devices() -> None:
    """The error lists the built-in kinds first, found as modules of a folder and of targets, then kinds of plugins."""
    own = sorted((*(path.stem for path in Path(adapters.__path__[0]).glob("[!_]*.py")), "vela"))
    told = error("acme-npo")
    assert told.startswith(
        "--device acme-npo: unknown device 'acme-npo'; did you mean 'acme-npu'? available: command"
    )
    assert list(dict.fromkeys(n.partition(":")[0] for n in told.partition("available: ")[2].split(", "))) == [
        *own,
        "acme-npu",
    ]
    assert {"litert", "tflm"} <= set(own)


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("tfml", "tflm"),
        ("xnnpack", "litert:xnnpack"),
        ("reference", "litert:reference"),
        ("Litert", "litert:"),
        ("cpu", ""),
    ],
)
def test_a_similar_device_is_suggested(name: str, close: str) -> None:
    assert (f"did you mean '{close}" in error(name)) == bool(close)
    assert "available: command, delegate, litert:reference, litert:optimized, litert:xnnpack" in error(name)


#: Device text -> error message.
WRONG = {
    "litert": "no kernels; available: litert:reference, litert:optimized, litert:xnnpack",
    "litert:xnpack": "unknown kernels 'xnpack'; did you mean 'litert:xnnpack'? available: litert:reference",
    "litert:reference,treads=1": "did you mean 'threads'?",
    "tflm:big": "tflm takes no argument 'big'",
    "tflm,arena=4k": "a number from 1",
    "openvino:npu": "openvino takes no argument",
    "vela": "no accelerator; available: vela:ethos-u55, vela:ethos-u65, vela:ethos-u85",
    "vela:ethos-u56": "unknown accelerator 'ethos-u56'; did you mean 'ethos-u55', 'ethos-u65' or 'ethos-u85'?",
    "vela:ethos-u55,cores=2": "unknown option 'cores'; vela takes none",
    "delegate": "a library is missing",
    "delegate:/nowhere/lib.so": "no such file: /nowhere/lib.so",
    "./nowhere.so": "no such file",
    "folder/nowhere.bin": "no such file",
    "folder\\nowhere.bin": "no such file",
    "nowhere.so,a=1": "no such file",
    "command:": "a program is missing",
    "command:no_such_program {model} {inputs} {outputs}": "there is no program 'no_such_program'",
    "command:cat {model}": "does not say where {inputs} and {outputs} go",
    "command:cat 'x {inputs} {outputs}": "No closing quotation",
    "recorded:": "there is no folder ''",
    "recorded:/nowhere": "there is no folder '/nowhere'",
}


@pytest.mark.parametrize("text", WRONG)
def test_an_error_of_opening_has_a_reason(text: str) -> None:
    assert error(text).startswith(f"--device {text}: ")
    assert WRONG[text] in error(text)


@pytest.mark.parametrize(
    ("text", "package", "extra"),
    [("litert:reference", "ai-edge-litert", "runtime"), ("tflm", "tflite-micro", "tflm"),
     ("openvino", "ai-edge-litert", "openvino"), ("vela:ethos-u55", "ethos-u-vela", "vela"),
     ("delegate:{file}", "ai-edge-litert", "runtime")],
)  # fmt: skip
def test_a_missing_package_is_named_with_its_extra(
    text: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib.so").touch()
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    message = error(text.format(file=tmp_path / "lib.so"))
    assert f"needs the package {package}: pip install -e '.[{extra}]'" in message


@pytest.mark.parametrize(
    ("arguments", "command"),
    [("", "{program} {{model}} {{inputs}} {{outputs}}"), (" {model} {runs}", "{program} {{model}} {{runs}}")],
)
def test_the_error_of_a_program_suggests_a_device(arguments: str, command: str, tmp_path: Path) -> None:
    program = tmp_path / "npu"
    program.touch(0o755)
    message = error(f"{program}{arguments}")
    assert f"Write command:'{command.format(program=program)}'." in message
    assert f"Write delegate:{program}" in message


def test_a_versioned_library_is_a_delegate(tmp_path: Path) -> None:
    (tmp_path / "libacme.so.1").touch(0o755)
    assert parse(str(tmp_path / "libacme.so.1")).kind == "delegate"


def test_a_file_that_is_no_delegate_is_refused_at_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if importlib.util.find_spec("ai_edge_litert") is None:
        pytest.skip("needs ai-edge-litert")
    (tmp_path / "lib.so").write_text("no library")
    assert "cannot be opened, refused: OSError" in error(f"delegate:{tmp_path / 'lib.so'}")
    assert "Traceback" not in capfd.readouterr().err


def test_every_adapter_registers_itself_and_loads_no_runtime() -> None:
    """A module in the folder of adapters is a kind of device. Listing the kinds loads no runtime."""
    code = "from litecheck.devices.registry import known_devices; import sys; print(*known_devices(), '|', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, _, modules = done.stdout.partition("|")
    folder = Path(adapters.__file__).parent
    assert set(names.split()) >= {file.stem for file in folder.glob("[a-z]*.py")}
    assert not {"ai_edge_litert", "tflite_micro", "openvino"} & set(modules.split())


def test_a_device_is_its_files(tmp_path: Path) -> None:
    """The SHA-256 of a library is that of sha256sum; those of a program and its files are hashed together."""
    library, script = tmp_path / "libnpu.so", tmp_path / "run.sh"
    library.write_bytes(b"a")
    script.write_bytes(b"b")
    script.chmod(0o755)
    one, two = (hashlib.sha256(data).digest() for data in (b"a", b"b"))
    assert registry.fingerprint(f"delegate:{library}") == one.hex()
    command = f"command:'{script}' '{library}' {{runs}}"
    assert registry.fingerprint(command) == hashlib.sha256(two + one).hexdigest()
    for none in ("tflm", f"delegate:{tmp_path}/no.so", "no-kind:x", "", f"command:{tmp_path}/none {{runs}}"):
        assert registry.fingerprint(none) == ""


@pytest.mark.parametrize(
    ("device", "driver"),
    [
        ("tflm", {"runtime": "tflm", "package": "tflite-micro", "arena": 64 << 20}),
        ("tflm,arena=5", {"runtime": "tflm", "package": "tflite-micro", "arena": 5}),
        ("litert:xnnpack,threads=3",
         {"runtime": "litert", "package": "ai-edge-litert", "resolver": "AUTO", "threads": 3}),
        ("litert:reference",
         {"runtime": "litert", "package": "ai-edge-litert", "resolver": "BUILTIN_REF", "threads": 1}),
        ("delegate:/a.so,k=v",
         {"runtime": "litert", "package": "ai-edge-litert", "resolver": "BUILTIN_REF", "threads": 1,
          "library": "/a.so", "options": {"k": "v"}}),
        ("command:a 'b c' {runs}", {"runtime": "command", "package": "numpy", "words": ["a", "b c", "{runs}"]}),
        ("recorded:/x", None),
        ("acme-npu", None),
    ],
)  # fmt: skip
def test_programs_without_litecheck_drive_a_device(device: str, driver: dict[str, object] | None) -> None:
    assert registry.driver(device) == driver
