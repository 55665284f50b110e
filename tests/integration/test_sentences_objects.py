"""Rows whose objects go first: the object by the rules of ci.delete_objects, then the row. What is
expected is written by hand."""

import pytest

from support.buckets import uploads  # noqa: F401
from support.jobs_dir import config, known
from support.scene import now, refuse_rows
from support.sentences import house  # noqa: F401

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


def fill(uploads):  # noqa: F811
    uploads.add(*[row[:3] for row in ROWS])
    uploads.put(*{row[1] for row in ROWS if row[3]}, "nobody's")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("batch", [1000, 2])
def test_the_object_goes_first_then_the_row(uploads, batch):  # noqa: F811
    """All in one page, or two a page: then the rows of one object lie in different pages."""
    uploads.make(batch=batch, delay_ms=0)
    fill(uploads)
    plan = uploads.house.plan("files")
    assert [(key, action) for _, key, action, _ in plan] == [(str(row[0]), "removed") for row in ROWS if row[2]]
    assert uploads.asked() == 0
    counters, run = uploads.house.done("files")
    assert uploads.left() == [row[0] for row in ROWS if row[4]]
    assert uploads.keys() == sorted({row[1] for row in ROWS if row[5]} | {"nobody's"})
    # S3 says of an absent one that it is deleted
    assert counters == {"removed": 7, "updated_rows": 7, "failed": 3, "deleted": 4}
    assert sorted(key for _, _, key, _ in uploads.house.audit(run)) == [1, 2, 3, 5, 6, 7, 10]
    assert uploads.house.rows("pruned.quarantine", "item, reason") == [
        ("uploads:11", "unsafe path"), ("uploads:12", "unsafe path"), ("uploads:9", "unsafe path")]


def test_names_that_need_quotes_and_a_key_of_two_columns(uploads):  # noqa: F811
    uploads.house.sql("""CREATE TABLE "Up, loads" ("Nr" int, room varchar(9), "S3, Key" varchar(99), gone boolean NOT NULL, PRIMARY KEY (room, "Nr"));
        INSERT INTO "Up, loads" VALUES (1, 'it''s', 'a', true), (2, 'b', 'b', false), (3, 'b', 'c', true), (4, 'b', 'c', true)""")
    uploads.house.say("quoted", f'table = "Up, loads"\nwhere = gone\nobject = s3:{uploads.bucket} column "S3, Key"\nbatch = 1\ndelay_ms = 0')
    uploads.put("a", "b", "c")
    counters, _ = uploads.house.done("quoted")
    assert counters == {"removed": 3, "updated_rows": 3, "deleted": 2}
    assert uploads.keys() == ["b"] and uploads.house.rows('"Up, loads"', '"Nr"') == [(2,)]


def test_objects_are_tried_as_often_as_those_of_ci_delete_objects(uploads):  # noqa: F811
    def tries(job):
        settings = known(config(uploads.house.pruned, settings={"run.jobs": "ci.*"}).ok())
        return [settings[f"jobs.{job}.{key}"][0] for key in ("item_attempts", "max_attempts")]

    uploads.say()
    assert tries("files") == tries("ci.delete_objects") == ["10", "3"]
    uploads.say(item_attempts=4)
    assert tries("files") == ["4", "3"]
    uploads.house.say("rows", "table = t\nwhere = true")
    assert tries("rows") == ["25", "25"]


@pytest.mark.check_all
def test_an_object_that_cannot_be_deleted_keeps_its_row(uploads):  # noqa: F811
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


def test_a_row_that_postgresql_refuses_keeps_its_object(uploads):  # noqa: F811
    """The row is tried before the store is asked for anything."""
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True), (3, "three", True))
    uploads.put("one", "two", "three")
    refuse_rows(uploads.database, "OLD.id = 2", table="uploads")
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 2, "updated_rows": 2, "failed": 1, "deleted": 2}
    assert uploads.left() == [2] and uploads.keys() == ["two"]


