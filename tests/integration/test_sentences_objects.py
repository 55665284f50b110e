"""Rows whose objects go first: the object by the rules of ci.delete_objects, then the row. What is expected is written by hand."""

import json

import pytest

from stack.process import wait_until
from support.buckets import TABLE, Uploads
from support.scene import now, refuse_rows
from support.sentences import house  # noqa: F401


@pytest.fixture
def uploads(house, gateway, request):  # noqa: F811
    made = Uploads(house, gateway, request.node.name)
    yield made
    made.proxy.close()


# id, key, due, whether the object is there; then whether row and object are there afterwards
ROWS = [
    (1, "plain", True, True, False, False),
    (2, "absent", True, False, False, False),
    (3, None, True, False, False, False),
    (4, "kept", False, True, True, True),
    (5, "twice", True, True, False, False),
    (6, "twice", True, True, False, False),
    (7, "shared", True, True, False, True),
    (8, "shared", False, True, True, True),
    (9, "a/../b", True, False, True, False),
    (10, "odd ü %2F ?&<", True, True, False, False),
    (11, "", True, False, True, False),
    (12, "/abs", True, False, True, False),
]


def fill(uploads):
    uploads.add(*[row[:3] for row in ROWS])
    uploads.put(*{row[1] for row in ROWS if row[3]}, "nobody's")


@pytest.mark.parametrize("batch", [1000, 2])
def test_the_object_goes_first_then_the_row(uploads, batch):
    """All in one page, or two a page: then the rows of one object lie in different pages."""
    uploads.make(batch=batch, delay_ms=0)
    fill(uploads)
    plan = uploads.house.plan("files")
    assert [(key, action) for _, key, action, _ in plan] == [(str(row[0]), "removed") for row in ROWS if row[2]]
    assert uploads.asked() == 0
    counters, run = uploads.house.done("files")
    assert uploads.left() == [row[0] for row in ROWS if row[4]]
    assert uploads.keys() == sorted({row[1] for row in ROWS if row[5]} | {"nobody's"})
    assert counters == {"removed": 7, "updated_rows": 7, "failed": 3, "deleted": 4}  # S3 says of an absent one that it is deleted
    assert sorted(key for _, _, key, _ in uploads.house.audit(run)) == [1, 2, 3, 5, 6, 7, 10]
    assert uploads.house.rows("pruned.quarantine", "item, reason") == [
        ("uploads:11", "unsafe path"), ("uploads:12", "unsafe path"), ("uploads:9", "unsafe path")]


def test_names_that_need_quotes_and_a_key_of_two_columns(uploads):
    uploads.house.sql("""CREATE TABLE "Up, loads" ("Nr" int, room varchar(9), "S3, Key" varchar(99), gone boolean NOT NULL, PRIMARY KEY (room, "Nr"));
        INSERT INTO "Up, loads" VALUES (1, 'it''s', 'a', true), (2, 'b', 'b', false), (3, 'b', 'c', true), (4, 'b', 'c', true)""")
    uploads.house.say("quoted", f'table = "Up, loads"\nwhere = gone\nobject = s3:{uploads.bucket} column "S3, Key"\nbatch = 1\ndelay_ms = 0')
    uploads.put("a", "b", "c")
    counters, _ = uploads.house.done("quoted")
    assert counters == {"removed": 3, "updated_rows": 3, "deleted": 2}
    assert uploads.keys() == ["b"] and uploads.house.rows('"Up, loads"', '"Nr"') == [(2,)]


def test_an_object_that_cannot_be_deleted_keeps_its_row(uploads):
    uploads.make()
    uploads.add((1, "fine", True), (2, "denied", True))
    uploads.put("fine", "denied")
    answer = (b"<DeleteResult><Deleted><Key>fine</Key></Deleted>"
              b"<Error><Key>denied</Key><Code>AccessDenied</Code><Message>not yours</Message></Error></DeleteResult>")

    def denies(_command, _body, _go):
        uploads.client.delete_object(Bucket=uploads.bucket, Key="fine")
        return 200, answer, None

    uploads.proxy.misbehave = denies
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 1, "updated_rows": 1, "failed": 1, "deleted": 1}
    assert uploads.left() == [2] and uploads.keys() == ["denied"]
    assert uploads.house.rows("pruned.quarantine", "item, reason, attempts") == [("uploads:2", "AccessDenied: not yours", 1)]
    uploads.straight()
    assert uploads.house.done("files")[0] == {"passed_over": 1}
    uploads.house.pruned.run("quarantine", "retry", "files").ok()
    uploads.house.work()
    counters, _ = uploads.house.done("files", at=now(seconds=-1))
    assert uploads.left() == [] and uploads.keys() == []
    assert uploads.house.rows("pruned.quarantine") == []


