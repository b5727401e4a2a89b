"""What travels between the processes of a cluster: partial results as bytes.

Combining may change a partial result in place. A task that is run again must find what it was given
the first time, or rows would be counted twice; so every task unpacks its own copies.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic

import pyarrow as pa

from splitsecond._counts.engine import Combine, Partial, Work

FAN_IN = 8  # partial results that are combined at once


@dataclass(frozen=True)
class Packed(Generic[Partial]):
    """Work and its combination, whose results are bytes."""

    work: Work[Partial]
    combination: Combine[Partial]

    def of(self, batches: Iterable[pa.RecordBatch]) -> bytes:
        """Return the partial result of some batches."""
        return pickle.dumps(self.work(batches), protocol=5)

    def combine(self, parts: Sequence[bytes]) -> bytes:
        """Return the partial result of several."""
        return parts[0] if len(parts) == 1 else pickle.dumps(self._combined(parts), protocol=5)

    def result(self, parts: Sequence[bytes]) -> Partial:
        """Return what all partial results give."""
        return self._combined(parts)

    def _combined(self, parts: Sequence[bytes]) -> Partial:
        return self.combination([pickle.loads(part) for part in parts])


def groups_of(n: int) -> int:
    """Return how many groups of partial results there are to be combined."""
    return -(-n // FAN_IN)
