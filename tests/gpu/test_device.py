"""Estimators on a device: limits, Ctrl-C and progress are those of the CPU; `auto` chooses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splitsecond import LicketySPLITClassifier, LimitWarning
from splitsecond._gpu import devices

pytestmark = pytest.mark.slow


def noise() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(2_000, 20))
    return X, (X[:, 0] ^ X[:, 1] ^ (rng.random(2_000) < 0.2)).astype(int)


def model(**parameters: Any) -> LicketySPLITClassifier:
    return LicketySPLITClassifier(regularization=0.001, **parameters)


@pytest.mark.usefixtures("device")
def test_auto_chooses_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noise()
    on_cpu = model(device="auto").fit(X, y)
    monkeypatch.setattr(devices, "PAYS_FROM_CELLS", 0)
    monkeypatch.setattr(devices, "PAYS_FROM_COLUMNS", 0)
    on_gpu = model(device="auto").fit(X, y)
    assert [each.statistics_["on_gpu"] for each in (on_cpu, on_gpu)] == [0, 1]
    assert on_gpu.tree_.to_dict() == on_cpu.tree_.to_dict()
    stump = model(device="auto", max_depth=1).fit(X, y)  # its rows are read once
    assert stump.statistics_["on_gpu"] == 0


def test_no_gpu(jax: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noise()
    monkeypatch.setenv(devices.PLATFORM, "no_such_platform")
    with pytest.raises(RuntimeError, match=re.escape("finds no GPU here, only cpu")):
        model(device="gpu").fit(X, y)
    monkeypatch.setattr(devices, "PAYS_FROM_CELLS", 0)
    monkeypatch.setattr(devices, "PAYS_FROM_COLUMNS", 0)
    assert model(device="auto").fit(X, y).statistics_["on_gpu"] == 0


@pytest.mark.usefixtures("device")
def test_a_listener_hears_of_progress_and_can_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    from splitsecond._gpu.counter import Counter

    count = Counter.count

    def slow(self: Counter, paths: Any) -> Any:
        time.sleep(0.05)  # a listener is told every 20 ms at most
        return count(self, paths)

    monkeypatch.setattr(Counter, "count", slow)
    X, y = noise()
    heard = []
    fitted = model(device="gpu", verbose=lambda *now: heard.append(now)).fit(X, y)
    assert fitted.status_ == "complete"
    assert {steps for _, steps, _ in heard} >= {X.shape[1]}

    def stop(done: int, steps: int, seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.warns(LimitWarning, match="Interrupted"):
        stopped = model(device="gpu", verbose=stop).fit(X, y)
    assert stopped.status_ == "interrupted"


@pytest.mark.usefixtures("device")
def test_ctrl_c_while_the_device_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    from splitsecond._gpu.counter import Counter

    X, y = noise()
    count, asked = Counter.count, []

    def interrupted(self: Counter, paths: Any) -> Any:
        asked.append(len(paths))
        if len(asked) == 4:
            raise KeyboardInterrupt
        return count(self, paths)

    monkeypatch.setattr(Counter, "count", interrupted)
    with pytest.warns(LimitWarning):
        stopped = model(device="gpu").fit(X, y)
    assert stopped.status_ == "interrupted"
    assert len(asked) == 4


@pytest.mark.usefixtures("device")
def test_limits() -> None:
    X, y = noise()
    with pytest.warns(LimitWarning):
        late = model(device="gpu", time_limit=1e-9).fit(X, y)
    assert late.status_ == "time_limit"
    with pytest.warns(LimitWarning):
        small = model(device="gpu", memory_limit=9_000).fit(X, y)
    assert small.status_ == "memory_limit"


PROGRAM = """
import numpy as np
from splitsecond import LicketySPLITClassifier
X = np.random.default_rng(0).integers(0, 2, size=(2_000, 20))
model = LicketySPLITClassifier(regularization=0.001, device="gpu").fit(X, X[:, 0] ^ X[:, 1])
assert model.statistics_["on_gpu"] == 1
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folder has another name")
def test_what_was_compiled_is_kept(jax: Any, tmp_path: Path) -> None:
    def kept(**changes: str) -> set[str]:
        names = {
            **{key: value for key, value in os.environ.items() if not key.startswith("JAX_")},
            **{devices.PLATFORM: "cpu", "XDG_CACHE_HOME": str(tmp_path / "cache"), **changes},
        }
        subprocess.run([sys.executable, "-c", PROGRAM], env=names, check=True)
        return {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*-cache")}

    assert kept(JAX_ENABLE_COMPILATION_CACHE="0") == set()
    chosen = kept(
        JAX_COMPILATION_CACHE_DIR=str(tmp_path / "own"),
        JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0",
    )
    assert chosen
    assert all(name.startswith("own/") for name in chosen)
    in_cache = kept() - chosen
    assert in_cache
    assert all(name.startswith("cache/splitsecond/jax/") for name in in_cache)
    # Products are not compiled anew. What takes about as long as is worth keeping may be kept late.
    assert any("jit_count-" in name for name in in_cache)
    assert not [name for name in kept() - chosen - in_cache if "jit_count-" in name]
