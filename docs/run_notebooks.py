"""Runs the cells of notebooks, and compares what they show with the outputs that are kept.

Nothing of Jupyter is needed. Text and our own pictures are compared, but for times. Of plots, which
differ between versions of matplotlib, the words are; they are kept as ``text/plain``.

As a program, ``python docs/run_notebooks.py NOTEBOOK ...``, it puts the outputs into the notebooks.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from run_examples import ExampleError, is_like

# What a model shows has scikit-learn's view of its parameters, too, which is not ours to compare.
OURS = re.compile(r"<pre.*?</pre>|<svg.*?</svg>", re.DOTALL)


def run(path: Path, *, write: bool = False) -> int:
    """Run the code cells of a notebook and return how many there are."""
    import matplotlib as mpl

    mpl.use("Agg")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        where = f"{path.name}, code cell {number}"
        outputs = list(_outputs("".join(cell["source"]), names, where, number))
        if write:
            cell.update(execution_count=number, outputs=outputs)
        elif _compared(cell["outputs"]) != _compared(outputs):
            raise ExampleError(f"{where} shows something else than is kept", number)
    if write:
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
    return len(cells)


def _outputs(code: str, names: dict[str, Any], where: str, number: int) -> Iterator[dict[str, Any]]:
    """Run a cell as a notebook would, and return what it shows."""
    from matplotlib import pyplot

    body = ast.parse(code, where).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), where, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
    if value is not None and not code.rstrip().endswith(";"):
        yield {
            "data": {kind: _lines(text) for kind, text in _shown(value).items()},
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }
    for figure in map(pyplot.figure, pyplot.get_fignums()):
        yield {"data": _picture(figure), "metadata": {}, "output_type": "display_data"}
    pyplot.close("all")


def _shown(value: Any) -> dict[str, str]:
    if hasattr(value, "_repr_mimebundle_"):
        shown: dict[str, str] = value._repr_mimebundle_()
        return shown
    html = {"text/html": value._repr_html_()} if hasattr(value, "_repr_html_") else {}
    return {**html, "text/plain": repr(value)}


def _picture(figure: Any) -> dict[str, Any]:
    from matplotlib.text import Text

    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=80, bbox_inches="tight", metadata={"Software": None})
    words = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    return {
        "image/png": base64.b64encode(content.getvalue()).decode(),
        "text/plain": _lines("\n".join(word for word in words if word.strip())),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


class _Alike(str):
    """Text that equals text which differs in times alone."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and is_like(str(self), str(other))


def _compared(outputs: list[dict[str, Any]]) -> list[Any]:
    """Return of outputs what must be as it was."""
    found: list[Any] = []
    for output in outputs:
        data = output.get("data", {"text/plain": output.get("text", [])})
        found.append(output["output_type"])
        found.append(_Alike("".join(data["text/plain"])))
        found += map(_Alike, OURS.findall("".join(data.get("text/html", []))))
    return found


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {run(Path(name), write=True)} cells")
