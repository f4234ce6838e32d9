"""``python -m tilelayout``: the same as the command ``tilelayout``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
