"""Cython with every mutant in it: each place that can be wrong asks whether this mutant is the one that is wanted.

A kernel is compiled once with all of them, and told by ``_become`` which it is to be; ``_reached`` tells which were asked about.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from Cython.Compiler import ExprNodes, Nodes
from Cython.Compiler.TreeFragment import parse_from_strings

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPARISONS |= {"in": "not_in", "not_in": "in", "is": "is_not", "is_not": "is"}
ARITHMETIC = {"+": "-", "-": "+", "*": "//", "//": "*", "%": "//", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|"}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
#: Methods of Python that return an integer of C.
COUNTS = {"__hash__", "__len__", "__bool__", "__contains__"}
#: Types of Python, beside those that are written with a capital.
PYTHON = {"object", "list", "tuple", "dict", "set", "str", "bytes"}
#: Structures of pointers, which Cython does not take from a choice of two, and of which some are written with a capital too.
POINTING = {"Copying", "Pieces", "Stepping", "tl_column"}
#: What is no logic of a kernel: declarations, what a C compiler must know, and the words of an error that is raised either way.
UNTOUCHED = (
    *(Nodes.RaiseStatNode, Nodes.AssertStatNode, Nodes.CArgDeclNode, Nodes.CBaseTypeNode, Nodes.CStructOrUnionDefNode, Nodes.CEnumDefNode),
    *(ExprNodes.JoinedStrNode, ExprNodes.SizeofNode, ExprNodes.PowNode),
)

#: What every module is given, where so many mutants are in it.
SWITCH = '''
cdef extern from *:
    """
    static int tl_mutant = 0;
    static unsigned char tl_asked[{room}];
    static inline int tl_is(int mutant) {{ tl_asked[mutant] = 1; return tl_mutant == mutant; }}
    """
    int tl_mutant
    unsigned char *tl_asked
    int tl_is(int mutant) noexcept nogil


def _become(int mutant):
    global tl_mutant
    tl_mutant = mutant


def _reached():
    cdef int k
    found = []
    for k in range({room}):
        if tl_asked[k]:
            found.append(k)
            tl_asked[k] = 0
    return found
'''


class Wrong(NamedTuple):
    """A change to an expression or a statement, in the words of the text, and what stands there then."""

    before: str
    after: str
    node: Any
    pos: Any = None


class Place(NamedTuple):
    """Where in a module one of these stands."""

    line: int
    column: int
    function: str
    before: str
    after: str

    def told(self, source: str) -> str:
        """The function, the line and the change to it; where what changes stands there more than once, which of them."""
        line = source.splitlines()[self.line - 1]
        count = line.count(self.before, 0, self.column) if self.before else 0
        which = f" ({count + 1})" if self.before and line.count(self.before) > 1 else ""
        return f"`{self.function}`: `{line.strip()}`: `{self.before}`{which} becomes `{self.after}`"


class Schemata:
    """Puts all mutants into the tree of a module, those of functions; ``places`` tells which they are, the first of them number 1."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.function = ""
        self.nothing: Any = None

    def __call__(self, tree: Any) -> Any:
        self._look_into(tree)
        tree.body.stats += parse_from_strings("switch", SWITCH.format(room=1 + len(self.places))).body.stats
        return tree

    def _look_into(self, node: Any) -> None:
        for name in node.child_attrs or []:
            part = getattr(node, name)
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, Nodes.FuncDefNode):
                    self._mutate(child)
                elif isinstance(child, Nodes.Node):
                    self._look_into(child)

    def _mutate(self, function: Any) -> Any:
        outside = self.function, self.nothing
        self.function, self.nothing = _name(function), _nothing(function)
        function.body = self._mutated(function.body)
        self.function, self.nothing = outside
        return function

    def _mutated(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self._mutated(part) for part in node]
        if node is None or isinstance(node, UNTOUCHED):
            return node
        if isinstance(node, Nodes.FuncDefNode):
            return self._mutate(node)
        changes = [*_changes(node, self.nothing)]
        for name in _parts(node):
            part = getattr(node, name)
            if name == "condition" and part:
                part = _truth(part)
                opposite = Wrong("condition", "opposite", _Made(part.pos, operand=_copied(part)))
                setattr(node, name, self._wrong(self._mutated(part), [opposite]))
            else:
                setattr(node, name, self._mutated(part))
        return self._wrong(node, changes)

    def _wrong(self, node: Any, changes: Iterable[Wrong]) -> Any:
        for change in changes:
            _, line, column = change.pos or node.pos
            self.places.append(Place(line, column, self.function, change.before, change.after))
            node = _either(len(self.places), change.node, node)
        return node


def _name(function: Any) -> str:
    if isinstance(function, Nodes.DefNode):
        return function.name
    declared = function.declarator
    while not isinstance(declared, Nodes.CNameDeclaratorNode):
        declared = declared.base
    return declared.name


def _nothing(function: Any) -> Any:
    """What stands for nothing where a function returns."""
    if isinstance(function, Nodes.CFuncDefNode) and isinstance(function.declarator, Nodes.CPtrDeclaratorNode):
        return ExprNodes.NullNode(function.pos)
    name = ("object" if function.name not in COUNTS else "int") if isinstance(function, Nodes.DefNode) else function.base_type.name
    if name in POINTING or (name or "").startswith("tl_"):
        return None  # there is no nothing among structures
    if name is None or name in PYTHON or name[0].isupper():
        return ExprNodes.NoneNode(function.pos)
    return _integer(function.pos, 0)


