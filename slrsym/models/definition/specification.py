"""Specification of a model: directions, tokens, sequence, target and predictor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import (
    Expr,
    Function,
    Pow,
    Rational,
    S,
    Symbol,
    SympifyError,
    ceiling,
    cosh,
    erf,
    erfc,
    exp,
    floor,
    frac,
    sech,
    sinh,
    sympify,
    tanh,
)  # fmt: skip

from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.prover.statements.exact_numbers import with_simplest_rationals


class NotClosedError(ValueError):
    """Error raised for a mean that has neither a known closed form nor a quadrature."""


def exact_expression(value: Any) -> Any:
    """Return a value as an expression in exact numbers, with 1/2 for 0.5, as proofs need them."""
    found = sympify(value)
    return with_simplest_rationals(found) if isinstance(found, Expr) else found


class Vector:
    """A linear combination of directions with given coefficients."""

    def __init__(self, terms: Mapping[Direction, Any]) -> None:
        self.terms = {x: exact_expression(c) for x, c in terms.items() if sympify(c) != 0}

    def __add__(self, other: Any) -> Vector:
        if isinstance(other, Vector):
            names = dict.fromkeys((*self.terms, *other.terms))
            return Vector({x: self.terms.get(x, 0) + other.terms.get(x, 0) for x in names})
        if isinstance(other, int) and other == 0:  # where a sum begins
            return self
        raise TypeError(f"a direction and {other!r} cannot be added")

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Vector:
        if isinstance(factor, Vector):
            raise TypeError("two directions have an inner product, k @ v; * is for numbers")
        return Vector({x: c * sympify(factor) for x, c in self.terms.items()})

    __rmul__ = __mul__

    def __neg__(self) -> Vector:
        return Vector({x: -c for x, c in self.terms.items()})

    def __sub__(self, other: Vector) -> Vector:
        return self + -other

    def __truediv__(self, divisor: Any) -> Vector:
        return Vector({x: c / sympify(divisor) for x, c in self.terms.items()})

    def __repr__(self) -> str:
        return " + ".join(f"({c}) {x.name}" for x, c in self.terms.items()) or "0"


class Direction(Vector):
    """A direction, that is, a vector on which tokens are projected.

    A model trains the directions that its predictor uses, but for those of `unit`. A direction that
    stands in the data alone is fixed, of length 1 or of the length that `inner_products` state.

    Parameters
    ----------
    name : str
        In LaTeX, as in ``"k^*"``.
    unit : bool, optional
        Whether it is fixed, of length 1, in the predictor, too.
    sphere : bool, optional
        Whether it is trained on the unit sphere; without it, training has no constraint.

    Raises
    ------
    ValueError
        If it has no name, or is to be both fixed and trained.

    Examples
    --------
    >>> k, k_star = Direction("k", sphere=True), Direction("k^*", unit=True)
    >>> k @ k_star
    <k, k^*>
    """

    def __init__(self, name: str, *, unit: bool = False, sphere: bool = False) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"name must be a text that is not empty; got {name!r}")
        if unit and sphere:
            raise ValueError(
                f"{name} has unit=True and sphere=True: a direction is either fixed (unit) or "
                "trained (on a sphere, or without a constraint)"
            )
        self.name, self.is_unit, self.on_sphere = name, unit, sphere
        # The group of exchangeable directions that it is a unit of, and its place there.
        self.group: tuple[Any, int] | None = None
        super().__init__({self: 1})

    def __matmul__(self, other: Any) -> InnerProduct:
        if not isinstance(other, Direction):
            return NotImplemented
        return InnerProduct(self, other)

    def __repr__(self) -> str:
        return self.name


class UnorderedPair:
    """Two directions or two groups of them, in any order."""

    def __init__(self, first: Any, second: Any) -> None:
        self.pair = (first, second)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and set(self.pair) == set(other.pair)

    def __hash__(self) -> int:
        return hash(frozenset(self.pair))

    def __repr__(self) -> str:
        return f"<{self.pair[0].name}, {self.pair[1].name}>"


class InnerProduct(UnorderedPair):
    """The inner product of two directions, as a key of `inner_products` and `names`."""


def real_expression(what: str, value: Any) -> Expr:
    """Return a value as an expression; raise `ValueError` unless it may be real and finite."""
    try:
        found = exact_expression(value)
    except (SympifyError, TypeError, SyntaxError):
        found = None
    if not isinstance(found, Expr) or found.is_Matrix:
        raise ValueError(f"{what} must be a number or an expression; got {value!r}")
    if (
        found.has(S.NaN, S.Infinity, S.NegativeInfinity, S.ComplexInfinity)
        or found.is_real is False
    ):
        raise ValueError(f"{what} must be real and finite; got {value!r}")
    return found


def function_source_location(function: Any) -> str:
    """Return a function's file and line in parentheses, or an empty string if unknown."""
    code = getattr(function, "__code__", None)
    return f" ({code.co_filename}, line {code.co_firstlineno})" if code else ""


