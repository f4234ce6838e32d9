"""Packages that only a part of the library needs: imported where they are used, with an error that names the extra to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import LayoutError


class NotInstalled(LayoutError, ImportError):  # noqa: N818 - as the other names of what is missing
    """A package that is needed and not there, or not as it should be: an ``ImportError`` too, as whoever does without asks for that."""


def needed(extra: str, module: str, purpose: str, *, name: str = "", otherwise: str = "") -> Any:
    """The module, which the extra ``tilelayout[extra]`` installs, or what is called ``name`` in it.

    >>> needed("files", "json", "reading a header").loads("[8, 128]")
    [8, 128]
    >>> needed("files", "json", "reading a header", name="loads")("[8, 128]")
    [8, 128]

    Raises ``NotInstalled`` where it is not installed or has no such name: what needs it (``purpose``), how to get it, and what to do
    ``otherwise``.
    """
    package = module.partition(".")[0]
    command = f"pip install 'tilelayout[{extra}]'"
    try:
        found = import_module(module)
        return getattr(found, name) if name else found
    except AttributeError:
        trouble = f"and the one that is installed has no {name}"
        command = f"pip install --upgrade {package}"
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == package
        trouble = "which is not installed" if missing else f"which cannot be imported ({error})"
    advice = f", or {otherwise}" if otherwise else ""
    raise NotInstalled(f"{purpose} needs {package}, {trouble}: {command}{advice}")
