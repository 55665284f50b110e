"""Views of one thing: a row, a plan, the SQL of a job. They say what `pruned why`, `who`, `plan`
and `jobs show` say."""

import json
import time

import requests

from stack.process import patient, wait_until
from support.paged import EVIL, JOB, done, paged, renewed  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

# what does not change from second to second
STEADY = ("item", "job", "verdict", "reason", "commands")


def lines(said, names=STEADY):
    return [{name: line[name] for name in names} for line in said]


def test_a_row_as_why_and_who_say(paged):  # noqa: F811
    paged.database.execute("UPDATE orders SET gone = false WHERE id = 6")
    done(paged, now(minutes=-1))
    pruned = paged.house.pruned
    for row, verdict in {"orders:4": "failing", "orders:6": "kept", "refunds:1": "no rule"}.items():
        told = pruned.run("why", row, "--json").ok().json()
        assert [line["verdict"] for line in told] == [verdict]
        assert lines(paged.json(f"/row?item={row}&format=json&table=why")) == lines(told), row
        page = paged.read(f"/row?item={row}")
        assert told[0]["says"].split(":")[0][:15] in page.of("why") and all(command in page.of("why") for command in told[0]["commands"])
        assert "Nothing is recorded" in page.of("who")
    # One that has gone: what the audit has of it, but not the row as it was.
    (told,) = pruned.run("who", "orders:1", "--json").ok().json()
    assert told.pop("row") == {"id": 1, "gone": True}
    assert paged.json("/row?item=orders:1&format=json&table=who") == [told]
    page = paged.read("/row?item=orders:1")
    assert "gone: there is no such row" in page.of("why") and told["restore"] in page.of("who") and '"gone"' not in paged.ask("/row?item=orders:1").text
    said = {"/row?item=orders:99": (200, "Nothing is recorded"), "/row?item=none:1": (404, "there is no table"), "/row?item=orders": (400, "expected TABLE:KEY"),
            "/row?item=orders:x": (400, "is a number"), "/row?item=" + requests.utils.quote(f"orders:{EVIL}"): (400, "is a number")}
    for path, (code, text) in said.items():
        answer = paged.ask(path)
        assert (answer.status_code, text in answer.text, "<script>d" in answer.text) == (code, True, False), (path, answer.text)
    # Where rows are named, their names lead there.
    links = [a["href"] for tag, a in paged.read("/quarantine").elements if tag == "a" and a.get("href", "").startswith("row?")]
    assert links == ["row?item=orders%3A4", "row?item=orders%3A5"]


def test_a_text_of_a_key_stays_a_text(paged):  # noqa: F811
    paged.house.sql("CREATE TABLE letters_of (name text PRIMARY KEY)")
    paged.database.execute("INSERT INTO letters_of VALUES (%s)", [EVIL])
    page = paged.read("/row?item=" + requests.utils.quote(f"letters_of:{EVIL}"))
    assert "no rule names letters_of" in page.of("why") and [a for tag, a in page.elements if tag == "script"] == [{"src": "page.js", "defer": ""}]


def test_a_plan_and_its_sql(paged):  # noqa: F811
    pruned = paged.house.pruned
    told = [line for line in pruned.run("plan", JOB, "--json").ok().json() if "key" in line]
    assert paged.json(f"/plan?job={JOB}&format=json") == [{"item": f"{line['table']}:{line['key']}", "action": line["action"], "reason": line["reason"]}
                                                          for line in told] != []
    page = renewed(paged, f"/plan?job={JOB}", lambda seen: "5 removed" in seen.of("stays"))
    assert f"pruned plan {JOB}" in page.of("next")
    assert ("meta", "refresh") not in [(tag, a.get("http-equiv")) for tag, a in page.elements], "it is not counted again by itself"
    files = [line for line in pruned.run("jobs", "show", JOB, "--json").ok().json()]
    text = paged.ask(f"/sql?job={JOB}").text
    assert files and all(requests.utils.quote(file["file"]) and file["file"] in text for file in files)
    shown = paged.read(f"/sql?job={JOB}").of("files")
    assert all(" ".join(file["text"].split()) in shown for file in files)
    assert [paged.ask(path).status_code for path in ("/plan?job=none", "/sql?job=none", "/plan", "/sql")] == [404] * 4


def test_a_job_says_its_limits_and_what_is_held(paged):  # noqa: F811
    run = done(paged, now(minutes=-1))
    assert paged.house.pruned.run("hold", "orders:6", "--reason", "a case").code == 0
    paged.house.say(JOB, "table = orders\nwhere = gone\nmax_share = off\nmax_rows = 1000\nschedule = 0 2 * * *")
    assert paged.house.pruned.run("reload", "--wait", "30").code == 0
    limits = f"/job?name={JOB}&format=json&table=limits"
    near = {"limit": "max_rows", "setting": "1,000", "nearest": 3, "run_id": str(run["run_id"])}
    wait_until(lambda: near in paged.json(limits), 20, "how near it was")
    page = paged.read(f"/job?name={JOB}")
    assert str(run["run_id"]) in page.of("limits") and "orders:6" in page.of("rows") and "a case" in page.of("rows")
    links = [a["href"] for tag, a in page.elements if tag == "a"]
    assert {f"plan?job={JOB}", f"sql?job={JOB}", "row?item=orders%3A6"} <= set(links)


def test_a_table_that_is_locked_delays_nothing_but_the_look_at_it(paged):  # noqa: F811
    """These views have transactions of their own, and in each the time of a view."""
    assert paged.ask("/healthz").status_code == 200
    with paged.database.connection.transaction():
        paged.database.execute("LOCK TABLE orders")
        for path in ("/row?item=orders:4", f"/plan?job={JOB}"):
            began = time.monotonic()
            answer = paged.ask(path)
            assert (answer.status_code, "canceling statement" in answer.text) == (503, True), answer.text
            assert time.monotonic() - began < patient(4), path
            assert paged.ask("/healthz").status_code == paged.ask("/journal").status_code == 200
    assert paged.read("/row?item=orders:4").of("why")


def test_a_run_shows_its_rows_over_its_time(paged):  # noqa: F811
    run = done(paged, now(minutes=-1))
    path = f"/run?id={run['run_id']}"
    assert paged.read(path).of("pace") == "" and paged.json(f"{path}&format=json&table=pace") == [], "all went at one moment"
    # A second step 30 seconds later, and a third in the middle of these.
    for step, seconds, keys in ((7, 30, [11, 12]), (8, 15.2, [13])):
        paged.database.execute("""INSERT INTO pruned.deletions SELECT (jsonb_populate_record(d, jsonb_build_object('step', %s::int, 'at', d.at + %s * interval '1 s', 'keys', %s::jsonb))).*
            FROM pruned.deletions d WHERE run_id = %s ORDER BY step LIMIT 1""", [step, seconds, json.dumps(keys), run["run_id"]])
    page = renewed(paged, path, lambda seen: seen.of("pace"))
    assert page.of("pace").startswith("Rows over its time 6 rows in 3 steps, at most 3 in a thirtieth of its time")
    told = paged.json(f"{path}&format=json&table=pace")
    assert [one["rows"] for one in told] == [3, *[0] * 14, 1, *[0] * 13, 2] and told[0]["at"] < told[29]["at"]
