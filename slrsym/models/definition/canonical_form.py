"""The definition of a model as a text, under which all that is derived of it is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Dummy, Expr, S, Symbol, preorder_traversal, srepr, sympify

from slrsym.models.definition.specification import Noise

if TYPE_CHECKING:
    from slrsym.models.definition.projections import ProjectionLaws


@dataclass(frozen=True)
class Definition:
    """A text of all that the risk of a model follows from, and the symbols in it."""

    text: str
    symbols: tuple[Symbol, ...]


def definition_of_model(model: ProjectionLaws) -> Definition | None:
    """Return the definition of a model; None if no text can tell all that counts.

    It is the same from every hash seed. Functions of the user, or a class of models, may be
    defined otherwise tomorrow, under the same name.
    """
    parts: list[Expr] = []

    def told(value: Any) -> str:
        parts.append(sympify(value))
        return str(srepr(parts[-1], order="none"))

    data, directions = model.data, model.directions
    noises = [x for _, of in model.shares.values() for x in of if isinstance(x, Noise)]
    place = {x: i for i, x in enumerate((*directions, *dict.fromkeys(noises)))}
    number = {token: n for n, token in enumerate(data.tokens)}
    content = [
        [(x.name, x.is_unit, x.on_sphere, model.is_trained(x)) for x in directions],
        [
            [told(model.inner_product(x, y, a)) for a in range(model.spaces)]
            for i, x in enumerate(directions)
            for y in directions[i:]
        ],
        [told(symbol) for symbol in model.moving_inner_products],
        [
            (
                [(place[x], told(c)) for x, c in token.mean.terms.items()],
                [told(value) for value in token.eigenvalues],
                [(place[x], told(c)) for x, c in token.spikes.items()],
                token.target is None,
            )
            for token in data.tokens
        ],
        [
            (
                number[token],
                None if bias is None else told(bias),
                told(error),
                [(place[x], told(symbol)) for x, symbol in symbols.items()],
            )
            for (token, bias), (error, symbols) in model.shares.items()
        ],
        [
            ([(number[t], told(count)) for t, count in counts.items()], told(probability))
            for counts, probability in data.mixture
        ],
        sorted(
            (sorted(number[t] for t in pair), told(tau)) for pair, tau in data.correlation.items()
        ),
        None if data.location is None else [told(p) for p in data.location],
        None if model.predictor.bias is None else [told(b) for b in model.predictor.bias],
        told(data.noise),
        told(model.ridge),
    ]
    if model.loss is not None:
        readout = S.Zero if model.readout_error is None else model.readout_error
        content.append(["loss", told(model.mean_squared_length), told(readout)])
    kinds = {type(model), *(type(node) for part in parts for node in preorder_traversal(part))}
    ours = all(str(kind.__module__).startswith(("sympy.", "slrsym.")) for kind in kinds)
    if not ours or Dummy in kinds:
        return None
    symbols = set().union(*(part.free_symbols for part in parts))
    return Definition(json.dumps(content), tuple(sorted(symbols, key=srepr)))
