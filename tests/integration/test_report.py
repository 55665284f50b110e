"""`pruned report`: its numbers are those of the runs, of `pruned night` and of the journal."""

import json

from support.held import OPEN, hold
from support.sentences import house  # noqa: F401


def of_job(report, job):
    (line,) = [line for line in report["jobs"] if line["job"] == job]
    return line


def test_the_numbers_are_those_of_runs_night_and_journal(house):  # noqa: F811
    house.sql("""CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean); INSERT INTO docs SELECT n, true FROM generate_series(1, 9) n;
        CREATE TABLE pages (id bigint PRIMARY KEY, doc bigint REFERENCES docs); INSERT INTO pages SELECT n, n FROM generate_series(1, 3) n;
        CREATE TABLE kept (doc bigint REFERENCES docs); INSERT INTO kept VALUES (9)""")
    house.say("docs.dead", f"table = docs\nwhere = dead\nchildren = pages\n{OPEN}")
    house.say("pages.odd", f"table = pages\nwhere = id > 100\nset = doc = NULL\n{OPEN}")
    hold(house, "docs:1").ok()
    done, run = house.done("docs.dead")
    assert (done["removed"], done["kept_hold"], done["failed"]) == (7, 1, 1)
    report = house.pruned.run("report", "--format", "json").ok()
    report = json.loads(report.stdout)
    line = of_job(report, "docs.dead")
    assert (line["runs"], line["gone"], line["changed"], line["kept"], line["failed"]) == (1, 7, 0, 1, 1)
    assert line["rows"] == house.pruned.run_row(run)["rows_done"]
    (night,) = [n for n in house.pruned.run("night", "--since", "-1d", "--json").json() if n["job"] == "docs.dead"]
    assert (night["since"]["rows"], night["since"]["runs"], night["since"]["failed"]) == (line["rows"], line["runs"], line["failed"])
    tables = {t["table"]: t["gone"] for t in report["tables"] if t["job"] == "docs.dead"}
    assert tables == {"docs": 7, "pages": 2}
    (one,) = report["holds"]
    assert (one["command"], one["reason"]) == ("hold", "case 1") and one["object"].endswith("docs:1")
    assert report["approvals"] == report["restores"] == []
    house.restore(run)
    again = json.loads(house.pruned.run("report", "--format", "json").ok().stdout)
    assert [deed["command"] for deed in again["restores"]] == ["restore"]
    for form, has in (("html", "<td>docs.dead</td>"), ("csv", '\njobs,"docs.dead","docs",1,'), ("text", "What the jobs did")):
        assert has in house.pruned.run("report", "--format", form).ok().stdout
    assert "expected text, html, csv or json" in house.pruned.run("report", "--format", "pdf").stderr
