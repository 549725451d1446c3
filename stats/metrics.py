"""Text and task metrics: word errors, accuracy, forced choice, normalised scores."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stats.errors import StatsError


@dataclass(frozen=True)
class WordErrors:
    """The fewest edits that turn one text into another, word by word.

    Attributes
    ----------
    substitutions, deletions, insertions, hits : int
    """

    substitutions: int
    deletions: int
    insertions: int
    hits: int

    @property
    def n_reference(self) -> int:
        """Words of the reference."""
        return self.substitutions + self.deletions + self.hits

    @property
    def n_errors(self) -> int:
        """Edits needed."""
        return self.substitutions + self.deletions + self.insertions


def word_errors(reference: str, hypothesis: str) -> WordErrors:
    """Return the word errors of one transcript.

    Returns
    -------
    WordErrors
        Of the alignments with fewest errors, one with as many hits as possible.

    Raises
    ------
    Nothing of its own.

    References
    ----------
    Levenshtein (1966).

    Examples
    --------
    >>> word_errors("how are you today", "how you doing today")
    WordErrors(substitutions=0, deletions=1, insertions=1, hits=3)
    """
    wanted, heard = reference.split(), hypothesis.split()
    # Each cell: (errors, -hits, substitutions, deletions, insertions).
    row = [(j, 0, 0, 0, j) for j in range(len(heard) + 1)]
    for i, word in enumerate(wanted, 1):
        before, row = row, [(i, 0, 0, i, 0)]
        for j, said in enumerate(heard, 1):
            errors, hits, subs, deleted, inserted = before[j - 1]
            match = (
                (errors, hits - 1, subs, deleted, inserted)
                if word == said
                else (errors + 1, hits, subs + 1, deleted, inserted)
            )
            errors, hits, subs, deleted, inserted = before[j]
            gone = (errors + 1, hits, subs, deleted + 1, inserted)
            errors, hits, subs, deleted, inserted = row[j - 1]
            extra = (errors + 1, hits, subs, deleted, inserted + 1)
            row.append(min(match, gone, extra))
    _, hits, subs, deleted, inserted = row[-1]
    return WordErrors(subs, deleted, inserted, -hits)


def normalised(text: str) -> str:
    r"""Return `text` in lower case, without punctuation, with single spaces.

    Apostrophes inside words stay, so that "don't" is one word.

    Examples
    --------
    >>> normalised("Well,  I don\u2019t know!")
    "well i don't know"
    """
    plain = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")
    plain = re.sub(r"[^\w\s']|_", " ", plain)
    return " ".join(word.strip("'") for word in plain.split() if word.strip("'"))


@dataclass(frozen=True)
class WordErrorRate:
    """Word error rates over many transcripts.

    Attributes
    ----------
    pooled : float or None
        All errors by all words of the references; may exceed 1.
    mean : float or None
        Mean of the transcripts' own rates, over those with a reference.
    n : int
        Transcripts with words in the reference.
    n_empty : int
        Transcripts without; their insertions count for `pooled` only.
    """

    pooled: float | None
    mean: float | None
    n: int
    n_empty: int


def word_error_rate(
    references: Sequence[str], hypotheses: Sequence[str], *, normalise: bool = False
) -> WordErrorRate:
    """Return the word error rate, raw or of normalised texts.

    Parameters
    ----------
    references, hypotheses : sequence of str, shape (n,)
    normalise : bool
        Apply `normalised` to both sides first.

    Returns
    -------
    WordErrorRate
        0 upwards; None where no reference has a word.

    Raises
    ------
    StatsError
        The columns differ in length.

    References
    ----------
    The pooled rate is what jiwer computes for lists.

    Examples
    --------
    >>> word_error_rate(["a b", "c d e f"], ["a x", "c d e f"]).pooled
    0.16666666666666666
    """
    if len(references) != len(hypotheses):
        raise StatsError("the columns differ in length")
    found = [
        word_errors(*((normalised(a), normalised(b)) if normalise else (a, b)))
        for a, b in zip(references, hypotheses, strict=True)
    ]
    with_words = [errors for errors in found if errors.n_reference]
    n_words = sum(errors.n_reference for errors in with_words)
    if not with_words:
        return WordErrorRate(None, None, 0, len(found))
    return WordErrorRate(
        sum(errors.n_errors for errors in found) / n_words,
        sum(e.n_errors / e.n_reference for e in with_words) / len(with_words),
        len(with_words),
        len(found) - len(with_words),
    )


@dataclass(frozen=True)
class Accuracy:
    """Right answers to questions with options.

    Attributes
    ----------
    share : float or None
        Right by all, unreadable answers counting as wrong.
    share_of_readable : float or None
    n, n_right, n_unreadable, n_off_options : int
        Answers; right ones; without a choice that can be read; with a choice that was
        not on offer.
    """

    share: float | None
    share_of_readable: float | None
    n: int
    n_right: int
    n_unreadable: int
    n_off_options: int


def accuracy(
    answers: Sequence[str | None], gold: Sequence[str], options: Sequence[Sequence[str]]
) -> Accuracy:
    """Return the accuracy with answers that cannot be read counted apart.

    Parameters
    ----------
    answers : sequence of str or None, shape (n,)
        The option chosen; None where no choice could be read.
    gold : sequence of str, shape (n,)
    options : sequence of sequences of str, shape (n,)
        What was on offer.

    Returns
    -------
    Accuracy
        Shares in 0 to 1; None without answers.

    Raises
    ------
    StatsError
        The columns differ in length, or a right answer was not on offer.

    References
    ----------
    None: these are counts.

    Examples
    --------
    >>> accuracy(["A", None, "D"], ["A", "B", "A"], ["AB", "AB", "ABC"]).share
    0.3333333333333333
    """
    if not len(answers) == len(gold) == len(options):
        raise StatsError("the columns differ in length")
    n_right = n_unreadable = n_off = 0
    for answer, right, offered in zip(answers, gold, options, strict=True):
        if right not in offered:
            raise StatsError(f"the right answer {right!r} is not among the options")
        if answer is None:
            n_unreadable += 1
        elif answer not in offered:
            n_off += 1
        else:
            n_right += answer == right
    n, readable = len(answers), len(answers) - n_unreadable - n_off
    return Accuracy(
        n_right / n if n else None,
        n_right / readable if readable else None,
        n,
        n_right,
        n_unreadable,
        n_off,
    )


def humomni_score(right: Sequence[bool], groups: Sequence[str]) -> float | None:
    """Return HumOmni's score: items right, and a bonus for each group all right.

    Parameters
    ----------
    right : sequence of bool, shape (n_items,)
    groups : sequence of str, shape (n_items,)

    Returns
    -------
    float or None
        (right + groups all right) / (items + groups), 0 to 1; None without items. As
        published, 221 of 580 is .381.

    Raises
    ------
    StatsError
        The columns differ in length.

    References
    ----------
    HumOmni 2026, track 1.

    Examples
    --------
    >>> humomni_score([True, True, False], ["g1", "g1", "g2"])
    0.6
    """
    if len(right) != len(groups):
        raise StatsError("the columns differ in length")
    if not right:
        return None
    whole: dict[str, bool] = {}
    for hit, group in zip(right, groups, strict=True):
        whole[group] = whole.get(group, True) and bool(hit)
    return (sum(map(bool, right)) + sum(whole.values())) / (len(right) + len(whole))


def board(
    scores: Mapping[str, Sequence[float | None]], *, missing: str = "left_out"
) -> list[tuple[int, str, float]]:
    """Return a leaderboard: rank, system, mean score; best first, no shared ranks.

    Parameters
    ----------
    scores : mapping of system to scores
        None where a system has no such score.
    missing : {"left_out", "zero"}
        Whether a system that lacks a score is left out, or the score counts as 0, as
        EchoMind's first board has it.

    Returns
    -------
    list of (rank, system, score)
        Equal scores keep the order they came in.

    Raises
    ------
    StatsError
        `missing` is not one of the two.

    References
    ----------
    EchoMind (2026): boards by the mean of voice and reasoning accuracy, by VES, and by
    the mean of C1 and C4.

    Examples
    --------
    >>> board({"A": [1.0, 3.0], "B": [4.0, None]}, missing="zero")
    [(1, 'A', 2.0), (2, 'B', 2.0)]
    """
    if missing not in ("left_out", "zero"):
        raise StatsError(f"missing must be left_out or zero, not {missing!r}")
    means = {
        name: sum(score or 0.0 for score in row) / len(row)
        for name, row in scores.items()
        if row and (missing == "zero" or None not in row)
    }
    ordered = sorted(means.items(), key=lambda entry: -entry[1])
    return [(rank, name, mean) for rank, (name, mean) in enumerate(ordered, 1)]


FORMULAS = ("min_max", "share_of_top")


def normalised_score(mean: float, points: Sequence[float], formula: str) -> float:
    """Return a mean rating on a scale from 0 to 1, by a named formula.

    Parameters
    ----------
    mean : float
    points : sequence of float
        The scale.
    formula : {"min_max", "share_of_top"}
        (mean - min) / (max - min), or mean / max.

    Returns
    -------
    float

    Raises
    ------
    StatsError
        The formula is not known, or the scale does not allow it.

    References
    ----------
    Published normalised scores name no formula, so print the one that was used.

    Examples
    --------
    >>> normalised_score(4.0, (1, 2, 3, 4, 5), "min_max")
    0.75
    """
    low, high = min(points), max(points)
    if formula == "min_max" and high > low:
        return (mean - low) / (high - low)
    if formula == "share_of_top" and high > 0:
        return mean / high
    raise StatsError(f"formula {formula!r} does not fit a scale from {low} to {high}")
