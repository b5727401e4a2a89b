"""splitsecond: small, near-optimal decision trees in milliseconds."""

from splitsecond._binarizers import FixedBinarizer, MidpointBinarizer, QuantileBinarizer
from splitsecond._classifier_base import LimitWarning
from splitsecond._classifiers import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)
from splitsecond._data_checks import DataWarning
from splitsecond._guessing import ThresholdGuessBinarizer
from splitsecond._importance import RashomonImportance
from splitsecond._literals import Literal
from splitsecond._path import PathEntry, RegularizationPath
from splitsecond._rashomon import RESPLIT, TreeFARMS
from splitsecond._regularization import regularization_path
from splitsecond._reliance import reliance
from splitsecond._saving import load, save
from splitsecond._tree import Tree
from splitsecond._treeset import TreeSet

__all__ = [
    "RESPLIT",
    "DataWarning",
    "FixedBinarizer",
    "GreedyTreeClassifier",
    "LicketySPLITClassifier",
    "LimitWarning",
    "Literal",
    "MidpointBinarizer",
    "OptimalTreeClassifier",
    "PathEntry",
    "QuantileBinarizer",
    "RashomonImportance",
    "RegularizationPath",
    "SPLITClassifier",
    "ThresholdGuessBinarizer",
    "Tree",
    "TreeFARMS",
    "TreeSet",
    "load",
    "regularization_path",
    "reliance",
    "save",
]

__version__ = "0.1.0"
