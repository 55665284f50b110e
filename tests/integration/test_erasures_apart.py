"""An erasure whose event is written in Avro, that only another process has, whose list of jobs
changes while it is open, and whose end is told in each format."""

import json
import signal

import pytest

from support.avro_events import datum, register, registry, wire  # noqa: F401
from support.erasures import (ALL_DONE, NOTHING, SECTION, SENTENCES, WHOLE, children, ends, erase, house, left_of, parents, persons,  # noqa: F401
                              say_erasure, topics)
from support.own_events import answers, dead, send
from test_outcomes_format import framed

ASKED = {"type": "record", "name": "ErasureAsked", "namespace": "com.example", "fields": [
    {"name": "user", "type": ["null", {"type": "record", "name": "User", "fields": [{"name": "id", "type": ["null", "long", "string"]}]}]},
    {"name": "due", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None}]}
IN_AVRO = SECTION.replace("match = any", "format = avro\nmatch = record = ErasureAsked")
SHORT = SECTION.replace("profiles.erase, ", "")
BILLS = "CREATE TABLE bills (id int PRIMARY KEY, device bigint REFERENCES devices); INSERT INTO bills VALUES (1, 3)"
LATER = "UPDATE pruned.quarantine SET next_try_at = now() WHERE NOT parked; UPDATE pruned.runs SET due_at = now() WHERE waits_for LIKE '%:%'"


def avro(key):
    return datum(ASKED, {"user": {"id": key}, "due": None})


def check_avro(persons, write):  # noqa: F811
    send(persons, write(2), ce_type="person", ce_id="e1", ce_source="/app")
    send(persons, write("03"))
    send(persons, write(None))
    send(persons, write("x"))
    send(persons, write(4)[:-1])
    persons.work()
    assert sorted(ends(persons)) == [("2", "finished", None, ALL_DONE), ("3", "finished", None, ALL_DONE)]
    assert [left_of(persons, n) for n in (1, 2, 3, 4)] == [WHOLE, NOTHING, NOTHING, WHOLE]
    said = dead(persons)
    assert sorted(said) == sorted((write(None), write("x"), write(4)[:-1])) and all(why.startswith("undecodable: ") for why in said.values()), said
    assert "key user.id is null" in said[write(None)] and "key user.id: invalid input syntax" in said[write("x")]


@pytest.mark.check_all
def test_an_erasure_in_avro_with_a_schema_of_its_own(persons):
    (persons.folder / "asked.avsc").write_text(json.dumps(ASKED))
    say_erasure(persons, IN_AVRO + "\nschema = asked.avsc")
    check_avro(persons, avro)


@pytest.mark.check_all
def test_an_erasure_in_the_frame_of_a_registry(persons, registry):  # noqa: F811
    number = register(registry, ASKED)
    persons.pruned.settings["registry.url"] = registry.url
    say_erasure(persons, IN_AVRO)
    check_avro(persons, lambda key: wire(number, avro(key)))
    send(persons, wire(1 << 30, avro(5)))
    persons.work()
    assert f"unknown schema {1 << 30}" in dead(persons).values() and left_of(persons, 5) == WHOLE


@pytest.mark.check_all
def test_a_sample_counts_what_one_of_its_jobs_cannot_read_as_dead(persons):
    """As the daemon does: the message asks all of them or none."""
    persons.say("orders.erase", SENTENCES["orders.erase"].replace("user.id", "account"))
    for value in ({"user": {"id": 2}, "account": 2}, {"user": {"id": "x"}, "account": 2}, {"user": {"id": 2}}, {"user": {"id": 2}, "account": "y"}):
        send(persons, value)
    persons.work()
    said = dead(persons).values()
    (line,) = [line for line in persons.pruned.run("check", "person", "--sample", "10", "--json").json() if line["check"] == "sample"]
    assert len(said) == 3 and ": 1 of 4 fit person" in line["detail"] and [e[0] for e in ends(persons)] == ["2"], line
    assert all(f"1 {reason.split(' [22P02]')[0]}" in line["detail"] for reason in said), (line, said)


# --- a process that does not have it

NOTE = "table = people\non = Noted\nset = name = 'noted'"


@pytest.mark.check_all
def test_an_erasure_that_only_another_process_has_waits_for_it(persons):
    """The process reads the topic for a job of its own; the jobs of the erasure are the other
    one's, too."""
    theirs, ours = {"run.jobs_dir": persons.folder}, persons.folder.parent / "ours"
    ours.mkdir()
    (ours / "note.conf").write_text(f"[retention people.note]\n{NOTE}\n[event Noted]\ntopic = {persons.topics.full('app-users')}\n"
                                    "key = user.id\nmatch = header.kind = noted\n")
    persons.start()
    persons.pruned.run("topics", "--apply", settings={"run.jobs_dir": ours}).ok()
    other = persons.pruned.start(settings=theirs)
    persons.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = 'person' AND reads IS NOT NULL", until=1)
    assert other.stop() == 0
    persons.pruned.settings["run.jobs_dir"] = ours
    erase(persons, 2, work=False, ce_type="person", ce_id="e1", ce_source="/app")
    send(persons, {"user": {"id": 3}}, ce_type="Noted", kind="noted")
    send(persons, {"user": {}}, ce_type="person")
    persons.work()
    assert left_of(persons, 2) == WHOLE and ends(persons) == []
    assert persons.rows("people WHERE id = 3", "name") == [("noted",)]
    assert list(dead(persons).values()) == ["undecodable: key user.id is missing"]
    waits = persons.rows("pruned.runs WHERE job <> 'people.note'", "job, state, error")
    assert waits == [("person", "waiting", "waits for a process that has the job")]
    persons.pruned.settings |= theirs
    erase(persons, 2, ce_type="person", ce_id="e1", ce_source="/app")
    assert left_of(persons, 2) == NOTHING and left_of(persons, 3) == WHOLE
    assert [e for e in ends(persons) if e[0] == "2"] == [("2", "finished", None, ALL_DONE)], "and the event is still one erasure"


