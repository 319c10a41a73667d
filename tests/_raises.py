"""What a function of the package raises, read off its source.

That is what stands in ``raise X(...)`` in its body, and in what the body calls to look at its
arguments: private functions of the same module, and functions that are named as a check
(``require_...``, ``checked_...``) or stand in `slrsym.kernels.arguments`. Calls are followed two
deep. Left out are what the function catches itself, what functions inside of it raise when they are
called later, and ``AssertionError``, which says that the package is at fault.
"""

import ast
import builtins
import dis
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from slrsym.kernels import arguments

DEPTH = 2
CHECK = re.compile(r"_?(require|check|checked|validate|validated|refuse)(_|$)")
CALLED = re.compile(rf"_|{CHECK.pattern}|({'|'.join(arguments.__all__)})$")
RAISE = dis.opmap["RAISE_VARARGS"]
LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
# Most nodes of a tree; they contain nothing.
LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop)

Error = type[BaseException]


@functools.cache
def raised(function: FunctionType, depth: int = DEPTH) -> frozenset[Error]:
    """The exceptions that a function raises.

    Parameters
    ----------
    function : function
        Not a wrapper of one.
    depth : int, optional
        How many calls are followed.

    Returns
    -------
    frozenset of type
        Empty if the source is not known, as that of the methods that a dataclass is given is not,
        and for a method that leaves everything to those that override it.
    """
    # Most functions neither raise nor call anything that could: that is seen without their source.
    code = function.__code__
    if RAISE not in code.co_code[::2] and not any(map(CALLED.match, code.co_names)):
        return frozenset()
    node = source_of(function)
    if node is None or is_abstract(node):
        return frozenset()
    found = frozenset(_within(node.body, function, depth))
    return frozenset(error for error in found if not issubclass(error, AssertionError))


def source_of(function: FunctionType) -> ast.FunctionDef | None:
    """The definition of a function of a module, or of a method."""
    module = sys.modules.get(function.__module__)
    return None if module is None else definitions(module).get(function.__code__.co_firstlineno)


@functools.cache
def definitions(module: ModuleType) -> dict[int, ast.FunctionDef]:
    """The functions of a module by the lines on which they begin, decorators included."""
    found = {}
    left: list[ast.AST] = [ast.parse(inspect.getsource(module))]
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef):
            found[min(n.lineno for n in (node, *node.decorator_list))] = node
        elif isinstance(node, ast.Module | ast.ClassDef | ast.If | ast.Try):
            left += ast.iter_child_nodes(node)
    return found


def is_abstract(node: ast.FunctionDef) -> bool:
    """Whether a method says nothing but that it is not implemented."""
    last = node.body[-1]
    alone = len(node.body) == 1 + (ast.get_docstring(node) is not None)
    return alone and isinstance(last, ast.Raise) and "NotImplementedError" in ast.dump(last)


def _within(body: list[ast.stmt], function: FunctionType, depth: int) -> Iterator[Error]:
    """What statements raise; each stands beside what is caught around it."""
    left: list[tuple[ast.AST, tuple[Error, ...]]] = [(node, ()) for node in body]
    while left:
        node, caught = left.pop()
        if isinstance(node, (*LATER, *LEAVES)):
            continue
        if isinstance(node, ast.Try):
            inside = (*caught, *_caught(node.handlers, function))
            left += ((child, inside) for child in node.body)
            left += ((child, caught) for child in (*node.handlers, *node.orelse, *node.finalbody))
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            thrown = _meant(node.exc.func if isinstance(node.exc, ast.Call) else node.exc, function)
            if inspect.isclass(thrown) and not issubclass(thrown, caught):
                yield thrown
        elif isinstance(node, ast.Call) and depth:
            called = _meant(node.func, function)
            called = inspect.unwrap(getattr(called, "__func__", called))
            if (
                inspect.isfunction(called)
                and called is not function
                and _is_check(called, function)
            ):
                yield from (e for e in raised(called, depth - 1) if not issubclass(e, caught))
        left += ((child, caught) for child in ast.iter_child_nodes(node))


def _is_check(called: FunctionType, function: FunctionType) -> bool:
    home = called.__module__
    if called is function:
        return False
    if home == "slrsym.kernels.arguments":
        return True
    if home == function.__module__ and called.__name__.startswith("_"):
        return True
    ours = home == function.__module__ or home.startswith("slrsym")
    return ours and bool(CHECK.match(called.__name__))


def _caught(handlers: list[ast.ExceptHandler], function: FunctionType) -> Iterator[Error]:
    for handler in handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            meant = BaseException if kind is None else _meant(kind, function)
            yield from meant if isinstance(meant, tuple) else [meant]


def _meant(node: ast.expr, function: FunctionType) -> Any:
    """What a name in a function stands for, or an attribute of a module, a class or ``self``."""
    if isinstance(node, ast.Name):
        for names in (function.__globals__, vars(builtins), _imported(function)):
            if node.id in names:
                return names[node.id]
    if isinstance(node, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        owner = _class_of(function) if own else _meant(node.value, function)
        if inspect.isclass(owner) or inspect.ismodule(owner):
            return inspect.getattr_static(owner, node.attr, None)
    return None


@functools.cache
def _imported(function: FunctionType) -> dict[str, Any]:
    """What a function imports from the package when it is called."""
    found: dict[str, Any] = {}
    node = source_of(function)
    if node is None or not any(name.startswith("slrsym") for name in function.__code__.co_names):
        return found
    for line in ast.walk(node):
        if isinstance(line, ast.ImportFrom) and (line.module or "").startswith("slrsym"):
            module = importlib.import_module(line.module)
            found |= {n.asname or n.name: getattr(module, n.name, None) for n in line.names}
    return found


def _class_of(method: FunctionType) -> Any:
    owner: Any = sys.modules[method.__module__]
    for part in method.__qualname__.split(".")[:-1]:
        owner = getattr(owner, part, None)
    return owner
