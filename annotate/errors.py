"""Requests that are well formed and still cannot be done; views say so in words."""


class AnnotateError(Exception):
    """What was asked for cannot be done now; the text says why and what to do."""


class NothingToRate(AnnotateError):
    """No work is left for this rater at this moment.

    Attributes
    ----------
    kind : {"all_done", "others_hold", "paused", "closed"}
    until : datetime or None
        When the first of the others' leases runs out, for "others_hold".
    """

    def __init__(self, kind: str, message: str, until=None) -> None:
        super().__init__(message)
        self.kind = kind
        self.until = until


class IncompleteAnswers(AnnotateError):
    """Answers are missing, unknown, off their scale or behind an unmet gate.

    Attributes
    ----------
    faults : dict of field name ("A:coherence") to what is wrong with it
    """

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


class StaleRevision(AnnotateError):
    """The answers were changed elsewhere since this page was opened.

    Attributes
    ----------
    stored : dict of field name to the value that stands
    revision : int
    """

    def __init__(self, message: str, stored: dict, revision: int) -> None:
        super().__init__(message)
        self.stored = stored
        self.revision = revision


class WorkEnded(AnnotateError):
    """The assignment was skipped, handed over or closed; it takes no more answers."""


class HandOverRefused(AnnotateError):
    """The bundle cannot go to this person; the text says which rule it would break."""


class BadProtocol(AnnotateError):
    """A protocol file breaks the schema; the text names line, field and why."""


class CannotSetUp(AnnotateError):
    """A study cannot be set up as asked; the text says what to change."""
