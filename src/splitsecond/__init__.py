"""splitsecond: small, near-optimal decision trees in milliseconds."""

from splitsecond._classifiers import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    LimitWarning,
    OptimalTreeClassifier,
    SPLITClassifier,
)
from splitsecond._tree import Tree

__all__ = [
    "GreedyTreeClassifier",
    "LicketySPLITClassifier",
    "LimitWarning",
    "OptimalTreeClassifier",
    "SPLITClassifier",
    "Tree",
]

__version__ = "0.1.0"
