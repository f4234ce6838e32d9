"""The commands, and the room where each is: only that of the command at hand is imported."""

from __future__ import annotations

#: What each command does, by room.
ROOMS = {
    "queries": {
        "show": "say what a layout means, digit by digit",
        "index": "print the slots of elements",
        "coords": "print the elements that slots hold",
    },
    "conversions": {
        "convert": "write a layout in other notations",
        "formula": "write the slot of an element as a program",
        "recipe": "say a layout as pads, reshapes and transposes",
    },
    "draw": {"draw": "draw the array and the memory of a layout"},
    "explore": {"explore": "write a page to explore a layout with"},
    "comparisons": {
        "diff": "say where two layouts differ",
        "infer": "find the layout that leads from an array to its buffer",
    },
    "catalogue": {"presets": "list well-known layouts, or say what one is"},
    "hlo": {"hlo": "list the arrays of HLO text, and what padding costs them"},
    "doctor": {"doctor": "say what padding costs an array, why, and what would cost less"},
    "transfers": {
        "pack": "lay an array out as a layout says",
        "unpack": "read an array back from a packed buffer",
        "relayout": "take a packed buffer from one layout to another",
    },
    "checkpoints": {
        "pack-checkpoint": "lay the tensors of a safetensors file out by rules",
        "unpack-checkpoint": "take the packed tensors of a safetensors file back",
    },
}
#: The same by command.
DOES = {name: does for commands in ROOMS.values() for name, does in commands.items()}
