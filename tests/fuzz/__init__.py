"""Fuzzing: every input is read right or refused with ``LayoutError``, in bounded time and memory.

``python -m fuzz`` (``make fuzz``) runs every target under coverage guidance; ``tests/test_fuzz.py`` runs a bounded share of it.
"""
