"""What a benchmark ran on: processor, memory, and the versions of what took part."""

from __future__ import annotations

import os
import platform
import subprocess
import sysconfig
from pathlib import Path

import numpy as np

import tilelayout as tl


def description() -> dict[str, str]:
    """The machine and the versions, by name."""
    return {
        "processor": _processor(),
        "CPUs": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "last-level cache": _last_cache(),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": np.__version__,
        "tilelayout": tl.__version__,
        "C compiler": _compiler(),
        "large pages": _first_line(Path("/sys/kernel/mm/transparent_hugepage/enabled")),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    values = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    name = values.get("model name", platform.processor() or "unknown")
    return f"{name}, family {values['cpu family']}, model {values['model']}" if {"cpu family", "model"} <= values.keys() else name


def _last_cache() -> str:
    sizes = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"))
    return f"{_first_line(sizes[-1])} as the system reports it" if sizes else "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, ValueError, OSError):
        return "unknown"


def _compiler() -> str:
    """The compiler that builds extensions here; the kernels that are installed may come from another."""
    command = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    try:
        answer = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return answer.stdout.splitlines()[0]


def _first_line(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return "unknown"
