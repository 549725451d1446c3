"""A table holds what it was given, or says what is wrong."""

import pickle

import numpy as np
import pytest

from stats.errors import StatsError
from stats.labels import encode
from stats.results import Estimate
from stats.table import RatingTable


def make(units, raters, values, points=(1, 2, 3), clusters=None):
    return RatingTable.from_long(
        units, raters, values, points=points, clusters=clusters
    )


def test_long_and_full_form_agree():
    long = make(["u2", "u1", "u1"], ["a", "b", "a"], [3, 1, 2], clusters=list("ggg"))
    full = RatingTable(
        [[2, 1], [3, np.nan]], (1, 2, 3), ["u1", "u2"], ["a", "b"], ["g", "g"]
    )

    np.testing.assert_array_equal(long.values, full.values)
    assert long.units == full.units == ("u1", "u2")
    assert long.raters == full.raters == ("a", "b")
    assert long.clusters == full.clusters == ("g", "g")
    assert long.points == (1.0, 2.0, 3.0)


def test_units_without_clusters_are_their_own():
    assert make(["u", "v"], ["a", "a"], [1, 2]).clusters == ("u", "v")


@pytest.mark.parametrize("values", [[1, 4], [1.0, 1.5], [1, -1], [2.0, np.inf]])
def test_a_value_off_the_scale_is_an_error(values):
    with pytest.raises(StatsError, match=r"is not on the scale \(1, 2, 3\)"):
        make(["u", "v"], ["a", "a"], values)


def test_a_value_off_a_full_table_is_an_error():
    with pytest.raises(StatsError, match="value 9 is not on the scale"):
        RatingTable([[1, 9]], (1, 2))


def test_the_same_rater_twice_on_a_unit_is_an_error():
    with pytest.raises(StatsError, match="rater a rated unit u twice"):
        make(["u", "v", "u"], ["a", "a", "a"], [1, 2, 1])


def test_a_unit_in_two_clusters_is_an_error():
    with pytest.raises(StatsError, match="unit u is in two clusters"):
        make(["u", "u"], ["a", "b"], [1, 2], clusters=["g", "h"])


def test_columns_of_different_length_are_an_error():
    with pytest.raises(StatsError, match="differ in length"):
        make(["u"], ["a", "b"], [1, 2])


@pytest.mark.parametrize("points", [(), (1, 1), (1, np.nan), range(3000)])
def test_a_scale_must_be_one(points):
    with pytest.raises(StatsError):
        make(["u"], ["a"], [1], points=points)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"units": ["u"]}, "units must be 2 labels"),
        ({"units": ["u", "u"]}, "same unit label"),
        ({"raters": ["a", "a"]}, "same rater label"),
    ],
)
def test_labels_of_a_full_table_must_fit(labels, message):
    with pytest.raises(StatsError, match=message):
        RatingTable([[1, 2], [1, 2]], (1, 2), **labels)


def test_an_error_is_a_value_error():
    assert issubclass(StatsError, ValueError)


def test_missing_ratings_leave_unit_and_rater_known():
    table = make(["u", "v"], ["a", "b"], [1, np.nan])

    assert (table.n_units, table.n_raters, table.n_ratings) == (2, 2, 1)


def test_an_empty_table_can_be_made():
    assert make([], [], []).n_units == 0


def test_a_table_cannot_be_changed():
    table = make(["u"], ["a"], [1])

    with pytest.raises(AttributeError):
        table.points = (1,)
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 2


def test_a_part_of_a_table():
    table = RatingTable(
        [[1, 2, 3], [2, np.nan, 1], [3, 3, 3]], (1, 2, 3), list("uvw"), list("abc")
    )
    part = table.only(raters={"c", "a"}, units=np.array([True, False, True]))

    np.testing.assert_array_equal(part.values, [[1, 3], [3, 3]])
    assert (part.units, part.raters, part.clusters) == (
        ("u", "w"),
        ("a", "c"),
        ("u", "w"),
    )
    assert table.rated_by("b").tolist() == [True, False, True]
    with pytest.raises(StatsError, match="no rater z"):
        table.only(raters={"z"})
    with pytest.raises(StatsError, match="no rater z"):
        table.rated_by("z")


@pytest.mark.parametrize(
    "labels",
    [
        [3, 1, 3, 2],
        np.array([30, 10, 30, 20]),
        np.array([3_000_000_000, 1, 3_000_000_000, 2]),
        ["c", "a", "c", "b"],
        np.array(["c", "a", "c", "b"]),
        [1.5, 0.5, 1.5, 1.0],
        [-1, -3, -1, -2],
    ],
)
def test_labels_become_whole_numbers_in_ascending_order(labels):
    codes, distinct = encode(labels)

    assert codes.tolist() == [2, 0, 2, 1]
    assert len(distinct) == 3


def test_results_travel_between_processes():
    one = Estimate(0.5, 0.4, 0.6, 1, 2, 3)

    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(one) == hash(Estimate(0.5, 0.4, 0.6, 1, 2, 3))


def test_an_estimate_is_json_safe():
    found = Estimate(float("nan"), None, float("inf"), 1, 2, 3, "why").as_dict()

    assert found["value"] is found["low"] is found["high"] is None
    assert (found["n_units"], found["n_raters"], found["n_ratings"]) == (1, 2, 3)
