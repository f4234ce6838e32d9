"""Arrays amid bytes that show whether a copy writes beside them."""

import numpy as np

ASIDE = 0xA5


def placed(size, dtype, place):
    """Elements that begin at this place in a line, amid bytes of ``ASIDE``; and all of these bytes, and where among them it begins."""
    room = np.full(size * np.dtype(dtype).itemsize + 256, ASIDE, np.uint8)
    begin = 64 + -room.ctypes.data % 64 + place
    return room[begin : begin + size * np.dtype(dtype).itemsize].view(dtype), room, begin


def is_untouched(room, begin, size):
    """Whether no byte beside those of an array has changed."""
    return (room[:begin] == ASIDE).all() and (room[begin + size :] == ASIDE).all()