def test_a_foreign_key_that_forbids_keeps_the_object(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True), (2, "two", True))
    uploads.put("one", "two")
    uploads.house.sql("CREATE TABLE uses (id int PRIMARY KEY, upload bigint REFERENCES uploads DEFERRABLE INITIALLY DEFERRED);"
                      "INSERT INTO uses VALUES (1, 1)")
    counters, _ = uploads.house.done("files")
    assert counters == {"removed": 1, "updated_rows": 1, "failed": 1, "deleted": 1}
    assert uploads.left() == [1] and uploads.keys() == ["one"]


def test_children_go_with_the_row(uploads):  # noqa: F811
    uploads.make(children="uses")
    uploads.house.sql("DROP TABLE IF EXISTS uses; CREATE TABLE uses (id int PRIMARY KEY, upload bigint REFERENCES uploads);")
    uploads.add((1, "one", True), (2, "two", False))
    uploads.house.sql("INSERT INTO uses VALUES (1, 1), (2, 2), (3, 1)")
    uploads.put("one", "two")
    _, run = uploads.house.done("files")
    assert uploads.house.rows("uses", "id") == [(2,)] and uploads.left() == [2] and uploads.keys() == ["two"]
    assert [(table, key) for table, _, key, _ in uploads.house.audit(run)] == [("uses", 1), ("uses", 3), ("uploads", 1)]


@pytest.mark.check_all
def test_a_store_that_is_down_charges_nobody(uploads):  # noqa: F811
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


def test_a_store_without_settings_blocks(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True))
    row = uploads.house.tick("files", **{"store.object.endpoint": ""})[0]
    assert row["state"] == "waiting" and uploads.left() == [1]
    line = uploads.house.daemons[-1].wait_line("The store cannot be used; the run waits", job="files")
    assert line["error"] == "blocked: [store.object] endpoint is not set"


def test_a_bucket_that_is_not_there_is_down_alone(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True))
    uploads.house.say("files", f"table = uploads\nwhere = deleted_at IS NOT NULL\nobject = s3:{uploads.bucket}-no column s3_key\nmax_share = 100 %")
    row = uploads.house.tick("files")[0]
    assert row["state"] == "waiting" and uploads.left() == [1]
    uploads.house.daemons[-1].wait_line("The store cannot be used; the run waits", job="files")


# --- limits, audit

def test_brakes_hold_a_run_before_any_object_goes(uploads):  # noqa: F811
    uploads.make(max_rows=2, approve="above")
    uploads.add(*[(n, f"k{n}", True) for n in range(1, 5)])
    uploads.put("k1", "k2", "k3", "k4")
    row = uploads.house.tick("files")[0]
    assert row["state"] == "held" and uploads.asked() == 0 and uploads.left() == [1, 2, 3, 4]
    uploads.house.pruned.run("approve", str(row["run_id"]), "--reason", "read").ok()
    uploads.house.work()
    assert uploads.left() == [] and uploads.keys() == []
    assert uploads.house.pruned.run_row(row["run_id"])["result"]["removed"] == 4


def test_a_limit_that_later_pages_exceed_holds_the_run_before_the_first(uploads):  # noqa: F811
    uploads.make(max_rows=3, approve="above", batch=2, delay_ms=0)
    uploads.add(*[(n, f"k{n}", True) for n in range(1, 5)])
    row = uploads.house.tick("files")[0]
    assert row["state"] == "held" and uploads.asked() == 0


def test_a_run_that_only_plans_asks_no_store(uploads):  # noqa: F811
    uploads.make(mode="plan")
    uploads.add((1, "one", True), (2, "two", False))
    row = uploads.house.tick("files")[0]
    assert (row["state"], row["result"]["mode"], row["result"]["removed"]) == ("finished", "plan", 1)
    assert uploads.asked() == 0 and uploads.left() == [1, 2]


def test_what_is_gone_cannot_be_restored(uploads):  # noqa: F811
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


@pytest.mark.check_first(1)
@pytest.mark.parametrize("audit, rows", [("keys", [None]), ("off", [])])
def test_less_audit(uploads, audit, rows):  # noqa: F811
    uploads.make(audit=audit)
    uploads.add((1, "one", True))
    _, run = uploads.house.done("files")
    assert uploads.left() == []
    assert uploads.database.column("SELECT rows FROM pruned.deletions WHERE run_id = %s", [run]) == rows
