"""Exchanges of directions under which the gradient flow of a model stays as it is.

An exchange gives each direction an image, another one or itself, and a sign; done twice it changes
nothing. It moves the order parameters, up to signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, TypeAlias

from sympy import Expr, Symbol

from slrsym.models.claims.model_flow import coordinates_of
from slrsym.models.definition.specification import Direction
from slrsym.models.definition.symmetries import is_proved_symmetry

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem

# The image of each coordinate, in the order of the state.
_Action: TypeAlias = tuple[tuple[Symbol, tuple[Symbol, int]], ...]

# More directions have too many exchanges to try them all.
_MOST_DIRECTIONS = 8
_MOST_TRIED = 5_000


@dataclass(frozen=True)
class Exchange:
    """An exchange of directions, and what it does to the coordinates of the flow."""

    images: Mapping[Direction, tuple[Direction, int]]
    # The image of each coordinate: a coordinate and a sign.
    of_state: Mapping[Symbol, tuple[Symbol, int]]

    @property
    def moved(self) -> list[Symbol]:
        """One of each two coordinates that are exchanged, and those that change their signs."""
        seen: list[Symbol] = []
        for x, (y, sign) in self.of_state.items():
            if (y, sign) != (x, 1) and y not in seen:
                seen.append(x)
        return seen

    def image(self, expr: Expr) -> Expr:
        """Return an expression of the coordinates after the exchange."""
        return expr.xreplace({x: sign * y for x, (y, sign) in self.of_state.items()})

    def difference(self, x: Symbol) -> Expr:
        """Return what is 0 where a coordinate and its image are alike: it has no factor 2."""
        y, sign = self.of_state[x]
        return x if y is x else x - sign * y

    @property
    def in_words(self) -> str:
        """The exchange in words, as of w and v, or of the sign of w."""
        swapped, turned = [], []
        for x, (y, sign) in self.images.items():
            if y is not x and (y, x, sign) not in swapped:
                swapped.append((x, y, sign))
            elif y is x and sign == -1:
                turned.append(x)
        parts = [f"${x}$ and ${'-' if s < 0 else ''}{y}$" for x, y, s in swapped]
        said = [f"exchange of {', of '.join(parts)}"] if parts else []
        if turned:
            many = "s" if len(turned) > 1 else ""
            said.append(f"change of the sign{many} of {', '.join(f'${x}$' for x in turned)}")
        return " with the ".join(said)


def exchange_of(
    equations: EquationSystem, images: Mapping[Direction, tuple[Direction, int]]
) -> Exchange | None:
    """Return an exchange with what it does to the state; None if it leaves the state's symbols."""
    model, put = equations.model, coordinates_of(equations)
    found: dict[Symbol, tuple[Symbol, int]] = {}
    for p in equations.state:
        if p not in model.gram_indices:
            found[put[p]] = (put[p], 1)
            continue
        i, j, space = model.gram_indices[p]
        (x, s), (y, t) = images[model.directions[i]], images[model.directions[j]]
        after = model.inner_product(x, y, space)
        if after not in put:
            return None
        found[put[p]] = (put[after], s * t)
    return Exchange(images, found)


def find_exchanges(equations: EquationSystem) -> list[list[Exchange]]:
    """Return exchanges that leave the flow as it is, with those that others turn them into.

    Parameters
    ----------
    equations : EquationSystem
        Of the gradient flow.

    Returns
    -------
    list of list of Exchange
        Those that move some coordinate, by how many directions they move. What another exchange
        turns the first of a list into is in the same list, and says the same of other names.
    """
    model = equations.model
    if model.spaces > 1 or model.uses_representatives or len(model.directions) > _MOST_DIRECTIONS:
        return []
    candidates = _candidates(model.trained_directions, model.fixed_directions)
    known: dict[_Action, Exchange] = {}
    for images in sorted(islice(candidates, _MOST_TRIED), key=_size):
        one = exchange_of(equations, images)
        if one is None or not one.moved or (key := tuple(one.of_state.items())) in known:
            continue
        if keeps_flow(equations, images):
            known[key] = one
    found: list[list[_Action]] = []
    for key in known:
        turned = {_after(a, _after(key, a)) for a in known}
        same = next((group for group in found if turned & {*group}), None)
        if same is None:
            found.append([key])
        else:
            same.append(key)
    return [[known[key] for key in group] for group in found]


def keeps_flow(
    equations: EquationSystem, images: Mapping[Direction, tuple[Direction, int]]
) -> bool:
    """Return whether an exchange leaves the risk, by the model's statement, and rates as they are.

    Parameters
    ----------
    equations : EquationSystem
        Of the gradient flow.
    images : mapping of Direction to (Direction, sign)
        The image of each direction.

    Returns
    -------
    bool
    """
    model, motion = equations.model, equations.motion
    for x, (y, _) in images.items():
        if not model.is_trained(x):
            continue
        alike = motion.rates[x] == motion.rates[y] and motion.decays[x] == motion.decays[y]
        if not alike or model.ridge_of(x) != model.ridge_of(y):
            return False
    return is_proved_symmetry(model, images)


def _candidates(*groups: Sequence[Direction]) -> Iterator[dict[Direction, tuple[Direction, int]]]:
    """Yield what gives back each direction if it is done twice, within each group."""
    for parts in product(*(list(_involutions(tuple(group))) for group in groups)):
        yield {x: image for part in parts for x, image in part.items()}


def _involutions(
    group: tuple[Direction, ...],
) -> Iterator[dict[Direction, tuple[Direction, int]]]:
    if not group:
        yield {}
        return
    first, *rest = group
    for sign in (1, -1):
        for more in _involutions(tuple(rest)):
            yield {first: (first, sign), **more}
        for k, other in enumerate(rest):
            for more in _involutions((*rest[:k], *rest[k + 1 :])):
                yield {first: (other, sign), other: (first, sign), **more}


def _size(
    images: Mapping[Direction, tuple[Direction, int]],
) -> tuple[int, int, tuple[int, ...]]:
    """Return how many directions are moved, how many change signs, and the places of those."""
    moved = tuple(k for k, (x, image) in enumerate(images.items()) if image != (x, 1))
    return len(moved), sum(sign < 0 for _, sign in images.values()), moved


def _after(one: _Action, other: _Action) -> _Action:
    """Return what one does after another, as pairs."""
    then = dict(one)
    return tuple((x, (then[y][0], sign * then[y][1])) for x, (y, sign) in other)
