"""Gains that make competing replies equally loud."""

import math
from collections.abc import Sequence


def matching_gains(
    loudness: Sequence[tuple[float | None, float]],
    target_lufs: float = -26.0,
    ceiling_db: float = -1.0,
    floor_lufs: float = -36.0,
) -> tuple[float, list[float], list[float | None]]:
    """Return one target for a set of recordings, and the gain that brings each there.

    A recording can be raised until its peak meets the ceiling. Where that binds, the
    target of the whole set falls to the quietest level all can reach, so that the
    set stays equally loud; it never falls under the floor, and a recording that
    cannot reach the floor gets the gain it can.

    Parameters
    ----------
    loudness : sequence of (lufs, peak_db)
        `Level.matching` of each recording's mono mix: gated loudness, or ungated
        where the recording is too short for a gate. None where nothing is known.
    target_lufs, ceiling_db, floor_lufs : float
        Wanted loudness; highest allowed peak, dBFS; lowest target.

    Returns
    -------
    target : float
        LUFS. `target_lufs` when the set is empty or nothing is known of it.
    gains : list of float
        dB, in the order given. Where loudness is unknown: 0, or less where the peak
        is above the ceiling.
    residuals : list of float or None
        dB between where the recording ends and the target: 0 where it is matched,
        negative where the ceiling kept it quieter. None where loudness is unknown.

    Raises
    ------
    ValueError
        A peak is not a finite number, or the floor is above the target.

    Examples
    --------
    >>> matching_gains([(-20.0, -3.0), (-30.0, -12.0)])
    (-26.0, [-6.0, 4.0], [0.0, 0.0])
    >>> matching_gains([(-20.0, -3.0), (-32.0, -5.0)])
    (-28.0, [-8.0, 4.0], [0.0, 0.0])
    """
    if floor_lufs > target_lufs:
        raise ValueError(f"the floor {floor_lufs} is above the target {target_lufs}")
    if not all(math.isfinite(peak_db) for _, peak_db in loudness):
        raise ValueError("every peak must be a finite number of dBFS")

    headrooms = [ceiling_db - peak_db for _, peak_db in loudness]
    known = [
        None if lufs is None or not math.isfinite(lufs) else lufs
        for lufs, _ in loudness
    ]
    reachable = [
        lufs + headroom
        for lufs, headroom in zip(known, headrooms, strict=True)
        if lufs is not None
    ]
    target = max(floor_lufs, min([target_lufs, *reachable]))
    gains: list[float] = []
    residuals: list[float | None] = []
    for lufs, headroom in zip(known, headrooms, strict=True):
        if lufs is None:
            gains.append(min(0.0, headroom))
            residuals.append(None)
        else:
            gain = min(target - lufs, headroom)
            gains.append(gain)
            residuals.append(lufs + gain - target)
    return target, gains, residuals
