"""A tiny BERT with random weights, written as one is published."""

import json

import numpy as np

from slrsym.papers.single_location.probing import SETS, labelled_sentences
from slrsym.papers.single_location.probing.probe import ADJECTIVES

PIECES = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "##s",
    "##er",
    "un",
    "##known",
    ",",
    "?",
    "!",
    "'",
    "_",
    "一",
    "é",
)


def tensors(config, words, rng):
    width, inner = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (words, width),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], width),
        "embeddings.token_type_embeddings.weight": (2, width),
        "embeddings.LayerNorm.weight": (width,),
        "embeddings.LayerNorm.bias": (width,),
    }
    for i in range(config["num_hidden_layers"]):
        for name, (out, into) in {
            "attention.self.query": (width, width), "attention.self.key": (width, width),
            "attention.self.value": (width, width), "attention.output.dense": (width, width),
            "intermediate.dense": (inner, width), "output.dense": (width, inner),
        }.items():  # fmt: skip
            shapes[f"encoder.layer.{i}.{name}.weight"] = (out, into)
            shapes[f"encoder.layer.{i}.{name}.bias"] = (out,)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"encoder.layer.{i}.{name}.weight"] = (width,)
            shapes[f"encoder.layer.{i}.{name}.bias"] = (width,)
    shapes |= {"pooler.dense.weight": (width, width), "pooler.dense.bias": (width,)}
    found = {}
    for name, shape in shapes.items():
        centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
        spread = 1.0 if "word_emb" in name else 2.0 / np.sqrt(width) if len(shape) == 2 else 0.2
        found[name] = (centre + spread * rng.standard_normal(shape)).astype(np.float32)
    return found


def write_tensors(file, found, prefix="bert.", dtype="F32"):
    header, raw = {"__metadata__": {"format": "pt"}}, b""
    for name, x in found.items():
        numbers = {
            "F32": x,
            "F16": x.astype(np.float16),
            "BF16": (x.view("<u4") >> 16).astype("<u2"),
        }[dtype]
        ends = [len(raw), len(raw) + numbers.nbytes]
        header[prefix + name] = {"dtype": dtype, "shape": list(x.shape), "data_offsets": ends}
        raw += numbers.tobytes()
    header[prefix + "embeddings.position_ids"] = {
        "dtype": "I64", "shape": [1, 2], "data_offsets": [len(raw), len(raw) + 16]
    }  # fmt: skip
    raw += np.arange(2).tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write_bytes(len(text).to_bytes(8, "little") + text + raw)


def write_bert(folder, layers=2, width=16, heads=4, seed=0, inner=None):
    """Make the directory; its vocabulary has the words of all sentences."""
    words = {
        w
        for name in SETS
        for text, _ in labelled_sentences(name)
        for w in text.lower().replace(".", " .").replace(",", " ,").replace("?", " ?").split()
    }
    lines = list(dict.fromkeys([*PIECES, *sorted(words - {"dreadful"}), "dread", "##ful"]))
    config = {
        "model_type": "bert", "hidden_size": width, "num_hidden_layers": layers,
        "num_attention_heads": heads, "intermediate_size": inner or 2 * width, "hidden_act": "gelu",
        "max_position_embeddings": 40, "type_vocab_size": 2, "vocab_size": len(lines),
        "layer_norm_eps": 1e-12, "architectures": ["BertModel"],
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = tensors(config, len(lines), np.random.default_rng(seed))
    # Feelings along two axes, as training would put them.
    embeddings = found["embeddings.word_embeddings.weight"]
    for sign, group in zip((3, -3), ADJECTIVES["seen"], strict=True):
        for word in set(group) & set(lines):
            embeddings[lines.index(word), :2] = sign, 6
    write_tensors(folder / "model.safetensors", found)
    return found
