"""A real Chromium, and pages whose every complaint fails the test."""

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests import services


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start the browser as people have it: no sound plays before a gesture."""
    path = services.chromium()
    assert path, "no Chromium on this machine; set EARWITNESS_CHROMIUM"
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, which Django would refuse.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(
            executable_path=path, args=services.CHROMIUM_FLAGS
        )
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """Collect what the browser complained of; a test may remove what it provoked."""
    return []


@pytest.fixture
def new_page(browser: Browser, complaints: list[str]) -> Iterator[Callable[..., Page]]:
    """Open pages, each of a person of their own; complaints fail the test."""
    contexts = []

    def open_page(**options: object) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on(
            "console",
            lambda said: said.type == "error" and complaints.append(said.text),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Serve a folder over HTTP; give the folder and its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

    folder = tmp_path / "served"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder)
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
