"""The public names and signatures are those that api.txt lists, so that none changes unnoticed."""

from difflib import unified_diff

import api
import tilelayout


def test_public_names_and_signatures():
    found, missing = api.described()
    changes = [line for line in unified_diff(api.written(missing), found, "api.txt", "the library", lineterm="", n=0)]
    assert not changes, (
        "public names or signatures changed:\n" + "\n".join(changes) + "\nIf that is meant, say so in CHANGELOG.md, see docs/release.md "
        "for what it does to the version, and renew the list with: python tests/api.py --write"
    )


def test_the_list_notices_a_change(monkeypatch):
    def pack(array, layout, *, fill=1):
        """Another signature."""

    monkeypatch.setattr(tilelayout, "pack", pack)
    found, missing = api.described()
    assert set(found) - set(api.written(missing)) == {"tilelayout.pack(array, layout, *, fill=1)"}
