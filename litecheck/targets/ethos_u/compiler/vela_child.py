"""The process in which Arm's Vela compiler runs: it reads models on stdin and writes an outcome for each.

A model that crashes the compiler ends the process.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any, BinaryIO

from litecheck.processes.posix import limit_memory, set_alarm

#: MACs, system configuration and memory mode by accelerator. No placement depends on them.
SYSTEMS = {
    "EthosU55": (128, "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    "EthosU65": (256, "Ethos_U65_High_End", "Dedicated_Sram"),
    "EthosU85": (256, "Ethos_U85_SYS_DRAM_Mid", "Dedicated_Sram"),
}
OPTIONS = "[compiler]\noutput_format=TFLite\nenable_db=true\n"
#: Bytes of the compiler's log that are kept.
_SAID = 20_000


def main() -> None:
    """Compile models. Arguments: accelerator, bytes of address space (0: no limit), seconds for each model."""
    compile_models(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))


def compile_models(arch: str, memory: int, seconds: int) -> None:
    """Compile until stdin ends. Each answer is a line of JSON, followed by as many bytes as it says.

    A model that takes longer ends the process, also after the parent process has ended.
    """
    if memory:
        limit_memory(memory)
    answers = os.fdopen(os.dup(1), "wb")
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        from ethosu import regor

        ini = config(arch, os.path.dirname(regor.__file__))
        while size := sys.stdin.buffer.readline():
            data = sys.stdin.buffer.read(int(size))
            log.seek(0)
            log.truncate()
            set_alarm(seconds)
            header, left = _compile(regor, arch, data, ini)
            set_alarm(0)
            log.seek(0)
            header["said"] = log.read(_SAID).decode("utf-8", "replace")
            _answer(answers, header, left)


def config(arch: str, package: str) -> str:
    """Return the configuration of an accelerator. ``package`` is the folder of the compiler's own configurations."""
    macs, system, mode = SYSTEMS[arch]
    own = f"[architecture]\nmacs={macs}\ncores=1\n[vela]\nsystem_config_name={system}\nmemory_mode_name={mode}\n"
    with open(os.path.join(package, "config_files", "Arm", "vela.ini"), encoding="utf-8") as file:
        return own + file.read()


def _compile(regor: Any, arch: str, data: bytes, config: str) -> tuple[dict[str, Any], bytes]:
    """Compile a model and return the header of the answer and the compiled model."""
    try:
        model = regor.compile(arch, data, "TFLITE", config, OPTIONS)
    except Exception as error:  # the compiler may raise anything: each is a rejection
        return {"error": str(error) or type(error).__name__}, b""
    tables = model.opt_database.tables
    sources = {row["id"]: int(row["ext_key"]) for row in _rows(tables, "source")}
    queued = {row["scheduled_id"] for row in _rows(tables, "queue")} | {
        r["id"] for r in _rows(tables, "group")
    }
    ran = {
        sources[r["source_id"]]
        for r in _rows(tables, "perf")
        if r["id"] in queued and r["source_id"] in sources
    }
    report = model.perf_report
    memories = {name: int(memory.peakUsage) for name, memory in report.memories.items()}
    header = {"ran": sorted(ran), "macs": int(report.macCount), "memories": memories}
    return header, bytes(model.model)


def _rows(tables: Any, name: str) -> list[dict[str, str]]:
    table = tables.get(name)
    return [] if table is None else [dict(zip(table.header, row, strict=True)) for row in table.data]


def _answer(answers: BinaryIO, header: dict[str, Any], left: bytes) -> None:
    answers.write(json.dumps({**header, "bytes": len(left)}).encode() + b"\n" + left)
    answers.flush()
