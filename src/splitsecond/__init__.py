"""splitsecond: small, near-optimal decision trees in milliseconds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# Where each name comes from. It is imported when it is first asked for: most need scikit-learn,
# which takes more than a second to import.
_MODULES = {
    "_binarizers": ("FixedBinarizer", "MidpointBinarizer", "QuantileBinarizer"),
    "_classifier_base": ("LimitWarning",),
    "_classifiers": (
        "GreedyTreeClassifier",
        "LicketySPLITClassifier",
        "OptimalTreeClassifier",
        "SPLITClassifier",
    ),
    "_data_checks": ("DataWarning",),
    "_guessing": ("ThresholdGuessBinarizer",),
    "_importance": ("RashomonImportance",),
    "_literals": ("Literal",),
    "_path": ("PathEntry", "RegularizationPath"),
    "_rashomon": ("RESPLIT", "TreeFARMS"),
    "_regularization": ("regularization_path",),
    "_reliance": ("reliance",),
    "_saving": ("load", "save"),
    "_tree": ("Tree",),
    "_treeset": ("TreeSet",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
