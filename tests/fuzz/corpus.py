"""The seeds that are kept: one JSON string a line, a file for each target; what once was found is among them."""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).parent / "seeds"


def seeds(name: str) -> list[bytes]:
    """The seeds of a target."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line).encode("utf-8", "surrogateescape") for line in lines]


def line(data: bytes) -> str:
    """An input as a line of such a file."""
    return json.dumps(data.decode("utf-8", "surrogateescape"))
