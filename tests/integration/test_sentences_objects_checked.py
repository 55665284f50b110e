"""What `pruned check`, `doctor` and `jobs show` say of a sentence whose objects go first, without
asking the store to delete any."""

from support.buckets import uploads  # noqa: F401
from support.sentences import house  # noqa: F401


def findings(uploads, code, **settings):  # noqa: F811
    done = uploads.house.pruned.run("check", "files", "--json", settings=settings)
    assert done.code == code, done
    return [(one["check"], one["detail"]) for one in done.json() if one["level"] != "ok"]


def test_check_knows_what_objects_need(uploads):  # noqa: F811
    uploads.make()
    assert findings(uploads, 0) == []
    assert findings(uploads, 2, **{"store.object.endpoint": ""}) == [("store", "[store.object] endpoint is not set: no object can be deleted")]
    uploads.house.sql("ALTER TABLE uploads RENAME s3_key TO other")
    assert findings(uploads, 2) == [("sentence", "object: uploads has no column s3_key")]
    uploads.house.sql("ALTER TABLE uploads ADD s3_key int")
    assert findings(uploads, 2) == [("sentence", "object: s3_key is integer: the key of an object must be text or varchar")]


def test_check_wants_an_index_for_the_rows_that_name_an_object(uploads):  # noqa: F811
    uploads.make("CREATE TABLE uploads (id bigint PRIMARY KEY, s3_key text, deleted_at timestamptz)")
    uploads.house.sql("INSERT INTO uploads SELECT n, 'k' || n FROM generate_series(1, 20000) n; CREATE INDEX ON uploads (deleted_at); ANALYZE uploads")
    (check, detail), = set(findings(uploads, 6))
    assert check == "index" and "uploads" in detail
    uploads.house.sql("CREATE INDEX ON uploads (s3_key)")
    assert findings(uploads, 0) == []


def test_doctor_asks_for_the_bucket(uploads):  # noqa: F811
    uploads.make()
    uploads.house.pruned.settings |= {"run.jobs": "none", "store.object.bucket": "", "store.object.endpoint": uploads.gateway.endpoint}

    def said(**settings):
        lines = uploads.house.pruned.run("doctor", "--json", settings=settings).json()
        return [(line["ok"], line["detail"]) for line in lines if line["check"] == "object store"]

    assert said() == [(True, f"bucket {uploads.bucket} of files answers; it keeps no versions")]
    assert said(**{"store.object.endpoint": ""})[-1] == (
        False, f"[store.object] endpoint is not set, but files deletes objects of bucket {uploads.bucket}")
    uploads.house.say("files", f"table = uploads\nwhere = true\nobject = s3:{uploads.bucket}-no column s3_key")
    (ok, detail), = said()
    assert not ok and "NoSuchBucket" in detail


def test_a_trial_of_the_files_asks_no_store(uploads):  # noqa: F811
    uploads.make()
    uploads.add((1, "one", True), (2, "two", False))
    done = uploads.house.pruned.run("check", "files", "--apply", "10", "--json").ok()
    assert [(line["rows"], line["keys"]) for line in done.json()] == [(1, 1)]
    assert uploads.left() == [1, 2] and uploads.asked() == 0


def test_the_sql_is_shown_and_no_folder_can_take_its_place(uploads, tmp_path):  # noqa: F811
    uploads.make()
    shown = uploads.house.pruned.run("jobs", "show", "files").ok().stdout
    assert "DELETE FROM uploads" in shown and ":objects::text[]" in shown
    done = uploads.house.pruned.run("jobs", "show", "files", "--to", tmp_path / "taken")
    assert done.code == 2 and "SQL files delete no objects" in done.stderr
    assert not (tmp_path / "taken").exists()
