"""What a row only names stays when the row goes: columns that name large objects or files are said
by `check`, `doctor` and `new`."""

import pytest

from support.sentences import house  # noqa: F401

TABLE = """CREATE EXTENSION lo;
    CREATE TABLE scans (id bigint PRIMARY KEY, image lo, page oid, s3_key text, storage_key varchar(80), file_key int, name text, filename text, expires_at timestamptz);
    CREATE TABLE stamps (id bigint PRIMARY KEY, scan_id bigint NOT NULL REFERENCES scans ON DELETE CASCADE, mark lo);
    CREATE INDEX ON stamps (scan_id); CREATE INDEX ON scans (expires_at); CREATE INDEX ON scans (s3_key)"""
SENTENCE = "table = scans\nwhere = expires_at < :T - interval '30 days'\nmax_share = off"


def outside(house, *command):  # noqa: F811
    said = house.pruned.run(*command, "--json").json()
    return sorted(one["detail"].removeprefix("scans.old: ").split(" looks like")[0] for one in said if "looks like the" in (one["detail"] or ""))


@pytest.mark.check_all
def test_columns_that_name_what_stays_are_said(house):  # noqa: F811
    house.sql(TABLE)
    house.say("scans.old", SENTENCE)
    house.pruned.settings["run.jobs"] = "none"
    texts = ["s3_key of scans", "storage_key of scans"]
    assert outside(house, "check", "scans.old") == ["image of scans", "mark of stamps", *texts]
    house.sql("SELECT lo_create(0)")  # now a number of type oid may be that of one
    assert outside(house, "check", "scans.old") == outside(house, "doctor") == ["image of scans", "mark of stamps", "page of scans", *texts]
    house.pruned.run("new", "scans.new", "--table", "scans").ok()
    text = (house.folder / "scans.new.conf").read_text()
    assert "# object = s3:BUCKET column s3_key" in text
    assert "# page of scans looks like the number of a large object: when the row goes, that stays." in text
    (house.folder / "scans.new.conf").unlink()
    house.sql("""CREATE TRIGGER one BEFORE UPDATE OR DELETE ON scans FOR EACH ROW EXECUTE FUNCTION lo_manage(page);
        CREATE TRIGGER two BEFORE UPDATE OR DELETE ON scans FOR EACH ROW EXECUTE FUNCTION lo_manage(image); ALTER TABLE scans DISABLE TRIGGER two""")
    house.say("scans.old", SENTENCE.replace("max_share", "object = s3:scans column s3_key\nmax_share"))
    house.pruned.settings |= {"store.object.endpoint": "http://127.0.0.1:9"}
    assert outside(house, "check", "scans.old") == ["image of scans", "mark of stamps", "storage_key of scans"]

