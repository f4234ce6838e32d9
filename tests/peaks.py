"""The peak memory of a process that a test starts.

``getrusage`` will not do: on Linux it begins with what the process that started this one had, which is much where a suite runs.
"""

#: What such a program begins with: ``highest()`` is the most bytes that it has held by now.
HIGHEST = r"""
import pathlib, re
def highest():
    return int(re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) << 10
"""
