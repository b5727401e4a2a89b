"""Parameters of estimators, each declared once: as an annotated attribute with its default.

A class has the parameters of its bases and its own. scikit-learn reads them from the signature of
`__init__`, which is made here.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)

# As signatures list them.
ORDER = (
    "regularization",
    "epsilon",
    "epsilon_kind",
    "max_depth",
    "min_samples_leaf",
    "lookahead_depth",
    "completion",
    "postprocess",
    "keep_trivial",
    "exact_last_split",
    "loss",
    "costs",
    "actions",
    "class_weight",
    "binarizer",
    "time_limit",
    "memory_limit",
    "n_jobs",
    "device",
    "verbose",
)


@dataclass_transform(kw_only_default=True)
def with_parameters(cls: Class) -> Class:
    """Make the annotated attributes of a class, and those of its bases, keywords of `__init__`."""
    made: Any = cls
    inherited = {
        name: each
        for base in reversed(made.__mro__[1:])
        for name, each in vars(base).get("_parameters", {}).items()
    }
    parameters = {each.name: each for each in (*inherited.values(), *_declared(made))}
    made._parameters = {name: parameters[name] for name in sorted(parameters, key=ORDER.index)}
    made.__init__ = _initializer(made, list(made._parameters.values()))
    return cls


def _declared(cls: Any) -> list[inspect.Parameter]:
    """Take the parameters that a class itself declares off it."""
    found = []
    for name, annotation in inspect.get_annotations(cls).items():
        if name in vars(cls) and not str(annotation).startswith("ClassVar"):
            found.append(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=vars(cls)[name],
                    annotation=annotation,
                )
            )
            delattr(cls, name)  # a fitted estimator has its own
    return found


def _initializer(cls: Any, parameters: list[inspect.Parameter]) -> Any:
    defaults = {each.name: each.default for each in parameters}

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807 - it becomes a method
        for name in given:
            if name not in defaults:
                raise TypeError(
                    f"{cls.__name__}.__init__() got an unexpected keyword argument {name!r}"
                )
        for name, value in {**defaults, **given}.items():
            setattr(self, name, value)

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    made: Any = __init__
    made.__signature__ = inspect.Signature([itself, *parameters], return_annotation="None")
    made.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": "None"}
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    return made
