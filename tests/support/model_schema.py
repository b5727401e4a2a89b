"""The JSON Schema of model files, as it is and without room for keys that it does not name."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

PATH = Path(__file__).parents[2] / "docs" / "model-format.schema.json"
SCHEMA: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))

# A part that may be left out may also be null, which `save` does not write.
OPTIONAL = {"loss", "labels", "binarizer", "stopped", "row_counts", "set", "search", "history"}


def closed() -> dict[str, Any]:
    """The schema, with every object holding just the keys that are named."""
    schema = copy.deepcopy(SCHEMA)
    whole = [
        schema,
        *schema["$defs"].values(),
        schema["$defs"]["set"]["properties"]["history"]["items"],
    ]
    for part in whole:
        # One that refers to another adds to it, and an estimator is one of several.
        if "properties" in part and "$ref" not in part and part is not schema["$defs"]["estimator"]:
            part["additionalProperties"] = False
    return schema


OPEN, CLOSED = Draft202012Validator(SCHEMA), Draft202012Validator(closed())
# What the Parquet file of a count table tells about its columns.
COUNTS = Draft202012Validator({"$ref": "#/$defs/counts", "$defs": closed()["$defs"]})


def check(text: str | bytes) -> None:
    """Refuse a file that the schema refuses."""
    with suppress(RecursionError):  # nested too deeply for the validator alone
        OPEN.validate(json.loads(text, object_pairs_hook=_without_nulls))


def _without_nulls(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: part for key, part in pairs if part is not None or key not in OPTIONAL}
