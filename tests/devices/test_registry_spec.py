from __future__ import annotations

import pytest

from litecheck.devices.device_kinds import kinds
from litecheck.devices.port import DeviceError, DeviceSpec
from litecheck.devices.registry import check_options, parse

#: Device text -> kind, argument, options.
WRITTEN = {
    "tflm": ("tflm", "", {}),
    "tflm,arena=4096": ("tflm", "", {"arena": "4096"}),
    "tflm:arena=4096": ("tflm", "", {"arena": "4096"}),
    "litert:xnnpack": ("litert", "xnnpack", {}),
    "litert:xnnpack,threads=4": ("litert", "xnnpack", {"threads": "4"}),
    "delegate:/a,b/lib.so,ops=ADD,MUL,threads=2": ("delegate", "/a,b/lib.so", {"ops": "ADD,MUL", "threads": "2"}),
    "delegate:C:\\npu\\acme.dll,url=http://x?a=b": ("delegate", "C:\\npu\\acme.dll", {"url": "http://x?a=b"}),
    "./libacme.so": ("delegate", "./libacme.so", {}),
    "libacme.so,cores=2": ("delegate", "libacme.so", {"cores": "2"}),
    "C:\\npu\\acme.dll": ("delegate", "C:\\npu\\acme.dll", {}),
    "command:run --fast=1,2 {model} {inputs} {outputs}": ("command", "run --fast=1,2 {model} {inputs} {outputs}", {}),
    "recorded:a,b=c": ("recorded", "a,b=c", {}),
    "acme-npu:board 3,freq=": ("acme-npu", "board 3", {"freq": ""}),
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_a_device_is_parsed(text: str) -> None:
    assert parse(text) == DeviceSpec(text, *WRITTEN[text])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a device is written"),
        (":x", "a device is written"),
        ("tflm,arena", "'arena' is not KEY=VALUE"),
        ("tflm,a=1,a=2", "a is given twice"),
    ],
)
def test_an_invalid_device_is_an_error(text: str, words: str) -> None:
    with pytest.raises(DeviceError, match=words):
        parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("litert:xnnpack,thread=4", "unknown option 'thread'; did you mean 'threads'?"),
        ("litert:xnnpack,zzz=4", "unknown option 'zzz'; available: threads"),
        ("litert:xnnpack,threads=0", "threads=0: a number from 1 is wanted"),
        ("litert:xnnpack,threads=two", "threads=two"),
    ],
)
def test_options_are_checked(text: str, words: str) -> None:
    with pytest.raises(DeviceError) as raised:
        check_options(parse(text), kinds()["litert"])
    assert words in str(raised.value)
    assert check_options(parse("litert:xnnpack,threads=4"), kinds()["litert"]) == {
        "threads": "4",
        "kernels": "xnnpack",
    }
    with pytest.raises(DeviceError, match="openvino takes none"):
        check_options(parse("openvino,x=1"), kinds()["openvino"])
