"""Where `pruned check` finds something: each finding names a file, of a sentence with its line."""

import pytest

from support.database import connect
from support.places import ROLE
from support.scene import JOBS
from support.sentences import house  # noqa: F401

TABLES = """CREATE TABLE t (id bigint PRIMARY KEY, dead boolean); CREATE TABLE c (id bigint PRIMARY KEY, t bigint REFERENCES t); CREATE INDEX ON c (t);
    CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
    CREATE TRIGGER seen AFTER DELETE ON t FOR EACH ROW EXECUTE FUNCTION nothing();
    CREATE TABLE logs (day date, note text) PARTITION BY RANGE (day); CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
    CREATE TABLE logs_rest PARTITION OF logs DEFAULT"""


def findings(pruned, *arguments):
    return pruned.run("check", *arguments, "--json").json()


def test_each_finding_about_a_sentence_has_its_line(house):  # noqa: F811
    house.sql(TABLES)
    house.database.connection.execute(f"REVOKE DELETE ON t FROM {ROLE}")
    (house.folder / "some.conf").write_text("# A remark.\n\n[retention t.dead]\ntable = t\nwhere = dead\nmax_rows = off\nmax_share = off\n"
                                            "\n[retention logs.old]\ntable = logs\ndrop_partitions_older_than = 9 days\nmax_rows = off\n")
    said = [line for job in ("t.dead", "logs.old") for line in findings(house.pruned, job)]
    assert {line["check"] for line in said} >= {"rights", "triggers", "foreign key", "brakes", "default partition", "partitions"}, said
    path = str(house.folder / "some.conf")
    assert {(line["file"], line["line"]) for line in said if line["job"] == "logs.old"} == {(path, 9)}
    assert {(line["file"], line["line"]) for line in said if line["job"] == "t.dead"} <= {(path, 3), (path, 5)}


def test_each_finding_about_a_folder_has_a_file(house):  # noqa: F811
    house.sql(TABLES + "; CREATE TABLE scratch (id bigint PRIMARY KEY, day date NOT NULL, note text); CREATE TRIGGER seen AFTER DELETE ON scratch"
              " FOR EACH ROW EXECUTE FUNCTION nothing(); ALTER TABLE scratch ENABLE ROW LEVEL SECURITY")
    house.database.connection.execute(f"REVOKE DELETE ON scratch FROM {ROLE}")
    settings = {"run.jobs_dir": JOBS, "jobs.scratch.remove.max_rows": "off", "jobs.scratch.remove.max_share": "off"}
    said = house.pruned.run("check", "scratch.remove", "--json", settings=settings).json()
    places = {line["check"]: line["file"] for line in said}
    whole = str(JOBS / "scratch.remove" / "job.conf")
    assert [places[check] for check in ("rights", "triggers", "brakes")] == [whole] * 3, said
    # of the statement that PostgreSQL refuses
    assert places["row-level security"].startswith(str(JOBS / "scratch.remove/")), said
    assert all(line["file"] for line in said)


@pytest.mark.check_all
def test_what_could_not_be_checked_has_its_place(house):  # noqa: F811
    house.sql(TABLES)
    house.say("logs.old", "table = logs\ndrop_partitions_older_than = 9 days")
    with connect(house.database.url) as other:
        other.autocommit = False
        other.execute("LOCK TABLE logs, logs_1 IN ACCESS EXCLUSIVE MODE")
        done = house.pruned.run("check", "logs.old", "--json")
    wrong = [line for line in done.json() if not line["ok"]]
    assert wrong and all((line["file"], line["line"]) == (str(house.folder / "logs.old.conf"), 1) for line in wrong), done


