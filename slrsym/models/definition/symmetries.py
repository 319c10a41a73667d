"""Signed permutations of directions that leave the law of the error, and so the risk, as it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from sympy import Expr, Symbol, expand

from slrsym.models.definition.specification import Direction, Noise, Token

if TYPE_CHECKING:
    from slrsym.models.definition.projections import ProjectionLaws

# The image of each direction: a direction and a sign.
Images: TypeAlias = Mapping[Direction, tuple[Direction, int]]

# So many ways to exchange tokens are tried.
_MOST_EXCHANGES = 24


def is_proved_symmetry(model: ProjectionLaws, images: Images, *, any_fixed: bool = False) -> bool:
    """Return whether the risk stays if each direction takes the place of its image.

    Parameters
    ----------
    model : ProjectionLaws
    images : mapping of Direction to (Direction, sign)
        A signed permutation of all directions, trained ones among themselves.
    any_fixed : bool, optional
        Whether inner products of fixed directions that are symbols of the risk become those of
        their images, too. Else they have to stay.

    Returns
    -------
    bool
        True if it follows from the statement of the model; False says nothing.

    Notes
    -----
    A token then has the projections of another one, or its own, on the images. If its mean changes
    its sign, those of the other token change theirs. The error is a sum over tokens, which are
    independent. If the share of each token becomes that of the other, or for all tokens the
    opposite, then the squared error has the same law. Another loss has to stay.
    """
    if model.data.correlation or model.readout_error is not None or model.uses_representatives:
        return False
    if any(x.on_sphere != y.on_sphere or model.is_trained(x) != model.is_trained(y)
           for x, (y, _) in images.items()):  # fmt: skip
        return False
    products = _images_of_products(model, images, any_fixed)
    if products is None:
        return False
    signs = (1, -1) if model.loss is None else (1,)
    return any(
        all(
            any(
                _becomes(model, token, other, images, products, turn, sign)
                for turn in _turns(token, other, images)
            )
            for token, other in exchange.items()
        )
        for exchange in _exchanges(model)
        for sign in signs
    )


def _images_of_products(
    model: ProjectionLaws, images: Images, any_fixed: bool
) -> dict[Symbol, Expr] | None:
    """Map moving inner products to their images; None if others do not stay."""
    found: dict[Symbol, Expr] = {}
    x = model.directions
    for y, z in itertools.combinations_with_replacement(x, 2):
        (y_to, y_sign), (z_to, z_sign) = images[y], images[z]
        for space in range(model.spaces):
            before = model.inner_product(y, z, space)
            after = y_sign * z_sign * model.inner_product(y_to, z_to, space)
            if before in model.gram_indices or (any_fixed and isinstance(before, Symbol)):
                found[before] = after
            elif expand(before - after) != 0:
                return None
    return found


def _exchanges(model: ProjectionLaws) -> Iterator[dict[Token, Token]]:
    """Yield exchanges of tokens that leave the law of their numbers as it is."""
    tokens = list(dict.fromkeys(model.data.tokens))
    yield dict(zip(tokens, tokens, strict=True))
    if model.predictor.bias is not None:
        return
    law = [(counts, p) for counts, p in model.data.mixture]
    for order in itertools.islice(itertools.permutations(tokens), 1, _MOST_EXCHANGES):
        to = dict(zip(tokens, order, strict=True))
        moved = [({to[t]: n for t, n in counts.items()}, p) for counts, p in law]
        if all(case in law for case in moved) and all(case in moved for case in law):
            yield to


def _turns(token: Token, other: Token, images: Images) -> tuple[int, ...]:
    """Return by which signs a token with images for directions has the law of another token."""
    if token.eigenvalues != other.eigenvalues:
        return ()
    if {images[x][0]: c for x, c in token.spikes.items()} != dict(other.spikes):
        return ()
    mean = {images[x][0]: images[x][1] * c for x, c in token.mean.terms.items()}
    return tuple(
        turn for turn in (1, -1) if {x: turn * c for x, c in mean.items()} == dict(other.mean.terms)
    )


def _becomes(
    model: ProjectionLaws,
    token: Token,
    other: Token,
    images: Images,
    products: Mapping[Symbol, Expr],
    turn: int,
    sign: int,
) -> bool:
    """Return whether the shares of a token become, up to a sign, those of another token."""
    if (token in model.reconstructed) != (other in model.reconstructed):
        return False
    for (of, bias), (share, symbols) in model.shares.items():
        if of is not token:
            continue
        target, names = model.shares[other, bias]
        to: dict[Symbol, Any] = dict(products)
        for x, symbol in symbols.items():
            y, factor = (x, 1) if isinstance(x, Noise) else images[x]
            if y in names:
                to[symbol] = (1 if isinstance(x, Noise) else turn * factor) * names[y]
            elif symbol in share.free_symbols:
                return False
        if expand(share.xreplace(to) - sign * target) != 0:
            return False
    return True
