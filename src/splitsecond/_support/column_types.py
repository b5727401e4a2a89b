"""Types of Arrow columns: which are alike, and what holds the values of two."""

from __future__ import annotations

import pyarrow as pa

DIGITS_OF_INT64 = 20  # of unsigned ones, too
MAX_DIGITS, MAX_DIGITS_128 = 76, 38  # of Arrow's decimals


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or is_view(kind))


def is_view(kind: pa.DataType) -> bool:
    """Whether a type is one of views of text, which older versions of Arrow do not have."""
    views = getattr(pa.types, "is_string_view", None)
    return views is not None and bool(views(kind))


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a type is one of numbers, booleans among them."""
    of = pa.types
    return bool(
        of.is_integer(kind) or of.is_floating(kind) or of.is_boolean(kind) or of.is_decimal(kind)
    )


def without_views(kind: pa.DataType) -> pa.DataType:
    """Return the type of text that all of Arrow's functions take, which views are not."""
    if pa.types.is_dictionary(kind) and is_view(kind.value_type):
        return pa.dictionary(kind.index_type, pa.large_string(), ordered=kind.ordered)
    return pa.large_string() if is_view(kind) else kind


def joined(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return a type for the values of both, if they mean the same; the order does not matter."""
    if one == other:
        return one
    if pa.types.is_null(one):
        return other
    if pa.types.is_null(other):
        return one
    plain = [_plain(one), _plain(other)]
    if all(map(is_text, plain)) and _is_ordered(one) == _is_ordered(other):
        text = pa.string() if all(map(pa.types.is_string, plain)) else pa.large_string()
        both = pa.types.is_dictionary(one) and pa.types.is_dictionary(other)
        return pa.dictionary(pa.int32(), text, ordered=one.ordered) if both else text
    # Booleans stay apart from numbers: as classes, they are others.
    is_number = [is_numeric(each) and not pa.types.is_boolean(each) for each in (one, other)]
    return _number(one, other) if all(is_number) else None


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_ordered(kind: pa.DataType) -> bool:
    return pa.types.is_dictionary(kind) and bool(kind.ordered)


def _number(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    if pa.types.is_integer(one) and pa.types.is_integer(other):
        return pa.int64()
    if pa.types.is_floating(one) or pa.types.is_floating(other):
        return pa.float64()
    scale = max(_scale(one), _scale(other))
    digits = max(_whole_digits(one), _whole_digits(other)) + scale
    if digits > MAX_DIGITS:
        return pa.float64()
    return (
        pa.decimal128(digits, scale) if digits <= MAX_DIGITS_128 else pa.decimal256(digits, scale)
    )


def _scale(kind: pa.DataType) -> int:
    return int(kind.scale) if pa.types.is_decimal(kind) else 0


def _whole_digits(kind: pa.DataType) -> int:
    return int(kind.precision - kind.scale) if pa.types.is_decimal(kind) else DIGITS_OF_INT64
