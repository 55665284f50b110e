"""A reload while a run deletes objects: its rows and objects go, or stay, by the version that it
began with."""

import pytest

from support.buckets import TABLE, uploads  # noqa: F401
from support.reloads import go_on, hang_up, pause, start, version
from support.scene import now
from support.sentences import house  # noqa: F401

KEYS = ["k1", "k2", "k3", "k4", "k5", "k6"]
PLAIN = "table = uploads\nwhere = deleted_at IS NOT NULL\nmax_share = 100 %\nbatch = 2\ndelay_ms = {delay_ms}"


def fill(uploads):  # noqa: F811
    uploads.add(*[(n, key, True) for n, key in enumerate(KEYS, 1)])
    uploads.put(*KEYS)


def begin(uploads):  # noqa: F811
    """A run of which one page of three is done."""
    daemon = start(uploads.house)
    run = uploads.house.pruned.run("tick", "files", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    begun = pause(uploads.house, run)
    assert uploads.left() == [3, 4, 5, 6]
    return daemon, run, begun


def end(uploads, daemon, run, begun):  # noqa: F811
    go_on(uploads.house, run)
    row = uploads.house.pruned.wait_run(run)
    assert (row["state"], row["result"]["status"], row["result"]["removed"]) == ("finished", "completed", 6), row
    assert uploads.left() == [] and version(uploads.house, run) == begun
    assert daemon.stop() == 0


@pytest.mark.check_all
def test_objects_still_go_in_a_run_that_began_with_them(uploads):  # noqa: F811
    uploads.make(batch=2, delay_ms=3600000)
    fill(uploads)
    daemon, run, begun = begin(uploads)
    uploads.house.say("files", PLAIN.format(delay_ms=0))
    assert hang_up(daemon)["changed"] == "files"
    end(uploads, daemon, run, begun)
    assert uploads.keys() == []


@pytest.mark.check_all
def test_a_due_run_with_objects_keeps_them_where_the_new_version_has_none(uploads):  # noqa: F811
    """Its lane has read a message seconds ago, so that runs of the new version would begin before
    theirs comes."""
    uploads.make(batch=2, delay_ms=3600000)
    fill(uploads)
    daemon, run, begun = begin(uploads)
    uploads.house.say("files", PLAIN.format(delay_ms=0))
    assert hang_up(daemon)["changed"] == "files"
    uploads.database.wait("SELECT (clock_timestamp() - changed_at > interval '3 s')::int FROM pruned.runs WHERE run_id = %s", [run], until=1)
    uploads.during(lambda: uploads.house.pruned.topics.wait("work.files", lambda m: m.text_key == run, count=2))
    end(uploads, daemon, run, begun)
    assert uploads.keys() == [] and uploads.house.pruned.wait_run(run)["step"] == 3
    assert not daemon.lines(level="error")


@pytest.mark.check_all
def test_objects_stay_in_a_run_that_began_without_them(uploads):  # noqa: F811
    uploads.house.sql(TABLE)
    uploads.house.say("files", PLAIN.format(delay_ms=3600000))
    fill(uploads)
    daemon, run, begun = begin(uploads)
    uploads.say(batch=2, delay_ms=0)
    assert hang_up(daemon)["changed"] == "files"
    end(uploads, daemon, run, begun)
    assert uploads.keys() == KEYS and uploads.asked() == 0


OTHERS = "CREATE TABLE others (LIKE uploads INCLUDING ALL); INSERT INTO others SELECT n, 'k' || n, now() FROM generate_series(1, 6) n"


@pytest.mark.check_all
@pytest.mark.parametrize("change", ["where", "table", "object"])
def test_what_the_store_has_deleted_is_settled_by_the_version_that_chose_it(uploads, change):  # noqa: F811
    """The new version is there before the store answers."""
    uploads.make()
    uploads.house.sql(OTHERS)
    fill(uploads)
    daemon = start(uploads.house)
    object_ = f"object = s3:{uploads.bucket} column s3_key\nmax_share = 100 %"
    text = {"where": f"table = uploads\nwhere = deleted_at IS NOT NULL AND id > 3\n{object_}",
            "table": f"table = others\nwhere = deleted_at IS NOT NULL\n{object_}",
            "object": "table = others\nwhere = deleted_at IS NOT NULL\nmax_share = 100 %"}[change]
    changed = []

    def reload():
        uploads.house.say("files", text)
        changed.append(hang_up(daemon)["changed"])

    uploads.during(reload)
    run = uploads.house.pruned.run("tick", "files", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    row = uploads.house.pruned.wait_run(run)
    assert changed == ["files"]
    assert (row["state"], row["result"]["removed"], row["result"]["deleted"]) == ("finished", 6, 6), row
    assert uploads.left() == [] and uploads.keys() == []
    assert uploads.database.value("SELECT count(*) FROM others") == 6
    assert daemon.stop() == 0