# --- another list

def ends_within(persons, key):  # noqa: F811
    persons.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.ErasureFinished" and m.text_key == key, deadline_s=60)
    return [end for end in ends(persons) if end[0] == key]


@pytest.mark.check_all
def test_a_list_that_a_reload_changes_is_that_of_the_next_erasure(persons):
    """An erasure that has begun goes on as it was."""
    profiles, people = persons.folder / "profiles.erase.conf", {t: n for t, n in ALL_DONE.items() if t in ("orders", "people")}
    profiles.unlink()
    say_erasure(persons, SHORT)
    persons.sql("""CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it stays'; END $$;
        CREATE TRIGGER stays BEFORE UPDATE ON people FOR EACH ROW WHEN (old.id = 2) EXECUTE FUNCTION stays()""")
    persons.start()
    daemon = persons.pruned.start()
    daemon.wait_line("Partitions assigned")
    erase(persons, 2, work=False)
    persons.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND waits_for = 'people:2'", until=1)
    persons.say("profiles.erase", SENTENCES["profiles.erase"])
    say_erasure(persons)
    daemon.send(signal.SIGHUP)
    daemon.wait_line("reloaded")
    erase(persons, 3, work=False)
    assert ends_within(persons, "3") == [("3", "finished", None, ALL_DONE)]
    persons.sql("DROP TRIGGER stays ON people")
    persons.database.execute(LATER)
    assert ends_within(persons, "2") == [("2", "finished", None, people)]
    assert daemon.stop() == 0 and left_of(persons, 2) == (0, 1, 2, 0) and len(ends(persons)) == 2


@pytest.mark.check_all
def test_an_open_erasure_whose_list_is_another_one_after_a_start(persons):
    """It waits for an operator. With the list of today, what was asked before is told all the same,
    and so is what failed there."""
    persons.say("orders.erase", SENTENCES["orders.erase"] + "\nmax_rows = 2")
    say_erasure(persons, SECTION.replace("orders.erase, profiles.erase", "profiles.erase, orders.erase"))
    persons.sql(BILLS)
    erase(persons, 2)
    assert children(persons) == [("profiles.erase", "waiting"), ("orders.erase", "held")]
    (run_id,), = parents(persons, "run_id::text")
    say_erasure(persons, SHORT)
    persons.say("profiles.erase", SENTENCES["profiles.erase"].replace("on = person\n", "where = legal_hold\n"))
    persons.pruned.run("approve", run_id).ok()
    persons.work()
    ((state, error),) = parents(persons)
    assert state == "waiting" and "begun with version" in error and ends(persons) == []
    assert left_of(persons, 2) == (0, 1, 2, 1)
    persons.pruned.run("retry", run_id).ok()
    persons.work()
    ((key, what, reason, tables),) = ends(persons)
    assert (key, what) == ("2", "failed") and reason == "profiles: job profiles.erase reads no event any more that names a row of profiles"
    assert tables["orders"] == {"changed": 3} and tables["people"] == {"changed": 1} and tables["profiles"] == {"reason": reason[10:]}
    assert left_of(persons, 2) == (0, 1, 2, 0)


# --- how its end is written

@pytest.mark.check_first(1)
@pytest.mark.parametrize("form", ["json", "registry"])
def test_its_end_in_each_format(persons, form, request):
    settings = {"outcomes.format": form}
    if form == "registry":
        settings["registry.url"] = request.getfixturevalue("registry").url
    erase(persons, 2, work=False, ce_id="e1", ce_source="/app")
    persons.work(**settings)
    (end,) = [m for m in persons.pruned.topics.read("outcomes") if m.headers["ce_type"] == "pruned.outcomes.ErasureFinished"]
    got = json.loads(end.raw) if form == "json" else framed(end, request.getfixturevalue("registry"))[1]
    assert (got["job"], got["key"], got["what"], got["reason"], got["event_id"], got["event_source"], end.text_key) == (
        "person", "2", "finished", None, "e1", "/app", "2")
    tables = got["tables"] if form == "json" else json.loads(got["tables"])
    assert [(t["table"], t["job"], int(t["removed"]), int(t["changed"])) for t in tables] == [
        ("orders", "orders.erase", 0, 3), ("profiles", "profiles.erase", 1, 0), ("devices", "profiles.erase", 2, 0), ("people", "people.erase", 0, 1)]
    assert answers(persons) == [] and end.headers["content-type"] == ("application/json" if form == "json" else "application/avro")