def test_a_mistake_names_the_line_of_its_key_and_the_nearest_column(house):  # noqa: F811
    house.sql("""CREATE TABLE people (id bigint PRIMARY KEY, email text, seen_at timestamptz, size int, twice int GENERATED ALWAYS AS (size * 2) STORED);
        CREATE TABLE lines (id bigint PRIMARY KEY, people_id bigint)""")
    wrong = {"set = emial = NULL": "set: people has no column emial, did you mean email?",
             "set = id = 1": "set: id is part of the primary key of people and cannot be set",
             "set = twice = 1": "set: twice is generated from other columns and cannot be set",
             "set = email = lower(emial)": "emial",
             "keep = 5 by seen_ta desc": "keep: people has no column seen_ta, did you mean seen_at?",
             "keep = 5 per emial by seen_at": "keep: people has no column emial, did you mean email?",
             "object = s3:b column emial": "object: people has no column emial, did you mean email?",
             "object = s3:b column size": "object: size is integer: the key of an object must be text or varchar",
             "due = seen_ta": "due: people has no column seen_ta, did you mean seen_at?",
             "archive = lines": "archive: the archive lines has no column email",
             "children = lines": "children: lines has no foreign key to people",
             "children = lines(people)": "children: lines has no column people, did you mean people_id?",
             "where = emial IS NULL": "emial"}
    text = "".join(f"[retention t{n}]\ntable = people\n" + ("" if line.startswith("where") else "where = id < 0\n") + f"{line}\naudit = keys\n"
                   for n, line in enumerate(wrong))
    (house.folder / "some.conf").write_text(text)
    lines = text.splitlines()
    said = [one for one in house.pruned.run("check", "--json").json() if not one["ok"] and one["check"] in ("sentence", "statements")]
    for n, (line, why) in enumerate(wrong.items()):
        (one,) = {(o["detail"], o["line"]) for o in said if o["job"] == f"t{n}"}
        assert why in one[0] and lines[one[1] - 1] == line, (line, one)


def test_a_value_that_goes_on_in_the_next_line_is_said(house):  # noqa: F811
    house.sql(TABLES)
    for n, more in enumerate(("  AND id < 9", "AND id = 9", "  id = 9", "  = 9")):
        (house.folder / f"t{n}.conf").write_text(f"[retention]\ntable = t\nwhere = dead AND\n{more}\n")
    said = [one for one in house.pruned.run("check", "--json").json() if one["check"] == "refused"]
    assert [(one["job"], one["line"]) for one in said] == [(f"t{n}", 4) for n in range(4)], said
    assert all("if the value of 'where' goes on here: a key is one line" in one["detail"] for one in said), said


def test_what_has_no_effect_is_a_warning(house):  # noqa: F811
    """A file that is not read, and an event that nobody names."""
    house.sql(TABLES)
    (house.folder / "orders").write_text("# Old ones.\n[retention]\ntable = t\nwhere = dead\n")
    (house.folder / "README").write_text("Here are our jobs.\n")
    (house.folder / "picture.png").write_bytes(b"\x00\xff[retention")
    house.say("t.named", "table = t\non = Used\n[event Used]\ntopic = used\nkey = id\nmatch = any\ncancel_on = Back\n[event Back]\ntopic = used\nkey = id\nmatch = any\n"
              "[event Unused]\ntopic = unused\nkey = id\nmatch = any\n[retention wrong]\ntable = t\nwhere = (\non = OfARefused\n"
              "[event OfARefused]\ntopic = refused\nkey = id\nmatch = any")
    said = [one for one in findings(house.pruned) if one["check"] == "no effect"]
    assert [(one["job"], one["level"], one["file"], one["line"]) for one in said] == [
        ("orders", "warning", str(house.folder / "orders"), None),
        ("event Unused", "warning", str(house.folder / "t.named.conf"), 13)], said
    assert "only files NAME.conf are read" in said[0]["detail"] and "its topic is not read" in said[1]["detail"]
    doctor = house.pruned.run("doctor", "--json").stdout
    assert "only files NAME.conf are read" in doctor and "its topic is not read" in doctor
    (house.folder / "t.named.conf").unlink()
    assert [one["job"] for one in findings(house.pruned) if one["check"] == "no effect"] == ["orders"]
    house.start()
    house.work()
    assert [line["name"] for line in house.daemons[-1].lines("Configuration has no effect")] == ["orders"]
