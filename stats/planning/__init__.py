"""How many instances, raters and hours a wished precision or power needs."""

from stats.planning.for_agreement import plan_agreement
from stats.planning.for_means import (
    NextRatings,
    plan_means,
    power_of_difference,
    price_next,
    standard_error,
)
from stats.planning.rows import PlanRow

__all__ = [
    "NextRatings",
    "PlanRow",
    "plan_agreement",
    "plan_means",
    "power_of_difference",
    "price_next",
    "standard_error",
]
