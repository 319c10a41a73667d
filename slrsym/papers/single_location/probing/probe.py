"""The probing experiment: sentences, logistic regression on hidden states, projections.

One adjective decides the label. Sentences follow the patterns of Section E.1 and have its counts;
the words are ours. As in the paper, the city's adjective says nothing of the label, and test sets
have words, adjectives or a structure that the training set has not. No sentence occurs twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from slrsym.files import SaveableComputation
from slrsym.jobs import show_progress
from slrsym.kernels.machine_limits import count_cores
from slrsym.papers.single_location.probing.encoder import Encoder
from slrsym.papers.single_location.task import Task
from slrsym.papers.single_location.transformers.layer import (
    MultipleLocation,
    results_from_processes,
)

# Sentences that are encoded together.
_BATCH = 64


def fit_logistic_regression(
    features: NDArray[np.floating[Any]], labels: NDArray[np.integer[Any]], C: float = 1.0
) -> NDArray[np.float64]:
    r"""Return the minimiser of :math:`|w|^2/2 + C \sum_i \log(1 + e^{-y_i (w \cdot x_i + b)})`.

    So figure 1 probes hidden states.

    Parameters
    ----------
    features : ndarray, shape (count, n)
    labels : ndarray of int, shape (count,)
        1 or 0; y is 1 or -1.
    C : float, optional
        How little large weights cost.

    Returns
    -------
    ndarray of shape (n + 1,)
        w, and b last.
    """
    x = np.column_stack([features, np.ones(len(features))]).astype(float)
    y = 2.0 * np.asarray(labels) - 1
    penalty = np.append(np.ones(x.shape[1] - 1), 0.0)

    def loss(w: Any) -> tuple[float, Any]:
        margins = y * (x @ w)
        value = w @ (penalty * w) / 2 + C * np.logaddexp(0, -margins).sum()
        return float(value), penalty * w - C * ((y * expit(-margins)) @ x)

    def curvature(w: Any) -> Any:
        p = expit(x @ w)
        return np.diag(penalty) + C * (x.T * (p * (1 - p))) @ x

    start = np.zeros(x.shape[1])
    found = minimize(
        loss, start, jac=True, hess=curvature, method="trust-exact", options={"maxiter": 1000}
    )
    return np.asarray(found.x)


def _encoded(directory: str, texts: list[str]) -> NDArray[np.float32]:
    """Return the hidden states at [CLS] after each layer, shape (texts, states, width)."""
    states = _loaded(directory).hidden_states(texts, first_only=True)
    return np.stack([state[:, 0] for state in states], axis=1)


# Each process reads the weights once.
@lru_cache(maxsize=1)
def _loaded(directory: str) -> Encoder:
    return Encoder(directory)


@dataclass(frozen=True)
class Probing(SaveableComputation):
    """Recipe of figure 1(b): the accuracy of probes of the label at [CLS], for each layer.

    Parameters
    ----------
    directory : path
        Of an encoder.
    C : float, optional
        Of the logistic regression.
    """

    directory: str | Path
    C: float = 1.0

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters on which the data depend, with a hash of the encoder's weights."""
        encoder = _loaded(str(self.directory))
        sizes = [len(labelled_sentences(name)) for name in SETS]
        return {
            "survey": "probing", "model": encoder.name, "weights": encoder.digest,
            "layers": encoder.layer_count, "sentences": sizes, "C": self.C,
        }  # fmt: skip

    def compute(
        self,
        path: str | Path | None = None,
        progress: bool | None = None,
        workers: int | None = None,
    ) -> xr.Dataset:
        """Compute the accuracy of linear probes on all hidden states.

        Parameters
        ----------
        path : path, optional
            Where to save them.
        progress : bool, optional
            Whether to show progress. By default a bar on a terminal, and elsewhere a line of
            the log every 30 s.
        workers : int, optional
            How many processes encode; by default one a core.

        Returns
        -------
        Dataset
        """
        settings = self.settings
        vectors = self._vectors(progress, workers)
        labels = {name: np.array([label for _, label in labelled_sentences(name)]) for name in SETS}
        scalings, states = ("raw", "standardised"), settings["layers"] + 1
        found = np.empty((len(SETS), states, len(scalings)))
        with show_progress(progress, "probes", states * len(scalings)) as shown:
            for state in range(states):
                train = vectors["train"][:, state].astype(float)
                deviation = train.std(axis=0)
                # What never varies stays as it is.
                deviation[deviation < 1e-6 * (1 + abs(train).max())] = 1.0
                for at, scaling in enumerate(scalings):
                    centre, scale = (
                        (train.mean(axis=0), deviation) if scaling != "raw" else (0.0, 1.0)
                    )
                    w = fit_logistic_regression((train - centre) / scale, labels["train"], self.C)
                    for i, name in enumerate(SETS):
                        score = (vectors[name][:, state] - centre) / scale @ w[:-1] + w[-1]
                        found[i, state, at] = np.mean((score > 0) == labels[name])
                    shown(1)
        data = xr.Dataset(
            {"accuracy": (("set", "state", "scaling"), found)},
            {
                "set": list(SETS),
                "state": np.arange(states, dtype=np.int32),
                "scaling": list(scalings),
            },
            settings,
        )
        return self._kept(data, path)

    def _vectors(
        self, progress: bool | None, workers: int | None
    ) -> dict[str, NDArray[np.float32]]:
        """Return the hidden states at [CLS] after each layer, for each set of sentences."""
        encoder = _loaded(str(self.directory))
        texts = [
            (name, i, text) for name in SETS for i, (text, _) in enumerate(labelled_sentences(name))
        ]
        by_length: dict[int, list[tuple[str, int, str]]] = {}
        for entry in texts:
            by_length.setdefault(len(encoder.word_pieces(entry[2])), []).append(entry)
        jobs: Any = deque()
        for group in by_length.values():
            for at in range(0, len(group), _BATCH):
                some = group[at : at + _BATCH]
                jobs.append((some, _encoded, (str(self.directory), [text for *_, text in some])))
        width, found = int(encoder.config["hidden_size"]), {}
        for name in SETS:
            found[name] = np.empty(
                (len(labelled_sentences(name)), encoder.layer_count + 1, width), np.float32
            )
        with show_progress(progress, "sentences", len(texts)) as shown:
            for some, vectors in results_from_processes(jobs, workers or count_cores()):
                for (name, i, _), vector in zip(some, vectors, strict=True):
                    found[name][i] = vector
                shown(len(some))
        return found


