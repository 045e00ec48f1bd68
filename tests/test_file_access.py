"""Files are opened by ``litecheck.files`` and decoded by ``litecheck.documents``, with few exceptions that have a reason."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import litecheck

PACKAGE = Path(litecheck.__file__).parent
#: Functions that open a file by its name. ``open`` counts alone and of ``os`` and ``io``, not of an archive.
OPENS = {"read_text", "read_bytes", "fromfile", "memmap", "ZipFile", "load"}
#: Functions that decode a document.
DECODES = {"loads", "compose", "safe_load", "literal_eval"}
#: Modules that open a file by another function, and the reason.
OPENED = {
    "files": "opens every other file, and writes",
    "flatbuffer/schema": "a file of litecheck's own",
    "profile/type_table": "a file of litecheck's own",
    "rendering/html/page": "a file of litecheck's own",
    "verification/reproducers/reproduce": "a file of litecheck's own",
    "verification/reproducers/reproducer_program": "a program that runs without litecheck",
    "verification/journal": "opens a journal to write, and checks that it is a regular file",
    "quantizer/npy": "maps and unpacks a file that open_file opened",
    "quantizer/array_files": "maps a file that open_file opened; writes a .npz file in memory",
    "devices/output_files": "reads a file that open_file opened",
    "model/external_buffers": "maps a file that open_file opened",
    "conversion/calibration/litert_child": "a folder of its own",
    "conversion/calibration/script": "an archive in memory",
    "conversion/other_converters/converter_process": "a folder of its own",
    "conversion/other_converters/converter_program": "the folder of the process that started it",
    "conversion/other_converters/tensorflow_programs": "a process of its own, which is given models",
    "conversion/own_program": "a folder of its own",
    "devices/process": "a folder of its own",
    "devices/ipc": "a folder of its own",
    "devices/worker": "a folder of its own",
    "devices/worker_main": "the folder of the process that started it",
    "targets/ethos_u/compiler/vela_child": "a file of Vela's own",
    "devices/adapters/command": "a folder of its own",
    "targets/ethos_u/device": "the null device",
    "cli/streams": "the null device",
    "suite/bundle": "an archive in memory",
    "suite/bundle_files": "a folder of its own",
    "processes/posix": "/proc",
    "target_kinds": "loads an entry point",
    "processes/worker_pool": "the null device",
}
#: Modules that decode by another function, and the reason.
DECODED = {
    "documents": "decodes every other document",
    "profile/type_table": "a file of litecheck's own",
    "quantizer/npy": "the header of an array, of 4 kB at most",
    "conversion/calibration/litert_child": "the message of a process that litecheck started",
    "conversion/calibration/litert_runs": "the message of a process that litecheck started",
    "conversion/calibration/script": "the message of a process that litecheck started",
    "conversion/other_converters/converter_process": "the message of a process that litecheck started",
    "conversion/other_converters/converter_program": "the message of the process that started it",
    "conversion/other_converters/tensorflow_programs": "a process of its own, which is given models",
    "devices/ipc": "the message of a process that litecheck started",
    "devices/job_process": "the message of the process that started it",
    "targets/ethos_u/compiler/vela": "the message of a process that litecheck started",
    "devices/worker": "the message of a process that litecheck started",
    "devices/worker_main": "the message of the process that started it",
    "processes/worker_pool": "the message of a process that litecheck started",
    "verification/reproducers/reproducer_program": "a program that runs without litecheck",
}


@cache
def calls(text: str) -> frozenset[tuple[str, str]]:
    """Return the functions that a module calls as (owner, name); the owner of a plain name is ""."""
    called = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return frozenset(
        ("", func.id) if isinstance(func, ast.Name) else (ast.unparse(func.value), func.attr)
        for func in called
        if isinstance(func, (ast.Name, ast.Attribute))
    )


def modules_that_call(source: dict[str, str], names: set[str], owners: set[str]) -> set[str]:
    """Return the modules that call a function of ``names``, or ``open`` of an owner in ``owners``."""
    return {
        module
        for module, text in source.items()
        if any(n in names or (n == "open" and owner in owners) for owner, n in calls(text))
    }


@pytest.fixture(scope="module")
def source() -> dict[str, str]:
    files = PACKAGE.rglob("*.py")
    return {f.relative_to(PACKAGE).with_suffix("").as_posix(): f.read_text("utf-8") for f in files}


def test_every_other_module_reads_files_by_the_one_reader(source: dict[str, str]) -> None:
    assert modules_that_call(source, OPENS, {"", "os", "io", "gzip", "Image"}) == set(OPENED)


def test_every_other_module_decodes_documents_by_the_one_decoder(source: dict[str, str]) -> None:
    assert modules_that_call(source, DECODES, set()) == set(DECODED)


def test_a_module_that_opens_a_file_itself_is_found() -> None:
    for line in ("open(p)", "Path(p).read_bytes()", "np.load(p)", "os.open(p, 0)", "zipfile.ZipFile(p)"):
        assert modules_that_call({"m": line}, OPENS, {"", "os"}) == {"m"}
    assert not modules_that_call({"m": "archive.open(p)"}, OPENS, {"", "os"})


def test_files_are_looked_for_without_exceptions(source: dict[str, str]) -> None:
    """``Path.exists`` raises PermissionError for a file in a folder that cannot be read, ``os.path.exists`` does not."""
    asked = {"exists", "is_file", "is_dir"}
    found = {m for m, text in source.items() if any(n in asked and o != "os.path" for o, n in calls(text))}
    assert found == {
        "data",
        "verification/reproducers/reproducer_program",
    }  # both look only for their own files
