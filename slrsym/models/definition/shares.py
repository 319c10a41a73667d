"""What each token adds to the error, or the loss of it, as the functions of a statement say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sympy import Add, Expr, S, Symbol

from slrsym.models.definition.exchangeable_units import unit_tags_in
from slrsym.models.definition.losses import Loss, loss_of_sample
from slrsym.models.definition.readouts import (
    TokenSums,
    polynomial_of_sums,
    share_in_sums,
    sum_symbols,
)
from slrsym.models.definition.specification import (
    Direction,
    Noise,
    Predictor,
    Token,
    TokenSequence,
    Vector,
    exact_expression,
    inner_product_symbol,
    softmax,
)
from slrsym.models.definition.symbolic_token import SymbolicToken

Share: TypeAlias = tuple[Expr, dict[Direction, Symbol]]


@dataclass
class StatedShares:
    """What each token adds to the error, which is target minus prediction, or the loss of it.

    `shares` has, by token and bias, an expression and the symbols of the projections in it. If
    `loss` is None, it is of the error; else of the loss. `predicted` are the directions of the
    predictor. The squared lengths of the tokens in `reconstructed`, which are no projections, are
    to be added to the loss. Of a readout a share has what is added to each sum, and `readout_error`
    is the error, a polynomial in the sums.
    """

    loss: Loss | None = None
    shares: dict[tuple[Token, Expr | None], Share] = field(default_factory=dict)
    predicted: set[Direction] = field(default_factory=set)
    reconstructed: set[Token] = field(default_factory=set)
    readout_error: Expr | None = None


def evaluate_shares(data: TokenSequence, predictor: Predictor, loss: Loss | None) -> StatedShares:
    """Return the contribution of each role to the error, or its loss.

    Parameters
    ----------
    data : TokenSequence
    predictor : Predictor
    loss : str, callable or None
        None is the squared error.

    Returns
    -------
    StatedShares

    Raises
    ------
    ValueError
        If label, outputs or tokens do not fit the loss, or a share is not real and finite.
    TypeError
        If a share is no expression.
    """
    if predictor.readout is not None:
        return _sums(data, predictor, loss)
    kind = type(_first_output(predictor.share))
    if issubclass(kind, Vector):
        return _squared_distances(data, predictor, loss)
    if loss is not None or kind in (list, tuple):
        return _losses(data, predictor, loss or "square")
    found = StatedShares()
    for token in data.tokens:
        for bias in dict.fromkeys(predictor.bias or (None,)):
            X = SymbolicToken()
            biases = () if bias is None else (bias,)
            share, target = X.share_of("share", predictor.share, *biases), S.Zero
            found.predicted.update(X.symbols)
            if token.target is not None:
                target = X.share_of("target", token.target)
            found.shares[token, bias] = (target - share, dict(X.symbols))
    return found


def _sums(data: TokenSequence, predictor: Predictor, loss: Loss | None) -> StatedShares:
    """Return what each token adds to the sums of a readout, and last to the target."""
    if loss is not None:
        raise ValueError(f"a readout of sums is for the squared error; got loss={loss!r}")
    assert predictor.readout is not None
    count = len(predictor.sums)
    target = sum_symbols(count + 1)[-1]
    found = StatedShares("square")
    found.readout_error = target - polynomial_of_sums(predictor.readout, count)
    for of in predictor.sums:
        for token in of if isinstance(of, Mapping) else ():
            if token not in data.tokens:
                raise ValueError(f"sums has a token {token.name!r} that is none of the data")
    for token in data.tokens:
        X = SymbolicToken()
        shares = [X.share_of("sums", share_in_sums(of, token)) for of in predictor.sums]
        found.predicted.update(X.symbols)
        shares.append(S.Zero if token.target is None else X.share_of("target", token.target))
        if any(e.has(softmax) or unit_tags_in(e) for e in shares):
            raise ValueError(
                f"sums of a readout are of functions of the token ({token.name!r}) alone, of units "
                "whose number is a number; softmax and sums over units that are counted by a "
                "symbol are none"
            )
        found.shares[token, None] = (TokenSums(*shares), dict(X.symbols))
    return found


def _first_output(share: Callable[..., Any]) -> Any:
    """Return what a function gives of a token; None if it cannot be called so."""
    try:
        return share(SymbolicToken())
    except TypeError:
        return None


def _require_one_token(data: TokenSequence, predictor: Predictor, what: str) -> None:
    if predictor.bias or any(sum(counts.values()) != 1 for counts, _ in data.mixture):
        raise ValueError(
            f"{what} is for data of one token: the law of a sum over tokens has no closed form"
        )


def _losses(data: TokenSequence, predictor: Predictor, loss: Loss) -> StatedShares:
    what = "a list of outputs" if loss == "square" else "a loss other than the square"
    _require_one_token(data, predictor, what)
    if data.noise != 0:
        raise ValueError(
            f"noise={data.noise} is for the squared error of one output; with {what} write it in "
            "the label, as X @ u + sigma * (X @ Noise('xi'))"
        )
    found = StatedShares(loss)
    for token in data.tokens:
        X = SymbolicToken()
        outputs, single = X.outputs_of("share", predictor.share)
        if any(isinstance(x, Noise) for x in X.symbols):
            raise ValueError("the predictor uses a Noise; it stands in the target alone")
        found.predicted.update(X.symbols)
        labels, one = [S.Zero], True
        if token.target is not None:
            labels, one = X.outputs_of("target", token.target)
        share: Expr
        if one and loss != "square":
            share = loss_of_sample(loss, labels[0], outputs, single)
        else:
            share = _loss_of_lists(loss, labels if not one else labels[0], outputs, single)
        found.shares[token, None] = (X.share_of("loss", lambda _, e=share: e), dict(X.symbols))
    return found


def _loss_of_lists(loss: Loss, labels: Any, outputs: list[Expr], single: bool) -> Expr:
    """Return the loss of a list of labels, or the squared error of a list of outputs."""
    if callable(loss):
        found: Expr = exact_expression(loss(labels, outputs[0] if single else outputs))
        return found
    if loss != "square":
        raise ValueError(
            f"loss={loss!r} is for one label; the target is a list of {len(labels)}. Take the "
            "square, or a function of both lists, such as lambda y, f: (y[0] - f[0])**4"
        )
    if not isinstance(labels, list) or len(labels) != len(outputs):
        has = f"a list of {len(labels)}" if isinstance(labels, list) else "one number"
        raise ValueError(
            f"the predictor has a list of {len(outputs)} outputs, and the target must be one of as "
            f"many; it is {has}"
        )
    return Add(*((y - f) ** 2 for y, f in zip(labels, outputs, strict=True)))


def _squared_distances(
    data: TokenSequence, predictor: Predictor, loss: Loss | None
) -> StatedShares:
    """Return the squared length of target minus prediction, which are vectors.

    It is a sum of products of coefficients, projections and inner products.
    """
    if loss is not None:
        raise ValueError(
            f"the predictor gives a vector, whose loss is the squared distance; got loss={loss!r}. "
            "Leave it out, or give an expression of projections"
        )
    _require_one_token(data, predictor, "a predictor that gives a vector")
    if data.noise != 0:
        raise ValueError(
            f"noise={data.noise} is for targets that are numbers; the predictor gives a vector"
        )
    found = StatedShares("square")
    for token in data.tokens:
        X = SymbolicToken()
        output = X.vector_of("share", predictor.share) or Vector({})
        found.predicted.update(X.symbols)
        is_token, target = _target(X, token)
        if is_token:
            found.reconstructed.add(token)
        rest = (target - output).terms
        pairs = ((x, c, y, e) for x, c in rest.items() for y, e in rest.items())
        distance = Add(*(c * e * inner_product_symbol(x, y) for x, c, y, e in pairs))
        if is_token:
            distance += 2 * Add(*(c * (X @ x) for x, c in rest.items()))
        found.shares[token, None] = (X.share_of("loss", lambda _, e=distance: e), dict(X.symbols))
    return found


def _target(X: SymbolicToken, token: Token) -> tuple[bool, Vector]:
    """Return whether the target is the token itself, and if not, the vector that it is."""
    if token.target is None:
        return False, Vector({})
    if token.target(X) is X:
        return True, Vector({})
    vector = X.vector_of("target", token.target)
    if vector is None:
        raise TypeError(
            f"the predictor gives a vector, and so must the target of {token.name}: the token "
            f"itself, lambda X: X, or a sum of directions; got {token.target(X)!r}"
        )
    return False, vector
