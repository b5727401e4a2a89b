"""These tests run what a GPU would run, on JAX's CPU backend."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


@pytest.fixture(scope="session")
def jax() -> Any:
    """JAX; where it must be there, its lack is an error."""
    required = os.environ.get("SPLITSECOND_REQUIRE_JAX")
    return importlib.import_module("jax") if required else pytest.importorskip("jax")


@pytest.fixture
def device(jax: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the device that stands for a GPU."""
    monkeypatch.setenv("SPLITSECOND_GPU_PLATFORM", "cpu")
    return jax.devices("cpu")[0]
