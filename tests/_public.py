"""What the package makes public, with what its docstrings say and what they should say.

Public is what the reference lists, with the public methods of its classes. All else is a helper: a
good name, and a line at most. The methods by which SymPy calls its functions are left out.
"""

import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType
from typing import Any, get_origin

import numpy as np
from sympy import Basic

import slrsym

from ._benchmarks import benchmark
from ._raises import raised

# The docstring of the class says what the function is.
SYMPY_PROTOCOL = {"doit", "eval", "fdiff", "taylor_term"}
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(slrsym.__path__, "slrsym.")
    if not module.name.startswith("slrsym.derivations")  # claims, in an installed package
    # It needs JAX, an extra.
    and (not module.name.startswith("slrsym.kernels._jax_") or importlib.util.find_spec("jax"))
)

SHAPE = re.compile(r"\b(shapes?|scalars?|broadcasts?)\b")
NOTHING = {"None", "NoReturn", "Never"}


@cache
def reference() -> Any:
    """What makes the pages of the reference."""
    return benchmark("reference", Path(__file__).resolve().parents[1] / "docs" / "_ext")


class Public:
    """Something public, and what is wrong with its docstring.

    Parameters
    ----------
    name : str
        What messages call it.
    doc : str
        Its docstring.
    functions : tuple of function
        What is called: the function, or those that make an instance of a class.
    owner : type, optional
        The class, if it is one.
    """

    def __init__(
        self, name: str, doc: str, functions: tuple[FunctionType, ...], owner: type | None = None
    ) -> None:
        self.name = name
        self.doc = inspect.cleandoc(doc)
        self.functions = functions
        self.owner = owner

    @property
    def faults(self) -> list[str]:
        """All that is wrong."""
        if not self.doc:
            return [f"{self.name} has no docstring"]
        return [*self._parameters(), *self._shapes(), *self._result(), *self._errors()]

    @cached_property
    def parameters(self) -> frozenset[str]:
        """What a caller gives; names that begin with an underscore are internal."""
        names = list(inspect.signature(self.functions[0]).parameters) if self.functions else []
        if names[:1] in (["self"], ["cls"]):
            names = names[1:]
        return frozenset(name for name in names if not name.startswith("_"))

    def _parameters(self) -> Iterator[str]:
        """Each parameter is described, and nothing else is."""
        entries = [*entries_of(self.doc, "Parameters")]
        if self.owner is not None:
            entries += entries_of(self.doc, "Attributes")
        named = {name for names, _ in entries for name in names}
        yield from sorted(f"{self.name} does not describe {p}" for p in self.parameters - named)
        # A class may have more attributes, and a SymPy function says what it is applied to.
        if self.owner is None:
            gone = named - self.parameters
            yield from sorted(f"{self.name} describes {p}, which is no parameter" for p in gone)

    def _shapes(self) -> Iterator[str]:
        """An array says its shape: a parameter, an attribute, or what is returned."""
        arrays = self._arrays
        for section in ("Parameters", "Attributes"):
            for names, text in entries_of(self.doc, section):
                kind = text.partition("\n")[0].partition(" : ")[2]
                array = arrays & names or re.search(r"array", kind)
                if array and not SHAPE.search(text):
                    yield f"{self.name} does not say the shape of {', '.join(sorted(names))}"
        said = section_of(self.doc, "Returns")
        if "return" in arrays and said and not SHAPE.search(said):
            yield f"{self.name} does not say the shape of what it returns"

    def _result(self) -> Iterator[str]:
        """What returns something says what, in a section of its own.

        A method without parameters may say so in one sentence, like a property.
        """
        if self.owner is not None:
            return
        returned = str(self.functions[0].__annotations__.get("return", None))
        if returned in NOTHING or ("\n\n" not in self.doc and not self.parameters):
            return
        if not section_of(self.doc, "Returns") and not section_of(self.doc, "Yields"):
            yield f"{self.name} does not say what it returns"

    def _errors(self) -> Iterator[str]:
        """What is raised is named, or a base class of it, and the condition is given."""
        entries = entries_of(self.doc, "Raises")
        named = {name.split(".")[-1] for names, _ in entries for name in names}
        errors = frozenset().union(*(raised(function) for function in self.functions))
        for error in sorted(errors, key=lambda error: error.__name__):
            if not named & {base.__name__ for base in error.__mro__}:
                yield f"{self.name} does not say that it raises {error.__name__}"
        for names, text in entries:
            if "\n" not in text.strip():
                yield f"{self.name} does not say when it raises {', '.join(sorted(names))}"

    @cached_property
    def _arrays(self) -> frozenset[str]:
        """The parameters and attributes that are declared arrays, and "return"."""
        declared = dict(inspect.get_annotations(self.owner)) if self.owner else {}
        home = vars(sys.modules[self.owner.__module__]) if self.owner else {}
        for function in reversed(self.functions):
            home = function.__globals__
            declared |= function.__annotations__
        return frozenset(name for name, kind in declared.items() if is_array(str(kind), home))


