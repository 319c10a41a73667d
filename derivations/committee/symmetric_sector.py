"""The symmetric sector of a committee is kept: units that an exchange leaves alike stay so.

The units 1 and 2 of the students are exchanged, and those of the teachers with them. What the
exchange moves are differences of order parameters. Their velocities are linear in them, with
coefficients that are smooth; so the sum of their squares s has a velocity of at most k s, with k
smooth, and -s >= 0 is kept. That is the sector in which `exchangeable_flow` is.
"""

from itertools import combinations_with_replacement

from sympy import (
    Add,
    Dummy,
    Eq,
    Integer,
    Le,
    Mul,
    Poly,
    Pow,
    Rational,
    Symbol,
    default_sort_key,
    erf,
    expand,
    sqrt,
)

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.proof import Claim, D, algebra, chain, differentiate, having, lemma, signs
from slrsym.proof.dynamical import RegionKept, by_theorem

SOURCE = "new: the flow of Section 3, to first order in $eta$, in units of $eta$"
SWAP = {1: 2, 2: 1}


def real(name):
    return Symbol(name, real=True)


def output(z):
    return erf(z / sqrt(2))


class Sector:
    """The flow of K students of K orthonormal teachers, and the exchange of two of each.

    The velocities are written in letters: A_i for 1/(1 + Q_ii), B_i for 1/sqrt(1 + 2 Q_ii), C_in
    and E_ij for the inverse roots of overlaps.
    """

    def __init__(self, K):
        self.units = range(1, K + 1)
        students = {i: Direction(f"w_{i}") for i in self.units}
        teachers = {n: Direction(f"u_{n}", unit=True) for n in self.units}
        names = {
            students[i] @ students[j]: real(f"Q_{i}{j}")
            for i, j in combinations_with_replacement(self.units, 2)
        }
        names |= {students[i] @ teachers[n]: self.R(i, n) for i in self.units for n in self.units}
        target = Token(target=lambda X: Add(*(output(X @ u) for u in teachers.values())))
        stated = model(
            TokenSequence({target: 1}),
            Predictor(lambda X: Add(*(output(X @ w) for w in students.values()))),
            inner_products={
                teachers[m] @ teachers[n]: 0 for m in self.units for n in self.units if m < n
            },
            names=names,
        )
        self.flow = stated.equations("gradient-flow", rate=Rational(1, 2)).flow()
        self.velocity = dict(zip(self.flow.coordinates, self.flow.velocities, strict=True))

    def Q(self, i, j):
        return real(f"Q_{min(i, j)}{max(i, j)}")

    def R(self, i, n):
        return real(f"R_{i}{n}")

    def image(self, expr):
        """Return an expression after the exchange of the units 1 and 2."""
        put = {
            self.Q(i, j): self.Q(SWAP.get(i, i), SWAP.get(j, j))
            for i in self.units
            for j in self.units
        }
        put |= {
            self.R(i, n): self.R(SWAP.get(i, i), SWAP.get(n, n))
            for i in self.units
            for n in self.units
        }
        return expr.xreplace(put)

    @property
    def moved(self):
        """One of each two coordinates that are exchanged."""
        seen = []
        for x in self.flow.coordinates:
            if self.image(x) not in (x, *seen):
                seen.append(x)
        return seen


def along(P, pairs):
    """Return coefficients c of P less its image as a sum of c (x - y), for the exchange of x and y.

    One argument of P after the other is replaced by its image.
    """
    places = {v: Dummy(v.name) for pair in pairs for v in pair}
    P, now = P.xreplace(places), {place: v for v, place in places.items()}
    found = []
    for pair in pairs:
        total = Integer(0)
        for (start, end), sign in ((pair, 1), (pair[::-1], -1)):
            place = places[start]
            terms = Poly(P.xreplace({p: v for p, v in now.items() if p != place}), place).terms()
            total += sign * Add(
                *(c * start**i * end ** (k - 1 - i) for (k,), c in terms for i in range(k))
            )
            now[place] = end
        found.append(total)
    return found


class Letters:
    """Letters for the inverse powers in the velocities of a sector, and for their differences.

    Of 1/b and 1/c the difference is h (c - b), with h = 1/(b c), and of two inverse roots it is the
    same with h = 1/(b sqrt(c) + c sqrt(b)).
    """

    def __init__(self, sector):
        self.sector = sector
        powers = {p for f in sector.flow.velocities for p in f.atoms(Pow) if p.exp.is_negative}
        powers = sorted((p for p in powers if p.free_symbols), key=default_sort_key)
        self.of = {p: real(f"x_{k}") for k, p in enumerate(powers, start=1)}
        self.slopes, self.given, self.facts, self.values = (
            {},
            [],
            [],
            {x.name: p for p, x in self.of.items()},
        )
        self.pairs = [(x, sector.image(x)) for x in sector.moved]
        for power, x in self.of.items():
            other = sector.image(power)
            if self.of[other].name <= x.name:
                continue
            h = real(f"h_{x.name[2:]}")
            b, c = power.base, other.base
            sides = expand(b * c) if power.exp == -1 else b * sqrt(c) + c * sqrt(b)
            self.values[h.name] = 1 / sides
            self.pairs.append((x, self.of[other]))
            moves = along(b, self.pairs[: len(sector.moved)])
            self.slopes[x] = [-h * m for m in moves]
            self.given.append(Eq(x, self.of[other] + h * (c - b), evaluate=False))
            self.facts.append((power, other + (c - b) / sides))

    def written(self, expr):
        """Return a velocity in these letters."""
        return expr.xreplace(self.of)

    def coefficients(self, x):
        """Return the coefficients of differences of coordinates in the velocities' difference."""
        size = len(self.sector.moved)
        found = along(self.written(self.sector.velocity[x]), self.pairs)
        columns = [[part] for part in found[:size]]
        for part, slopes in zip(found[size:], self.slopes.values(), strict=True):
            for column, slope in zip(columns, slopes, strict=True):
                column.append(part * slope)
        # The square of a product would be written as one of squares, also of inverse roots.
        sums = (Add(*column) for column in columns)
        return [total if total.is_Add else expand(total) for total in sums]