def _parts(node: Any) -> list[str]:
    """The parts of a node that a C compiler need not know."""
    if isinstance(node, Nodes.CArrayDeclaratorNode):
        return ["base"]
    if isinstance(node, Nodes.CVarDefNode):
        return ["declarators"]
    if isinstance(node, ExprNodes.TypecastNode):
        return ["operand"]
    if isinstance(node, ExprNodes.SimpleCallNode) and getattr(node.function, "name", None) in POINTING:
        return []
    return _children(node)


def _either(number: int, changed: Any, node: Any) -> Any:
    """What is changed where this mutant is wanted, else what was there."""
    pos = node.pos
    asked = ExprNodes.SimpleCallNode(pos, function=ExprNodes.NameNode(pos, name="tl_is"), args=[_integer(pos, number)])
    if isinstance(node, ExprNodes.ExprNode):
        return ExprNodes.CondExprNode(pos, condition=asked, true_val=changed, false_val=node)
    clause = Nodes.IfClauseNode(pos, condition=asked, body=changed)
    return Nodes.IfStatNode(pos, if_clauses=[clause], else_clause=node)


def _copied(tree: Any) -> Any:
    """The same tree anew."""
    clones: dict[int, Any] = {}

    def clone(node: Any) -> Any:
        if isinstance(node, list):
            return [clone(part) for part in node]
        if not isinstance(node, Nodes.Node):
            return node
        made = clones[id(node)] = copy.copy(node)
        for name in _children(node):
            setattr(made, name, clone(getattr(node, name)))
        return made

    copied = clone(tree)
    for made in clones.values():  # a comprehension knows what inside it appends
        for name, value in vars(made).items():
            setattr(made, name, clones.get(id(value), value))
    return copied


def _children(node: Any) -> list[str]:
    """The parts of a node, of one that the parser has made and nobody has looked into yet."""
    if isinstance(node, ExprNodes.GeneratorExpressionNode):
        return ["loop"]
    if isinstance(node, ExprNodes.LambdaNode):
        return ["result_expr"]
    return node.child_attrs or []


def _with(node: Any, **fields: object) -> Any:
    changed = _copied(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _integer(pos: Any, value: int) -> Any:
    number = ExprNodes.IntNode(pos, value=str(abs(value)))
    return number if value >= 0 else ExprNodes.UnaryMinusNode(pos, operand=number)


class _Made(ExprNodes.NotNode):
    """A ``not`` that is not in the text."""


def _truth(condition: Any) -> Any:
    """A condition whose parts are truths, whatever their types were."""
    if isinstance(condition, ExprNodes.BoolBinopNode):
        condition.operand1, condition.operand2 = _truth(condition.operand1), _truth(condition.operand2)
        return condition
    return _Made(condition.pos, operand=_Made(condition.pos, operand=condition))


def _changes(node: Any, nothing: Any) -> Iterator[Wrong]:
    match node:
        case ExprNodes.PrimaryCmpNode():
            if other := COMPARISONS.get(node.operator):
                yield Wrong(node.operator, other, _with(node, operator=other))
            if node.cascade and (other := COMPARISONS.get(node.cascade.operator)):
                yield Wrong(node.cascade.operator, other, _with(node, cascade=_with(node.cascade, operator=other)), node.cascade.pos)
        case ExprNodes.BoolBinopNode():
            other = "and" if node.operator == "or" else "or"
            yield Wrong(node.operator, other, _with(node, operator=other))
        case ExprNodes.BinopNode() if other := ARITHMETIC.get(node.operator):
            yield Wrong(node.operator, other, ExprNodes.binop_node(node.pos, other, _copied(node.operand1), _copied(node.operand2)))
        case ExprNodes.NotNode() if not isinstance(node, _Made):
            yield Wrong("not", "", _truth(_copied(node.operand)))
        case ExprNodes.UnaryMinusNode():
            yield Wrong("-", "", _copied(node.operand))
        case ExprNodes.BoolNode():
            yield Wrong(str(node.value), str(not node.value), ExprNodes.BoolNode(node.pos, value=not node.value))
        case ExprNodes.IntNode():
            value = int(node.value.rstrip("uUlL"), 0)
            yield Wrong(node.value, str(value + 1), _integer(node.pos, value + 1))
            yield Wrong(node.value, str(value - 1), _integer(node.pos, value - 1))
        case ExprNodes.SimpleCallNode(function=ExprNodes.NameNode(name=name)) if name in NAMES:
            yield Wrong(name, NAMES[name], _with(node, function=_with(node.function, name=NAMES[name])))
        case Nodes.InPlaceAssignmentNode() if other := ARITHMETIC.get(node.operator):
            yield Wrong(f"{node.operator}=", f"{other}=", _with(node, operator=other))
        case Nodes.ReturnStatNode() if nothing and node.value and not _is_nothing(node.value):
            yield Wrong("return", "return nothing", _with(node, value=_copied(nothing)))
        case Nodes.ContinueStatNode():
            yield Wrong("continue", "break", Nodes.BreakStatNode(node.pos))
        case Nodes.BreakStatNode():
            yield Wrong("break", "continue", Nodes.ContinueStatNode(node.pos))
        case Nodes.ExprStatNode(expr=ExprNodes.CallNode()):
            yield Wrong("", "pass", Nodes.PassStatNode(node.pos))


def _is_nothing(node: Any) -> bool:
    return isinstance(node, ExprNodes.NoneNode) or getattr(node, "value", None) in (False, "0")