def test_a_row_that_postgresql_refuses_keeps_its_object(uploads):
    """The row is tried before the store is asked for anything."""
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True), (3, "three", True))
    uploads.put("one", "two", "three")
    refuse_rows(uploads.database, "OLD.id = 2", table="uploads")
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 2, "updated_rows": 2, "failed": 1, "deleted": 2}
    assert uploads.left() == [2] and uploads.keys() == ["two"]


def test_a_foreign_key_that_forbids_keeps_the_object(uploads):
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True))
    uploads.put("one", "two")
    uploads.house.sql("CREATE TABLE uses (id int PRIMARY KEY, upload bigint REFERENCES uploads DEFERRABLE INITIALLY DEFERRED);"
                      "INSERT INTO uses VALUES (1, 1)")
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 1, "updated_rows": 1, "failed": 1, "deleted": 1}
    assert uploads.left() == [1] and uploads.keys() == ["one"]


def test_children_go_with_the_row(uploads):
    uploads.make(children="uses")
    uploads.house.sql("DROP TABLE IF EXISTS uses; CREATE TABLE uses (id int PRIMARY KEY, upload bigint REFERENCES uploads);")
    uploads.add((1, "one", True), (2, "two", False))
    uploads.house.sql("INSERT INTO uses VALUES (1, 1), (2, 2), (3, 1)")
    uploads.put("one", "two")
    _, run = uploads.house.done("files")
    assert uploads.house.rows("uses", "id") == [(2,)] and uploads.left() == [2] and uploads.keys() == ["two"]
    assert [(table, key) for table, _, key, _ in uploads.house.audit(run)] == [("uses", 1), ("uses", 3), ("uploads", 1)]


def test_a_store_that_is_down_charges_nobody(uploads):
    uploads.make()
    uploads.add((1, "one", True), (2, None, True))
    uploads.put("one")
    uploads.proxy.misbehave = lambda *_: (503, b"<Error><Code>ServiceUnavailable</Code><Message>later</Message></Error>", None)
    row = uploads.house.tick("files")[0]
    assert (row["state"], row["attempts"], row["result"]["removed"]) == ("waiting", 0, 1)
    assert uploads.left() == [1] and uploads.house.rows("pruned.quarantine") == []
    line = uploads.house.daemons[-1].wait_line("The store cannot be used; the run waits", job="files")
    assert "ServiceUnavailable" in line["error"]
    uploads.straight()
    uploads.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    uploads.house.work()
    assert uploads.left() == [] and uploads.keys() == []
    assert uploads.house.rows("pruned.runs", "state, attempts, (result->>'removed')::int") == [("finished", 0, 2)]


def test_a_store_without_settings_blocks(uploads):
    uploads.make()
    uploads.add((1, "one", True))
    row = uploads.house.tick("files", **{"store.object.endpoint": ""})[0]
    assert row["state"] == "waiting" and uploads.left() == [1]
    line = uploads.house.daemons[-1].wait_line("The store cannot be used; the run waits", job="files")
    assert line["error"] == "blocked: [store.object] endpoint is not set"


def test_a_bucket_that_is_not_there_is_down_alone(uploads):
    uploads.make()
    uploads.add((1, "one", True))
    uploads.house.say("files", f"table = uploads\nwhere = deleted_at IS NOT NULL\nobject = s3:{uploads.bucket}-no column s3_key\nmax_share = 100 %")
    row = uploads.house.tick("files")[0]
    assert row["state"] == "waiting" and uploads.left() == [1]
    uploads.house.daemons[-1].wait_line("The store cannot be used; the run waits", job="files")


