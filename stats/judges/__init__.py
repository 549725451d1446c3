"""How a judge compares with people who rated the same units."""

from stats.judges.alt_test import AltTest, alt_test
from stats.judges.ceiling import Ceiling, ceiling, confusion
from stats.judges.consistency import (
    PositionSwap,
    position_swap,
    repeat_consistency,
)
from stats.judges.leave_one_out import LeaveOneOut, leave_one_out
from stats.judges.profile import (
    family_preference,
    judge_profile,
    sensitivity,
)
from stats.judges.system_level import system_correlations

__all__ = [
    "AltTest",
    "Ceiling",
    "LeaveOneOut",
    "PositionSwap",
    "alt_test",
    "ceiling",
    "confusion",
    "family_preference",
    "judge_profile",
    "leave_one_out",
    "position_swap",
    "repeat_consistency",
    "sensitivity",
    "system_correlations",
]
