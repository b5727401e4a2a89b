"""Drawings of importance distributions, with matplotlib."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.checks import check_choice, check_number
from splitsecond._trees.pictures.colours import COLOURS
from splitsecond._trees.pictures.figures import longest, new_axes, plain_sides, short_names

if TYPE_CHECKING:
    from splitsecond._importance.distribution import ImportanceDistribution


def draw_importance(
    rid: ImportanceDistribution, kind: str, ax: Any, max_variables: int | None
) -> Any:
    """Draw boxes or curves; see `RashomonImportance.plot`."""
    check_choice("kind", kind, ("box", "cdf"))
    if max_variables is None:
        max_variables = 20 if kind == "box" else 8
    meaning = "variables to show, such as 20"
    max_variables = check_number("max_variables", max_variables, Integral, meaning, minimum=1)
    shown = np.argsort(-rid.mean_, kind="stable")[:max_variables]
    names = short_names(rid.variables_[j] for j in shown)
    is_new = ax is None
    height = 1.4 + 0.32 * len(shown) if kind == "box" else max(4.2, 0.6 + 0.22 * len(shown))
    ax = new_axes(ax, (5.5 + longest(names), height))
    draw = _draw_boxes if kind == "box" else _draw_curves
    note = draw(rid, ax, shown, names)
    meaning = "minus the loss" if rid._fitted_kind == "subtractive" else "divided by the loss"
    if np.isinf(rid.quantiles([1])[0, shown]).any():
        note += "\ninfinite values are not shown"
    ax.set_xlabel(f"reliance: loss with the variable permuted,\n{meaning}{note}")
    if kind == "cdf":
        outside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
        legend = ax.legend(frameon=False, **(outside if is_new else {}))
        for text in legend.get_texts():
            text.set_parse_math(False)
    return plain_sides(ax)


def _draw_curves(
    rid: ImportanceDistribution, ax: Any, shown: NDArray[np.intp], names: list[str]
) -> str:
    curves = [rid._distribution(int(j)) for j in shown]
    ends = np.concatenate([values[np.isfinite(values)] for values, _ in curves])
    low, high = (ends.min(), ends.max()) if len(ends) else (1.0, 1.0)
    margin = 0.03 * (high - low) or 0.01
    for i, ((values, weights), name) in enumerate(zip(curves, names, strict=True)):
        known = np.isfinite(values)
        shares = np.cumsum(weights)[known]
        ax.step(
            [low - margin, *values[known], high + margin],
            [0, *shares, shares[-1] if len(shares) else 0],
            where="post",
            label=name,
            color=COLOURS[i % len(COLOURS)],
            linestyle=("-", "--", ":", "-.")[i // len(COLOURS) % 4],
        )
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(-0.03, 1.03)
    ax.set_ylabel("share of good trees")
    return ""


def _draw_boxes(
    rid: ImportanceDistribution, ax: Any, shown: NDArray[np.intp], names: list[str]
) -> str:
    box = rid.box()
    stats = [
        {
            "label": name,
            "med": box["median"][j],
            "q1": box["quartile_1"][j],
            "q3": box["quartile_3"][j],
            "whislo": box["low"][j],
            "whishi": box["high"][j],
            "mean": rid.mean_[j],
        }
        for j, name in zip(shown[::-1], names[::-1], strict=True)
    ]
    ax.bxp(
        stats,
        orientation="horizontal",
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        boxprops={"facecolor": "#9ecae1", "edgecolor": "#3182bd"},
        medianprops={"color": "#08306b"},
        meanprops={
            "marker": "D",
            "markersize": 4,
            "markerfacecolor": "#e6550d",
            "markeredgecolor": "none",
        },
    )
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    ax.axvline(rid._neutral_reliance(), color="0.6", linewidth=0.8, zorder=0)
    return " (line: median, diamond: mean)"
