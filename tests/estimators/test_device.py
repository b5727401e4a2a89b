"""The parameter `device` where nothing but the CPU counts; tests/gpu has the rest."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest
from cli_files import run, write_csv

from splitsecond import (
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    load,
    save,
)
from splitsecond._gpu import devices

ESTIMATORS = (
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
)
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
Y = X[:, 0] ^ X[:, 1]


@pytest.fixture
def no_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_cpu_is_the_default(estimator: Any) -> None:
    model = estimator().fit(X, Y)
    assert model.get_params()["device"] == "cpu"
    assert model.statistics_["on_gpu"] == 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.usefixtures("no_jax")
def test_a_gpu_needs_jax(estimator: Any) -> None:
    with pytest.raises(ImportError, match=re.escape('device="gpu" needs JAX: pip install')):
        estimator(device="gpu").fit(X, Y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.usefixtures("no_jax")
def test_auto_takes_the_cpu_without_jax(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "PAYS_FROM_CELLS", 0)
    monkeypatch.setattr(devices, "PAYS_FROM_COLUMNS", 0)
    model = estimator(device="auto").fit(X, Y)
    assert model.statistics_["on_gpu"] == 0
    assert model.tree_.to_dict() == estimator().fit(X, Y).tree_.to_dict()


def test_auto_does_not_look_for_a_gpu_for_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "find_gpu", lambda: pytest.fail("it looked"))
    assert LicketySPLITClassifier(device="auto").fit(X, Y).statistics_["on_gpu"] == 0


@pytest.mark.parametrize("device", ["cuda", "GPU", None, 0])
def test_other_devices_are_refused(device: Any) -> None:
    with pytest.raises(ValueError, match=r"device=.* must be one of 'cpu', 'gpu', 'auto'"):
        GreedyTreeClassifier(device=device).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"lookahead_depth": 2}, "lookahead_depth=2"),
        ({"lookahead_depth": 2, "completion": "lickety"}, "lookahead_depth=2"),
        ({"completion": "lickety"}, 'completion="lickety"'),
    ],
)
def test_more_lookahead_needs_the_cpu(
    parameters: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=re.escape(f'device="gpu" does not go with {name}')):
        LicketySPLITClassifier(device="gpu", **parameters).fit(X, Y)
    monkeypatch.setattr(devices, "PAYS_FROM_CELLS", 0)
    monkeypatch.setattr(devices, "PAYS_FROM_COLUMNS", 0)
    model = LicketySPLITClassifier(device="auto", **parameters).fit(X, Y)
    assert model.statistics_["on_gpu"] == 0


def test_models_keep_it(tmp_path: Any) -> None:
    model = LicketySPLITClassifier(device="auto").fit(X, Y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.device == "auto"
    assert again.statistics_["on_gpu"] == 0


def test_command_line(tmp_path: Any) -> None:
    table = write_csv(tmp_path / "table.csv", {"a": X[:, 0], "b": X[:, 1], "y": Y})
    done = run("fit", table, "--target", "y", "--device", "auto", "--out", tmp_path / "model.json")
    assert done.exit_code == 0
    assert load(tmp_path / "model.json").device == "auto"
    refused = run("fit", table, "--target", "y", "--algorithm", "optimal", "--device", "cpu")
    assert refused.exit_code != 0
    assert "--device has no meaning for optimal" in " ".join(refused.stderr.split())
