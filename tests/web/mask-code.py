# Runs the code that maskCode writes and says which mask it made. In: JSON, a list of {target, code, batch, heads}; out: JSON, for
# each {shape, cells} ("0110..."), or {error}. NumPy's and Keras' code is NumPy's own. JAX' runs with NumPy in jax.numpy's place.
# PyTorch's runs on a stand-in made of NumPy arrays that has the few calls the code uses: it shows which cells the code means and
# in which shape they arrive, not how PyTorch itself behaves.
import ast
import json
import sys
import types

import numpy as np


class Tensor(np.ndarray):
    """A NumPy array with the two methods of torch.Tensor that arrays lack or spell otherwise."""

    def __getitem__(self, index):
        return np.asarray(super().__getitem__(index)).view(Tensor)

    def expand(self, *sizes):
        return np.broadcast_to(np.asarray(self), sizes).view(Tensor)


def tensor(values):
    return np.asarray(values).view(Tensor)


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device="cuda"):
    """Asks for one cell at a time, with scalar indices, as PyTorch describes it. None: one batch entry, one head."""
    made = np.zeros((B or 1, H or 1, Q_LEN, KV_LEN), dtype=bool)
    for at in np.ndindex(made.shape):
        cell = mask_mod(*(tensor(index) for index in at))
        assert np.shape(cell) == () and np.asarray(cell).dtype == bool, repr(cell)
        made[at] = cell
    return made


module("jax", numpy=np)
torch = module(
    "torch",
    arange=lambda n: tensor(np.arange(n)),
    tensor=tensor,
    isin=lambda a, b: tensor(np.isin(a, b)),
    repeat_interleave=lambda a, b: tensor(np.repeat(a, b)),
    stack=lambda rows: tensor(np.stack(rows)),
)
torch.nn = module("torch.nn")
torch.nn.attention = module("torch.nn.attention")
torch.nn.attention.flex_attention = module("torch.nn.attention.flex_attention", create_block_mask=create_block_mask, flex_attention=None)

# What each library is handed. Keras takes one mask for all heads; where heads differ its code has none.
handed = {"numpy": "mask", "jax": "mask", "keras": "attention_mask", "pytorch": "mask", "pytorch-mha": "attn_mask", "pytorch-flex": "block_mask"}


def run(job):
    ast.parse(job["code"])
    names = {}
    exec(job["code"], names)
    if handed[job["target"]] not in names:
        return {"missing": handed[job["target"]]}
    made = np.asarray(names[handed[job["target"]]])
    assert made.dtype == bool, made.dtype
    return {"shape": made.shape, "cells": "".join("1" if cell else "0" for cell in made.reshape(-1))}


results = []
for each in json.load(sys.stdin):
    try:
        results.append(run(each))
    except Exception as reason:  # every job is reported, so that one failure does not hide the others
        results.append({"error": f"{type(reason).__name__}: {reason}"})
json.dump(results, sys.stdout)
