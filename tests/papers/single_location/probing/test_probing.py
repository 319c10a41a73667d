"""Sentences, the encoder, the probe: figures 1 and 2 on a tiny BERT with random weights."""

import importlib.util
import json

import numpy as np
import pytest
from scipy.optimize import minimize

from slrsym.papers.single_location.probing import (
    SETS,
    Encoder,
    Probing,
    Projections,
    fit_logistic_regression,
    labelled_sentences,
)
from slrsym.papers.single_location.probing import probe as probe_module
from slrsym.papers.single_location.probing.probe import ADJECTIVES, EXAMPLE
from tests._profile import nightly_only

from .tiny import write_bert, write_tensors


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "tiny"
    write_bert(folder)
    return folder


def test_the_papers_counts_and_no_sentence_twice():
    sizes = {name: len(labelled_sentences(name)) for name in SETS}
    assert list(sizes.values()) == [15552, 4608, 3072, 144, 96]
    assert len({text for name in SETS for text, _ in labelled_sentences(name)}) == sum(
        sizes.values()
    )
    for name in SETS:
        assert np.mean([label for _, label in labelled_sentences(name)]) == 0.5


def test_one_adjective_decides_and_the_citys_does_not():
    groups = {
        w: label
        for kind in ADJECTIVES.values()
        for label, g in zip((1, 0), kind, strict=True)
        for w in g
    }
    cities = {}
    for name, (kind, _) in SETS.items():
        for text, label in labelled_sentences(name):
            opening, _, rest = text.partition(". ") if "city" in text else ("", "", text)
            (found,) = [w for w in rest.rstrip(".").split() if w in groups]
            assert groups[found] == label
            assert found in ADJECTIVES[kind][1 - label]
            if opening:
                cities.setdefault((name, opening), []).append(label)
    assert all(np.mean(labels) == 0.5 for labels in cities.values())
    with pytest.raises(ValueError, match="name must be one of train, test, other words"):
        labelled_sentences("validation")
    for text, word in EXAMPLE:
        assert word in text


def test_pieces(directory):
    encoder = Encoder(directory)
    assert encoder.word_pieces("The CITY is dreadful, dogs?") == [
        "[CLS]", "the", "city", "is", "dread", "##ful", ",", "dog", "##s", "?", "[SEP]",
    ]  # fmt: skip
    assert encoder.word_pieces("My_cat xyz  unknown\t!") == [
        "[CLS]", "my", "_", "cat", "[UNK]", "un", "##known", "!", "[SEP]",
    ]  # fmt: skip
    assert encoder.word_pieces("一is") == ["[CLS]", "一", "is", "[SEP]"]
    # Accents are taken off, and words without end are unknown.
    assert encoder.word_pieces("Thé " + "dog" * 34) == ["[CLS]", "the", "[UNK]", "[SEP]"]


def test_the_same_alone_and_in_a_batch(directory):
    encoder = Encoder(directory)
    texts = ["My red cat is clean.", "My red dog is dirty."]
    together = encoder.hidden_states(texts)
    assert len(together) == encoder.layer_count + 1 == 3
    for state, alone in zip(together, encoder.hidden_states(texts[1:]), strict=True):
        assert np.allclose(state[1], alone[0], atol=1e-5)
    first = encoder.hidden_states(texts, first_only=True)
    assert [x.shape[1] for x in first] == [8, 8, 1]
    assert np.allclose(first[-1][:, 0], together[-1][:, 0], atol=1e-5)
    # The embedding of [CLS] knows nothing of the sentence; the layers do.
    assert np.array_equal(together[0][0, 0], together[0][1, 0])
    assert not np.allclose(together[1][0, 0], together[1][1, 0])


@pytest.mark.parametrize("dtype", ["F16", "BF16"])
def test_weights_in_half_precision_and_under_other_names(directory, tmp_path, dtype):
    found = write_bert(tmp_path / "half")
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): x
        for name, x in found.items()
    }
    write_tensors(tmp_path / "half" / "model.safetensors", old, prefix="", dtype=dtype)
    half, whole = (
        Encoder(d).hidden_states(["My cat is nice."]) for d in (tmp_path / "half", directory)
    )
    for one, other in zip(half, whole, strict=True):
        assert abs(one - other).mean() < 0.06 < 0.5 < abs(other).mean()
    assert not np.array_equal(half[-1], whole[-1])


