"""A browser: Debian's, driven by Playwright. Where it cannot be had its tests are skipped; with
CI=true they fail."""

import importlib.util
import os
import shutil

import pytest

PACKAGES = ("playwright", "axe_playwright_python")
BINARY = shutil.which("chromium-headless-shell") or shutil.which("chromium")


@pytest.fixture(scope="module")
def chromium():
    """Not of the session: while it is there, its loop of events keeps other tests from having
    one."""
    if os.environ.get("CI") != "true" and (BINARY is None or not all(map(importlib.util.find_spec, PACKAGES))):
        pytest.skip("there is no browser here (tests/stack/deps.sh test browser)")
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=BINARY, args=["--no-sandbox"])
        yield one
        one.close()


class Tab:
    """A page of the browser, with all that it complains of: errors, and what a policy forbids."""

    def __init__(self, chromium, base, **how):
        self.context = chromium.new_context(base_url=base, **how)
        self.page, self.complaints = self.context.new_page(), []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", self._failed)
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))

    def _failed(self, request):
        """One that ends because the tab goes elsewhere is no failure."""
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"{request.failure}: {request.url}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()

    def open(self, path):
        self.page.goto(path, wait_until="load")
        return self.page

    def violations(self):
        from axe_playwright_python.sync_playwright import Axe
        found = Axe().run(self.page).response["violations"]
        return [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]
