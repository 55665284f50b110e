"""The page behind nginx, below a prefix: links lead nowhere else, an action is of the user whom the
proxy names, and the people behind it do not share the eight connections of an address."""

import concurrent.futures
import os

import pytest
import requests

from stack import found
from stack.nginx import Nginx
from support.browsed import Tab, chromium  # noqa: F401
from support.exposition import Listening
from support.paged import JOB, Paged, orders
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

pytestmark = pytest.mark.skipif(os.environ.get("CI") != "true" and found.nginx() is None, reason="there is no nginx here")
VIEWS = ("Night", "Runs", "Row", "Quarantine", "Holds", "Dead letters", "Processes", "Journal", "Report", "Actions")


@pytest.fixture
def proxied(house, tmp_path):  # noqa: F811
    """A page behind nginx, and a run that is held."""
    http = Listening()
    orders(house)
    house.say(JOB, "table = orders\nwhere = gone\nmax_share = off\napprove = always\n")
    house.start()
    on = {"http.listen": http.listen, "http.page": "on", "http.actions": "on", "http.trusted_proxies": "127.0.0.1",
          "http.user_header": "X-Forwarded-User", "http.roles": "anna=approve"}
    house.pruned.start(settings=on).wait_line("Partitions assigned")
    at = now(minutes=-1)
    house.pruned.topics.tick(JOB, at)
    house.pruned.wait_run(tick_id(JOB, at), "held")
    made = Paged(house, http)
    made.run, made.nginx = str(tick_id(JOB, at)), Nginx(tmp_path / "nginx", http.listen).start()
    yield made
    made.nginx.stop()
    made.nginx.held.release()
    http.close()


def go_to(page, name):
    """By the keyboard alone."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == name:
            break
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_by_keyboard_below_a_prefix(proxied, chromium):  # noqa: F811
    base = proxied.nginx.base
    with Tab(chromium, base, extra_http_headers={"X-Login": "anna"}) as tab:
        page = tab.open(base)
        for name in (*VIEWS[1:], VIEWS[0]):
            go_to(page, name)
            assert page.url.startswith(base) and page.title().startswith("Action" if name == "Actions" else name), page.url
        page = tab.open(f"{base}run?id={proxied.run}")
        go_to(page, "do it")
        page.locator("#act-number").focus()
        page.keyboard.type("5")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.url == f"{base}act" and tab.complaints == []
    proxied.house.pruned.wait_run(proxied.run, "finished")
    assert [tuple(row.values()) for row in proxied.database.rows("SELECT command, os_user, host FROM pruned.journal WHERE command = 'approve'")] == [
        ("approve", "anna", "page")]


def test_two_hundred_tabs_behind_a_proxy_are_all_answered(proxied):
    etag = requests.get(proxied.nginx.base, timeout=30).headers["ETag"]
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        answers = pool.map(lambda _: requests.get(proxied.nginx.base, headers={"If-None-Match": etag}, timeout=30).status_code, range(200))
        assert set(answers) <= {200, 304}
    # Of what comes from elsewhere nobody is let in by a header.
    form = {"do": "stop", "what": "", "since": ""}
    said = [requests.post(f"{base}act", data=form, headers={"Origin": base.split("/pruned")[0].rstrip("/"), **headers}, timeout=30).status_code
            for base, headers in ((proxied.nginx.base, {"X-Forwarded-User": "anna"}), (proxied.nginx.base, {"X-Login": "nobody"}))]
    assert said == [403, 403] and proxied.database.value("SELECT count(*) FROM pruned.journal WHERE command = 'stop'") == 0
