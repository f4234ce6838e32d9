"""Small wrong changes to Python source: every one that the tables below make of a module's text."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
#: What no test need tell apart: annotations, assertions, and the words of an error that is raised either way.
UNTOUCHED = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)


class Mutant(NamedTuple):
    """A change to a source: what stands from ``begin`` to ``end`` (in characters) becomes ``after``."""

    line: int
    begin: int
    end: int
    before: str
    after: str

    @property
    def places(self) -> range:
        """The lines that it changes."""
        return range(self.line, self.line + self.before.count("\n") + 1)

    def applied(self, source: str) -> str:
        return source[: self.begin] + self.after + source[self.end :]

    def told(self, source: str) -> str:
        """The line and the change to it, whatever number the line has; where what changes stands there more than once, which of them."""
        line = source.splitlines()[self.line - 1]
        begin = self.begin - (source.rfind("\n", 0, self.begin) + 1)
        which = f" ({line.count(self.before, 0, begin) + 1})" if line.count(self.before) > 1 else ""
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        return f"`{line.strip()}`: `{before}`{which} becomes `{after}`"


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of the text."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return len(source.encode()[: starts[line - 1] + column].decode())

    found = []
    for node, changed in _changes(ast.parse(source)):
        begin, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
        after = changed if isinstance(changed, str) else ast.unparse(changed)
        if isinstance(node, ast.expr):
            after = f"({after})"
        found.append(Mutant(node.lineno, begin, end, source[begin:end], after))
    return sorted({mutant for mutant in found if mutant.before != mutant.after})


def _changes(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST | str]]:
    for node in _walk(tree):
        for changed in _changed(node):
            yield node, changed
        for condition in _conditions(node):
            yield condition, ast.UnaryOp(ast.Not(), condition)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, UNTOUCHED) and not _is_alias(child) and not _is_strict(child):
                yield child
                yield from _walk(child)


def _is_alias(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation)


def _is_strict(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _conditions(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.If(test=ast.Name("TYPE_CHECKING")):
            return []
        case ast.If() | ast.IfExp() | ast.While():
            return [node.test]
        case ast.comprehension():
            return node.ifs
    return []


def _changed(node: ast.AST) -> Iterator[ast.AST | str]:
    match node:
        case ast.Compare():
            for k, op in enumerate(node.ops):
                if other := COMPARISONS.get(type(op)):
                    yield _with(node, ops=[*node.ops[:k], other(), *node.ops[k + 1 :]])
        case ast.BinOp() | ast.AugAssign():
            if other := ARITHMETIC.get(type(node.op)):
                yield _with(node, op=other())
        case ast.BoolOp():
            yield _with(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or())
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield ast.Constant(node.value + 1)
            yield ast.Constant(node.value - 1)
        case ast.Name(ctx=ast.Load()) if node.id in NAMES:
            yield ast.Name(NAMES[node.id])
        case ast.Return(value=ast.expr()) if not _is_false(node.value):
            yield "return None"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"
        case ast.Expr(value=ast.Call()):
            yield "pass"


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
