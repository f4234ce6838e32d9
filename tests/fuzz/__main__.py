"""The long run: every target for some minutes under coverage guidance, and how many inputs were tried.

python -m fuzz [--minutes 1] [--keep build/fuzz] [TARGET ...]
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from pathlib import Path

from . import corpus
from .targets import TARGETS

#: What an input may take: seconds, MiB, bytes of its own.
LIMITS = ("-timeout=20", "-rss_limit_mb=2048", "-max_len=2048")
_TRIED = re.compile(r"stat::number_of_executed_units: ([0-9]+)")


def run(name: str, seconds: int, keep: Path) -> tuple[int, list[Path]]:
    """A target for so many seconds: the inputs tried, and the files of those that found something."""
    inputs, found = keep / name / "inputs", keep / name / "found"
    for folder in (inputs, found):
        folder.mkdir(parents=True, exist_ok=True)
    for data in corpus.seeds(name):
        (inputs / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    options = (f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={found}/", *LIMITS)
    with (keep / name / "log.txt").open("wb") as log:
        subprocess.run([sys.executable, "-m", "fuzz.guided", name, *options, inputs], stdout=log, stderr=log, check=False)
    tried = _TRIED.search((keep / name / "log.txt").read_text(errors="replace"))
    return int(tried[1]) if tried else 0, sorted(found.iterdir())


def main() -> int:
    """Run the targets one after the other."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("targets", metavar="TARGET", nargs="*", choices=[[], *TARGETS])
    parser.add_argument("--minutes", type=float, default=1, help="for each target (default 1)")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where inputs, logs and findings go (default build/fuzz)")
    options = parser.parse_args()
    total, findings = 0, 0
    for name in options.targets or TARGETS:
        tried, found = run(name, max(1, round(options.minutes * 60)), options.keep.resolve())
        print(f"{name:<14}{tried:>10} inputs, {len(found)} findings", *found, flush=True)
        total, findings = total + tried, findings + len(found)
        if not tried and not found:
            print(f"  it did not run: {options.keep / name / 'log.txt'} says why")
            findings += 1
    print(f"{'in all':<14}{total:>10} inputs, {findings} findings")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