def is_array(annotation: str, names: dict[str, Any]) -> bool:
    """Whether an annotation is of an array, or allows one; names may stand for arrays, too."""
    outer = re.sub(r"\[.*\]", "", annotation)
    for kind in (part.strip() for part in outer.split("|")):
        if kind.split(".")[-1] in ("NDArray", "ArrayLike", "ndarray"):
            return True
        if get_origin(names.get(kind)) is np.ndarray:
            return True
    return False


def section_of(doc: str, title: str) -> str:
    """A section of a docstring: from its underlined title to the next one."""
    following = r"(?=^\S[^\n]*\n---+$|\Z)"
    found = re.search(rf"^{title}\n---+\n(.*?){following}", doc, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def entries_of(doc: str, title: str) -> list[tuple[frozenset[str], str]]:
    """The entries of a section: the names that each describes, stars left out, and all it says.

    An entry begins with a line that is not indented: names, separated by commas, and after a colon
    their type.
    """
    found = []
    entry = r"^\S.*(?:\n(?:[ \t].*)?)*"
    for text in re.findall(entry, section_of(doc, title), re.MULTILINE):
        names = text.partition("\n")[0].split(" : ")[0].split(",")
        found.append((frozenset(name.strip().lstrip("*") for name in names), text))
    return found


def documented(cls: type, name: str, doc: str | None) -> str:
    """The docstring of a method, or that of the method of the package that it overrides."""
    for base in cls.__mro__[1:]:
        if not doc and base.__module__.startswith("slrsym") and name in vars(base):
            doc = getattr(vars(base)[name], "__doc__", None)
    return doc or ""


def constructors_of(cls: type) -> Iterator[FunctionType]:
    """The functions that make an instance, first the one that says of what; none of a library's."""
    maker = next(c for c in cls.__mro__ if {"__init__", "__new__"} & set(vars(c)))
    if not maker.__module__.startswith("slrsym"):
        return
    method = vars(maker).get("__init__") or inspect.unwrap(vars(maker)["__new__"])
    # What Python itself puts into a protocol or an enumeration is not the package's; in the place
    # of the former it puts that of `object` when a class of that protocol is called first.
    if not inspect.isfunction(method) or method.__module__ in ("typing", "enum"):
        return
    yield method
    for name in ("__new__", "__init__", "__post_init__"):
        member = inspect.unwrap(getattr(cls, name)) if hasattr(cls, name) else None
        if inspect.isfunction(member) and member.__module__.startswith("slrsym"):
            yield member


def methods_of(cls: type) -> Iterator[Public]:
    """Yield the public methods that a class defines, or bases of it that no page lists."""
    classes = [cls, *reference().hidden_bases(cls)]
    for name, member in [item for one in classes for item in vars(one).items()]:
        function = inspect.unwrap(getattr(member, "__func__", member))
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        if name in getattr(cls, "__dataclass_fields__", {}):
            continue  # the default of a field that holds a function
        if issubclass(cls, Basic) and name in SYMPY_PROTOCOL:
            continue
        doc = documented(cls, name, function.__doc__)
        yield Public(f"{cls.__name__}.{name}", doc, (function,))


def undescribed_properties_of(cls: type) -> Iterator[str]:
    """Yield the public properties of a class of the package that have no docstring."""
    for name in sorted({name for base in cls.__mro__ for name in vars(base)}):
        member = inspect.getattr_static(cls, name)
        home = next(base for base in cls.__mro__ if name in vars(base))
        if name.startswith("_") or not home.__module__.startswith("slrsym"):
            continue
        described = inspect.getdoc(member) or documented(cls, name, None)
        if isinstance(member, property | cached_property) and not described:
            yield f"{cls.__name__}.{name} has no docstring"


def things_of(package: Any) -> Iterator[Public]:
    """The functions, classes and methods of a page of the reference."""
    for name in reference().public(package):
        thing = getattr(package, name)
        if inspect.isclass(thing):
            doc = vars(thing).get("__doc__") or ""
            yield Public(name, doc, tuple(constructors_of(thing)), thing)
            yield from methods_of(thing)
        elif inspect.isfunction(inspect.unwrap(thing)):
            yield Public(name, thing.__doc__ or "", (inspect.unwrap(thing),))
