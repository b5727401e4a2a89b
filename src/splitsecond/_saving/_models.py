"""What can be saved."""

from __future__ import annotations

from typing import TypeAlias

from splitsecond import _binarizers, _classifiers, _guessing, _rashomon
from splitsecond._binarizer_base import Binarizer
from splitsecond._classifier_base import TreeClassifier

Estimator: TypeAlias = TreeClassifier | Binarizer

CLASSES: dict[str, type[Estimator]] = {
    cls.__name__: cls
    for cls in (
        _classifiers.GreedyTreeClassifier,
        _classifiers.LicketySPLITClassifier,
        _classifiers.OptimalTreeClassifier,
        _classifiers.SPLITClassifier,
        _rashomon.RESPLIT,
        _rashomon.TreeFARMS,
        _binarizers.FixedBinarizer,
        _binarizers.MidpointBinarizer,
        _binarizers.QuantileBinarizer,
        _guessing.ThresholdGuessBinarizer,
    )
}
