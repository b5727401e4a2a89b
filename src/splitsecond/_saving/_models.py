"""What can be saved."""

from __future__ import annotations

from typing import TypeAlias

from splitsecond._binarizers import cuts, guessing
from splitsecond._binarizers.base import Binarizer
from splitsecond._estimators import fixed, sets, trees
from splitsecond._estimators.base import TreeEstimator

Estimator: TypeAlias = TreeEstimator | fixed.FixedTree | Binarizer

CLASSES: dict[str, type[Estimator]] = {
    cls.__name__: cls
    for cls in (
        trees.GreedyTreeClassifier,
        trees.LicketySPLITClassifier,
        trees.OptimalTreeClassifier,
        trees.SPLITClassifier,
        fixed.FixedTreeClassifier,
        sets.RESPLIT,
        sets.TreeFARMS,
        trees.GreedyTreeRegressor,
        trees.LicketySPLITRegressor,
        trees.OptimalTreeRegressor,
        trees.SPLITRegressor,
        fixed.FixedTreeRegressor,
        sets.RESPLITRegressor,
        sets.TreeFARMSRegressor,
        cuts.FixedBinarizer,
        cuts.MidpointBinarizer,
        cuts.QuantileBinarizer,
        guessing.ThresholdGuessBinarizer,
    )
}
