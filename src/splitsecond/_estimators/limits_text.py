"""How a fit that was stopped says so."""

from __future__ import annotations


def stopped_text(
    status: str, *, time_limit: float | None, memory_limit: float | None, note: str = ""
) -> str | None:
    """Say what stopped a fit of that status, and where if there is a note; None: nothing did."""
    reasons = {
        "time_limit": f"Stopped at time_limit={time_limit} s",
        "memory_limit": "Stopped because the machine's memory is used up"
        if memory_limit is None
        else f"Stopped at memory_limit={memory_limit} bytes",
        "interrupted": "Interrupted",
    }
    if status not in reasons:
        return None
    return f"{reasons[status]} ({note})" if note else reasons[status]
