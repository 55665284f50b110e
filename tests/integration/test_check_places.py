"""Where `pruned check` finds something: each finding names a file, of a sentence with its line."""

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
    assert [places[check] for check in ("rights", "row-level security", "triggers", "brakes")] == [whole] * 4, said
    assert all(line["file"] for line in said)


def test_what_could_not_be_checked_has_its_place(house):  # noqa: F811
    house.sql(TABLES)
    house.say("logs.old", "table = logs\ndrop_partitions_older_than = 9 days")
    with connect(house.database.url) as other:
        other.autocommit = False
        other.execute("LOCK TABLE logs, logs_1 IN ACCESS EXCLUSIVE MODE")
        done = house.pruned.run("check", "logs.old", "--json")
    wrong = [line for line in done.json() if not line["ok"]]
    assert wrong and all((line["file"], line["line"]) == (str(house.folder / "logs.old.conf"), 1) for line in wrong), done
