"""Every table of people, studies and their work."""

from annotate.models.corpus import (
    CorpusVersion,
    Instance,
    Recording,
    Rendition,
    Stimulus,
)
from annotate.models.oversight import Event, Job
from annotate.models.people import User
from annotate.models.record import Answer, Draft, Exclusion, Listening, Submission
from annotate.models.study import Membership, Protocol, Question, Rater, Study
from annotate.models.work import Assignment, Bundle, Exhibit, Item, Part, Slot

__all__ = [
    "Answer",
    "Assignment",
    "Bundle",
    "CorpusVersion",
    "Draft",
    "Event",
    "Exclusion",
    "Exhibit",
    "Instance",
    "Item",
    "Job",
    "Listening",
    "Membership",
    "Part",
    "Protocol",
    "Question",
    "Rater",
    "Recording",
    "Rendition",
    "Slot",
    "Stimulus",
    "Study",
    "Submission",
    "User",
]
