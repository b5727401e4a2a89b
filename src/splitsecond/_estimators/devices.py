"""The parameter `device` of the estimators whose rows a GPU can count."""

from __future__ import annotations

from dataclasses import replace

from splitsecond._binarizers.base import Target
from splitsecond._estimators.base import TreeEstimator
from splitsecond._estimators.parameters import with_parameters
from splitsecond._gpu.devices import DEVICES, counter_for, find_gpu
from splitsecond._solving.solve import Request
from splitsecond._support.checks import check_choice
from splitsecond._tables.binary import Table


@with_parameters
class OnDevices(TreeEstimator):
    """An estimator whose completions are greedy."""

    device: str = "cpu"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("device", self.device, DEVICES)
        if self.device == "gpu":
            why_not = self._needs_cpu()
            if why_not is not None:
                raise ValueError(
                    f'device="gpu" does not go with {why_not}: use device="cpu", or "auto", which '
                    "takes the CPU there."
                )
            find_gpu()  # its absence is told before the table is read

    def _request(self, table: Table, target: Target) -> Request:
        request = super()._request(table, target)
        if self.device == "cpu" or self._needs_cpu() is not None:
            return request
        # Greedy trees read the rows once a level.
        levels = 1 if self._algorithm == "greedy" else int(self.max_depth)
        counter = counter_for(self.device, table.n_rows, table.n_columns, levels)
        return replace(request, counter=counter)

    def _needs_cpu(self) -> str | None:
        """Return the parameter that keeps the GPU from being used, if there is one."""
        return None
