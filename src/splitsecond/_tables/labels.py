"""Class labels of any kind as numbers."""

from __future__ import annotations

import math
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from splitsecond._support.messages import listed, shown
from splitsecond._tables.class_checks import refuse_quantity
from splitsecond._tables.errors import TableError
from splitsecond._tables.opening import WIDE, open_frame

# Integer labels this close together are numbered by counting instead of sorting.
_COUNTED_RANGE = 1 << 16


def encode_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the sorted class labels and, for each row, the number of its class."""
    labels = _as_array(y)
    check_length(len(labels), n_rows)
    if labels.dtype.kind in "biu":
        classes, codes = _encode_integers(labels)
        refuse_quantity(classes, n_rows)
        return classes, codes
    if labels.dtype.kind == "f":
        distinct = np.unique(labels)
        if (distinct == np.rint(distinct)).all():
            refuse_quantity(distinct, n_rows)
        check_classification_targets(labels)
    elif labels.dtype.kind not in "OUST":
        raise ValueError(
            f"Unknown label type: y has dtype {labels.dtype}. Class labels must be strings, "
            "numbers or booleans: convert them, for example with y.astype(str)."
        )
    if labels.dtype.kind == "O":
        return _encode_objects(labels.tolist())
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def check_length(n_values: int, n_rows: int) -> None:
    """Refuse a target that has more or fewer values than there are rows."""
    if n_values != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, "
            f"y has {n_values}."
        )


def refuse_no_target(y: Any, wanted: str) -> None:
    """Refuse what cannot be a target, of labels or of numbers, before its values are read."""
    if isinstance(y, np.ma.MaskedArray):
        raise ValueError("y is a masked array: drop the masked rows first.")
    if y is None:
        raise ValueError(f"requires y to be passed, but the target y is None: give the {wanted}.")
    if isinstance(y, str):
        raise ValueError(f"y={shown(y)} is text: pass {wanted}, one for each row of X.")


def array_of(series: nw.Series[Any]) -> NDArray[Any]:
    """Return a target without missing values as numpy has it."""
    wide = series.dtype in WIDE  # too wide for numpy, which holds them as Python's integers
    return np.array(series.to_list(), dtype=object) if wide else series.to_numpy()


def refuse_column_name(X: Any, y: Any) -> None:
    """Refuse the name of a column of X in place of its values."""
    frame = open_frame(X) if isinstance(y, str) else None
    if frame is not None and y in frame.columns:
        name = shown(y)
        raise ValueError(
            f"y={name} is the name of a column of X: pass its values, y=X[{name}], and the other "
            f"columns as X, such as X.drop(columns={name})."
        )


def codes_of(y: Any, classes: NDArray[Any], n_rows: int) -> NDArray[np.int32]:
    """Return the numbers that labels have among the classes of a model."""
    given, codes = encode_labels(y, n_rows)
    place = {label: j for j, label in enumerate(classes.tolist())}
    unknown = [label for label in given.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y has the label {shown(unknown[0])}, which the model does not know.")
    numbers = np.array([place[label] for label in given.tolist()], dtype=np.int32)
    return np.ascontiguousarray(numbers[codes])


def _encode_objects(labels: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give Python objects their numbers by look-up: sorting millions of them takes seconds."""
    try:
        ordered = sorted(set(labels))
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(
            f"y mixes labels that cannot be ordered (types {listed(kinds)}): make them all "
            "strings or all numbers, for example with y.astype(str)."
        ) from error
    number = {label: code for code, label in enumerate(ordered)}
    codes = np.fromiter(map(number.__getitem__, labels), dtype=np.int32, count=len(labels))
    classes = np.empty(len(ordered), dtype=object)
    classes[:] = ordered
    return classes, codes


def _as_array(y: Any) -> NDArray[Any]:
    refuse_no_target(y, "class labels")
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu" and len(y):
        return y  # the common case, without the questions below
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        missing = int(series.is_null().sum())
        if missing:
            row = int(series.is_null().to_numpy().argmax())
            raise TableError(
                f"Input y contains NaN: {missing} labels are missing, the first",
                ". Drop those rows.",
                row=row,
            )
        values = array_of(series)
    else:
        values = np.asarray(y)
    labels: NDArray[Any] = column_or_1d(values, warn=True)
    if labels.dtype.kind == "f":
        if np.isnan(labels).any():
            row = int(np.argmax(np.isnan(labels)))
            raise TableError(
                "Input y contains NaN: a label is missing", ". Drop rows without a label.", row=row
            )
        if np.isinf(labels).any():
            raise ValueError("Input y contains infinity: labels must be finite.")
    if labels.dtype.kind == "O":
        labels = _objects(labels)
    return labels


def _objects(labels: NDArray[Any]) -> NDArray[Any]:
    """Refuse missing labels among Python objects; give booleans and integers their numpy dtype."""
    kinds = set(map(type, labels.tolist()))
    missing = {kind for kind in kinds if kind.__name__ in ("NoneType", "NAType", "NaTType")}
    if missing or any(issubclass(kind, float) for kind in kinds):
        for row, label in enumerate(labels):
            if type(label) in missing or (isinstance(label, float) and math.isnan(label)):
                raise TableError(
                    "Input y contains NaN: the label",
                    f" is {shown(label)}. Drop rows without a label.",
                    row=row,
                )
    if kinds == {bool}:
        return labels.astype(bool)
    if kinds == {int} and all(abs(label) < 2**62 for label in labels):
        return labels.astype(np.int64)
    if kinds == {float}:
        check_classification_targets(labels.astype(float))
    return labels


def _encode_integers(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    labels_seen = labels.view(np.uint8) if labels.dtype.kind == "b" else labels
    low = int(labels_seen.min())
    span = int(labels_seen.max()) - low + 1
    if span > _COUNTED_RANGE or low >= 2**62:
        classes, inverse = np.unique(labels, return_inverse=True)
        return classes, inverse.astype(np.int32)
    # In slices: no temporary as long as y, and no sorting.
    slices = [slice(i, i + 65536) for i in range(0, len(labels), 65536)]
    present = np.zeros(span, dtype=bool)
    codes: NDArray[Any] = np.empty(len(labels), dtype=np.uint8 if span <= 256 else np.int32)
    present[[0, -1]] = True
    for part in slices:
        codes[part] = labels_seen[part].astype(np.int64) - low
        if span > 2:
            present[codes[part]] = True
    number = np.cumsum(present) - 1
    if not present.all():
        for part in slices:
            codes[part] = number[codes[part]]
    classes = (np.flatnonzero(present) + low).astype(labels.dtype)
    return classes, codes
