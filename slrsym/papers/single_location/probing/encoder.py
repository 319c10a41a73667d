"""BERT encoders from a local directory with config.json, vocab.txt and model.safetensors."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

_HOW_TO = "docs/how-to/probe.md says where to get one"

_Floats = NDArray[np.float32]
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4"}


def _tensors(file: Path) -> dict[str, _Floats]:
    """Read the floating-point tensors of a safetensors file, by name."""
    try:
        raw = np.memmap(file, np.uint8, mode="r")
        begin = 8 + int(raw[:8].view("<u8")[0])
        if begin > len(raw):
            raise ValueError(f"it ends within its header, after {len(raw)} of {begin} bytes")
        header = json.loads(bytes(raw[8:begin]))
        header.pop("__metadata__", None)
        found = {}
        for name, entry in header.items():
            kind = entry["dtype"]
            if kind.startswith(("I", "U", "B")) and kind != "BF16":
                continue
            first, stop = entry["data_offsets"]
            numbers = np.frombuffer(raw[begin + first : begin + stop], _TYPES[kind])
            if kind == "BF16":
                # The upper halves of single precision.
                numbers = (numbers.astype("<u4") << 16).view("<f4")
            found[name] = numbers.reshape(entry["shape"]).astype(np.float32)
        return found
    except (ValueError, KeyError, TypeError, IndexError, UnicodeDecodeError) as problem:
        raise ValueError(f"{file} is no safetensors file, or a damaged one: {problem}") from None


class Encoder:
    """A pretrained BERT encoder with its tokenizer, evaluated in NumPy.

    Section E.1 has one: BERT, Devlin et al. (2019), of which this is the forward pass.

    Parameters
    ----------
    directory : path
        With ``config.json``, ``vocab.txt`` and ``model.safetensors``, as a BERT is published.

    Raises
    ------
    ValueError
        If there is no such directory, a file is missing or damaged, or it is another architecture.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        if not self.directory.is_dir():
            raise ValueError(f"model must be a directory; {directory} is none ({_HOW_TO})")
        for name in ("config.json", "vocab.txt", "model.safetensors"):
            if not (self.directory / name).is_file():
                raise ValueError(
                    f"model must be a directory of a BERT with a file {name}; {directory} has none "
                    f"({_HOW_TO})"
                )
        self.config = self._json("config.json")
        for name, allowed in (
            ("model_type", "bert"), ("hidden_act", "gelu"), ("position_embedding_type", "absolute")
        ):  # fmt: skip
            if self.config.get(name, allowed) != allowed:
                raise ValueError(
                    f"model must have {name} {allowed!r} in its config.json; "
                    f"{directory} has {self.config[name]!r}"
                )
        lines = (self.directory / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self._pieces = {word: i for i, word in enumerate(lines)}
        missing = {"[CLS]", "[SEP]", "[UNK]"} - self._pieces.keys()
        if missing:
            raise ValueError(f"vocab.txt of {directory} lacks {', '.join(sorted(missing))}")
        found = (self.directory / "tokenizer_config.json").is_file()
        told = self._json("tokenizer_config.json") if found else {}
        self._lower = bool(told.get("do_lower_case", True))

    def _json(self, name: str) -> dict[str, Any]:
        try:
            return dict(json.loads((self.directory / name).read_text(encoding="utf-8")))
        except ValueError as problem:
            raise ValueError(f"{self.directory / name} is no JSON: {problem}") from None

    @property
    def name(self) -> str:
        """The name of the encoder's directory, for figures."""
        return self.directory.resolve().name

    @property
    def layer_count(self) -> int:
        """The number of layers, one less than that of hidden states."""
        return int(self.config["num_hidden_layers"])

    @cached_property
    def digest(self) -> str:
        """The SHA-256 hash of the weights, in hexadecimal."""
        with (self.directory / "model.safetensors").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def _weights(self) -> dict[str, _Floats]:
        tensors = _tensors(self.directory / "model.safetensors")
        return {
            name.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias"): x
            for name, x in tensors.items()
        }

    def _weight(self, name: str) -> _Floats:
        if name not in self._weights:
            raise ValueError(f"{self.directory / 'model.safetensors'} has no tensor {name}")
        return self._weights[name]

    # -- the tokenizer -----------------------------------------------------------------------

    def word_pieces(self, text: str) -> list[str]:
        """Return the word pieces of a text, between [CLS] and [SEP].

        Parameters
        ----------
        text : str

        Returns
        -------
        list of str
        """
        pieces = [piece for word in self.words(text) for piece in self._cut(word)]
        return ["[CLS]", *pieces, "[SEP]"]

    def words(self, text: str) -> list[str]:
        """Split a text into words and single punctuation marks, the first step of tokenization.

        Parameters
        ----------
        text : str

        Returns
        -------
        list of str
        """
        if self._lower:
            text = unicodedata.normalize("NFD", text.lower())
            text = "".join(c for c in text if unicodedata.category(c) != "Mn")
        spaced = (
            f" {c} " if _stands_alone(c) else c for c in text if c.isprintable() or c.isspace()
        )
        return "".join(spaced).split()

    def _cut(self, word: str) -> list[str]:
        """Return the pieces of a word, longest first; [UNK] if the vocabulary cannot form it."""
        pieces: list[str] = []
        begin = 0
        while begin < len(word):
            for end in range(len(word), begin, -1):
                piece = ("##" if begin else "") + word[begin:end]
                if piece in self._pieces:
                    break
            else:
                return ["[UNK]"]
            pieces.append(piece)
            begin = end
        return pieces if len(word) <= 100 else ["[UNK]"]

    # -- the network -------------------------------------------------------------------------

    def word_embeddings(self, tokens: Sequence[str]) -> _Floats:
        """Return the initial embeddings of word pieces, without position embeddings.

        Parameters
        ----------
        tokens : sequence of str

        Returns
        -------
        ndarray of shape (len(tokens), width)

        Raises
        ------
        ValueError
            If the weights have none.
        """
        return self._weight("embeddings.word_embeddings.weight")[[self._pieces[t] for t in tokens]]

    def hidden_states(self, texts: Sequence[str], *, first_only: bool = False) -> list[_Floats]:
        """Return the hidden states before and after each layer, for texts of equal piece counts.

        Parameters
        ----------
        texts : sequence of str
        first_only : bool, optional
            Whether the last one is needed at [CLS] alone, which takes less time.

        Returns
        -------
        list of ndarray, each of shape (len(texts), tokens, width)
            The embeddings, then the output of each layer; of the last one perhaps only [CLS].

        Raises
        ------
        ValueError
            If the texts have different lengths, or are longer than the encoder allows.
        """
        ids = [[self._pieces[piece] for piece in self.word_pieces(text)] for text in texts]
        lengths = {len(row) for row in ids}
        if len(lengths) != 1:
            raise ValueError(f"texts must have equally many pieces; got {sorted(lengths)}")
        positions = self._weight("embeddings.position_embeddings.weight")
        if max(lengths) > len(positions):
            raise ValueError(f"texts must have at most {len(positions)} pieces; got {max(lengths)}")
        x = self._weight("embeddings.word_embeddings.weight")[np.array(ids)]
        x = x + positions[: x.shape[1]] + self._weight("embeddings.token_type_embeddings.weight")[0]
        states = [self._normalised(x, "embeddings.LayerNorm")]
        for layer in range(self.layer_count):
            alone = first_only and layer == self.layer_count - 1
            states.append(self._layer(states[-1], f"encoder.layer.{layer}", alone))
        return states

    def _layer(self, x: _Floats, name: str, first_only: bool) -> _Floats:
        heads = int(self.config["num_attention_heads"])
        count, width = len(x), x.shape[2]
        asked = x[:, :1] if first_only else x

        def split(x: _Floats, part: str) -> _Floats:
            projected = self._linear(x, f"{name}.attention.self.{part}")
            return projected.reshape(count, -1, heads, width // heads).transpose(0, 2, 1, 3)

        query, key, value = split(asked, "query"), split(x, "key"), split(x, "value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // heads))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        attended = (weights @ value).transpose(0, 2, 1, 3).reshape(count, -1, width)
        y = self._linear(attended, f"{name}.attention.output.dense")
        y = self._normalised(asked + y, f"{name}.attention.output.LayerNorm")
        hidden = self._linear(y, f"{name}.intermediate.dense")
        # GELU.
        hidden *= 1 + erf(hidden * np.float32(0.5**0.5))
        hidden *= np.float32(0.5)
        return self._normalised(
            y + self._linear(hidden, f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )

    def _linear(self, x: _Floats, name: str) -> _Floats:
        flat = x.reshape(-1, x.shape[-1]) @ self._weight(f"{name}.weight").T
        flat += self._weight(f"{name}.bias")
        return flat.reshape(*x.shape[:-1], -1)

    def _normalised(self, x: _Floats, name: str) -> _Floats:
        x = x - x.mean(axis=-1, keepdims=True)
        least = np.float32(self.config.get("layer_norm_eps", 1e-12))
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + least)
        return x * self._weight(f"{name}.weight") + self._weight(f"{name}.bias")


def _stands_alone(c: str) -> bool:
    """Return whether a character is a word by itself, such as a punctuation mark."""
    if c.isascii():
        return not c.isalnum() and not c.isspace()
    return unicodedata.category(c).startswith("P") or "CJK UNIFIED" in unicodedata.name(c, "")
