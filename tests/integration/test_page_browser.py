"""The page in a real browser: nothing is forbidden or broken, everybody can read it, and it looks
again by itself."""

import os
import pathlib

import pytest

from support.browsed import Tab, chromium  # noqa: F401
from support.paged import EVIL, JOB, VIEWS, done, paged  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

PHONE = {"width": 375, "height": 700}


def fill(paged):  # noqa: F811
    """A run, nights before it, a row that is held, and texts that are no markup."""
    run = done(paged, now(minutes=-1))
    paged.database.execute(
        "INSERT INTO pruned.nights (day, job, runs, others, rows, failed, last_run_id, last_at, last_ended)"
        " SELECT current_date - n, %s, 1, 0, 900 + (n * 37) %% 200, CASE n %% 9 WHEN 0 THEN 40 ELSE 0 END, gen_random_uuid(), now(), now()"
        " FROM generate_series(1, 29) n", [JOB])
    paged.database.execute(
        "INSERT INTO pruned.quarantine (job, item, reason, attempts, next_try_at, first_at)"
        " VALUES (%s, %s, %s, 1, now() + interval '1 h', now() - interval '2 days')", [JOB, f"orders:{EVIL}", f"ERROR: {EVIL}"])
    assert paged.house.pruned.run("hold", "orders:6", "--reason", EVIL).code == 0
    return run


def picture(tab, path, name):
    """Kept where PAGE_PICTURES says."""
    folder = os.environ.get("PAGE_PICTURES")
    if folder:
        named = path.split("?")[0].strip("/") or "home"
        tab.page.screenshot(path=pathlib.Path(folder) / f"{named}-{name}.png", full_page=True)


def looked_at(chromium, paged, views, name, **how):  # noqa: F811
    with Tab(chromium, f"http://{paged.http.listen}", **how) as tab:
        for path in views:
            page = tab.open(path)
            assert page.title().endswith("pruned"), "no text of others was run"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, name, "it scrolls sideways")
            assert tab.violations() == [], (path, name)
            picture(tab, path, name)
        assert tab.complaints == [], name


def test_each_view_is_read_by_everybody(paged, chromium):  # noqa: F811
    run = fill(paged)
    views = (*VIEWS, f"/run?id={run['run_id']}")
    looked_at(chromium, paged, views, "light", color_scheme="light", viewport={"width": 1200, "height": 800})
    looked_at(chromium, paged, views, "phone-dark", color_scheme="dark", viewport=PHONE)


def test_it_looks_again_and_keeps_what_is_open(paged, chromium):  # noqa: F811
    done(paged, now(minutes=-1))
    with Tab(chromium, f"http://{paged.http.listen}") as tab:
        page = tab.open("/")
        assert page.locator("#needs").count() == 0
        page.locator("#days-table > summary").press("Enter")
        page.evaluate("window.kept = true")
        paged.database.execute("UPDATE pruned.quarantine SET first_at = now() - interval '25 hours'")
        page.locator("#needs code").first.wait_for(timeout=30_000)
        assert page.evaluate("window.kept") and page.locator("#days-table").get_attribute("open") is not None
        # Times in the reader's zone, by one switch.
        shown = page.locator("time").first.text_content()
        page.locator("#zone").press("Enter")
        assert page.locator("#zone").text_content() and len(page.locator("time").first.text_content()) == len(shown)
        assert tab.complaints == []


@pytest.mark.check_all
def test_without_a_script(paged, chromium):  # noqa: F811
    fill(paged)
    with Tab(chromium, f"http://{paged.http.listen}", java_script_enabled=False) as tab:
        page = tab.open("/")
        assert "needs a person" in page.locator("#needs").text_content()
        assert page.locator("meta[http-equiv=refresh]").get_attribute("content") == "30"
        page.locator("nav >> text=Runs").click()
        page.locator("#filter-job").fill(JOB)
        page.locator("form button").click()
        assert page.locator("#runs tbody tr").count() == 1 and f"job={JOB}" in page.url
        page.locator("#runs tbody a").first.click()
        assert "3 removed" in page.locator("#about").text_content()
