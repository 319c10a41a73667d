"""Specification of a model: directions, tokens, sequence, target and predictor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import (
    Expr,
    Function,
    S,
    Symbol,
    SympifyError,
    sympify,
    tanh,
)  # fmt: skip

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

    A model trains the directions that its predictor uses, except those with `unit`. A direction
    that stands in the data alone is fixed, of length 1 or as `inner_products` of `model` state.

    Parameters
    ----------
    name : str
        In LaTeX, as in ``"u_1"``.
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


class Noise(Direction):
    """A standard normal number of each sample, written as a projection: ``X @ xi``.

    It is independent of the token and of other noises: nothing overlaps with it.

    Parameters
    ----------
    name : str
        In LaTeX, as in ``"xi"``.

    Raises
    ------
    ValueError
        If it has no name.

    Examples
    --------
    >>> from sympy import sign
    >>> u, xi = Direction("u", unit=True), Noise("xi")
    >>> noisy = Token(target=lambda X: sign(X @ u + X @ xi / 2))
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, unit=True)


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


def inner_product_symbol(x: Direction, y: Direction) -> Symbol:
    """Return the symbol of the inner product of two directions in a share, in any order."""
    first, second = sorted((x.name, y.name))
    return Symbol(
        rf"{INNER_PRODUCT}{first}, {second}\rangle",
        **({"positive": True} if x is y else {"real": True}),
    )


# How the names of such symbols begin.
INNER_PRODUCT = r"\langle "


class InnerProduct(UnorderedPair):
    """The inner product of two directions: a key of `inner_products` and `names`, or a number.

    In a share or a loss it is the number that it is at each point of training.
    """

    def _sympy_(self) -> Symbol:
        return inner_product_symbol(*self.pair)

    def __add__(self, other: Any) -> Any:
        return self._sympy_() + other

    def __sub__(self, other: Any) -> Any:
        return self._sympy_() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self._sympy_()

    def __mul__(self, other: Any) -> Any:
        return other * self._sympy_()

    def __truediv__(self, other: Any) -> Any:
        return self._sympy_() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self._sympy_()

    def __pow__(self, exponent: Any) -> Any:
        return self._sympy_() ** exponent

    def __neg__(self) -> Any:
        return -self._sympy_()

    __radd__, __rmul__ = __add__, __mul__


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


def ridge_expression(value: Any) -> Expr:
    """Return the strength of a ridge penalty as an expression that is certainly not negative."""
    found = real_expression("ridge", value)
    if not found.is_nonnegative:
        hint = "" if found.is_number else "; declare its symbols, as by positive=True"
        raise ValueError(f"ridge must not be negative; got {value}{hint}")
    return found


def function_source_location(function: Any) -> str:
    """Return a function's file and line in parentheses, or an empty string if unknown."""
    code = getattr(function, "__code__", None)
    return f" ({code.co_filename}, line {code.co_firstlineno})" if code else ""


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
        From a token X, whose projection on u is ``X @ u``, to its share of the target: an
        expression; a list, if the predictor gives one; or for a predictor that gives a vector, a
        sum of directions, or X itself.
    name : str, optional
        What claims and LaTeX call it.

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
        If a key of `tokens` or `correlation` is no Token.
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


def added_to_sums(sums: Sequence[Any]) -> Callable[[Any], list[Any]]:
    """Return the function from a token to what it adds to each sum, whichever token it is.

    Raises
    ------
    TypeError
        If one of the sums is neither a function of a token nor a mapping of tokens to such.
    """
    listed = [[*of.values()] if isinstance(of, Mapping) else [of] for of in sums]
    for of, functions in zip(sums, listed, strict=True):
        if not functions or not all(map(callable, functions)):
            raise TypeError(
                f"sums must be functions of a token, or mappings of tokens to such; got {of!r}"
            )
    return lambda X: [sum(f(X) for f in functions) for functions in listed]


class Predictor:
    """A predictor that is a sum over all tokens of a function of the token, or several sums.

    Parameters
    ----------
    share : callable, optional
        From a token X to its share, in its projections ``X @ k``; several heads are added up. With
        `bias`, it takes a second argument, the bias of the position. With `softmax`, the factor
        beside it is a projection. Of data of one token it may give a list of expressions, or a
        vector: a sum of directions times expressions, such as ``erf(X @ w) * w``.
    bias : sequence of expressions, optional
        One for each position.
    sums : sequence, optional
        In place of `share`: functions of a token, each of which is added up over all tokens; or
        mappings of tokens to functions, which are added up over these.
    readout : callable, optional
        From the sums to the prediction, a polynomial in them.

    Raises
    ------
    TypeError
        If `share`, one of `sums` or `readout` cannot be called, or if there is no `share`, and not
        both of `sums` and `readout`.

    Examples
    --------
    >>> from sympy import Symbol, erf
    >>> k, v = Direction("k", sphere=True), Direction("v", sphere=True)
    >>> lam = Symbol("lambda", positive=True)
    >>> attention = Predictor(lambda X: erf(lam * (X @ k)) * (X @ v))
    >>> linear_attention = Predictor(
    ...     sums=[lambda X: X @ k, lambda X: (X @ k) * (X @ v)], readout=lambda s, t: s * t)
    """

    def __init__(
        self,
        share: Callable[..., Any] | None = None,
        *,
        bias: Sequence[Any] | None = None,
        sums: Sequence[Any] = (),
        readout: Callable[..., Any] | None = None,
    ) -> None:
        if sums or readout is not None:
            if share is not None or bias is not None or not sums or not callable(readout):
                raise TypeError(
                    "a readout has functions of a token in `sums` and a function of the sums in "
                    f"`readout`, and neither `share` nor `bias`; got sums={sums!r} and "
                    f"readout={readout!r}"
                )
            share = added_to_sums(sums)
        if not callable(share):
            raise TypeError(f"share must be a function of a token; got {share!r}")
        self.share, self.sums, self.readout = share, tuple(sums), readout
        self.bias = None if bias is None else tuple(map(exact_expression, bias))