def test_what_is_no_model(directory, tmp_path):
    with pytest.raises(
        ValueError, match=r"model must be a directory; .*nowhere is none \(docs/how-to"
    ):
        Encoder(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"with a file config.json; .* has none"):
        Encoder(tmp_path)
    copy = tmp_path / "copy"
    write_bert(copy)
    (copy / "model.safetensors").write_bytes(b"\x10" + bytes(7) + b"{}")
    with pytest.raises(
        ValueError, match=r"model.safetensors is no safetensors file, or a damaged one"
    ):
        Encoder(copy).hidden_states(["My cat."])
    for name, wanted in (("model_type", "roberta"), ("hidden_act", "relu")):
        write_bert(copy)
        config = json.loads((copy / "config.json").read_text()) | {name: wanted}
        (copy / "config.json").write_text(json.dumps(config))
        with pytest.raises(ValueError, match=f"model must have {name} .* has '{wanted}'"):
            Encoder(copy)
    (copy / "config.json").write_text("{")
    with pytest.raises(ValueError, match=r"config.json is no JSON"):
        Encoder(copy)
    write_bert(copy)
    (copy / "vocab.txt").write_text("the\n[CLS]\n")
    with pytest.raises(ValueError, match=r"lacks \[SEP\], \[UNK\]"):
        Encoder(copy)
    encoder = Encoder(directory)
    with pytest.raises(ValueError, match=r"equally many pieces; got \[5, 6\]"):
        encoder.hidden_states(["My cat.", "My red cat."])
    with pytest.raises(ValueError, match="at most 40 pieces; got 62"):
        encoder.hidden_states(["cat " * 60])


@nightly_only
def test_the_encoder_against_transformers(directory):
    """Once with transformers 5.23.0 and torch 2.13.0: 6e-7."""
    if not (importlib.util.find_spec("torch") and importlib.util.find_spec("transformers")):
        pytest.skip("transformers or torch is not installed")
    import torch
    from transformers import BertModel, BertTokenizer

    model, tokenizer = (
        BertModel.from_pretrained(directory).eval(),
        BertTokenizer.from_pretrained(directory),
    )
    encoder = Encoder(directory)
    for text in ("The city is dreadful, dogs?", "My_cat is nice. Thé 一 unknown!", "xyz don't"):
        ids = tokenizer(text)["input_ids"]
        assert tokenizer.convert_ids_to_tokens(ids) == encoder.word_pieces(text)
        with torch.no_grad():
            wanted = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
        for mine, theirs in zip(encoder.hidden_states([text]), wanted, strict=True):
            assert np.allclose(mine, theirs.numpy(), rtol=0, atol=1e-5)


def test_logistic_regression_is_the_minimum():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 4)) * (1, 3, 0.1, 1)
    y = (x @ (1, -1, 2, 0) + 0.5 + rng.standard_normal(300) > 0).astype(int)
    w = fit_logistic_regression(x, y, C=0.7)

    def loss(w):
        return (
            w[:-1] @ w[:-1] / 2 + 0.7 * np.logaddexp(0, -(2 * y - 1) * (x @ w[:-1] + w[-1])).sum()
        )

    best = minimize(
        loss,
        np.zeros(5),
        method="Nelder-Mead",
        options={"maxiter": 20_000, "xatol": 1e-9, "fatol": 1e-13},
    )
    assert np.allclose(w, best.x, atol=1e-5)
    assert np.mean((x @ w[:-1] + w[-1] > 0) == y) > 0.8


def few(monkeypatch):
    """Every 96th pair of a set; labels stay even."""

    def some(name):
        found = labelled_sentences(name)
        ones, zeros = ([e for e in found if e[1] == label] for label in (1, 0))
        return tuple(e for pair in zip(ones[::96], zeros[::96], strict=True) for e in pair)

    monkeypatch.setattr(probe_module, "labelled_sentences", some)


@pytest.fixture
def fewer(monkeypatch):
    few(monkeypatch)


def test_figure_1_in_small(directory, fewer, tmp_path):
    probing = Probing(directory)
    data = probing.compute(tmp_path / "probes.nc", workers=1)
    assert data.accuracy.dims == ("set", "state", "scaling")
    # Before the first layer [CLS] is a constant.
    assert (data.accuracy.sel(state=0) == 0.5).all()
    assert (data.accuracy.sel(state=[1, 2], set="train", scaling="standardised") > 0.58).all()
    assert data.attrs["model"] == "tiny"
    assert len(data.attrs["weights"]) == 64
    assert probing.read(tmp_path / "probes.nc").accuracy.equals(data.accuracy)
    assert np.array_equal(probing.compute(workers=2).accuracy, data.accuracy)


def test_figure_2_with_a_model_and_without(directory):
    drawn = Projections().compute()
    at = drawn.decisive.values
    assert (
        drawn.select.values[[0, 1], at].min()
        > 10
        > 4
        > np.delete(drawn.select.values, at[0], 1).max()
    )
    assert drawn.value.values[0, at[0]] > 0.5
    assert drawn.value.values[1, at[1]] < -0.5
    seen = Projections(directory).compute()
    (good, bad), words = seen.value.values, seen.word.values
    assert words[0, at[0]] == "clean"
    assert words[1, at[1]] == "dirty"
    assert good[at[0]] > bad[at[1]]
    assert (seen.select.values[[0, 1], at] > seen.select.values.mean(axis=1)).all()
    # Other words are the same in both.
    assert np.array_equal(
        np.delete(seen.select.values[0], at[0]), np.delete(seen.select.values[1], at[0])
    )
