"""A hold, a pause or quiet hours that have ended by the database's clock only let no row go: that
clock can have jumped."""

import pytest

from stack.clock import Clock
from stack.process import wait_until
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

HOUR_S = 3600
DOCS = """CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean); INSERT INTO docs SELECT n, n <= 3 FROM generate_series(1, 9) n"""
SAYS = "throttled: clocks: the database's and this machine's differ by 3"


@pytest.fixture
def docs(house, preload):  # noqa: F811
    """By this machine's clock it is an hour earlier than by the database's."""
    house.library = preload("shifted_clock")
    if house.library is None:
        pytest.skip("a sanitizer must be loaded first")
    house.sql(DOCS)
    house.say("docs.dead", "table = docs\nwhere = dead\nmax_share = off\napprove = never")
    house.start()
    return house


def behind(house, **settings):  # noqa: F811
    house.clock = Clock(house.folder.parent, house.library, seconds=-HOUR_S)
    return house.pruned.start(environment=house.clock.environment, settings=settings)


def wait_waiting(house):  # noqa: F811
    at = now(minutes=-1)
    house.pruned.topics.tick("docs.dead", at)
    row = house.pruned.wait_run(tick_id("docs.dead", at), "waiting")
    assert row["error"].startswith(SAYS) and row["attempts"] == row["step"] == 0, row
    assert house.database.value("SELECT count(*) FROM docs") == 9
    return row["run_id"]


ENDED = "now() - interval '30 minutes'"


@pytest.mark.parametrize("ended, ends", [
    (f"INSERT INTO pruned.holds (tab, key, hold_id, kind, reason, who, until) VALUES ('public.docs', '2', gen_random_uuid(), 'hold', 'x', 'x', {ENDED})",
     ["release", "docs:2", "--yes", "--reason", "x"]),
    pytest.param(f"INSERT INTO pruned.controls (job, paused, paused_until) VALUES ('docs.dead', true, {ENDED})", ["resume", "docs.dead"], marks=pytest.mark.check_all)],
    ids=["hold", "pause"])
def test_what_has_ended_by_one_clock_only_has_not_ended(docs, ended, ends):
    docs.database.execute(ended)
    behind(docs)
    run_id = wait_waiting(docs)
    docs.pruned.run(*ends).ok()
    docs.pruned.run("retry", str(run_id)).ok()
    assert docs.pruned.wait_run(run_id)["result"]["removed"] == 3


@pytest.mark.check_all
def test_it_goes_on_once_the_clocks_agree(docs):
    docs.database.execute(f"INSERT INTO pruned.controls (job, paused, paused_until) VALUES ('docs.dead', true, {ENDED})")
    behind(docs)
    run_id = wait_waiting(docs)
    docs.clock.set(0)
    assert docs.pruned.wait_run(run_id)["result"]["removed"] == 3


@pytest.mark.check_all
def test_a_pause_of_another_job_and_what_ended_long_ago_keep_nothing(docs):
    docs.database.execute(f"INSERT INTO pruned.controls (job, paused, paused_until) VALUES ('other', true, {ENDED}), ('docs.dead', true, now() - interval '1 day')")
    behind(docs)
    at = now(minutes=-1)
    docs.pruned.topics.tick("docs.dead", at)
    assert docs.pruned.wait_run(tick_id("docs.dead", at))["result"]["removed"] == 3


@pytest.mark.check_all
def test_it_is_quiet_while_it_is_by_one_clock(docs):
    hour_ago = now(seconds=-HOUR_S)
    behind(docs, **{"jobs.docs.dead.not_between": f"{hour_ago.replace(minute=0):%H:%M}-{now().replace(minute=0):%H:%M}"})
    run_id = wait_waiting(docs)
    docs.clock.set(0)
    wait_until(lambda: docs.pruned.run_row(run_id)["state"] == "finished", 60, "its end")
