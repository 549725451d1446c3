"""Turn labels of units, raters and clusters into small whole numbers."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Labels = Sequence[Any] | npt.NDArray[Any]
Codes = npt.NDArray[np.intp]


def encode(labels: Labels) -> tuple[Codes, npt.NDArray[Any]]:
    """Return the code of every label and the distinct labels in ascending order.

    Ascending order makes every later draw independent of the order of the rows.
    Whole numbers are counted rather than sorted where their range allows it.

    Parameters
    ----------
    labels : sequence or array, shape (n,)

    Returns
    -------
    codes : array of int, shape (n,)
    distinct : array, shape (n_distinct,)
        Whole numbers stay numbers; everything else has become text.

    Raises
    ------
    Nothing of its own.

    Examples
    --------
    >>> codes, distinct = encode(["b", "a", "b"])
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":
        return _encode_integers(labels)
    if not isinstance(labels, np.ndarray):
        labels = list(labels)
        if labels and all(type(label) is int for label in labels):
            return _encode_integers(np.array(labels, dtype=np.int64))
    return _encode_text(labels.tolist() if isinstance(labels, np.ndarray) else labels)


def _encode_integers(labels: npt.NDArray[Any]) -> tuple[Codes, npt.NDArray[Any]]:
    if len(labels) == 0:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int64)
    low, high = int(labels.min()), int(labels.max())
    span = high - low + 1
    if span > 4 * len(labels) + 1000:
        distinct, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.intp), distinct
    shifted = labels.astype(np.intp, copy=False)
    if low:
        shifted = shifted - low
    present = np.zeros(span, dtype=bool)
    present[shifted] = True
    if present.all():
        return shifted, np.arange(low, high + 1)
    place = np.cumsum(present, dtype=np.intp) - 1
    return place[shifted], np.flatnonzero(present) + low


def _encode_text(labels: Iterable[Any]) -> tuple[Codes, npt.NDArray[Any]]:
    text = [label if type(label) is str else str(label) for label in labels]
    distinct = sorted(set(text))
    place = {label: code for code, label in enumerate(distinct)}
    codes = np.fromiter(map(place.__getitem__, text), np.intp, len(text))
    return codes, np.array(distinct, dtype=object)
