"""Single mutants of a Python module: one operator, constant, return value or condition is replaced in the source text."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import accumulate

_BINARY = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "*",
           ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&"}  # fmt: skip
#: Each comparison as written, and its mutant.
_COMPARISON = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
               ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
               ast.In: ("in", "not in"), ast.NotIn: ("not in", "in")}  # fmt: skip
#: Decorators and calls whose arguments no test of behavior depends on, e.g. ``@dataclass(frozen=True)``.
_DECLARATIONS = {"dataclass", "cache", "lru_cache", "TypeVar", "NewType", "ParamSpec"}
#: Module variables that declare names.
_NAME_LISTS = {"__slots__", "__all__", "__match_args__"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A replacement of the characters ``start`` to ``end`` of a module's source text.

    Example: in ``return a + b`` the characters 7 to 12 become ``(a) - (b)``.
    """

    module: str
    line: int
    kind: str
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: str) -> str:
        """Return the source text with the replacement."""
        return source[: self.start] + self.after + source[self.end :]


def find_mutants(module: str, source: str) -> tuple[Mutant, ...]:
    """Return every mutant of the source text, in the order of lines."""
    finder = _Finder(module, source)
    finder.visit(ast.parse(source))
    return tuple(sorted(finder.found, key=lambda mutant: (mutant.start, mutant.end, mutant.after)))


class _Finder(ast.NodeVisitor):
    """Collector of mutants. It does not enter annotations, name lists, declarations and ``if TYPE_CHECKING``."""

    def __init__(self, module: str, source: str) -> None:
        self.found: list[Mutant] = []
        self._module, self._source = module, source
        self._returns: list[str] = []
        self._within_text = False
        self._lines = source.splitlines(keepends=True)
        self._starts = list(accumulate(map(len, self._lines), initial=0))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self._returns.append(ast.unparse(node.returns) if node.returns else "")
        for statement in node.body:
            self.visit(statement)
        self._returns.pop()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.body)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and not _is_name_list(node.target):
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(_is_name_list(target) for target in node.targets):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if _called(node) not in _DECLARATIONS:
            self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if _last_name(node.value) not in ("Literal", "Annotated"):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        text = ast.unparse(node.test)
        if "TYPE_CHECKING" in text or "__name__" in text:
            return
        self._condition(node.test)
        self._drop(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._condition(test)
            self._drop(test)
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer, self._within_text = self._within_text, True
        self.generic_visit(node)
        self._within_text = outer

    def visit_Assert(self, node: ast.Assert) -> None:
        """Skip assertions: they state types for readers and mypy."""

    def visit_BinOp(self, node: ast.BinOp) -> None:
        sign = _BINARY.get(type(node.op))
        union = isinstance(node.op, ast.BitOr) and _is_type(node.left, node.right)
        if sign and not union and not _is_text(node.left, node.right):
            self._replace("operator", node, f"({self._text(node.left)}) {sign} ({self._text(node.right)})")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        sign = _BINARY.get(type(node.op))
        if sign and not _is_text(node.value):
            self._replace(
                "operator", node, f"{self._text(node.target)} {sign}= ({self._text(node.value)})", False
            )
        self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            signs = [_COMPARISON[type(each)][0] for each in node.ops]
            signs[place] = _COMPARISON[type(operator)][1]
            text = f"({self._text(node.left)})"
            text += "".join(f" {s} ({self._text(v)})" for s, v in zip(signs, sides[1:], strict=True))
            self._replace("operator", node, text)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        sign = " or " if isinstance(node.op, ast.And) else " and "
        self._replace("operator", node, sign.join(f"({self._text(value)})" for value in node.values))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Replace a negative number as one constant: -1 becomes 0 and not 1 - -1, because numpy reads -2 as -1 in
        ``reshape``.
        """
        number = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(node.op, ast.USub) and isinstance(number, int | float):
            self._replace("constant", node, repr(1 - number))
        else:
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self._replace("constant", node, str(node.value + 1))
        elif isinstance(node.value, float):
            self._replace("constant", node, repr(node.value + 1.0))

    def visit_Return(self, node: ast.Return) -> None:
        returned = self._returns[-1] if self._returns else ""
        if node.value is not None and not isinstance(node.value, ast.Constant):
            text, value = "None", self._text(node.value)
            if returned == "bool":
                text = f"not ({value})"
            elif returned in ("int", "float"):
                text = f"({value}) + 1"
            elif returned == "str":
                text = '""'
            elif returned.startswith("tuple[") and returned.endswith(", ...]"):
                text = "()"
            if text != value:  # ``return ()`` has no different empty tuple
                self._replace("return", node.value, text)
        self.generic_visit(node)

    def _condition(self, test: ast.expr) -> None:
        self._replace("condition", test, f"not ({self._text(test)})")

    def _drop(self, test: ast.expr) -> None:
        self._replace("condition", test, "True")

    def _replace(self, kind: str, node: ast.expr | ast.stmt, after: str, parentheses: bool = True) -> None:
        before, (start, end) = self._text(node), self._span(node)
        text = f"({after})" if parentheses and kind != "constant" else after
        mutant = Mutant(self._module, node.lineno, kind, start, end, before, text)
        if not self._within_text or _is_sound(node, mutant, self._source):
            self.found.append(mutant)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        """Return the place in the text of a column, which ast counts in bytes of UTF-8."""
        text = self._lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode("utf-8", "replace"))
        return self._starts[line - 1] + column

    def _text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self._source[start:end]


def _is_sound(node: ast.expr | ast.stmt, mutant: Mutant, source: str) -> bool:
    """Return True if a mutant within an f-string has its true place and parses. Python before 3.12 states wrong places."""
    try:
        before = ast.parse(f"({mutant.before})", mode="eval").body
        ast.parse(mutant.apply(source))
    except SyntaxError:
        return False
    return ast.dump(before) == ast.dump(node)


def _is_name_list(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id in _NAME_LISTS


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _called(node: ast.Call) -> str:
    return _last_name(node.func)


def _is_text(*nodes: ast.expr) -> bool:
    """Return True if a side is text, a list or a tuple: ``-`` would raise TypeError."""
    literal = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict)
    return any(
        isinstance(node, literal) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
        for node in nodes
    )


def _is_type(*nodes: ast.expr) -> bool:
    """Return True if a side of ``|`` is None or a builtin type: an alias of types."""
    return any(
        (isinstance(node, ast.Constant) and node.value is None)
        or (
            isinstance(node, ast.Name)
            and (node.id in ("str", "int", "float", "bytes", "bool") or node.id[:1].isupper())
        )
        or (isinstance(node, ast.Subscript) and _last_name(node.value)[:1].isupper())
        for node in nodes
    )
