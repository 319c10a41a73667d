"""Description of a model in a few lines of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sympy import Add, Basic, Expr, S, Symbol, Tuple

from slrsym.models.definition.losses import loss_in_words
from slrsym.models.definition.specification import Token, Vector
from slrsym.models.definition.symbolic_token import SymbolicToken

if TYPE_CHECKING:
    from slrsym.models.definition.projections import ProjectionLaws


def describe_model(model: ProjectionLaws) -> str:
    """Return a text that describes a model: directions, tokens, target and predictor."""
    fixed = ", ".join(map(str, model.fixed_directions)) or "none"
    known = ", ".join(
        f"{x @ y} = {value}"
        for i, x in enumerate(model.fixed_directions)
        for y in model.fixed_directions[: i + 1]
        if (value := model.fixed_inner_product(x, y)) is not None
    )
    spheres = [x.name for x in model.trained_directions if x.on_sphere]
    free = [x.name for x in model.trained_directions if not x.on_sphere]
    trained = [f"{', '.join(spheres)} on unit spheres"] * bool(spheres)
    trained += [f"{', '.join(free)} without constraint"] * bool(free)
    targets = [
        f"{in_projections(token.target)} of {token.name}"
        for token in model.data.tokens
        if token.target is not None
    ]
    target = " + ".join(targets) or "0"
    share = model.predictor.share
    biased = model.predictor.bias is not None
    output = in_projections((lambda X: share(X, Symbol("b"))) if biased else share)
    cases = [
        f"{'' if probability == 1 else f'with probability {_short(probability)}: '}"
        + ", ".join(f"{count} {_law(token)}" for token, count in counts.items())
        for counts, probability in model.data.mixture
    ]
    loss = [f"  loss:       {loss_in_words(model.loss)}"] * (model.loss is not None)
    ridge = [f"  ridge:      {_short(model.ridge)}"] * (model.ridge != 0)
    return "\n".join(
        [
            shorten_line(f"Model that trains {', '.join(trained) or 'nothing'}"),
            shorten_line(f"  fixed:      {fixed}{f' ({known})' if known else ''}"),
            shorten_line(f"  tokens:     {'; '.join(cases)}"),
            shorten_line(f"  target:     {target}; noise {_short(model.data.noise)}"),
            shorten_line(f"  predictor:  {readout_in_words(model)}sum over tokens of {output}"),
            *map(shorten_line, loss + ridge),
        ]
    )


def readout_in_words(model: ProjectionLaws) -> str:
    """Return the beginning of a description of a predictor that is a readout of sums, or ''."""
    if model.readout_error is None:
        return ""
    *names, target = model.sum_symbols
    return f"{target - model.readout_error} of ({', '.join(map(str, names))}) = "


def unique_token_names(tokens: Iterable[Token]) -> dict[Token, str]:
    """Return a unique name for each token; tokens that share a name are numbered."""
    tokens = list(tokens)
    alike = {t: [u for u in tokens if _as_id(u.name) == _as_id(t.name)] for t in tokens}
    return {
        t: t.name if len(same) == 1 else f"{t.name} {same.index(t) + 1}"
        for t, same in alike.items()
    }


def claim_id_for_part(name: str, part: str) -> str:
    """Return the id of a claim about a part of a model, in small letters, digits and hyphens."""
    return f"{name}-{_as_id(part)}"


def _as_id(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def in_projections(share: Callable[[Any], Any], name: str = "<X, {}>") -> Basic:
    """Return a function of a token as an expression in its projections.

    Parameters
    ----------
    share : callable
        What it gives may be an expression, a list, a vector or the token itself.
    name : str, optional
        How a projection is written, with braces for the name of the direction.

    Returns
    -------
    Basic
    """
    token = SymbolicToken()
    found = share(token)
    if isinstance(found, Vector):
        terms = found.terms.items()
        found = Add(*(c * Symbol(x.name, commutative=False) for x, c in terms))
    elif isinstance(found, list | tuple):
        found = Tuple(*found)
    elif found is token:
        found = Symbol("X")
    names = {s: Symbol(name.format(x), real=True) for x, s in token.symbols.items()}
    return S(found).xreplace(names)


def _law(token: Token) -> str:
    """Return the name of a token with its law, such as ``token ~ N(0, 1)``."""
    mean = " + ".join(f"{_short(c)} {x}" for x, c in token.mean.terms.items()) or "0"
    cov = ", ".join(map(_short, token.eigenvalues))
    cov = f"({cov})" if len(token.eigenvalues) > 1 else cov
    spikes = "".join(f" + {_short(c)} {x} {x}'" for x, c in token.spikes.items())
    return f"{token.name} ~ N({mean}, {cov}{spikes})"


def _short(expr: Expr) -> str:
    """Return an expression as text, with its numbers rounded to six digits."""
    return f"{float(expr):.6g}" if expr.is_Float else str(expr)


def shorten_line(line: str) -> str:
    """Return a line of text, cut to 100 characters with an ellipsis if it is longer."""
    return line if len(line) <= 100 else line[:97] + "..."


def ascii_name(name: str) -> str:
    r"""Return the name of an overlap without LaTeX: <w, u*> for \langle w, u^*\rangle."""
    name = name.replace(r"\langle ", "<").replace(r"\rangle", ">")
    return re.sub(r"\^\{?(?:\\star|\*)\}?", "*", name).replace("\\", "")
