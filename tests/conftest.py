"""What all tests share: the services, and a site that touches nothing of yours.

Django reads its settings after this file has set the environment.
"""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import global_settings, settings
from django.db import connections
from pytest_django import Settings

from config import ports
from config.celery import app as celery_app
from config.supervisor import web_command, worker_command
from tests import services

FOLDER = services.new_folder("home")
DATABASE = services.database(services.new_folder("pg"))
BROKER = services.broker(services.new_folder("mq"))
CHROMIUM = services.chromium()

for name in ("EARWITNESS_DEMO", "DEBUG", "BEHIND_HTTPS", "MEDIA_BUCKET"):
    os.environ.pop(name, None)
os.environ |= {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "SECRET_KEY": "a key for tests, of fifty characters and a few more",
    "EARWITNESS_HOME": str(FOLDER),
    "ALLOWED_HOSTS": "127.0.0.1,localhost,testserver",
    "DATABASE_URL": DATABASE.url,
    "REDIS_URL": BROKER.url,
}
for folder in ("media", "static"):
    (FOLDER / folder).mkdir()


def pytest_configure(config: pytest.Config) -> None:
    # Reading a setting loads them all; pytest-django then sets Django up.
    assert settings.SECRET_KEY
    config.addinivalue_line(
        "markers", "both_databases: a promise that holds on PostgreSQL and on SQLite"
    )


def pytest_report_header() -> list[str]:
    kind = "SQLite" if DATABASE.url.startswith("sqlite") else "PostgreSQL"
    return [
        f"{kind}: {DATABASE.origin}",
        f"Redis protocol: {BROKER.origin}",
        f"Chromium: {CHROMIUM or 'NONE HERE, so the browser tests do not run'}",
    ]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave browser tests out, loudly, where no browser is; never in CI."""
    if CHROMIUM or services.in_ci():
        return
    missing = pytest.mark.skip(reason="NO CHROMIUM HERE: set EARWITNESS_CHROMIUM")
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(missing)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Count a skipped test as a failure in CI."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if services.in_ci() and reporter and reporter.stats.get("skipped"):
        reporter.write_line("Tests were skipped, and in CI none may be.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Start the servers when the first test asks for the database.

    SQLite's test database is a file: threads and other processes share it.
    """
    DATABASE.start()
    BROKER.start()
    database = connections["default"].settings_dict
    if database["ENGINE"].endswith("sqlite3"):
        database["TEST"]["NAME"] = str(FOLDER / "test.sqlite3")


@pytest.fixture(scope="session")
def broker_url() -> str:
    """Return the address of a running Redis-protocol server."""
    BROKER.start()
    return BROKER.url


@pytest.fixture(scope="session")
def environment(django_db_setup: None) -> dict[str, str]:
    """Return the environment of the site's other processes, on the test database."""
    name = connections["default"].settings_dict["NAME"]
    return os.environ | {"DATABASE_URL": services.same_server(DATABASE.url, name)}


@pytest.fixture
def one_site(transactional_db: None, settings: Settings) -> Iterator[None]:
    """Let the test keep media and passwords as the other processes do."""
    settings.MEDIA_ROOT = FOLDER / "media"
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    yield
    shutil.rmtree(settings.MEDIA_ROOT)
    settings.MEDIA_ROOT.mkdir()


@pytest.fixture(scope="session")
def granian_address(environment: dict[str, str]) -> Iterator[str]:
    """Serve the test database by the server that production runs."""
    services.run_manage("collectstatic", "--noinput", env=environment)
    port = ports.free_port()
    with services.running(
        web_command(port),
        log=FOLDER / "web.log",
        answers=lambda: ports.status_of(port, "/healthz/"),
        env=environment,
    ):
        yield f"http://{ports.HOST}:{port}"


@pytest.fixture
def granian_server(granian_address: str, one_site: None) -> str:
    """Return the address at which a real server serves the test's data."""
    return granian_address


@pytest.fixture
def worker(environment: dict[str, str], one_site: None) -> Iterator[None]:
    """Run a Celery worker on the test's data; what was queued before is dropped."""
    celery_app.control.purge()
    with services.running(
        worker_command(),
        log=FOLDER / "worker.log",
        answers=lambda: celery_app.control.ping(timeout=0.2),
        env=environment,
    ):
        yield


@pytest.fixture(autouse=True)
def site_of_tests(settings: Settings, tmp_path: Path) -> None:
    """Hash passwords fast, keep files apart, and need no collected static files."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        }
    }


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Refuse every connection that would leave this machine."""
    connect = socket.socket.connect
    reachable = services.hosts_of(DATABASE.url, BROKER.url) | {"localhost", "::1"}

    def guarded(self: socket.socket, address: tuple | str) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6}:
            host = str(address[0])
            if host not in reachable and not host.startswith("127."):
                raise PermissionError(f"a test reached for the network: {address}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield
