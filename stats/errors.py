"""The one kind of error that `stats` raises about its input."""


class StatsError(ValueError):
    """The input cannot be what it claims to be; the text says what is wrong, and where.

    A number that is merely undefined is no error: it is an `Estimate` without a value
    and with a note.
    """
