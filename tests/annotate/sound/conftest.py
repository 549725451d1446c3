"""What the tests of `annotate.sound` share: one worker for a whole module."""

from collections.abc import Iterator

import pytest

from annotate.sound import SoundWorker


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes seconds rather than milliseconds")


@pytest.fixture(scope="module")
def worker() -> Iterator[SoundWorker]:
    with SoundWorker() as shared:
        yield shared
