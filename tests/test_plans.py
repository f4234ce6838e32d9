"""Copies run as plans.txt says, so that none becomes slower unnoticed."""

from difflib import unified_diff

import plans


def test_plans():
    changes = [line for line in unified_diff(plans.written(), plans.described(), "plans.txt", "the library", lineterm="", n=0)]
    assert not changes, (
        "copies run otherwise:\n" + "\n".join(changes) + "\nIf that is meant, measure it with make bench, and renew the list with: "
        "python tests/plans.py --write"
    )