def test_no_transaction_is_open_while_the_store_is_asked(uploads):
    uploads.make()
    uploads.add((1, "one", True))
    uploads.put("one")
    asked = []

    def look():
        """The transactions of the process's other threads are short. That of a step would be open as long as the store waits."""
        wait_until(lambda: uploads.database.value(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND (backend_xid IS NOT NULL OR state LIKE 'idle in transaction%%')", []) == 0, 10, "no transaction is open")
        asked.append(True)

    uploads.during(look)
    uploads.house.done("files")
    assert asked == [True] and uploads.left() == []


def test_a_condition_that_is_withdrawn_keeps_the_row_and_says_that_its_object_is_gone(uploads):
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True))
    uploads.put("one", "two")
    uploads.during(lambda: uploads.database.execute("UPDATE uploads SET deleted_at = NULL WHERE id = 1"))
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 1, "updated_rows": 1, "kept": 1, "deleted": 2, "without_object": 1}
    assert uploads.left() == [1]
    line = uploads.house.daemons[-1].wait_line("The object is deleted, but its row stays", job="files")
    assert (line["key"], line["object"], line["bucket"], line["what"]) == ("1", "one", uploads.bucket, "kept")


def test_a_column_that_changes_meanwhile_is_looked_at_again(uploads):
    uploads.make()
    uploads.add((1, "old", True), (2, "two", True))
    uploads.put("old", "new", "two")
    uploads.during(lambda: uploads.database.execute("UPDATE uploads SET s3_key = 'new' WHERE id = 1"))
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 2, "updated_rows": 2, "waits": 1, "deleted": 3}
    assert uploads.left() == [] and uploads.keys() == []


def test_the_last_row_that_names_an_object_takes_it_along(uploads):
    """The row that was to keep the object goes meanwhile, as if an event had asked for it."""
    uploads.make()
    uploads.add((1, "shared", True), (2, "shared", False), (3, "three", True))
    uploads.put("shared", "three")
    uploads.during(lambda: uploads.database.execute("DELETE FROM uploads WHERE id = 2"))
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 2, "updated_rows": 2, "waits": 1, "deleted": 2}
    assert uploads.left() == [] and uploads.keys() == []


def test_rows_that_come_due_meanwhile_do_not_go_without_their_object(uploads):
    """Two rows name one object and were to stay."""
    uploads.make()
    uploads.add((1, "one", True), (2, "pair", False), (3, "pair", False))
    uploads.put("one", "pair")
    uploads.during(lambda: uploads.database.execute("UPDATE uploads SET deleted_at = now() WHERE id > 1"))
    uploads.house.done("files")
    assert uploads.left() == [2, 3] and uploads.keys() == ["pair"]
    uploads.house.done("files", at=now(seconds=-1))
    assert uploads.left() == [] and uploads.keys() == []


def test_a_run_that_is_discarded_meanwhile_leaves_its_rows_to_the_next(uploads):
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


def test_brakes_hold_a_run_before_any_object_goes(uploads):
    uploads.make(max_rows=2, approve="above")
    uploads.add(*[(n, f"k{n}", True) for n in range(1, 5)])
    uploads.put("k1", "k2", "k3", "k4")
    row = uploads.house.tick("files")[0]
    assert row["state"] == "held" and uploads.asked() == 0 and uploads.left() == [1, 2, 3, 4]
    uploads.house.pruned.run("approve", str(row["run_id"]), "--reason", "read").ok()
    uploads.house.work()
    assert uploads.left() == [] and uploads.keys() == []
    assert uploads.house.pruned.run_row(row["run_id"])["result"]["removed"] == 4


def test_a_limit_that_later_pages_exceed_holds_the_run_before_the_first(uploads):
    uploads.make(max_rows=3, approve="above", batch=2, delay_ms=0)
    uploads.add(*[(n, f"k{n}", True) for n in range(1, 5)])
    row = uploads.house.tick("files")[0]
    assert row["state"] == "held" and uploads.asked() == 0


def test_a_run_that_only_plans_asks_no_store(uploads):
    uploads.make(mode="plan")
    uploads.add((1, "one", True), (2, "two", False))
    row = uploads.house.tick("files")[0]
    assert (row["state"], row["result"]["mode"], row["result"]["removed"]) == ("finished", "plan", 1)
    assert uploads.asked() == 0 and uploads.left() == [1, 2]


def test_what_is_gone_cannot_be_restored(uploads):
    uploads.make()
    uploads.add((1, "one", True))
    _, run = uploads.house.done("files")
    lines = uploads.house.pruned.run("restore", str(run), "--json")
    assert "the object itself is deleted" in lines.stdout + lines.stderr, lines
    assert uploads.left() == []
    uploads.house.say("files", "table = uploads\nwhere = true")
    for options in (), ("--partial",):
        assert "version" in uploads.house.restore(run, *options, code=6).stderr
    (uploads.house.folder / "files.conf").unlink()
    assert "no such job is in force" in uploads.house.restore(run, code=6).stderr
    assert uploads.left() == []