class SymbolicToken:
    """A token inside the functions that state a model: ``X @ k`` is its projection on k."""

    def __init__(self) -> None:
        self.symbols: dict[Direction, Symbol] = {}

    def __matmul__(self, vector: Any) -> Expr:
        if not isinstance(vector, Vector):
            raise TypeError(
                f"a token is projected on a Direction, or a sum of them; got {vector!r}"
            )
        total: Expr = S.Zero
        for x, c in vector.terms.items():
            if x not in self.symbols:
                self.symbols[x] = Symbol(f"X_{{{x.name}}}", real=True)
            total += c * self.symbols[x]
        return total

    def __rmatmul__(self, vector: Any) -> Expr:
        raise TypeError(f"the token stands first in a projection: write X @ {vector}")

    def __repr__(self) -> str:
        return "X"

    def _no_number(self, *others: Any) -> Any:
        """Raise `TypeError` for arithmetic with a token itself, which is a vector."""
        found = f"; got {others[0]!r}" if others else ""
        raise TypeError(
            f"a token X is a vector, and has no products or sums{found}: project it, as X @ k"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _no_number
    __truediv__ = __rtruediv__ = __pow__ = __neg__ = __float__ = _no_number

    def share_of(self, what: str, function: Callable[..., Any], *more: Any) -> Expr:
        """Evaluate a function of this token; return its share, checked to be real and finite.

        Messages name the file and the line of the function.
        """
        try:
            found = function(self, *more)
        except TypeError as problem:
            # NumPy's functions and those of `math` take numbers only.
            numeric = any(part in str(problem) for part in ("ufunc", "convert expression to float"))
            hint = "; write it with functions of SymPy, such as sympy.tanh" if numeric else ""
            if "truth value" in str(problem):
                hint = (
                    "; a projection has no number yet: write cases with sympy.Piecewise, "
                    "sympy.Max or sympy.sign"
                )
            if "positional argument" in str(problem):
                given = "a token X and the bias of its position" if more else "one token X"
                hint = f"; it is called with {given}, as in lambda X{', b' * bool(more)}: ..."
            raise TypeError(
                f"{what}: {problem}{function_source_location(function)}{hint}"
            ) from problem
        where = function_source_location(function)
        try:
            expr = None if isinstance(found, str | SymbolicToken) else exact_expression(found)
        except SympifyError:
            expr = None
        if not isinstance(expr, Expr) or expr.is_Matrix:
            plain = " object at 0x" in repr(found)
            shown = f"a {type(found).__name__}" if plain else repr(found)
            raise TypeError(
                f"{what} must give an expression, not several or a matrix, in projections X @ k; "
                f"got {shown}{where}"
            )
        expr = _with_computable_functions(what, with_own_owens_t(expr), where)
        if expr.has(floor, ceiling, frac):
            raise ValueError(
                f"{what} must be smooth, but for kinks and jumps by Max, Piecewise, "
                f"sign or Heaviside; got {expr}{where}"
            )
        plain = expr.replace(softmax, lambda *_: S.One)
        names = list(self.symbols.values())
        places = [dict.fromkeys(names, S(n)) for n in (-7, -2, -1, 0, Rational(1, 2), 1, 3)]
        # A quotient of two may be finite where both vanish, and not where one does.
        places += [dict.fromkeys(names, S.One) | {x: S.Zero} for x in names]
        for place in places:
            values = dict.fromkeys(plain.free_symbols, S.One) | place
            value = plain.subs(values).evalf()
            if value is S.NaN or value.is_real is False or value.is_finite is False:
                at = ", ".join(f"{name} = {number}" for name, number in place.items())
                raise ValueError(
                    f"{what} must be real and finite for all projections; {expr} is {value} at "
                    f"{at or 'every point'}{where}. Take a function that is defined on the whole "
                    "line, or bound its argument"
                )
        return expr


def _with_computable_functions(what: str, expr: Expr, where: str) -> Expr:
    """Write erfc by erf, even powers of 1/cosh by tanh, and cosh and sinh by exponentials."""
    expr = expr.replace(erfc, lambda x: 1 - erf(x))
    expr = expr.replace(sech, lambda x: 1 / cosh(x))
    expr = expr.replace(
        lambda e: e.is_Pow and isinstance(e.base, cosh) and e.exp.is_even and e.exp.is_negative,
        lambda e: (1 - tanh(e.base.args[0]) ** 2) ** (-e.exp / 2),
    )
    odd = [e for e in expr.atoms(Pow) if isinstance(e.base, cosh) and not e.exp.is_positive]
    if odd:
        raise ValueError(
            f"{what} has an odd power of 1/cosh or sech, which cannot be computed{where}: take an "
            "even one, such as 1/cosh(x)**2, or another function, such as exp(-x**2)"
        )
    expr = expr.replace(cosh, lambda x: (exp(x) + exp(-x)) / 2)
    return expr.replace(sinh, lambda x: (exp(x) - exp(-x)) / 2)


class softmax(Function):  # type: ignore[misc]  # noqa: N801
    r"""The softmax weight :math:`e^{u_l} / (c + \sum_m e^{u_m})` of a token with score u.

    Parameters
    ----------
    score : expression
        Affine in one projection.
    extra : {0, 1}, optional
        c: with 1, softmax-1, which may attend to nothing.
    """

    nargs = (1, 2)


def logistic(score: Any) -> Expr:
    r"""Return the logistic function :math:`1/(1 + e^{-u})`, by tanh, which does not overflow.

    Parameters
    ----------
    score : expression

    Returns
    -------
    Expr
    """
    return (1 + tanh(score / 2)) / 2


@dataclass(frozen=True, eq=False)
class Token:
    """The law of the tokens of one role, with their contribution to the target.

    Parameters
    ----------
    mean : Vector or 0, optional
        A linear combination of fixed directions.
    cov : expression, sequence or mapping, optional
        A number: that multiple of the identity. A sequence: one eigenvalue for each eigenspace;
        all tokens of a model then have the same eigenspaces. A mapping of directions to numbers,
        with ``1`` for the multiple of the identity: spikes, a multiple of the projection on each.
    target : callable, optional
        From a token X, whose projection on u is ``X @ u``, to its share of the target.
    name : str, optional
        For texts.

    Raises
    ------
    TypeError
        If `mean` or `cov` is no expression or mapping, or `target` is no function.
    ValueError
        If a number of `cov` is certainly not positive (a spike may be negative, if it leaves
        something of the identity), or the mean is not made of fixed directions.

    Examples
    --------
    >>> k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
    >>> token = Token(mean=2 * k_star, cov=0.5, target=lambda X: X @ v_star, name="informative")
    >>> token.eigenvalues
    (1/2,)
    """

    mean: Any = 0
    cov: Any = 1
    target: Callable[[Any], Any] | None = None
    name: str = "token"
    eigenvalues: tuple[Expr, ...] = field(init=False)
    spikes: dict[Direction, Expr] = field(init=False)

    def __post_init__(self) -> None:
        mean = Vector({}) if isinstance(self.mean, int | float) and self.mean == 0 else self.mean
        if not isinstance(mean, Vector):
            raise ValueError(f"mean must be 0 or a sum of fixed directions; got {self.mean!r}")
        loose = [x.name for x in mean.terms if x.on_sphere]
        if loose:
            raise ValueError(
                f"mean contains {loose[0]}, which is trained (sphere=True); it must be fixed (unit)"
            )
        for x, c in mean.terms.items():
            real_expression(f"the factor of {x} in the mean of {self.name}", c)
        if self.target is not None and not callable(self.target):
            raise TypeError(
                f"target of {self.name} must be a function of a token; got {self.target!r}"
            )
        object.__setattr__(self, "mean", mean)
        spikes: dict[Direction, Expr] = {}
        values: Iterable[Any]
        if isinstance(self.cov, Mapping):
            values = (self.cov.get(1, 1),)
            spikes = {x: c for x, c in self.cov.items() if x != 1}
        elif isinstance(self.cov, Sequence) and not isinstance(self.cov, str):
            values = tuple(self.cov)
        else:
            values = (self.cov,)
        try:
            eigenvalues = tuple(real_expression("cov", value) for value in values)
        except ValueError:
            eigenvalues = ()
        positive = eigenvalues and not any(value.is_positive is False for value in eigenvalues)
        if isinstance(self.cov, str) or not positive:
            raise ValueError(
                f"cov of {self.name} must be positive: a number, one for each eigenspace, or "
                f"spikes on a positive multiple of the identity; got {self.cov!r}"
            )
        for x, spike in spikes.items():
            if not isinstance(x, Direction) or x.on_sphere:
                raise ValueError(f"cov of {self.name} has a spike along {x!r}, no fixed direction")
            spikes[x] = real_expression(f"the spike of {self.name} along {x}", spike)
            along = eigenvalues[0] + spikes[x]
            if along.is_positive is False:
                raise ValueError(f"cov of {self.name} must be positive; along {x} it is {along}")
        object.__setattr__(self, "eigenvalues", eigenvalues)
        object.__setattr__(self, "spikes", spikes)


class TokenSequence:
    """The law of the data: tokens, their numbers, and the target.

    Parameters
    ----------
    tokens : mapping of Token to expression, or sequence of pairs
        How many tokens there are of each role; counts may be symbols. Pairs of such a mapping and a
        probability are a mixture, where the numbers are random.
    noise : expression, optional
        The standard deviation of what is added to the target.
    location : sequence of expressions, optional
        The law of the position of the one token whose count is 1, if the predictor tells positions
        apart. By default it is uniform.
    correlation : mapping of pairs of Token to expression, optional
        The correlation of the noises of two tokens; 0 where it is not given. Their counts must be 1
        and their covariances multiples of the identity.

    Raises
    ------
    ValueError
        If there are no tokens, a count is certainly no positive integer, `noise` or a probability
        is negative, or probabilities do not add up to 1.
    TypeError
        If something is no Token.
    """

    def __init__(
        self,
        tokens: Any,
        *,
        noise: Any = 0,
        location: Sequence[Any] | None = None,
        correlation: Mapping[tuple[Token, Token], Any] | None = None,
    ) -> None:
        mixture = (
            [(tokens, S.One)] if isinstance(tokens, Mapping)
            else list(tokens) if isinstance(tokens, Iterable) else [tokens]
        )  # fmt: skip
        for pair in mixture:
            if not (isinstance(pair, Sequence) and len(pair) == 2 and isinstance(pair[0], Mapping)):
                raise TypeError(
                    "tokens must be a mapping of Token to a count, such as {Token(): 9}, or pairs "
                    f"of such a mapping and a probability; got {pair!r}"
                )
        self.mixture: list[tuple[dict[Token, Expr], Expr]] = []
        for counts, probability in mixture:
            for token, count in counts.items():
                if not isinstance(token, Token):
                    raise TypeError(f"tokens must be a mapping of Token to a count; got {token!r}")
                number = real_expression(f"the count of {token.name}", count)
                if number.is_integer is False or number.is_negative:
                    raise ValueError(f"the count of {token.name} must be an integer; got {count}")
            numbers = {token: sympify(count) for token, count in counts.items() if count != 0}
            if not numbers:
                raise ValueError("tokens must have one role at least; got none")
            if real_expression("the probability of tokens", probability).is_negative:
                raise ValueError(
                    f"the probability of tokens must not be negative; got {probability}"
                )
            self.mixture.append((numbers, exact_expression(probability)))
        total = sum(p for _, p in self.mixture)
        if total.is_number and abs(total - 1) > 1e-12:
            raise ValueError(f"the probabilities of tokens must add up to 1; they give {total}")
        self.noise = real_expression("noise", noise)
        if self.noise.is_negative:
            raise ValueError(f"noise must not be negative; got {noise}")
        self.location = None if location is None else tuple(map(exact_expression, location))
        if self.location is not None:
            total = sum(self.location)
            if any(p.is_negative for p in self.location):
                raise ValueError(f"location must be a law; {location} has a negative probability")
            if total.is_number and abs(total - 1) > 1e-12:
                raise ValueError(f"location must be a law: it adds up to {total}, not to 1")
        self.correlation: dict[frozenset[Token], Expr] = {}
        for given, tau in (correlation or {}).items():
            two = given if isinstance(given, tuple | frozenset) else (given,)
            names = ", ".join(token.name for token in self.tokens)
            if len(two) != 2 or not all(token in self.tokens for token in two):
                raise ValueError(
                    f"correlation must be of pairs of the tokens {names}, such as {{(a, b): 0.5}}; "
                    f"got {given!r}"
                )
            self.correlation[frozenset(two)] = real_expression("correlation", tau)
        for pair, tau in self.correlation.items():
            if len(pair) != 2 or (tau.is_number and abs(tau) > 1):
                raise ValueError(
                    f"correlation must be between -1 and 1, of two different tokens; got {tau}"
                )
            for token in pair:
                counts = [numbers.get(token, S.One) for numbers, _ in self.mixture]
                if (
                    any(count != 1 for count in counts)
                    or token.spikes
                    or len(token.eigenvalues) > 1
                ):
                    raise ValueError(
                        f"correlation concerns {token.name}: its count must be 1 and its "
                        "covariance a multiple of the identity"
                    )
        for numbers, _ in self.mixture:
            self._require_correlations(list(numbers))

    def _require_correlations(self, tokens: list[Token]) -> None:
        """Raise an error if tokens of one sequence certainly cannot have their correlations."""
        taus = [
            [self.correlation.get(frozenset({x, y}), S(int(x is y))) for y in tokens]
            for x in tokens
        ]
        if all(tau.is_number for row in taus for tau in row):
            least = np.linalg.eigvalsh(np.array(taus, dtype=float)).min()
            if least < -1e-9:
                names = ", ".join(token.name for token in tokens)
                raise ValueError(
                    f"correlation contradicts itself: no noises of {names} have these "
                    f"correlations, whose matrix has the eigenvalue {least:.6g}; they must be "
                    "a positive semidefinite matrix"
                )

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The distinct tokens of the sequence, one for each role."""
        return tuple(dict.fromkeys(token for counts, _ in self.mixture for token in counts))


class Predictor:
    """A predictor that is a sum over all tokens of a function of the token.

    Parameters
    ----------
    share : callable
        From a token X to its share, in its projections ``X @ k``; several heads are added up. With
        `bias`, it takes a second argument, the bias of the position. With `softmax`, the factor
        beside it is a projection.
    bias : sequence of expressions, optional
        One for each position.

    Raises
    ------
    TypeError
        If `share` cannot be called.

    Examples
    --------
    >>> from sympy import Symbol, erf
    >>> k, v = Direction("k", sphere=True), Direction("v", sphere=True)
    >>> lam = Symbol("lambda", positive=True)
    >>> attention = Predictor(lambda X: erf(lam * (X @ k)) * (X @ v))
    """

    def __init__(self, share: Callable[..., Any], *, bias: Sequence[Any] | None = None) -> None:
        if not callable(share):
            raise TypeError(f"share must be a function of a token; got {share!r}")
        self.share = share
        self.bias = None if bias is None else tuple(map(exact_expression, bias))
