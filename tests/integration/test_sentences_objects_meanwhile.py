"""Rows whose objects go first, and what happens while the store is asked: a row and its object are
looked at again."""

import json

import pytest

from stack.process import wait_until
from support.buckets import TABLE, uploads  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401


def test_no_transaction_is_open_while_the_store_is_asked(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True))
    uploads.put("one")
    asked = []

    def look():
        """The transactions of the process's other threads are short. That of a step would be open
        as long as the store waits."""
        wait_until(lambda: uploads.database.value(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND (backend_xid IS NOT NULL OR state LIKE 'idle in transaction%%')", []) == 0, 10, "no transaction is open")
        asked.append(True)

    uploads.during(look)
    uploads.house.done("files")
    assert asked == [True] and uploads.left() == []


def test_a_condition_that_is_withdrawn_keeps_the_row_and_says_that_its_object_is_gone(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True))
    uploads.put("one", "two")
    uploads.during(lambda: uploads.database.execute("UPDATE uploads SET deleted_at = NULL WHERE id = 1"))
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 1, "updated_rows": 1, "kept": 1, "deleted": 2, "without_object": 1}
    assert uploads.left() == [1]
    line = uploads.house.daemons[-1].wait_line("The object is deleted, but its row stays", job="files")
    assert (line["key"], line["object"], line["bucket"], line["what"]) == ("1", "one", uploads.bucket, "kept")


def test_a_column_that_changes_meanwhile_is_looked_at_again(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "old", True), (2, "two", True))
    uploads.put("old", "new", "two")
    uploads.during(lambda: uploads.database.execute("UPDATE uploads SET s3_key = 'new' WHERE id = 1"))
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 2, "updated_rows": 2, "waits": 1, "deleted": 3}
    assert uploads.left() == [] and uploads.keys() == []


def test_the_last_row_that_names_an_object_takes_it_along(uploads):  # noqa: F811
    """The row that was to keep the object goes meanwhile, as if an event had asked for it."""
    uploads.make()
    uploads.add((1, "shared", True), (2, "shared", False), (3, "three", True))
    uploads.put("shared", "three")
    uploads.during(lambda: uploads.database.execute("DELETE FROM uploads WHERE id = 2"))
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 2, "updated_rows": 2, "waits": 1, "deleted": 2}
    assert uploads.left() == [] and uploads.keys() == []


def test_rows_that_come_due_meanwhile_do_not_go_without_their_object(uploads):  # noqa: F811
    """Two rows name one object and were to stay."""
    uploads.make()
    uploads.add((1, "one", True), (2, "pair", False), (3, "pair", False))
    uploads.put("one", "pair")
    uploads.during(lambda: uploads.database.execute("UPDATE uploads SET deleted_at = now() WHERE id > 1"))
    uploads.house.done("files")
    assert uploads.left() == [2, 3] and uploads.keys() == ["pair"]
    uploads.house.done("files", at=now(seconds=-1))
    assert uploads.left() == [] and uploads.keys() == []


@pytest.mark.check_all
def test_a_run_that_is_discarded_meanwhile_leaves_its_rows_to_the_next(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True))
    uploads.put("one")
    runs = "SELECT run_id::text FROM pruned.runs WHERE job = 'files'"
    uploads.during(lambda: uploads.house.pruned.run("discard", uploads.database.value(runs)))
    row = uploads.house.tick("files")[0]
    assert uploads.keys() == []
    assert row["state"] == "skipped" and uploads.left() == [1]
    assert uploads.house.done("files", at=now(seconds=-1))[0] == {"removed": 1, "updated_rows": 1, "deleted": 1}
    assert uploads.left() == []


# --- events

def test_an_event_names_one_row(uploads):  # noqa: F811
    topic = uploads.house.pruned.topics.make("uploads", 1)
    name = uploads.house.pruned.topics.full("uploads")
    uploads.house.sql(TABLE)
    (uploads.house.folder / "gone.conf").write_text(f"[event UploadGone]\ntopic = {name}\nformat = json\nkey = id\nmatch = any\n")
    uploads.house.say("files", f"table = uploads\non = UploadGone\nobject = s3:{uploads.bucket} column s3_key")
    uploads.add((1, "one", False), (2, "two", False), (3, "a/../b", False))
    uploads.put("one", "two")
    uploads.house.start()
    for id_ in (1, 3, 7):
        uploads.house.pruned.topics.produce("uploads", json.dumps({"id": id_}).encode(), headers={"ce_type": "UploadGone"})
    uploads.house.work()
    assert uploads.left() == [2, 3] and uploads.keys() == ["two"], topic
    outcomes = {m.value["key"]: m.value["what"] for m in uploads.house.pruned.topics.outcomes("RowProcessed")}
    assert outcomes == {"1": "removed", "3": "failed", "7": "gone"}


def test_of_two_processes_the_last_row_takes_the_object_along(uploads):  # noqa: F811
    """Each row is named by an event of its own, and all name one object."""
    uploads.house.pruned.topics.make("uploads", 4)
    uploads.house.sql(TABLE)
    (uploads.house.folder / "gone.conf").write_text(
        f"[event UploadGone]\ntopic = {uploads.house.pruned.topics.full('uploads')}\nformat = json\nkey = id\nmatch = any\n")
    uploads.house.say("files", f"table = uploads\non = UploadGone\nobject = s3:{uploads.bucket} column s3_key\ncapacity = 4")
    uploads.house.pruned.settings["topics.partitions"] = 4
    uploads.house.start()
    uploads.put("one")
    uploads.add(*[(n, "one", False) for n in range(40)])
    daemons = [uploads.house.pruned.start() for _ in range(2)]
    for n in range(40):
        uploads.house.pruned.topics.produce("uploads", json.dumps({"id": n}).encode(), headers={"ce_type": "UploadGone"}, partition=n % 4)
    uploads.database.wait("SELECT count(*) FROM uploads", until=0, deadline_s=60)
    assert uploads.keys() == [] and [daemon.stop() for daemon in daemons] == [0, 0]


@pytest.mark.check_all
def test_a_row_that_another_session_holds_keeps_its_object_and_stops_no_other(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True), (3, "three", True))
    uploads.put("one", "two", "three")
    with uploads.database.connect() as other:
        other.autocommit = False
        other.execute("SELECT FROM uploads WHERE id = 2 FOR UPDATE")
        counters, _ = uploads.house.done("files")
        other.rollback()
    assert counters == {"removed": 2, "updated_rows": 2, "deleted": 2, "busy": 1}
    assert uploads.left() == [2] and uploads.keys() == ["two"]
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 1, "updated_rows": 1, "deleted": 1}
    assert uploads.left() == [] and uploads.keys() == []
    assert uploads.database.value("SELECT count(*) FROM pruned.quarantine") == 0
