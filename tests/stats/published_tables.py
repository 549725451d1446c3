"""Tables printed in papers, and one that irrCAC 0.4.4 was run on."""

import numpy as np

from stats.table import RatingTable

_ = np.nan
# Krippendorff (2011): 4 observers, 12 units, gaps.
KRIPPENDORFF_2011 = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T
# Fleiss (1971): 30 patients, 6 diagnoses each, raters in no order.
FLEISS_1971 = np.array(
    [
        list(map(int, row))
        for row in [
            "444444",
            "222555",
            "233335",
            "555555",
            "222444",
            "113333",
            "333355",
            "113334",
            "114444",
            "555555",
            "144444",
            "124444",
            "222333",
            "144444",
            "224445",
            "333335",
            "111455",
            "111112",
            "224444",
            "133555",
            "555555",
            "244444",
            "224555",
            "114444",
            "144445",
            "222224",
            "111155",
            "224444",
            "133333",
            "555555",
        ]
    ],
    dtype=float,
)
# Fleiss' worked example as counts: 10 units, 14 raters, 5 categories.
FLEISS_COUNTS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
# Cohen (1960, 1968): 200 cases, two judges, three diagnoses.
COHEN_COUNTS = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
# Shrout and Fleiss (1979): 6 targets, 4 judges.
SHROUT_FLEISS_1979 = np.array(
    [
        [9, 2, 5, 8],
        [6, 1, 3, 2],
        [8, 4, 6, 8],
        [7, 1, 2, 6],
        [10, 5, 6, 9],
        [6, 2, 4, 7],
    ]
)
# Random, with gaps; 0 is a gap here.
WITH_GAPS = np.array(
    [
        list(map(int, row))
        for row in [
            "2022",
            "4004",
            "5540",
            "3203",
            "0422",
            "2130",
            "0544",
            "3403",
            "4244",
            "2111",
            "4505",
            "2003",
            "4552",
            "4332",
            "4034",
            "2324",
            "5023",
            "3432",
            "0330",
            "4443",
            "0232",
            "1023",
            "0005",
            "5023",
            "0101",
        ]
    ],
    dtype=float,
)
WITH_GAPS[WITH_GAPS == 0] = np.nan


def krippendorff_2011() -> RatingTable:
    """Return the table of 2011 on its scale from 1 to 5."""
    return RatingTable(KRIPPENDORFF_2011, points=(1, 2, 3, 4, 5))


def cohen_1960() -> RatingTable:
    """Return Cohen's 200 cases."""
    pairs = np.argwhere(np.ones((3, 3)))
    return RatingTable(np.repeat(pairs, COHEN_COUNTS.ravel(), axis=0), (0, 1, 2))


def from_counts(counts: np.ndarray) -> RatingTable:
    """Return a table whose units have these counts of each point."""
    points = np.arange(counts.shape[1])
    return RatingTable(np.array([np.repeat(points, row) for row in counts]), points)


def random_table(
    seed: int,
    n_units: int = 60,
    n_raters: int = 4,
    n_points: int = 5,
    missing: float = 0.2,
    cluster_size: int = 1,
) -> RatingTable:
    """Return ratings that agree somewhat, some missing."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(n_units, 1)) * 1.2
    noise = rng.normal(size=(n_units, n_raters))
    middle = (n_points + 1) / 2
    values = np.clip(np.round(middle + true + noise), 1, n_points)
    values[rng.random(values.shape) < missing] = np.nan
    clusters = np.arange(n_units) // cluster_size
    return RatingTable(values, range(1, n_points + 1), clusters=clusters)
