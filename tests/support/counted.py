"""Random tables for count tables, cut into partitions and put in any order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from splitsecond import CountTable, FixedBinarizer

WEIGHTS = ("none", "whole", "decimals", "few", "many")


def random_table(random: np.random.RandomState, n: int = 300, *, n_classes: int = 2) -> Any:
    """Return columns of every kind, with missing values, and a target that depends on them."""
    frame = pd.DataFrame(
        {
            "number": random.normal(size=n).round(1),
            "float": random.normal(size=n).round(1).astype(np.float32),
            "count": random.randint(0, 5, n),
            "flag": random.rand(n) < 0.3,
            "text": random.choice(["ash", "elm", "oak", None], n),
            "kind": pd.Categorical(random.choice(["b", "a", "c"], n), categories=["c", "b", "a"]),
            "size": pd.Categorical(
                random.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True
            ),
        }
    )
    frame.loc[random.rand(n) < 0.1, "number"] = np.nan
    score = 2 * (frame["number"] > 0.3) + (frame["text"] == "oak") * frame["flag"]
    noisy = (score + random.rand(n) * 1.5).astype(int) % n_classes
    frame["y"] = np.array(["no", "yes", "perhaps", "never"])[noisy]
    return frame


def random_weights(random: np.random.RandomState, kind: str, n: int) -> Any:
    """Return weights of a kind, some of them 0; None for none."""
    return {
        "none": None,
        "whole": random.randint(0, 40, n).astype(float),
        "decimals": random.randint(0, 300, n) / 10,
        "few": random.choice([0, 0.1, 0.37, np.pi], n),
        "many": random.rand(n) * (random.rand(n) < 0.9),
    }[kind]


def shuffled(random: np.random.RandomState, frame: Any, folder: Path) -> Path:
    """Write the rows in another order, to files of any lengths; return their folder."""
    mixed = frame.sample(frac=1, random_state=random)
    cuts = np.sort(random.randint(0, len(frame) + 1, random.randint(0, 5)))
    folder.mkdir()
    for i, part in enumerate(np.split(np.arange(len(mixed)), cuts)):
        if len(part):
            table = pa.Table.from_pandas(mixed.iloc[part], preserve_index=False)
            pq.write_table(table, folder / f"{i}.parquet", row_group_size=random.randint(1, 100))
    return folder


class StreamOf:
    """What exports an Arrow stream, and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def same_questions(counts: CountTable) -> FixedBinarizer:
    """Return a binarizer for rows in memory that asks what a count table answers."""
    return FixedBinarizer([(each.name, each.operator, each.value) for each in counts.literals])


def check_same_tree(one: Any, other: Any) -> None:
    """Check that two models have the same tree, of the same counts."""
    for part in ("feature", "left", "right", "n_rows", "prediction"):
        np.testing.assert_array_equal(getattr(one.tree_, part), getattr(other.tree_, part))
    np.testing.assert_array_equal(one.tree_.row_counts, other.tree_.row_counts)
    np.testing.assert_allclose(one.tree_.counts, other.tree_.counts, rtol=1e-9, atol=1e-12)


WHOLE = 1000  # trees of a set that are all compared


def check_same_sets(one: Any, other: Any) -> None:
    """Check that two sets have the same trees, of the same objectives."""
    assert one.n_trees == other.n_trees
    assert one.bound == pytest.approx(other.bound, rel=1e-12)
    of_one, of_other = one.objective_histogram(), other.objective_histogram()
    np.testing.assert_allclose(list(of_one), list(of_other), rtol=1e-9)
    assert list(of_one.values()) == list(of_other.values())
    every = range(len(one)) if len(one) <= WHOLE else {0, len(one) // 2, len(one) - 1}
    for i in every:
        check_same_tree_of_sets(one[i], other[i])


def check_same_tree_of_sets(one: Any, other: Any) -> None:
    for part in ("feature", "left", "right", "n_rows", "prediction"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    np.testing.assert_array_equal(one.row_counts, other.row_counts)
    np.testing.assert_allclose(one.counts, other.counts, rtol=1e-9, atol=1e-12)
    assert one.objective == pytest.approx(other.objective, rel=1e-9)


def check_same_counts(one: CountTable, other: CountTable) -> None:
    """Check that two count tables are the same to the last bit, and in the same order."""
    assert one.literals == other.literals
    assert one.binarizer.variables_ == other.binarizer.variables_
    for part in ("target", "n_rows", "n_dropped", "n_entries", "n_patterns", "n_folds"):
        assert getattr(one, part) == getattr(other, part), part
    for a, b in zip(one.words, other.words, strict=True):
        np.testing.assert_array_equal(a, b)
    for part in ("rows", "codes", "classes", "folds", "numbers"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    assert one.classes.dtype == other.classes.dtype
    assert one.fold_labels == other.fold_labels
    assert (one.weights is None) == (other.weights is None)
    if one.weights is not None and other.weights is not None:
        assert one.weights.unit == other.weights.unit
        assert one.weights.is_whole == other.weights.is_whole
        np.testing.assert_array_equal(one.weights.each, other.weights.each)
        np.testing.assert_array_equal(one.weights.units, other.weights.units)
