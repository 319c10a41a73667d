"""Letters for the roots, reciprocals and functions in velocities, and what an exchange moves.

In the letters, velocities are polynomials. What an exchange changes in a polynomial is a sum of the
changes of its variables, each with a coefficient.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from sympy import Add, Dummy, Expr, Function, Poly, Pow, Rational, S, Symbol, expand, sqrt

from slrsym.models.claims.exchanges import Exchange
from slrsym.prover.statements.flows import Flow

# Functions that change their signs with their first arguments.
ODD = ("erf", "asin", "atan", "sin")


@dataclass
class LetterOf:
    """A letter, what it stands for, and what that is made of.

    `kind` is ``root`` for one over a square root, ``power`` for one over something, or the name of
    a function; `base` is its argument, in letters.
    """

    kind: str
    value: Expr
    base: Expr
    # What stands below the root, or in the function, in coordinates.
    argument: Expr
    # Further arguments of the function.
    more: tuple[Expr, ...] = ()

    @property
    def in_words(self) -> str:
        """What the letter is, in words."""
        return {"root": "one over a root", "power": "a quotient"}.get(self.kind, self.kind)


@dataclass
class Letters:
    """The letters of a flow's velocities, and the images of coordinates and letters."""

    flow: Flow
    exchange: Exchange
    of: dict[Symbol, LetterOf] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = count(1)
        self._halves = {
            expand(n.base)
            for v in self.flow.velocities
            for n in v.atoms(Pow)
            if n.exp.is_Rational and n.exp.q == 2
        }
        self._known: dict[tuple[str, Expr, tuple[Expr, ...]], Symbol] = {}
        self.velocities = [self.written(v) for v in self.flow.velocities]
        # Images of letters are letters, as velocities are images of velocities.
        self.images: dict[Symbol, tuple[Symbol, int]] = dict(self.exchange.of_state)
        for x, letter in tuple(self.of.items()):
            self.images[x] = self._image(letter)

    @property
    def values(self) -> dict[Symbol, Expr]:
        """What the letters stand for, in the coordinates."""
        return {x: letter.value for x, letter in self.of.items()}

    def _moves(self, expr: Expr) -> bool:
        return bool(expr.free_symbols & {*self.flow.coordinates})

    def written(self, expr: Expr) -> Expr:
        """Return an expression as a polynomial in coordinates and letters."""
        if not self._moves(expr) or expr.is_Symbol:
            return expr
        if isinstance(expr, Pow) and expr.exp.is_Rational:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, Function):
            return self._letter(type(expr).__name__, expr, *expr.args)
        if isinstance(expr, Pow):
            raise ValueError(
                f"that like units stay alike is stated for velocities whose powers are multiples "
                f"of 1/2; {expr} occurs in these. Prove the claim with slrsym.proof.dynamical"
            )
        return expr.func(*map(self.written, expr.args))

    def _power(self, base: Expr, power: Rational) -> Expr:
        if power.is_Integer and power > 0:
            return self.written(base) ** power
        if expand(base) not in self._halves:
            return self._letter("power", 1 / base, base) ** -power
        root = self._letter("root", 1 / sqrt(base), base)
        # A root is what is below it times one over the root.
        whole = max(0, int(power + Rational(1, 2)))
        return self.written(base) ** whole * root ** int(2 * (whole - power))

    def _letter(self, kind: str, value: Expr, argument: Expr, *more: Expr) -> Symbol:
        key = kind, expand(argument), more
        if key not in self._known:
            base = self.written(argument)
            taken = {s.name for v in self.flow.velocities for s in v.free_symbols}
            name = next(n for k in self._names if (n := f"x_{k}") not in taken)
            self._known[key] = letter = Symbol(name, real=True)
            self.of[letter] = LetterOf(kind, value, base, argument, more)
        return self._known[key]

    def _image(self, letter: LetterOf) -> tuple[Symbol, int]:
        moved = expand(self.exchange.image(letter.argument))
        more = tuple(map(self.exchange.image, letter.more))
        for sign in (1, -1) if letter.kind in ODD else (1,):
            if (found := self._known.get((letter.kind, sign * moved, more))) is not None:
                return found, sign
        raise ValueError(
            f"{letter.value} occurs in the velocities, and its image after the "
            f"{self.exchange.in_words} does not; state the claim with slrsym.proof.dynamical"
        )

    @property
    def moved(self) -> list[Symbol]:
        """One of each two coordinates and letters that are exchanged, and those turned."""
        seen: list[Symbol] = []
        for x, (y, sign) in self.images.items():
            if (y, sign) != (x, 1) and y not in seen:
                seen.append(x)
        return seen

    def difference(self, x: Symbol) -> Expr:
        """Return a variable minus its image; of a coordinate that is turned, half of that."""
        y, sign = self.images[x]
        return x - sign * y if y is not x or x in self.of else x

    def change(self, P: Expr) -> dict[Symbol, Expr]:
        """Return coefficients of differences in a polynomial minus its image, those not 0.

        One variable after the other is replaced by its image.
        """
        orbits = {x: dict.fromkeys((x, self.images[x][0])) for x in self.moved}
        places = {v: Dummy(v.name) for orbit in orbits.values() for v in orbit}
        P, now = P.xreplace(places), {place: v for v, place in places.items()}
        found: dict[Symbol, Expr] = {}
        for x, orbit in orbits.items():
            total: Expr = S.Zero
            for start in orbit:
                place, (y, sign) = places[start], self.images[start]
                end = sign * y
                if P.has(place):
                    rest = P.xreplace({p: v for p, v in now.items() if p != place})
                    turned = y is start and x not in self.of
                    factor = 2 if turned else 1 if start is x else -sign
                    total += factor * Add(*_quotients(Poly(rest, place).terms(), start, end))
                now[place] = end
            if total != 0 and (short := expand(total)) != 0:
                # The square of a product would be written as one of squares, also of roots.
                found[x] = total if total.is_Add else short
        return found


def _quotients(terms: Iterable[tuple[tuple[int], Expr]], start: Symbol, end: Expr) -> list[Expr]:
    """Return the terms of a polynomial's change from start to end, divided by the way."""
    return [c * start**i * end ** (k - 1 - i) for (k,), c in terms for i in range(k)]


def combination(coefficients: Mapping[Symbol, Expr], letters: Letters) -> Expr:
    """Return a sum of differences with coefficients."""
    return Add(*(c * letters.difference(x) for x, c in coefficients.items()))


def squares(parts: Sequence[Expr]) -> Expr:
    """Return the sum of squares."""
    return Add(*(part**2 for part in parts))
