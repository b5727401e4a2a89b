"""Which device counts: what "cpu", "gpu" and "auto" mean for a problem."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from splitsecond._support.install import install_line

DEVICES = ("cpu", "gpu", "auto")
PLATFORM = "SPLITSECOND_GPU_PLATFORM"  # of JAX that stands for the GPU in tests, such as cpu
FOR_NVIDIA = "and JAX for it: for NVIDIA, the package jax[cuda13] or jax[cuda12]"
# From so many cells and columns on "auto" takes the GPU, as benchmarks/results/gpu.md has it.
PAYS_FROM_CELLS = 10**9
PAYS_FROM_COLUMNS = 300


def find_gpu() -> Any:
    """Return the first GPU that JAX knows; an ImportError or RuntimeError says what is missing."""
    try:
        import jax
    except ImportError as error:
        raise ImportError(
            f'device="gpu" needs JAX: {install_line("gpu")}, {FOR_NVIDIA}.'
        ) from error
    try:
        return jax.devices(os.environ.get(PLATFORM, "gpu"))[0]
    except RuntimeError as error:
        found = sorted({device.platform for device in jax.devices()})
        raise RuntimeError(
            f'device="gpu": JAX {jax.__version__} finds no GPU here, only {", ".join(found)}. '
            f'Install its driver, {FOR_NVIDIA}; or use device="auto", which takes the CPU where '
            "there is no GPU."
        ) from error


def counter_for(
    device: str, n_rows: int, n_columns: int, levels: int
) -> Callable[[Any], Any] | None:
    """Return what counts on the GPU for a search of so many levels; None: the CPU counts."""
    pays = n_columns >= PAYS_FROM_COLUMNS and n_rows * n_columns >= PAYS_FROM_CELLS
    if device == "auto" and not (pays and levels > 1):
        return None
    try:
        gpu = find_gpu()
    except (ImportError, RuntimeError):
        if device == "auto":
            return None
        raise
    from splitsecond._gpu.compiled import keep_compiled
    from splitsecond._gpu.counter import open_counter

    keep_compiled()
    return partial(open_counter, device=gpu)
