"""Every table of systems and of what is said of them."""

from judging.models.judges import Judge, Verdict
from judging.models.reports import Report
from judging.models.systems import Call, Endpoint, Response, System

__all__ = ["Call", "Endpoint", "Judge", "Report", "Response", "System", "Verdict"]
