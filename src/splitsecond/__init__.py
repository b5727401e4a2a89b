"""splitsecond: small, near-optimal decision trees in milliseconds."""

from splitsecond._binarizers import FixedBinarizer, MidpointBinarizer, QuantileBinarizer
from splitsecond._classifiers import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    SPLITClassifier,
)
from splitsecond._guessing import ThresholdGuessBinarizer
from splitsecond._literals import Literal
from splitsecond._saving import load, save
from splitsecond._tree import Tree

__all__ = [
    "FixedBinarizer",
    "GreedyTreeClassifier",
    "LicketySPLITClassifier",
    "LimitWarning",
    "Literal",
    "MidpointBinarizer",
    "OptimalTreeClassifier",
    "QuantileBinarizer",
    "SPLITClassifier",
    "ThresholdGuessBinarizer",
    "Tree",
    "load",
    "save",
]

__version__ = "0.1.0"
