"""The distribution of reliances over bootstraps, and its summaries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from splitsecond._importance.bootstraps import Sample
from splitsecond._importance.reliance import reliances
from splitsecond._support.checks import floats
from splitsecond._support.frames import frame_of
from splitsecond._support.messages import offered, shown


class ImportanceDistribution:
    """What `RashomonImportance` knows once it is fitted.

    A bootstrap is a distribution, uniform over its trees; this is their mean.
    """

    kind: str

    # Set by fit.
    variables_: list[str]
    mean_: NDArray[np.float64]
    median_: NDArray[np.float64]
    usage_: NDArray[np.float64]
    standard_error_: NDArray[np.float64]
    n_trees_: list[int]
    _fitted_kind: str
    # Of each bootstrap: the variables that its trees ask about, and a row of values for each tree.
    _reliances: list[tuple[NDArray[np.intp], NDArray[np.float64]]]

    def distribution(self, variable: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values that occur for a variable, increasing, and their weights."""
        check_is_fitted(self, "_reliances")
        if variable not in self.variables_:
            names, hint = offered(variable, self.variables_)
            raise ValueError(f"There is no variable {shown(variable)}; there are {names}.{hint}")
        return self._distribution(self.variables_.index(variable))

    def _distribution(self, j: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        columns = [
            values[:, variables == j].ravel()
            if j in variables
            else np.array([self._neutral_reliance()])
            for variables, values in self._reliances
        ]
        shares = [np.full(len(column), 1 / len(column) / len(columns)) for column in columns]
        values, places = np.unique(np.concatenate(columns), return_inverse=True)
        weights: NDArray[Any] = np.bincount(places, np.concatenate(shares))
        return values, weights

    def cdf(self, variable: str, x: Any) -> Any:
        """Return the share of the distribution at or below `x`."""
        values, weights = self.distribution(variable)
        below = np.concatenate([[0.0], np.cumsum(weights)])
        places = np.searchsorted(values, floats("x", x), side="right")
        shares = below[places] / below[-1]
        return float(shares) if np.ndim(x) == 0 else shares

    def quantiles(self, q: Any) -> NDArray[np.float64]:
        """Return quantiles: a row for each `q`, a column for each variable.

        They are values that occur: the lowest with a share of at least `q` at or below it.
        """
        check_is_fitted(self, "_reliances")
        wanted = np.atleast_1d(floats("q", q))
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise ValueError(f"Quantiles must be between 0 and 1, got {shown(q)}.")
        out = np.empty((len(wanted), len(self.variables_)))
        for j in range(len(self.variables_)):
            values, weights = self._distribution(j)
            places = np.searchsorted(np.cumsum(weights), wanted - 1e-12)
            out[:, j] = values[np.minimum(places, len(values) - 1)]
        return out

    def box(self) -> dict[str, NDArray[np.float64]]:
        """Return the parts of a box plot: quartiles, and whiskers of at most 1.5 times the box."""
        low, middle, high = self.quantiles([0.25, 0.5, 0.75])
        reach = 1.5 * np.subtract(high, low, out=np.zeros_like(low), where=high > low)
        whiskers = np.empty((2, len(self.variables_)))
        for j in range(len(self.variables_)):
            values, _ = self._distribution(j)
            inside = values[(values >= low[j] - reach[j]) & (values <= high[j] + reach[j])]
            whiskers[:, j] = inside[0], inside[-1]
        return {
            "low": whiskers[0],
            "quartile_1": low,
            "median": middle,
            "quartile_3": high,
            "high": whiskers[1],
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row for each variable, the most important first."""
        check_is_fitted(self, "mean_")
        order = np.argsort(-self.mean_, kind="stable")
        columns: dict[str, Any] = {
            "variable": [self.variables_[j] for j in order],
            "mean": self.mean_[order],
            "standard_error": self.standard_error_[order],
            **{name: part[order] for name, part in self.box().items()},
            "usage": self.usage_[order],
        }
        return frame_of(columns, library)

    # ---- steps of fit --------------------------------------------------------------------------

    def _sum_up(self, samples: list[Sample]) -> None:
        self.n_trees_ = [sample.n_trees for sample in samples]
        self._fitted_kind = self.kind
        self._reliances = [
            (
                each.variables,
                reliances(each.permuted, each.losses, each.weight, self.kind, unit=each.unit),
            )
            for each in samples
        ]
        neutral = self._neutral_reliance()
        self.mean_ = self._average([each.mean(axis=0) for _, each in self._reliances], neutral)
        self.median_ = self.quantiles([0.5])[0]
        self.usage_ = self._average([(each.permuted >= 0).mean(axis=0) for each in samples], 0.0)
        variances = [
            _variance_of_mean(values, all_used=len(values) == sample.n_trees)
            for (_, values), sample in zip(self._reliances, samples, strict=True)
        ]
        self.standard_error_ = np.sqrt(self._average(variances, 0.0) / len(samples))

    def _average(self, parts: list[NDArray[np.float64]], others: float) -> NDArray[np.float64]:
        """Return the mean over bootstraps, with a value for the variables that one never asks."""
        out = np.full((len(parts), len(self.variables_)), others)
        for row, part, (variables, _) in zip(out, parts, self._reliances, strict=True):
            row[variables] = part
        mean: NDArray[np.float64] = out.mean(axis=0)
        return mean

    def _neutral_reliance(self) -> float:
        """Return the reliance on a variable that is not asked about."""
        return 0.0 if self._fitted_kind == "subtractive" else 1.0


def _variance_of_mean(values: NDArray[np.float64], *, all_used: bool) -> NDArray[np.float64]:
    """Return the variance of the mean over drawn trees; NaN where they do not tell."""
    if all_used:
        return np.zeros(values.shape[1])
    if len(values) == 1:
        return np.full(values.shape[1], np.nan)
    with np.errstate(invalid="ignore"):  # infinite ratios
        variance: NDArray[np.float64] = values.var(axis=0, ddof=1) / len(values)
    return variance
