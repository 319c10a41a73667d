"""Groups of exchangeable directions, such as the units of a committee, in any number.

A sum over a group whose number is a symbol is written by a few representatives, each with a *tag*
as its factor. A product of sums then says by its tags which of the units in it coincide, and this
pattern has a multiplicity: the number of ways to choose the units that are not fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sympy import Add, Expr, S, Symbol, ff, sympify

from slrsym.models.definition.specification import Direction, InnerProduct, UnorderedPair

# Two units that an equation is about, and two more from the square of the error.
REPRESENTATIVES = 4

_by_representatives: ContextVar[bool] = ContextVar("_by_representatives", default=False)


class UnitTag(Symbol):  # type: ignore[misc]
    """A symbol that marks a unit of a group, as a factor of terms.

    It is the same as another one if it marks the same unit of as many.

    Parameters
    ----------
    group_size : Expr
        The number of units of the group.
    place : int
        The place of the unit in it, from 0 on.
    """

    group_size: Expr
    place: int

    def __new__(cls, group_size: Expr, place: int) -> UnitTag:
        made: UnitTag = Symbol.__xnew__(cls, f"unit {place + 1} of {group_size}", real=True)
        made.group_size, made.place = group_size, place
        return made

    def __getnewargs_ex__(self) -> Any:
        return (self.group_size, self.place), {}

    def _hashable_content(self) -> Any:
        return (*super()._hashable_content(), self.group_size, self.place)


@contextmanager
def use_representatives() -> Iterator[None]:
    """Make a context in which sums over groups are written by representative units."""
    token = _by_representatives.set(True)
    try:
        yield
    finally:
        _by_representatives.reset(token)


def unit_tags_in(expr: Expr) -> frozenset[UnitTag]:
    """Return the symbols in an expression that mark units."""
    return frozenset(s for s in expr.free_symbols if isinstance(s, UnitTag))


def count_represented_terms(tags: Iterable[UnitTag], fixed: Iterable[UnitTag]) -> Expr:
    r"""Return how many terms of a sum over all units a term of representatives stands for.

    Units in `fixed` are given; the others in `tags` run over all units that differ from these and
    from each other. There are :math:`(K - f)(K - f - 1) \dots` such choices among K units, and as
    many among the representatives with their number for K.
    """
    tags, fixed = set(tags), set(fixed)
    weight: Expr = S.One
    for count in sorted({t.group_size for t in tags}, key=str):
        held = len({t for t in fixed if t.group_size == count})
        free = len({t for t in tags - fixed if t.group_size == count})
        weight *= ff(count - held, free) / ff(REPRESENTATIVES - held, free)
    return weight


class Directions:
    """A group of exchangeable directions: teachers, or the units of a committee.

    Parameters
    ----------
    name : str
        In LaTeX; the directions are named ``name_1``, ``name_2``, and so on.
    count : int or expression
        The number of directions; as a symbol, any number. Groups with the same number are paired:
        the first of one belongs to the first of the other.
    unit, sphere : bool, optional
        As of `Direction`.

    Raises
    ------
    ValueError
        If `count` is a number, but no positive integer, or `unit` and `sphere` are both true.

    Examples
    --------
    >>> from sympy import Symbol
    >>> w = Directions("w", 3)
    >>> list(w)
    [w_1, w_2, w_3]
    >>> Directions("u", Symbol("K", integer=True, positive=True), unit=True)
    K directions u
    """

    def __init__(self, name: str, count: Any, *, unit: bool = False, sphere: bool = False) -> None:
        self.name, self.count = name, sympify(count)
        integer = isinstance(self.count, Expr) and (
            not self.count.is_number or (self.count.is_integer and self.count.is_positive)
        )
        if not integer:
            raise ValueError(f"count must be a positive integer or a symbol for one; got {count!r}")
        self._options = {"unit": unit, "sphere": sphere}
        self._made: dict[int, Direction] = {}
        self.unit(0)

    def unit(self, i: int) -> Direction:
        """Return one direction of the group by its index, also if the directions are exchangeable.

        Parameters
        ----------
        i : int
            Its place, from 0.

        Returns
        -------
        Direction
        """
        if i not in self._made:
            place = str(i + 1) if i < 9 else f"{{{i + 1}}}"
            self._made[i] = Direction(f"{self.name}_{place}", **self._options)
            self._made[i].group = (self, i)
        return self._made[i]

    @property
    def uses_representatives(self) -> bool:
        """Whether sums over the group are currently written by representative units."""
        return _by_representatives.get() or not self.count.is_number

    def sum(self, term: Callable[..., Any]) -> Any:
        """Return the sum of a function over the directions of the group.

        Parameters
        ----------
        term : callable
            From a direction to an expression in projections ``X @ x``.

        Returns
        -------
        Expr
        """
        if not self.uses_representatives:
            return Add(*(sympify(term(x)) for x in self))
        units = range(REPRESENTATIVES)
        return Add(*(UnitTag(self.count, i) * sympify(term(self.unit(i))) for i in units))

    def __len__(self) -> int:
        self._require_number("len of")
        return int(self.count)

    def __getitem__(self, i: int) -> Direction:
        self._require_number("a single one of")
        if not -len(self) <= i < len(self):
            raise IndexError(f"{self.name} has {len(self)} directions; got the index {i}")
        return self.unit(i % len(self))

    def __iter__(self) -> Iterator[Direction]:
        return (self[i] for i in range(len(self)))

    def _require_number(self, what: str) -> None:
        if self.uses_representatives:
            raise ValueError(
                f"{what} {self.name} cannot be taken where its {self.count} directions are "
                f"exchangeable; write {self.name}.sum(lambda x: ...)"
            )

    def __matmul__(self, other: Any) -> InnerProducts:
        if not isinstance(other, Directions):
            return NotImplemented
        return InnerProducts(self, other)

    def __repr__(self) -> str:
        return f"{self.count} directions {self.name}"


class InnerProducts(UnorderedPair):
    """All inner products of two groups; a key of `inner_products` and `names`.

    As a key of `inner_products` it stands for those of different units. As a key of `names` it has
    one name, or two: of a unit with its partner (itself, in the same group), and with another.
    """


def write_out_group_products(
    products: Mapping[Any, Any], directions: Iterable[Direction], *, named: bool
) -> dict[InnerProduct, Any]:
    """Return a mapping whose keys that are products of groups are replaced by pairs of units."""
    single: dict[InnerProduct, Any] = {}
    units: dict[Directions, list[tuple[int, Direction]]] = {}
    for x in directions:
        if x.group is not None:
            units.setdefault(x.group[0], []).append((x.group[1], x))
    for key, value in products.items():
        if not isinstance(key, InnerProducts):
            single[key] = _symbols_of_product(key, value) if named else value
            continue
        first, second = key.pair
        paired = first.count == second.count
        for i, x in units.get(first, ()):
            for j, y in units.get(second, ()):
                # One unit of one group: its length, which `inner_products` cannot state.
                if x is y and not named:
                    continue
                if named:
                    single[x @ y] = _element(key, value, (i, j), paired, first.uses_representatives)
                elif not (paired and i == j):
                    single[x @ y] = value
    return single


def _symbols_of_product(key: InnerProduct, value: Any) -> Any:
    """Return the symbol for an inner product, or those in each eigenspace, given by names."""
    if isinstance(value, Symbol):
        return value
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_symbols_of_product(key, one) for one in value)
    if not isinstance(value, str):
        raise ValueError(f"names must have a symbol or a name for {key}; got {value!r}")
    x, y = key.pair
    return Symbol(value, **({"positive": True} if x is y else {"real": True}))


def _element(
    key: InnerProducts, value: Any, place: tuple[int, int], paired: bool, symmetric: bool
) -> Symbol:
    """Return the symbol for the inner product of two units."""
    names = (value,) if isinstance(value, str | Symbol) else tuple(value)
    if not 1 <= len(names) <= 2:
        raise ValueError(f"names must have one or two names for {key}; got {value!r}")
    i, j = place
    if symmetric:
        other = names[-1] if len(names) == 2 else f"{names[0]}'"
        name = names[0] if i == j or not paired else other
        return name if isinstance(name, Symbol) else _real(str(name), key, place)
    # The matrix of one group is symmetric.
    i, j = sorted(place) if key.pair[0] is key.pair[1] else place
    index = f"{i + 1}{j + 1}" if max(place) < 9 else f"{i + 1},{j + 1}"
    return _real(f"{names[0]}_{{{index}}}", key, place)


def _real(name: str, key: InnerProducts, place: tuple[int, int]) -> Symbol:
    square = key.pair[0] is key.pair[1] and place[0] == place[1]
    return Symbol(name, **({"positive": True} if square else {"real": True}))


def inner_product_class_names(directions: Iterable[Direction]) -> dict[InnerProduct, Symbol]:
    """Return one symbol for each class of inner products that exchanging units relates."""
    named: dict[InnerProduct, Symbol] = {}
    listed = list(directions)
    for i, x in enumerate(listed):
        for y in listed[i:]:
            if x.group is None and y.group is None:
                continue
            labels = [z.name if z.group is None else z.group[0].name for z in (x, y)]
            if _are_other_units(x, y):
                labels[1] += "'"
            sort = {"positive": True} if x is y else {"real": True}
            named[x @ y] = Symbol(rf"\langle {labels[0]}, {labels[1]}\rangle", **sort)
    return named


def _are_other_units(x: Direction, y: Direction) -> bool:
    """Return whether two directions are units of groups of equal size with different indices."""
    if x.group is None or y.group is None:
        return False
    return x.group[0].count == y.group[0].count and x.group[1] != y.group[1]
