r"""Sets of Gram matrices that descent keeps: those that symmetries of the risk leave as they are.

A signed permutation P of the directions that leaves the risk as it is makes gradients equivariant.
So descent keeps the set of all Gram matrices G with :math:`P G P^T = G`. Entries of these that are
images of each other are equal, up to a sign, and 0 where an entry is its own opposite. The same
holds of coordinates W, with :math:`G = W W^T`, that commute with P: rows move to :math:`A W` with
an equivariant A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slrsym.models.definition.symmetries import is_proved_symmetry

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]
# A signed permutation: the image of each direction by its place, and its sign.
Signed: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]

# So many images of directions are tried for each generator of the symmetries.
_MOST_TRIED = 500


class _Search:
    """Search for the signed permutations that leave Gram matrices as they are, and are proved."""

    def __init__(self, gram: Array, trained: int, proved: Callable[[Signed], bool]) -> None:
        # Of all runs and eigenspaces, one after the other.
        self._gram = gram.reshape(-1, *gram.shape[-2:])
        self._count, self._trained, self._proved = gram.shape[-1], trained, proved
        self._tried = 0
        # Which pairs of entries are equal, or opposite, in all runs; as asked.
        self._known: dict[tuple[int, int, int, int, int], bool] = {}

    def generators(self) -> list[Signed]:
        """Return generators: for each place, those that leave all places before it alone.

        That all directions change their signs does nothing.
        """
        found = []
        for place in range(self._count):
            for image, sign in self._candidates(place):
                if (image, sign) == (place, 1) or image < place:
                    continue
                self._tried = 0
                before = ([*range(place), image], [1] * place + [sign])
                if (one := self._completed(*before)) is not None:
                    found.append(one)
        return found

    def _candidates(self, place: int) -> list[tuple[int, int]]:
        trained = place < self._trained
        images = range(self._trained) if trained else range(self._trained, self._count)
        # A direction stays, if it may; then its sign does.
        ordered = sorted(images, key=lambda image: image != place)
        return [(image, sign) for image in ordered for sign in (1, -1)]

    def _completed(self, images: list[int], signs: list[int]) -> Signed | None:
        """Return a symmetry that begins with some images, or None if none is found."""
        if not self._fits(images, signs):
            return None
        place = len(images)
        if place == self._count:
            one = tuple(images), tuple(signs)
            return one if self._proved(one) else None
        for image, sign in self._candidates(place):
            if image in images:
                continue
            self._tried += 1
            if self._tried > _MOST_TRIED:
                return None
            found = self._completed([*images, image], [*signs, sign])
            if found is not None:
                return found
        return None

    def _fits(self, images: list[int], signs: list[int]) -> bool:
        """Return whether the products of the last direction are those of its image."""
        i = len(images) - 1
        return all(
            self._are_equal(i, j, images[i], images[j], signs[i] * signs[j]) for j in range(i + 1)
        )

    def _are_equal(self, i: int, j: int, i_to: int, j_to: int, sign: int) -> bool:
        key = (i, j, i_to, j_to, sign)
        if key not in self._known:
            moved = sign * self._gram[:, i_to, j_to]
            self._known[key] = bool((self._gram[:, i, j] == moved).all())
        return self._known[key]


@dataclass(frozen=True)
class InvariantSet:
    """A set of Gram matrices that descent keeps, by equalities of entries.

    Parameters
    ----------
    entries : tuple of tuple of (int, int, int)
        For each pair of directions, in order: the row and the column of the entry that stands for
        it, and the sign of that, or 0 for entries that vanish. Entries of a row and a column are
        not taken as those of the column and the row.
    trained : int
        How many directions are trained, which come first.
    """

    entries: tuple[tuple[tuple[int, int, int], ...], ...]
    trained: int

    @property
    def size(self) -> int:
        """The number of directions."""
        return len(self.entries)

    @property
    def is_whole(self) -> bool:
        """Whether there is no equality: all Gram matrices are in the set."""
        places = range(self.size)
        return all(self.entries[i][j] == (i, j, 1) for i in places for j in places)

    @property
    def rows(self) -> tuple[int, ...]:
        """The trained directions that stand for others."""
        return tuple(i for i in range(self.trained) if self.entries[i][i][0] == i)

    def spread(self, values: Array) -> Array:
        """Return matrices whose entries are those that stand for them.

        Parameters
        ----------
        values : ndarray, shape (..., p, p)

        Returns
        -------
        ndarray of shape (..., p, p)
        """
        rows, columns, signs = np.moveaxis(np.array(self.entries), -1, 0)
        # No negative zero.
        found: Array = np.where(signs == 0, 0.0, signs * values[..., rows, columns])
        return found


def _set_of_generators(generators: list[Signed], size: int, trained: int) -> InvariantSet:
    """Return the set of the matrices that generators leave as they are."""
    found: dict[tuple[int, int], tuple[int, int, int]] = {}
    for i in range(size):
        for j in range(size):
            if (i, j) in found:
                continue
            orbit, waiting, vanishes = {(i, j): 1}, [(i, j)], False
            while waiting:
                x, y = waiting.pop()
                for images, signs in generators:
                    at, sign = (images[x], images[y]), orbit[x, y] * signs[x] * signs[y]
                    if at not in orbit:
                        orbit[at] = sign
                        waiting.append(at)
                    vanishes = vanishes or orbit[at] != sign
            for at, sign in orbit.items():
                found[at] = (i, j, 0 if vanishes else sign)
    rows = tuple(tuple(found[i, j] for j in range(size)) for i in range(size))
    return InvariantSet(rows, trained)


def find_invariant_set(model: DerivedModel, gram: Array) -> InvariantSet:
    """Return the smallest set found that has the Gram matrices of some runs, and descent keeps.

    Parameters
    ----------
    model : DerivedModel
    gram : ndarray, shape (runs, spaces, p, p)
        Entries are equal, or 0, if they are to the last bit.

    Returns
    -------
    InvariantSet
        By symmetries of the risk, each proved from the statement of the model.
    """
    directions, trained = model.directions, len(model.trained_directions)
    verdicts: dict[Signed, bool] = {}

    def proved(one: Signed) -> bool:
        if one not in verdicts:
            images = {x: (directions[i], sign) for x, i, sign in zip(directions, *one, strict=True)}
            verdicts[one] = is_proved_symmetry(model, images, any_fixed=True)
        return verdicts[one]

    generators = _Search(gram, trained, proved).generators()
    return _set_of_generators(generators, len(directions), trained)