@pytest.mark.parametrize("audit, rows", [("keys", [None]), ("off", [])])
def test_less_audit(uploads, audit, rows):
    uploads.make(audit=audit)
    uploads.add((1, "one", True))
    _, run = uploads.house.done("files")
    assert uploads.left() == []
    assert uploads.database.column("SELECT rows FROM pruned.deletions WHERE run_id = %s", [run]) == rows


def test_an_event_names_one_row(uploads):
    topic = uploads.house.pruned.topics.make("uploads", 1)
    name = uploads.house.pruned.topics.full("uploads")
    uploads.house.sql(TABLE)
    (uploads.house.folder / "gone.conf").write_text(f"[event UploadGone]\ntopic = {name}\nformat = json\nkey = id\n")
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


def test_of_two_processes_the_last_row_takes_the_object_along(uploads):
    """Each row is named by an event of its own, and all name one object."""
    uploads.house.pruned.topics.make("uploads", 4)
    uploads.house.sql(TABLE)
    (uploads.house.folder / "gone.conf").write_text(
        f"[event UploadGone]\ntopic = {uploads.house.pruned.topics.full('uploads')}\nformat = json\nkey = id\n")
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


# --- check, jobs show


def findings(uploads, code, **settings):
    done = uploads.house.pruned.run("check", "files", "--json", settings=settings)
    assert done.code == code, done
    return [(one["check"], one["detail"]) for one in done.json() if one["level"] != "ok"]


def test_check_knows_what_objects_need(uploads):
    uploads.make()
    assert findings(uploads, 0) == []
    assert findings(uploads, 2, **{"store.object.endpoint": ""}) == [("store", "[store.object] endpoint is not set: no object can be deleted")]
    uploads.house.sql("ALTER TABLE uploads RENAME s3_key TO other")
    assert findings(uploads, 2) == [("sentence", "uploads has no column s3_key")]
    uploads.house.sql("ALTER TABLE uploads ADD s3_key int")
    assert findings(uploads, 2) == [("sentence", "s3_key is integer: the key of an object must be text or varchar")]


def test_check_wants_an_index_for_the_rows_that_name_an_object(uploads):
    uploads.make("CREATE TABLE uploads (id bigint PRIMARY KEY, s3_key text, deleted_at timestamptz)")
    uploads.house.sql("INSERT INTO uploads SELECT n, 'k' || n FROM generate_series(1, 20000) n; CREATE INDEX ON uploads (deleted_at); ANALYZE uploads")
    (check, detail), = set(findings(uploads, 6))
    assert check == "index" and "uploads" in detail
    uploads.house.sql("CREATE INDEX ON uploads (s3_key)")
    assert findings(uploads, 0) == []


def test_doctor_asks_for_the_bucket(uploads):
    uploads.make()
    uploads.house.pruned.settings |= {"run.jobs": "none", "store.object.bucket": "", "store.object.endpoint": uploads.gateway.endpoint}

    def said(**settings):
        lines = uploads.house.pruned.run("doctor", "--json", settings=settings).json()
        return [(line["ok"], line["detail"]) for line in lines if line["check"] == "object store"]

    assert said() == [(True, f"bucket {uploads.bucket} of files answers")]
    assert said(**{"store.object.endpoint": ""})[-1] == (
        False, f"[store.object] endpoint is not set, but files deletes objects of bucket {uploads.bucket}")
    uploads.house.say("files", f"table = uploads\nwhere = true\nobject = s3:{uploads.bucket}-no column s3_key")
    (ok, detail), = said()
    assert not ok and "NoSuchBucket" in detail


def test_a_trial_of_the_files_asks_no_store(uploads):
    uploads.make()
    uploads.add((1, "one", True), (2, "two", False))
    done = uploads.house.pruned.run("check", "files", "--apply", "10", "--json").ok()
    assert [(line["rows"], line["keys"]) for line in done.json()] == [(1, 1)]
    assert uploads.left() == [1, 2] and uploads.asked() == 0


def test_the_sql_is_shown_and_no_folder_can_take_its_place(uploads, tmp_path):
    uploads.make()
    shown = uploads.house.pruned.run("jobs", "show", "files").ok().stdout
    assert "DELETE FROM uploads" in shown and ":objects::text[]" in shown
    done = uploads.house.pruned.run("jobs", "show", "files", "--to", tmp_path / "taken")
    assert done.code == 2 and "SQL files delete no objects" in done.stderr
    assert not (tmp_path / "taken").exists()
