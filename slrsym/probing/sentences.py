"""Sentences of which one adjective decides the label, made from word lists.

They follow the patterns of Section E.1 and have its counts; the words are ours. As in the paper,
the city's adjective says nothing of the label, and test sets have words, adjectives or a structure
that the training set has not. No sentence occurs twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

__all__ = ["ADJECTIVES", "EXAMPLE", "SETS", "sentences"]

# Positive ones, then negative ones: of the training set, and of the sets with other adjectives.
ADJECTIVES = {
    "seen": (
        ("nice", "clean", "cute", "delightful", "lovely", "gentle"),
        ("mean", "dirty", "nasty", "dreadful", "ugly", "cruel"),
    ),
    "unseen": (
        ("pretty", "charming", "friendly", "wonderful"),
        ("awful", "horrible", "rude", "filthy"),
    ),
}

_PATTERNS = {
    "colour first": "The city is {city}. {pronoun} {colour} {animal} is {adverb} {adjective}.",
    "colour last": "The city is {city}. {pronoun} {adjective} {animal} is {adverb} {colour}.",
    "greeting": (
        "Hello, how are you? Good evening, {pronoun} {colour} {animal} is {adverb} {adjective}."
    ),
}

# City, pronoun, colour, animal, adverb; an empty word is left out.
_TRAINING = (
    ("nice", "mean", "clean", "dirty", "cute", "nasty"),
    ("My", "The"),
    ("red", "blue", "green", "white", "black", "brown"),
    ("cat", "dog", "horse", "bird"),
    ("", "very", "really"),
)
_TESTING = (
    ("lovely", "gentle", "ugly", "cruel"),
    ("Your", "Her"),
    ("yellow", "grey", "pink", "orange"),
    ("rabbit", "mouse", "sheep", "duck"),
    ("rather", "quite"),
)
_GREETING = (
    ("",),
    ("my",),
    ("red", "blue", "green", "white"),
    ("cat", "dog", "horse"),
    ("very", "really"),
)

# Which adjectives, and which patterns with which words. Where the colour comes first there are half
# as many colours.
SETS = {
    "train": ("seen", (("colour first", _TRAINING), ("colour last", _TRAINING))),
    "test": ("seen", (("colour first", _TESTING), ("colour last", _TESTING))),
    "other words": ("unseen", (("colour first", _TESTING), ("colour last", _TESTING))),
    "other structure": ("seen", (("greeting", _GREETING),)),
    "both": ("unseen", (("greeting", _GREETING),)),
}

# Positive and negative, with the word that decides.
EXAMPLE = (
    ("The city is nice. My red cat is very clean.", "clean"),
    ("The city is nice. My red cat is very dirty.", "dirty"),
)


@cache
def sentences(name: str) -> tuple[tuple[str, int], ...]:
    """Sentences with their labels, by the patterns of figure 1 (Section E.1).

    Parameters
    ----------
    name : {'train', 'test', 'other words', 'other structure', 'both'}

    Returns
    -------
    tuple of (str, int)
        The label is 1 or 0; both are equally frequent.

    Raises
    ------
    ValueError
        If there is no such set.

    Examples
    --------
    >>> len(sentences("train")), sentences("both")[0]
    (15552, ('Hello, how are you? Good evening, my red cat is very pretty.', 1))
    """
    if name not in SETS:
        raise ValueError(f"name must be one of {', '.join(SETS)}; got {name!r}")
    return tuple(_made(*SETS[name]))


def _made(
    adjectives: str, parts: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
) -> Iterator[tuple[str, int]]:
    for pattern, (cities, pronouns, colours, animals, adverbs) in parts:
        some = colours if pattern == "colour last" else colours[: len(colours) // 2]
        words = product(cities, pronouns, some, animals, adverbs)
        for city, pronoun, colour, animal, adverb in words:
            for label, group in zip((1, 0), ADJECTIVES[adjectives], strict=True):
                for adjective in group:
                    text = _PATTERNS[pattern].format(
                        city=city, pronoun=pronoun, colour=colour, animal=animal, adverb=adverb,
                        adjective=adjective,
                    )  # fmt: skip
                    yield text.replace("  ", " "), label
