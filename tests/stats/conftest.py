"""What the tests of `stats` share with pytest."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes seconds rather than milliseconds")
