"""`pruned report`: its numbers are those of the runs, of `pruned night` and of the journal."""

import json

from support.held import OPEN, hold
from support.scene import now
from support.sentences import house  # noqa: F401


def of_job(report, job):
    (line,) = [line for line in report["jobs"] if line["job"] == job]
    return line


def reported(house):  # noqa: F811
    return json.loads(house.pruned.run("report", "--format", "json").ok().stdout)


def test_the_numbers_are_those_of_runs_night_and_journal(house):  # noqa: F811
    house.sql("""CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean, at timestamptz DEFAULT now() - interval '5 days'); CREATE INDEX ON docs (at);
        INSERT INTO docs SELECT n, true FROM generate_series(1, 9) n;
        CREATE TABLE pages (id bigint PRIMARY KEY, doc bigint REFERENCES docs); INSERT INTO pages SELECT n, n FROM generate_series(1, 3) n;
        CREATE TABLE kept (doc bigint REFERENCES docs); INSERT INTO kept VALUES (9)""")
    house.say("docs.dead", f"table = docs\nwhere = dead\nchildren = pages\ndue = at + 1 day\ndeadline = 2 days\n{OPEN}")
    house.say("pages.odd", f"table = pages\nwhere = id > 100\nset = doc = NULL\n{OPEN}")
    hold(house, "docs:1").ok()
    done, run = house.done("docs.dead", at=now(days=-1))
    assert (done["removed"], done["kept_hold"], done["failed"]) == (7, 1, 1)
    report = reported(house)
    line = of_job(report, "docs.dead")
    assert (line["runs"], line["gone"], line["changed"], line["kept"], line["failed"]) == (1, 7, 0, 1, 1)
    assert line["rows"] == house.pruned.run_row(run)["rows_done"]
    (night,) = [n for n in house.pruned.run("night", "--since", "-1d", "--json").json() if n["job"] == "docs.dead"]
    assert (night["since"]["rows"], night["since"]["runs"], night["since"]["failed"]) == (line["rows"], line["runs"], line["failed"])
    tables = {t["table"]: t["gone"] for t in report["tables"] if t["job"] == "docs.dead"}
    assert tables == {"docs": 7, "pages": 2}
    # Two rows have been due for four days. What goes in a day are the job's own rows, without
    # pages.
    (past,) = report["overdue"]
    assert past == {"job": "docs.dead", "deadline": "2 d", "overdue": 2, "why": "1 failed, 1 hold", "oldest": "docs:9", "due": 2, "due_a_day": 0,
                    "gone_a_day": 7, "nights": 1, "not_known": None}
    house.sql("UPDATE pruned.runs SET finished_at = now() - interval '61 minutes'")
    house.work()
    assert house.database.value("SELECT count(*) FROM pruned.runs") == 0
    archived = reported(house)
    assert (archived["jobs"], archived["tables"], archived["overdue"]) == (report["jobs"], report["tables"], report["overdue"])
    (one,) = report["holds"]
    assert (one["command"], one["reason"]) == ("hold", "case 1") and one["object"].endswith("docs:1")
    assert report["approvals"] == report["restores"] == []
    house.restore(run)
    assert [deed["command"] for deed in reported(house)["restores"]] == ["restore"]
    for form, has in (("html", "<td>docs.dead</td>"), ("html", "30 nights: "), ("csv", '\njobs,"docs.dead","docs",1,'), ("text", "What the jobs did")):
        assert has in house.pruned.run("report", "--format", form).ok().stdout
    assert "expected text, html, csv or json" in house.pruned.run("report", "--format", "pdf").stderr
