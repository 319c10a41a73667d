"""Products taken apart: numbers, roots, letters, and what stands after a fraction."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from sympy import Add, Derivative, Expr, Mul, Pow, Rational, S, Subs, Sum, Symbol, factorint, pi
from sympy.tensor.indexed import Indexed

from slrsym.gaussian.law import IIDSum

__all__ = ["Product"]


def _is_letter(base: Expr) -> bool:
    """Whether a factor is one of those that stand before a fraction bar's end."""
    if isinstance(base, Symbol | Indexed) or base == pi or base.is_Rational:
        return True
    symbols = base.free_symbols
    return isinstance(base, Add) and bool(symbols) and all(s.is_integer for s in symbols)


@dataclass(frozen=True)
class Product:
    """A product, its factors by kind."""

    number: Expr = S.One
    roots: tuple[Expr, ...] = ()
    under_root: tuple[Expr, ...] = ()
    letters: tuple[Expr, ...] = ()
    others: tuple[Expr, ...] = ()
    negative: bool = False
    below: Product | None = None
    is_power: bool = False

    @property
    def inverse(self) -> Product:
        """What it is divided by; the empty product if nothing."""
        return self.below or Product()

    @property
    def root(self) -> tuple[tuple[Expr, ...], tuple[Expr, ...]] | None:
        """What stands under the square root, above and below a bar in it."""
        return (self.roots, self.under_root) if self.roots or self.under_root else None

    @cached_property
    def opens_wide(self) -> bool:
        """Whether it ends with a sum, a derivative, or the like, which has no end of its own."""
        return any(isinstance(f, Sum | IIDSum | Derivative | Subs) for f in self.others)

    @classmethod
    def of(cls, expr: Expr) -> Product:
        """Take a product, a power or a rational number apart."""
        coefficient, rest = expr.as_coeff_Mul()
        if not coefficient.is_Rational:
            coefficient, rest = S.One, expr
        if coefficient.is_negative:
            return cls(negative=True)
        primes: defaultdict[int, Rational] = defaultdict(lambda: S.Zero)
        for prime, count in factorint(coefficient.p).items():
            primes[prime] += count
        for prime, count in factorint(coefficient.q).items():
            primes[prime] -= count
        if coefficient.p == 0:
            return cls(number=S.Zero)
        above: list[Expr] = []
        below: list[Expr] = []
        roots: list[Expr] = []
        roots_below: list[Expr] = []
        factors = [] if rest == 1 else list(Mul.make_args(rest))
        for factor in factors:
            base, exponent = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
            if base.is_Integer and exponent.is_Rational and exponent.q == 2 and base > 0:
                for prime, count in factorint(base).items():
                    primes[prime] += count * exponent
            elif exponent.is_Rational and exponent.is_negative:
                if exponent == -S.Half and _is_letter(base):
                    roots_below.append(base)
                else:
                    below.append(Pow(base, -exponent))
            elif exponent == S.Half and _is_letter(base):
                roots.append(base)
            elif isinstance(factor, Add) and _content(factor) > 1:
                # 2 (L - 1), where SymPy holds 2 L - 2.
                content, primitive = factor.primitive()
                for prime, count in factorint(content.p).items():
                    primes[prime] += count
                above.append(primitive)
            else:
                above.append(factor)
        if len(factors) == 1 and not primes and not below and not roots and not roots_below:
            (only,) = factors
            if isinstance(only, Pow):
                return cls(is_power=True)
        number, divisor = S.One, S.One
        root, root_below = 1, 1
        for prime, exponent in primes.items():
            whole = int(exponent) if exponent.q == 1 else int(exponent - S.Half * (
                1 if exponent > 0 else -1
            ))  # fmt: skip
            if whole > 0:
                number *= prime**whole
            else:
                divisor *= prime**-whole
            if exponent.q == 2:
                root, root_below = (
                    (root * prime, root_below) if exponent > 0 else (root, root_below * prime)
                )
        inside = [*([S(root)] if root > 1 else []), *roots]
        inside_below = [*([S(root_below)] if root_below > 1 else []), *roots_below]
        # The root of d/2 is one root; that of 2 pi below a bar, too.
        together = bool(roots) and not roots_below and root_below > 1
        denominator = cls(
            number=divisor,
            roots=() if together else tuple(inside_below),
            letters=tuple(f for f in below if _is_letter(_base(f))),
            others=tuple(f for f in below if not _is_letter(_base(f))),
        )
        return cls(
            number=number,
            roots=tuple(inside),
            under_root=tuple(inside_below) if together else (),
            letters=tuple(f for f in above if _is_letter(_base(f))),
            others=tuple(f for f in above if not _is_letter(_base(f))),
            below=denominator,
        )


def _content(factor: Add) -> Expr:
    """The whole number that divides every coefficient; 1 if there are fractions."""
    content = factor.primitive()[0]
    return content if content.is_Integer else S.One


def _base(factor: Expr) -> Expr:
    return factor.base if isinstance(factor, Pow) else factor
