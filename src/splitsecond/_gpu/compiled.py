"""Keeping what JAX compiles for a GPU from one process to the next."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import jax

WORTH_KEEPING = 0.1  # seconds of compiling; JAX keeps nothing below one second by default


def keep_compiled() -> None:
    """Have JAX keep what it compiles in the user's cache folder, unless a folder is set already.

    JAX knows one folder for a process. JAX_COMPILATION_CACHE_DIR names another, and
    JAX_ENABLE_COMPILATION_CACHE=0 keeps nothing.
    """
    config = jax.config
    if config.jax_enable_compilation_cache and config.jax_compilation_cache_dir is None:
        config.update("jax_compilation_cache_dir", str(cache_folder() / "splitsecond" / "jax"))
        config.update("jax_persistent_cache_min_compile_time_secs", WORTH_KEEPING)


def cache_folder() -> Path:
    """Return the folder for what programs of this user keep, and can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
