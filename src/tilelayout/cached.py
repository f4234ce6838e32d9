"""``cached_property`` without a lock.

The one of Python 3.11 computes under a lock that all objects of a class share: a child that is forked meanwhile waits for it
for ever. Later ones have none, and this is as theirs.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - named as what it stands for
        """A property that is computed when it is first asked for; threads that ask together all get what the first one made."""

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))