@dataclass(frozen=True)
class Projections(SaveableComputation):
    r"""Recipe of figure 2: the projections of two sentences' words on the directions k* and v*.

    With an encoder they are initial embeddings; :math:`k^\star` points from the mean of other words
    to that of adjectives of feeling, :math:`v^\star`, orthogonal to it, from negative to positive
    ones. Without, the words stand for tokens drawn from single-location regression.

    Parameters
    ----------
    directory : path, optional
        Of an encoder.
    d : int, optional
        Dimension of the tokens that are drawn.
    seed : int, optional
        Of the random numbers.
    """

    directory: str | Path | None = None
    d: int = 400
    seed: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of the projections by name, on which the data depend."""
        if self.directory is None:
            return {"survey": "projections", "model": "", "d": self.d, "seed": self.seed}
        encoder = _loaded(str(self.directory))
        return {"survey": "projections", "model": encoder.name, "weights": encoder.digest}

    def compute_data(self) -> xr.Dataset:
        """Compute projections of two sentences' words on k* and v*, by sentence and position."""
        words = [text.split(". ")[1].rstrip(".").split() for text, _ in EXAMPLE]
        decisive = [line.index(word) for line, (_, word) in zip(words, EXAMPLE, strict=True)]
        values = self._drawn(words, decisive) if self.directory is None else self._embedded(words)
        over = ("sentence", "position")
        return xr.Dataset(
            {
                "word": (over, np.array(words)),
                "select": (over, values[..., 0]),
                "value": (over, values[..., 1]),
                "decisive": ("sentence", np.array(decisive, dtype=np.int32)),
            },
            attrs=self.settings,
        )

    def _embedded(self, words: list[list[str]]) -> NDArray[np.floating[Any]]:
        encoder = _loaded(str(self.directory))

        def mean(word: str) -> NDArray[np.float64]:
            return np.asarray(
                encoder.word_embeddings(encoder.word_pieces(word)[1:-1]).mean(axis=0), float
            )

        positive, negative = (
            np.mean([mean(word) for word in group], axis=0) for group in ADJECTIVES["seen"]
        )
        feeling = {word for group in ADJECTIVES["seen"] for word in group}
        others = {
            w for text, _ in labelled_sentences("train") for w in encoder.words(text)
        } - feeling
        centre = np.mean([mean(word) for word in sorted(others)], axis=0)
        k = (positive + negative) / 2 - centre
        k /= np.linalg.norm(k)
        v = positive - negative
        v -= (v @ k) * k
        v /= np.linalg.norm(v)
        along = [[((mean(w) - centre) @ k, mean(w) @ v) for w in line] for line in words]
        return np.array(along)

    def _drawn(self, words: list[list[str]], decisive: list[int]) -> NDArray[np.floating[Any]]:
        task = MultipleLocation(Task(self.d, len(words[0]), 0.5**0.5))
        rng = np.random.default_rng(self.seed)
        k_star, v_star = task.draw_stars(rng)
        X, y = task.draw(rng, k_star, v_star, 100)
        # A sentence of each label, clearly; the informative token has the place of its word.
        chosen = [X[np.argmax(y > 0.8)], X[np.argmax(y < -0.8)]]
        seen = np.stack([x @ np.concatenate([k_star, v_star]).T for x in chosen])
        placed = [np.insert(x[1:], at, x[0], axis=0) for x, at in zip(seen, decisive, strict=True)]
        return np.array(placed)


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
def labelled_sentences(name: str) -> tuple[tuple[str, int], ...]:
    """Return a set of labelled sentences, from the patterns of figure 1 (Section E.1).

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
    >>> len(labelled_sentences("train")), labelled_sentences("both")[0]
    (15552, ('Hello, how are you? Good evening, my red cat is very pretty.', 1))
    """
    if name not in SETS:
        raise ValueError(f"name must be one of {', '.join(SETS)}; got {name!r}")
    return tuple(_sentences(*SETS[name]))


def _sentences(
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
