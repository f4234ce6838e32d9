"""Work that threads share in tests, which have little of it."""

from tilelayout import threads


def share_little(patch):
    """Threads share any work, however little it is."""
    patch.setattr(threads, "LEAST_SHARE", 1)
    patch.setattr(threads, "WORTH_SHARING", 0)