def squares_claim(size):
    """Claim a bound of the velocity of a sum of squares, by the coefficients of a linear system."""
    e, v = ([real(f"{letter}_{k}") for k in range(1, size + 1)] for letter in "ev")
    n = [[real(f"n_{i}{j}") for j in range(1, size + 1)] for i in range(1, size + 1)]
    squares = Add(*(x**2 for x in e))
    claim = Claim(
        id=f"committee-sector-squares-{size}",
        title=(
            f"$-(k + sum_ij n_ij^2) sum_i e_i^2 <= -2 sum_i e_i v_i$ for $v_i = sum_j n_ij e_j$, "
            f"$k = {size}$"
        ),
        source="new: used for `committee-sector-kept-two`",
        hypotheses=[
            Eq(x, Add(*(a * b for a, b in zip(row, e, strict=True))), evaluate=False)
            for x, row in zip(v, n, strict=True)
        ],
        statement=Le(
            Add(size, *(a**2 for row in n for a in row)) * -squares,
            Add(*(-2 * a * b for a, b in zip(e, v, strict=True))),
            evaluate=False,
        ),
    )

    @claim.proof
    def _(goal):
        """$2 e_i n_ij e_j <= n_ij^2 e_i^2 + e_j^2$."""
        pairs = [
            (a, x, y) for x, row in zip(e, n, strict=True) for a, y in zip(row, e, strict=True)
        ]
        rest = Add(*((a * x - y) ** 2 for a, x, y in pairs))
        rest += Add(*(a**2 * (squares - x**2) for a, x, _ in pairs))
        return having(
            chain(goal.rhs - goal.lhs).then(rest, by=algebra).ge(0, by=signs),
            chain(goal.lhs).le(goal.rhs, by=signs),
        )

    return claim


def sector_claims(K, name, title):
    """Return claims that the flow of K students keeps where an exchange of two changes nothing."""
    sector = Sector(K)
    letters, moved, F = Letters(sector), sector.moved, sector.flow
    differences = [x - sector.image(x) for x in moved]
    velocities = [sector.velocity[x] - sector.velocity[sector.image(x)] for x in moved]
    rows = [letters.coefficients(x) for x in moved]
    rate = Add(len(moved), *(n**2 for row in rows for n in row))
    below = -Add(*(d**2 for d in differences))
    all_falls = [Mul(-2, d, v) for d, v in zip(differences, velocities, strict=True)]
    falls = Add(*all_falls)
    form = Claim(
        id=f"committee-sector-form-{name}",
        title="Squared differences of exchanged parameters grow at a rate, in letters for roots",
        source="new: used for `committee-sector-kept-two`",
        hypotheses=letters.given,
        statement=Le(rate * below, letters.written(falls), evaluate=False),
    )

    @form.proof
    def _(goal):
        """Put the differences of inverse roots in: all is linear in those of coordinates."""
        facts, named = [], {}
        for i, (velocity, row) in enumerate(zip(velocities, rows, strict=True), start=1):
            linear = Add(*(n * e for n, e in zip(row, differences, strict=True)))
            facts.append(chain(letters.written(velocity)).then(linear, by=algebra))
            named |= {f"v_{i}": letters.written(velocity), f"e_{i}": differences[i - 1]}
            named |= {f"n_{i}{j}": n for j, n in enumerate(row, start=1)}
        by_squares = lemma(f"committee-sector-squares-{len(rows)}", **named)
        return having(*facts, chain(goal.lhs).le(goal.rhs, by=by_squares))

    kept = Claim(
        id=f"committee-sector-kept-{name}",
        title=title,
        source=SOURCE,
        statement=RegionKept(F, F.region(below)),
        notation={real(x): value for x, value in letters.values.items()},
    )

    @kept.proof
    def _(goal):
        """The sum of squared differences grows at most at a smooth rate."""
        smooth = rate.xreplace({real(x): value for x, value in letters.values.items()})
        apart = [chain(power).then(other, by=algebra) for power, other in letters.facts]
        # Sums of all roots are long: each velocity is taken apart alone.
        terms, splits = dict.fromkeys(F.coordinates, Integer(0)), []
        for x, d, fall in zip(moved, differences, all_falls, strict=True):
            other = sector.image(x)
            terms[x], terms[other] = (
                Mul(sign, d, sector.velocity[y]) for sign, y in ((-2, x), (2, other))
            )
            splits.append(chain(fall).then(terms[x] + terms[other], by=algebra))
        slopes = [
            chain(D(below, x) * sector.velocity[x]).then(term, by=differentiate)
            for x, term in terms.items()
        ]
        rises = (
            chain(smooth * below)
            .le(falls, by=lemma(form.id, letters.values).where(*apart))
            .then(Add(*terms.values()), by=algebra.using(*splits))
            .then(F.rate_of(below), by=algebra.using(*slopes))
        )
        return by_theorem(
            goal,
            "flow-cofactor",
            {"cofactors": F.function(smooth)},
            rises_1=rises,
        )

    return form, kept


squares_claim(3)
sector_claims(
    2,
    "two",
    "The flow of two students of two teachers keeps where $Q_11 = Q_22$, $R_11 = R_22$ and "
    "$R_12 = R_21$",
)
