"""Votes between two systems: who stood first, who second, and who won."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stats.errors import StatsError
from stats.labels import Codes, Labels, encode
from stats.patterns import distinct_keys, random_keys, sum_keys
from stats.resampling import ClusterSums
from stats.row_sums import row_sums

SECOND_WON, TIE, FIRST_WON = 0, 1, 2
OUTCOMES = {"second": SECOND_WON, "tie": TIE, "first": FIRST_WON}


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes in columns, one row a vote.

    Attributes
    ----------
    systems : tuple of str
        In ascending order.
    first, second : array of int, shape (n_votes,)
        Places in `systems`: who was heard first (or stood left), and the other.
    outcome : array of int, shape (n_votes,)
        0 the second won, 1 a tie, 2 the first won.
    cluster : array of int, shape (n_votes,)
    n_clusters : int
    """

    systems: tuple[str, ...]
    first: Codes
    second: Codes
    outcome: Codes
    cluster: Codes
    n_clusters: int

    @classmethod
    def from_long(
        cls,
        first: Labels,
        second: Labels,
        outcomes: Labels,
        *,
        clusters: Labels | None = None,
    ) -> Self:
        """Return the votes given one row each.

        Parameters
        ----------
        first, second : sequence, shape (n_votes,)
            Labels of the systems.
        outcomes : sequence of {"first", "tie", "second"}, shape (n_votes,)
        clusters : sequence, shape (n_votes,), optional
            The group of each vote. Left out, each vote is a group of its own.

        Returns
        -------
        VoteTable

        Raises
        ------
        StatsError
            The columns differ in length, an outcome is none of the three, or a system
            meets itself.

        Examples
        --------
        >>> VoteTable.from_long(["A", "B"], ["B", "A"], ["first", "tie"]).systems
        ('A', 'B')
        """
        n = len(first)
        lengths = [n, len(second), len(outcomes)]
        lengths += [] if clusters is None else [len(clusters)]
        if len(set(lengths)) > 1:
            raise StatsError(f"the columns differ in length: {lengths}")
        codes, names = encode([*map(str, first), *map(str, second)])
        kinds, kind_labels = encode(outcomes)
        unknown = [str(label) for label in kind_labels if str(label) not in OUTCOMES]
        if unknown:
            raise StatsError(f"outcome {unknown[0]!r} is not first, tie or second")
        values = np.array([OUTCOMES[str(label)] for label in kind_labels], np.intp)
        same = np.flatnonzero(codes[:n] == codes[n:])
        if len(same):
            raise StatsError(f"system {names[codes[same[0]]]} meets itself")
        rows = np.arange(n)
        cluster, labels = (rows, rows) if clusters is None else encode(clusters)
        return cls(
            tuple(map(str, names)),
            codes[:n],
            codes[n:],
            values[kinds] if n else np.zeros(0, np.intp),
            cluster,
            len(labels),
        )

    @property
    def n_votes(self) -> int:
        """The votes in the table."""
        return len(self.outcome)

    def counts(self) -> npt.NDArray[np.intp]:
        """Return votes by first, second and outcome, shape (k, k, 3)."""
        k = len(self.systems)
        return np.bincount(self._cells(), minlength=k * k * 3).reshape(k, k, 3)

    def _cells(self) -> Codes:
        k = len(self.systems)
        return (self.first * k + self.second) * 3 + self.outcome

    def cluster_sums(self) -> tuple[ClusterSums, Codes]:
        """Return the votes of each kind of cluster, and which cell each column is.

        Returns
        -------
        ClusterSums
            One column a cell of `counts` that occurs.
        cells : array of int, shape (n_columns,)
        """
        example, column, count = distinct_keys(self._cells())
        cells = self._cells()[example]
        if self.n_clusters == self.n_votes:
            one_each = sparse.eye_array(len(cells), format="csr")
            return ClusterSums(one_each, count), cells
        keys = sum_keys(self.cluster, self.n_clusters, random_keys(len(cells))[column])
        chosen, _, multiplicity = distinct_keys(keys)
        sums = row_sums(
            self.cluster,
            [(np.arange(self.n_votes), column, np.ones(self.n_votes))],
            len(cells),
            dense_below=0,
        ).sums[chosen]
        return ClusterSums(sums, multiplicity), cells
