"""Losses of one sample, as functions of its label and the outputs of the predictor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sympy import (
    Abs,
    Add,
    Expr,
    Max,
    Mul,
    S,
    exp,
    expand_mul,
    log,
    sign,
)

from slrsym.models.definition.specification import exact_expression, function_source_location

Loss: TypeAlias = str | Callable[[Any, Any], Any]


def _huber(y: Expr, f: Expr) -> Expr:
    # In ramps, whose means have closed forms in several projections.
    error = y - f
    return (error**2 - Max(0, error - 1) ** 2 - Max(0, -error - 1) ** 2) / 2


# Of labels 1 and -1; of any; of the number of a class.
_OF_SIGNS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "logistic": lambda y, f: log(1 + exp(-y * f)),
    "hinge": lambda y, f: Max(0, 1 - y * f),
    "squared hinge": lambda y, f: Max(0, 1 - y * f) ** 2,
    "exponential": lambda y, f: exp(-y * f),
    "perceptron": lambda y, f: Max(0, -y * f),
    "zero-one": lambda y, f: (1 - y * sign(f)) / 2,
}
_OF_NUMBERS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "square": lambda y, f: (y - f) ** 2,
    "absolute": lambda y, f: Abs(y - f),
    "huber": _huber,
}
CROSS_ENTROPY = "cross-entropy"
NAMES = (*_OF_NUMBERS, *_OF_SIGNS, CROSS_ENTROPY)


def require_loss(loss: Any) -> Loss:
    """Return a loss if it is a name or a function; raise an error if it is none of these.

    Raises
    ------
    ValueError
        If there is no loss of this name.
    TypeError
        If it is neither a text nor a function.
    """
    if isinstance(loss, str):
        if loss not in NAMES:
            raise ValueError(
                f"loss must be one of {', '.join(NAMES)}, or a function of label and output, such "
                f"as lambda y, f: (y - f)**4; got {loss!r}"
            )
        return loss
    if not callable(loss):
        raise TypeError(
            f"loss must be the name of a loss or a function of label and output; got {loss!r}"
        )
    found: Loss = loss
    return found


def loss_of_sample(loss: Loss, label: Expr, outputs: Sequence[Expr], single: bool) -> Expr:
    """Return the loss of a sample, given its label and the outputs, in its projections.

    Parameters
    ----------
    loss : str or callable
    label : Expr
    outputs : sequence of Expr
    single : bool
        Whether the predictor gives an expression; if not, it gives a list.

    Returns
    -------
    Expr

    Raises
    ------
    ValueError
        If the label or the number of outputs does not fit the loss.
    TypeError
        If a function gives no expression.
    """
    if loss == CROSS_ENTROPY:
        return _cross_entropy(label, outputs, single)
    if isinstance(loss, str) and not single:
        raise ValueError(
            f"loss={loss!r} is for a predictor of one output; it has a list of {len(outputs)}. Use "
            "loss='cross-entropy' for classes, or a function of label and list, such as "
            "lambda y, f: (y - f[0])**2 + f[1]**2"
        )
    of = _function(loss)
    values = outputs[0] if single else list(outputs)
    if loss != "square" and _is_sign(label):
        if loss == "logistic":
            # Written so, the label stands in a product alone, whose mean has a closed form.
            return exact_expression(log(1 + exp(values)) - expand_mul(values * (1 + label) / 2))
        # A function of a label of two values is linear in it.
        parts = [of(S(v), values) * (1 + v * label) / 2 for v in (1, -1)]
        return exact_expression(expand_mul(Add(*parts)))
    if loss in _OF_SIGNS and label not in (1, -1):
        raise ValueError(
            f"loss={loss!r} is for labels 1 and -1; the target is {label}. Write "
            "target=lambda X: sign(...), or a token for each class with the target 1 or -1"
        )
    return exact_expression(of(label, values))


def _function(loss: Loss) -> Callable[[Any, Any], Expr]:
    if isinstance(loss, str):
        return {**_OF_SIGNS, **_OF_NUMBERS}[loss]

    def of(label: Any, values: Any) -> Expr:
        found = exact_expression(loss(label, values))
        if not isinstance(found, Expr):
            raise TypeError(
                f"loss must give an expression; got {found!r}{function_source_location(loss)}"
            )
        return found

    return of


def _is_sign(label: Expr) -> bool:
    factors = Mul.make_args(label)
    return label.has(sign) and all(isinstance(x, sign) or x in (1, -1) for x in factors)


def _cross_entropy(label: Expr, outputs: Sequence[Expr], single: bool) -> Expr:
    if single or not 2 <= len(outputs) <= 3:
        count = 1 if single else len(outputs)
        raise ValueError(
            f"loss='cross-entropy' is for a list of 2 or 3 outputs, one for each class; got {count}"
            ". The mean loss of K classes is an integral of K - 1 dimensions, and quadrature is "
            "for one or two"
        )
    if not (label.is_Integer and 0 <= label < len(outputs)):
        raise ValueError(
            f"the target with loss='cross-entropy' is the number of the class, from 0 to "
            f"{len(outputs) - 1}; got {label}. State a token for each class"
        )
    right = outputs[int(label)]
    return log(Add(*(exp(expand_mul(f - right)) for f in outputs)))


def loss_in_words(loss: Loss | None) -> str:
    """Return what a model's loss is called in descriptions of it."""
    if loss in (None, "square"):
        return "squared error"
    return f"{loss} loss" if isinstance(loss, str) else "stated loss"
