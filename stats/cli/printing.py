"""Estimates as lines of text."""

from collections.abc import Mapping

from stats.results import Estimate


def estimate_lines(found: Mapping[str, Estimate]) -> list[str]:
    """Return a line for each estimate: name, value, interval, basis, notes."""
    width = max((len(name) for name in found), default=0)
    return [f"{name:<{width}}  {described(one)}" for name, one in found.items()]


def described(one: Estimate) -> str:
    """Return an estimate in one line.

    Examples
    --------
    >>> described(Estimate(0.5, 0.4, 0.6, 20, 3, 60))
    ' 0.500  [ 0.400,  0.600]  20 units, 3 raters, 60 ratings'
    """
    if one.value is None:
        return f"undefined: {one.note}"
    ends = "                 "
    if one.low is not None and one.high is not None:
        ends = f"[{one.low:6.3f}, {one.high:6.3f}]"
    basis = f"{one.n_units} units"
    if one.n_raters:
        basis += f", {one.n_raters} raters, {one.n_ratings} ratings"
    if one.expected is not None:
        basis += f"; by chance {one.expected:.3f}"
    notes = [text for text in (one.note, one.interval_note) if text]
    notes += [f"{count} {reason}" for reason, count in one.dropped.items()]
    said = f" ({'; '.join(notes)})" if notes else ""
    return f"{one.value:6.3f}  {ends}  {basis}{said}"
