"""What runs on the device: counting many paths at once, and gathering the rows of one.

A table is columns of bits, 32 rows a word, in blocks of equally many words. A block holds rows of
one run, which count so many in one channel; runs follow each other, and bits past a run's rows are
zero. How many blocks there are is a number on the device: shapes are those of the room for them, so
that a table of fewer rows compiles nothing anew.

Literals are as in core/search/level_counter.hpp: 2 * column + 1 for the rows that have a column,
2 * column for those that lack it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

Array = Any  # of JAX, which the type checker need not have

WORD = 32  # rows


class Runs(NamedTuple):
    """What rows count, by run."""

    channel: Array  # int32[runs]
    weight: Array  # int32[runs]


class Table(NamedTuple):
    """Rows on the device."""

    words: Array  # uint32[columns, blocks * words of a block]
    run: Array  # int32[blocks]: of which run the rows of a block are
    n_blocks: Array  # int32: those in use; the others are zero


@partial(jax.jit, donate_argnums=0)
def place(words: Array, block: Array, at: Array) -> Array:
    """Write a block into the words of a table: uint32[words, columns, 2], as the core packs."""
    turned = block.transpose(1, 0, 2).reshape(block.shape[1], -1)
    return lax.dynamic_update_slice(words, turned, (jnp.int32(0), at * turned.shape[1]))


@partial(jax.jit, static_argnames=("n_channels", "step"))
def count(
    table: Table,
    runs: Runs,
    ones: Array,
    paths: Array,
    *,
    n_channels: int,
    step: int,
) -> Array:
    """Count the rows of each path, int32[paths, literals], in all columns.

    Returns int32[paths, channels, columns]. `step` words are unpacked to numbers at a time; column
    `ones` marks the rows there are.
    """
    n_columns, n_words = table.words.shape
    per_block = n_words // table.run.shape[0] // step

    def add(i: Array, sums: Array) -> Array:
        words = lax.dynamic_slice(table.words, (jnp.int32(0), i * step), (n_columns, step))
        # Kept as bits, or each would be selected anew for every row of its word.
        masks = lax.optimization_barrier(_select(words, ones, paths))
        found = lax.dot_general(
            _unpack(masks),
            _unpack(words),
            (((1,), (1,)), ((), ())),
            preferred_element_type=jnp.int32,
        )
        run = table.run[i // per_block]
        return sums.at[runs.channel[run]].add(runs.weight[run] * found)

    sums = jnp.zeros((n_channels, paths.shape[0], n_columns), jnp.int32)
    return lax.fori_loop(0, table.n_blocks * per_block, add, sums).transpose(1, 0, 2)


@jax.jit
def gather(table: Table, runs: Runs, ones: Array, path: Array) -> Table:
    """Return a table of the rows of one path, int32[literals], alone; with as much room."""
    n_blocks = table.run.shape[0]
    size = table.words.shape[1] // n_blocks
    mask = _select(table.words, ones, path[None])[0]
    source, run, used = _new_places(mask, table.run, runs.weight.shape[0], size)

    def fill(i: Array, words: Array) -> Array:
        rows = lax.dynamic_slice(source, (i * size, jnp.int32(0)), (size, WORD))
        bits = (table.words[:, rows // WORD] >> (rows % WORD).astype(jnp.uint32)) & 1
        bits = jnp.where(rows >= 0, bits, 0) << _places()
        block = bits.sum(axis=2, dtype=jnp.uint32)
        return lax.dynamic_update_slice(words, block, (jnp.int32(0), i * size))

    words = lax.fori_loop(0, used, fill, jnp.zeros_like(table.words))
    return Table(words, run, used)


def _new_places(
    mask: Array, run_of_block: Array, n_runs: int, size: int
) -> tuple[Array, Array, Array]:
    """Tell where the rows of a mask go: the source of every row, and the run of every block.

    Rows keep their order, and each run begins with a block. Sources are int32[words, 32], -1 where
    no row goes.
    """
    per_block = size * WORD
    n_rows = lax.population_count(mask).astype(jnp.int32)  # of each word
    run = jnp.repeat(run_of_block, size)
    in_block = n_rows.reshape(-1, size).sum(axis=1, dtype=jnp.int32)
    in_run = jnp.zeros(n_runs, jnp.int32).at[run_of_block].add(in_block)
    blocks = -(-in_run // per_block)
    end = jnp.cumsum(blocks, dtype=jnp.int32)
    before = jnp.cumsum(n_rows, dtype=jnp.int32) - n_rows
    before_run = jnp.cumsum(in_run, dtype=jnp.int32) - in_run
    first = before - before_run[run] + (end - blocks)[run] * per_block
    earlier = mask[:, None] & ((jnp.uint32(1) << _places()) - 1)
    target = first[:, None] + lax.population_count(earlier).astype(jnp.int32)
    taken = (mask[:, None] >> _places()) & 1
    nowhere = mask.shape[0] * WORD
    rows = jnp.arange(nowhere, dtype=jnp.int32)
    source = jnp.full(nowhere, -1, jnp.int32)
    source = source.at[jnp.where(taken == 1, target, nowhere).ravel()].set(rows, mode="drop")
    new_run = jnp.searchsorted(end, jnp.arange(run_of_block.shape[0]), side="right")
    new_run = jnp.minimum(new_run, n_runs - 1).astype(jnp.int32)
    return source.reshape(-1, WORD), new_run, end[-1]


def _select(words: Array, ones: Array, paths: Array) -> Array:
    """Return the rows of each path as bits: uint32[paths, words]."""
    masks = words[ones][None]
    for at in range(paths.shape[1]):
        literal = paths[:, at, None]
        lacks = (literal & 1).astype(jnp.uint32) - 1  # all ones
        masks = masks & (words[literal[:, 0] // 2] ^ lacks)
    return masks


def _unpack(words: Array) -> Array:
    """Return bits as numbers: uint32[n, words] as int8[n, rows]."""
    bits = (words[:, :, None] >> _places()) & 1
    return bits.astype(jnp.int8).reshape(words.shape[0], -1)


def _places() -> Array:
    return jnp.arange(WORD, dtype=jnp.uint32)
