"""`ranges` of a sentence whose text changes while a daemon runs: its default depends on the form of
the sentence."""

import signal

import pytest

from support.reloads import JOB, ended, hang_up, items, left, start, tick  # noqa: F401
from support.sentences import house  # noqa: F401

PLAIN = "table = items\nwhere = note < :T\napprove = never\nbatch = 2"
FORMS = {
    "keep": "table = items\nkeep = 4 per kind by id desc\napprove = never",
    "children": f"{PLAIN}\nchildren = parts",
    "children_auto": f"{PLAIN}\nchildren = auto",
    "children_portion": f"{PLAIN}\nchildren = parts\nchildren_portion = 2",
    "consistency": f"{PLAIN}\ndata_consistency = sticky",
}


@pytest.fixture
def plain(items):  # noqa: F811
    """A job whose `ranges` has its default, 0."""
    items.sql("CREATE TABLE parts (id bigint PRIMARY KEY, item_id bigint NOT NULL REFERENCES items (id));"
              "CREATE INDEX ON parts (item_id)")
    items.say(JOB, PLAIN)
    return items


@pytest.mark.check_all
@pytest.mark.parametrize("form", FORMS)
def test_a_sentence_becomes_one_that_is_not_divided(plain, form):
    daemon = start(plain)
    plain.say(JOB, FORMS[form])
    assert hang_up(daemon)["changed"] == JOB
    assert ended(plain, tick(plain)) == ("completed", 2 if form == "keep" else 10)
    assert daemon.stop() == 0


def test_ranges_of_a_form_that_is_not_divided_are_refused_by_a_reload_too(plain):
    daemon = start(plain)
    plain.say(JOB, FORMS["keep"] + "\nranges = 2")
    daemon.send(signal.SIGHUP)
    line = daemon.wait_line("Configuration not reloaded; the settings in force stay")
    assert "`keep` counts the rows of a group" in line["error"] and left(plain) == 10


@pytest.mark.check_all
@pytest.mark.parametrize("ranges, divided", [(4, True), (1, False)])
def test_a_reload_takes_ranges_over(plain, ranges, divided):
    """The topic has the partitions of before: ranges share them."""
    plain.sql("INSERT INTO items SELECT i, '2020-01-01', 0 FROM generate_series(11, 400) i")
    plain.say(JOB, f"{PLAIN}\nranges = {5 - ranges}")
    daemon = start(plain)
    plain.say(JOB, f"{PLAIN}\nranges = {ranges}")
    hang_up(daemon)
    run = tick(plain)
    assert ended(plain, run) == ("completed", 400)
    steps = plain.database.column("SELECT step FROM pruned.deletions WHERE run_id = %s", [run])
    assert any(step >= 100_000_000 for step in steps) == divided
    assert daemon.stop() == 0


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["settings", "keep", "killed"])
def test_a_run_that_is_divided_ends_as_one_after_a_reload(plain, how):
    """Its ranges are there, and their job is not divided any more."""
    plain.sql("INSERT INTO items SELECT i, '2020-01-01', 0 FROM generate_series(11, 400) i")
    plain.say(JOB, f"{PLAIN}\nranges = 4\ndelay_ms = 3600000")
    plain.pruned.run_at_once(1)
    daemon = start(plain)
    run = tick(plain)
    plain.database.wait("SELECT count(*) FROM pruned.runs WHERE range_of = %s AND state = 'waiting'", [run], until=3)
    plain.say(JOB, (FORMS["keep"] if how == "keep" else PLAIN + "\nranges = 1") + "\ndelay_ms = 0")
    if how == "killed":
        daemon.kill()
        daemon = start(plain)
    else:
        hang_up(daemon)
    plain.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    assert ended(plain, run) == ("completed", 400)
    keys = plain.database.column("SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE run_id = %s AND table_name = 'items'", [run])
    assert sorted(keys) == list(range(1, 401)) and left(plain) == 0
    assert daemon.stop() == 0
