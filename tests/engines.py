"""What copies are tested with: levels of vectors, and work that threads share, of which tests have little."""

from tilelayout import threads
from tilelayout._kernels import copy

#: What has vectors of 512 bits can ask for lines too, whether it gains by that or not.
LEVELS = copy.LEVELS if copy.level().startswith("512") else copy.LEVELS[: copy.LEVELS.index(copy.level()) + 1]


def share_little(patch):
    """Threads share any work, however little it is."""
    patch.setattr(threads, "LEAST_SHARE", 1)
    patch.setattr(threads, "WORTH_SHARING", 0)
