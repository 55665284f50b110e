"""An erasure of a person is one thing: one event, one line in `runs`, one outcome, and it is called
finished only when each of its tables is."""

import pytest

from support.erasures import (ALL_DONE, NOTHING, SECTION, SENTENCES, WHOLE, children, ends, erase, house, left_of, parents,  # noqa: F401
                              persons, say_erasure, topics)
from support.own_events import answers, dead, send

LATER = "UPDATE pruned.quarantine SET next_try_at = now() WHERE NOT parked; UPDATE pruned.runs SET due_at = now() WHERE waits_for LIKE '%:%'"


def test_all_tables_follow_one_event_and_its_end_is_told_once(persons):
    erase(persons, 2, ce_id="e1", ce_source="/app")
    assert left_of(persons, 2) == NOTHING and left_of(persons, 1) == left_of(persons, 3) == WHOLE
    assert ends(persons) == [("2", "finished", None, ALL_DONE)]
    (end,) = [m for m in persons.pruned.topics.read("outcomes") if m.schema == "pruned.outcomes.ErasureFinished"]
    assert (end.value["job"], end.value["event_id"], end.value["event_source"], end.text_key) == ("person", "e1", "/app", "2")
    assert parents(persons) == [("finished", None)]
    assert children(persons) == [("orders.erase", "finished"), ("profiles.erase", "finished"), ("people.erase", "finished")]
    assert {(t, k, w) for _, t, k, w, _ in answers(persons)} == {
        ("orders", "4", "changed"), ("orders", "5", "changed"), ("orders", "6", "changed"), ("profiles", "2", "removed"), ("people", "2", "changed")}
    persons.pruned.topics.rewind()
    erase(persons, 2, ce_id="e1", ce_source="/app")
    assert len(ends(persons)) == 1 and len(parents(persons)) == 1, "the same event is the same erasure"


@pytest.mark.check_all
def test_nothing_of_a_person_who_is_not_there_is_an_end_too(persons):
    erase(persons, 77)
    assert ends(persons) == [("77", "finished", None, {"orders": {}, "profiles": {"gone": 1}, "people": {"gone": 1}})]


@pytest.mark.check_all
def test_rows_that_a_rule_spares_are_named_with_their_reason(persons):
    persons.say("profiles.erase", SENTENCES["profiles.erase"] + "\nwhere = NOT legal_hold")
    persons.say("orders.erase", SENTENCES["orders.erase"] + "\nwhere = id > 4")
    persons.sql("UPDATE profiles SET legal_hold = true; UPDATE orders SET street = NULL WHERE id = 5")
    erase(persons, 2)
    assert ends(persons) == [("2", "finished", None, {
        "orders": {"changed": 1, "kept": 2, "reasons": {"where": 1, "unchanged": 1}},
        "profiles": {"kept": 1, "reasons": {"where": 1}}, "people": {"changed": 1}})]


def test_while_a_row_fails_the_erasure_is_open_and_the_other_tables_go(persons):
    persons.sql("CREATE TABLE bills (id int PRIMARY KEY, device bigint REFERENCES devices); INSERT INTO bills VALUES (1, 3)")
    erase(persons, 2)
    assert left_of(persons, 2) == (0, 1, 2, 0) and ends(persons) == []
    assert parents(persons, "state") == [("waiting",)]
    shown = [r for r in persons.pruned.run("runs", "--json").ok().json() if r["parent_id"] is None]
    assert len(shown) == 1 and shown[0]["state"] == "waiting" and "profiles.erase: in quarantine: " in shown[0]["error"]
    persons.sql("DELETE FROM bills")
    persons.database.execute(LATER)
    persons.work()
    assert left_of(persons, 2) == NOTHING and ends(persons) == [("2", "finished", None, ALL_DONE)]


def test_once_no_try_is_left_the_end_says_what_failed(persons):
    persons.say("profiles.erase", SENTENCES["profiles.erase"] + "\nitem_attempts = 1")
    persons.sql("CREATE TABLE bills (id int PRIMARY KEY, device bigint REFERENCES devices); INSERT INTO bills VALUES (1, 3)")
    erase(persons, 2)
    ((key, what, reason, tables),) = ends(persons)
    assert (key, what) == ("2", "failed") and reason.startswith("profiles: ")
    assert tables["profiles"]["failed"] == 1 and "bills" in tables["profiles"]["reason"]
    assert tables["orders"] == {"changed": 3} and tables["people"] == {"changed": 1}
    ((state, error),) = parents(persons)
    assert state == "dead" and error.startswith("profiles: ")
    (run_id,), = parents(persons, "run_id::text")
    persons.sql("DELETE FROM bills")
    persons.pruned.run("quarantine", "retry", "profiles.erase", "profiles:2").ok()
    persons.work()
    persons.pruned.run("retry", run_id).ok()
    persons.work()
    assert [e[1] for e in ends(persons)] == ["failed", "finished"] and parents(persons) == [("finished", None)]


def test_a_held_table_holds_the_erasure_and_is_approved_by_its_line(persons):
    persons.say("orders.erase", SENTENCES["orders.erase"] + "\nmax_rows = 2")
    persons.say("profiles.erase", SENTENCES["profiles.erase"] + "\nmax_rows = 2")
    erase(persons, 2)
    assert left_of(persons, 2) == WHOLE and ends(persons) == []
    (run_id,), = parents(persons, "run_id::text")
    shown = persons.pruned.run("runs", run_id, "--json").ok().json()
    assert shown[0]["state"] == "held" and "orders.erase" in shown[0]["error"]
    assert f"pruned approve {run_id}" in shown[-1]["next"]
    persons.pruned.run("approve", run_id).ok()
    persons.work()
    assert left_of(persons, 2) == (0, 1, 2, 1) and ends(persons) == [], "nobody has seen the number of the next table"
    shown = persons.pruned.run("runs", run_id, "--json").ok().json()
    assert shown[0]["state"] == "held" and "profiles.erase" in shown[0]["error"]
    persons.pruned.run("approve", run_id).ok()
    persons.work()
    assert left_of(persons, 2) == NOTHING and [e[1] for e in ends(persons)] == ["finished"]


@pytest.mark.check_all
def test_a_discarded_erasure_ends_with_its_runs(persons):
    persons.say("orders.erase", SENTENCES["orders.erase"] + "\nmax_rows = 2")
    erase(persons, 2)
    (run_id,), = parents(persons, "run_id::text")
    persons.pruned.run("discard", run_id).ok()
    persons.work()
    assert left_of(persons, 2) == WHOLE and [(e[1], e[2]) for e in ends(persons)] == [("failed", "discarded")]
    assert children(persons, "job, state, error") == [("orders.erase", "skipped", "discarded")]


@pytest.mark.check_all
def test_a_run_that_is_discarded_is_a_table_that_failed(persons):
    persons.say("orders.erase", SENTENCES["orders.erase"] + "\nmax_rows = 2")
    erase(persons, 2)
    (child,), = children(persons, "run_id::text")
    persons.pruned.run("discard", child).ok()
    persons.work()
    ((_, what, reason, tables),) = ends(persons)
    assert (what, reason) == ("failed", "orders: discarded") and tables["orders"] == {"reason": "discarded"}
    assert left_of(persons, 2) == (3, 0, 0, 0)


@pytest.mark.check_all
def test_the_tables_go_in_the_order_of_the_jobs(persons):
    persons.say("people.erase", "table = people\non = person")
    persons.say("orders.erase", "table = orders\non = person\nkey = person_id = user.id")
    erase(persons, 2)
    assert [e[1] for e in ends(persons)] == ["finished"] and "failed" not in {w for _, _, _, w, _ in answers(persons)}
    assert persons.rows("people WHERE id = 2") == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("gone", ["profiles.erase", "people.erase"])
def test_a_table_that_is_gone_makes_the_whole_wait_and_nothing_is_half_placed(persons, gone):
    table = SENTENCES[gone].split("\n", 1)[0].split(" = ")[1]
    persons.sql(f"ALTER TABLE {table} RENAME TO away")
    erase(persons, 2)
    assert children(persons) == [] and ends(persons) == []
    ((state, error),) = parents(persons)
    assert state == "waiting" and error.startswith("blocked: ") and gone in error
    found = persons.pruned.run("check", "person")
    assert found.code == 2 and gone in found.stdout
    persons.sql(f"ALTER TABLE away RENAME TO {table}")
    persons.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    persons.work()
    assert left_of(persons, 2) == NOTHING and [e[1] for e in ends(persons)] == ["finished"]


@pytest.mark.check_all
def test_an_erasure_that_is_withdrawn_in_time_takes_nothing(persons):
    say_erasure(persons, SECTION.replace("match = any", "match = type = erase") + "\ndue = due\ncancel_on = keep")
    (persons.folder / "keep.conf").write_text(
        f"[event keep]\ntopic = {persons.pruned.topics.full('app-users')}\nkey = user.id\nmatch = type = keep\n")
    send(persons, {"type": "erase", "user": {"id": "02"}, "due": "2099-01-01"}, ce_time="2026-11-01T00:00:00Z")
    send(persons, {"type": "erase", "user": {"id": 3}})
    persons.work()
    send(persons, {"type": "keep", "user": {"id": 2}})
    persons.work()
    assert left_of(persons, 2) == WHOLE and left_of(persons, 3) == NOTHING
    assert sorted((e[0], e[1], e[2]) for e in ends(persons)) == [("2", "withdrawn", None), ("3", "finished", None)]


@pytest.mark.check_all
def test_what_names_nobody_is_dead_as_a_whole(persons):
    bad = {b'{"user": {}}': "undecodable: key user.id is missing", b'{"user": {"id": "x"}}': "undecodable: key user.id: "}
    for value in bad:
        send(persons, value)
    persons.work()
    said = dead(persons)
    assert {value: said[value].startswith(why) for value, why in bad.items()} == dict.fromkeys(bad, True)
    assert parents(persons) == []


@pytest.mark.check_all
def test_a_plan_takes_nothing_and_says_so(persons):
    persons.start()
    erase(persons, 2, work=False)
    persons.work(**{"jobs.person.mode": "plan"})
    assert left_of(persons, 2) == WHOLE and [(e[1], e[2]) for e in ends(persons)] == [("planned", None)]


@pytest.mark.check_all
def test_a_table_that_only_plans_is_not_called_finished(persons):
    erase(persons, 2, work=False)
    persons.work(**{"jobs.profiles.erase.mode": "plan"})
    ((_, what, _, tables),) = ends(persons)
    assert what == "planned" and left_of(persons, 2) == (0, 1, 2, 0)


@pytest.mark.check_all
def test_what_restore_holds_is_kept_with_its_reason(persons):
    erase(persons, 2)
    (run_id,) = [r[0] for r in children(persons, "run_id::text, job") if r[1] == "profiles.erase"]
    persons.restore(run_id)
    erase(persons, 2)
    assert left_of(persons, 2) == (0, 1, 2, 0)
    assert [e[1] for e in ends(persons)] == ["finished", "finished"]
    assert ends(persons)[1][3]["profiles"] == {"kept": 1, "reasons": {"restored": 1}}


@pytest.mark.check_all
@pytest.mark.parametrize("held", ["profiles", "devices"])
def test_what_is_on_hold_is_kept_and_goes_once_it_is_released(persons, held):
    key = {"profiles": "2", "devices": "3"}[held]
    persons.pruned.run("hold", f"{held}:{key}", "--reason", "a dispute").ok()
    erase(persons, 2)
    assert left_of(persons, 2) == (0, 1, 2, 0)
    ((_, what, _, tables),) = ends(persons)
    assert (what, tables["profiles"]) == ("finished", {"kept": 1, "reasons": {"hold": 1}})
    persons.pruned.run("release", f"{held}:{key}", "--yes", "--reason", "settled").ok()
    persons.work()
    assert left_of(persons, 2) == NOTHING


@pytest.mark.check_all
def test_runs_of_an_open_erasure_are_not_archived_before_it(persons):
    persons.sql("CREATE TABLE bills (id int PRIMARY KEY, device bigint REFERENCES devices); INSERT INTO bills VALUES (1, 3)")
    erase(persons, 2)
    old = "UPDATE pruned.runs SET finished_at = finished_at - interval '3 hours' WHERE finished_at IS NOT NULL"
    persons.database.execute(old)
    erase(persons, 3)
    persons.database.execute(old)
    persons.pruned.start()
    persons.database.wait("SELECT count(*) FROM pruned.runs", until=4)
    assert {row[0] for row in parents(persons, "args ->> 'key'")} == {"2"} and len(children(persons)) == 3


@pytest.mark.check_all
def test_commands_know_an_erasure(persons):
    erase(persons, 2, ce_id="e1", ce_source="/app")
    (run_id,), = parents(persons, "run_id::text")
    run = persons.pruned.run
    assert run("check", "person", "--sample", "10").code == 0
    listed = run("runs").ok().stdout
    assert "person" in listed and "orders.erase" not in listed, "one line"
    shown = run("runs", run_id, "--json").ok().json()
    (below,) = [part["children"] for part in shown if "children" in part]
    assert [(c["job"], c["state"]) for c in below] == [(j, "finished") for j in ("orders.erase", "people.erase", "profiles.erase")]
    for command in (["jobs"], ["config"], ["grants"], ["topics"], ["status"], ["why", "people:2"], ["night"], ["schemas"]):
        run(*command).ok()
    assert "show its jobs" in run("jobs", "show", "person").stderr
    refused = run("tick", "person")
    assert refused.code == 1 and "takes no ticks" in refused.stderr
    found = run("doctor", "--json").json()
    assert [c for c in found if not c["ok"] and "person" in c["detail"]] == []
    assert run("replay", "--from", "-1h", "--topic", persons.pruned.topics.full("app-users"), "--dry-run").code == 0


@pytest.mark.check_all
def test_who_names_the_erasure_of_a_row(persons):
    """Of rows below, too, and once its runs are in the archive; another run has none."""
    persons.say("orders.old", "table = orders\nwhere = id = 1\nmax_share = off")
    persons.tick("orders.old")
    erase(persons, 2)
    (run_id,) = [run for run, job in parents(persons, "run_id::text, job") if job == "person"]

    def named(item):
        return {(line["erasure"], line["erasure_run"]) for line in persons.pruned.run("who", item, "--json").ok().json()
                if f"{line['table']}:{line['key']}" == item}

    assert [named(item) for item in ("people:2", "orders:5", "devices:3")] == [{("person", run_id)}] * 3
    assert named("orders:1") == {(None, None)}
    assert f"erasure person, run {run_id}" in persons.pruned.run("who", "people:2").ok().stdout
    persons.database.execute("UPDATE pruned.runs SET finished_at = finished_at - interval '3 hours' WHERE finished_at IS NOT NULL")
    daemon = persons.pruned.start()
    persons.database.wait("SELECT count(*) FROM pruned.runs", until=0)
    assert daemon.stop() == 0 and named("devices:3") == {("person", run_id)}


def test_a_plan_of_an_erasure_adds_up_its_jobs(persons):
    """As the event would: it changes nothing, and what it foresees is what is done then."""
    persons.say("orders.erase", SENTENCES["orders.erase"] + "\nmax_rows = 2")
    persons.sql("UPDATE orders SET street = NULL WHERE id = 5")
    done = persons.pruned.run("plan", "person", "--arg", "user.id=2", "--json").ok().json()
    assert [line["job"] for line in done if "job" in line] == ["orders.erase", "profiles.erase", "people.erase"]
    assert {(line["table"], line["key"], line["action"]) for line in done if "table" in line} == {
        ("orders", "4", "changed"), ("orders", "5", "kept"), ("orders", "6", "changed"), ("profiles", "2", "removed"), ("people", "2", "changed")}
    assert done[-2:] == [{"total": {"changed": 3, "kept": 1, "removed": 1}, "erasure": "person"}, {"below": {"devices": 2}}]
    said = persons.pruned.run("plan", "person", "--arg", "user.id=2").ok().stdout
    assert said.endswith("person in all: 1 removed, 3 changed, 1 kept\nwith them: 2 rows of devices\n"), said
    assert left_of(persons, 2) == (2, 1, 2, 1) and parents(persons) == []
    erase(persons, 2)
    ((_, _, _, tables),) = ends(persons)
    assert tables == {"orders": {"changed": 2, "kept": 1, "reasons": {"unchanged": 1}}} | {t: c for t, c in ALL_DONE.items() if t != "orders"}


@pytest.mark.check_all
@pytest.mark.parametrize("arguments, words", [
    ([], "who? Events of person say it by user.id: add --arg user.id=VALUE"), (["--arg", "user.id="], "an empty text names no row"),
    (["--arg", "person_id=2"], "events of job person do not name rows by it"), (["--arg", "user.id=2", "--arg", "user.id=3"], "given twice"),
    (["--arg", "user.id"], "expected COLUMN=VALUE"), (["--arg", "user.id=x"], "invalid input syntax for type bigint")])
def test_a_plan_of_an_erasure_of_nobody(persons, arguments, words):
    done = persons.pruned.run("plan", "person", *arguments)
    assert words in done.stderr and done.code != 0, done


@pytest.mark.check_all
def test_a_plan_of_an_erasure_whose_table_is_gone(persons):
    persons.sql("ALTER TABLE people RENAME TO away")
    done = persons.pruned.run("plan", "person", "--arg", "user.id=2")
    assert done.code == 2 and "people.erase" in done.stdout + done.stderr and "in all" not in done.stdout, done


@pytest.mark.check_all
def test_an_erasure_that_is_discarded_between_two_of_its_steps(persons):
    """What is done stays done, what has begun goes no further, what has not begins no more; and who
    asked is told so once. A run that could not be discarded, because a step of it went on for too
    long, is discarded by the same command."""
    persons.say("profiles.erase", SENTENCES["profiles.erase"] + "\nmax_rows = 2")
    erase(persons, 2)
    assert children(persons) == [("orders.erase", "finished"), ("profiles.erase", "held")]
    (run_id,), = parents(persons, "run_id::text")
    child, = (row[0] for row in children(persons, "run_id::text, job") if row[1] == "profiles.erase")
    with persons.database.connect() as other:
        other.execute("BEGIN")
        other.execute("SELECT FROM pruned.runs WHERE run_id = %s FOR UPDATE", [child])
        done = persons.pruned.run("discard", run_id)
        assert done.code != 0 and parents(persons) == [("skipped", "discarded")], done
    persons.pruned.run("discard", run_id).ok()
    assert children(persons) == [("orders.erase", "finished"), ("profiles.erase", "skipped")]
    persons.work()
    assert left_of(persons, 2) == (0, 1, 2, 1)
    assert [(e[1], e[2]) for e in ends(persons)] == [("failed", "discarded")]


@pytest.mark.check_all
def test_an_erasure_waits_while_all_is_stopped_and_while_a_job_is_paused(persons):
    persons.start()
    persons.pruned.run("pause", "profiles.erase").ok()
    erase(persons, 2)
    assert left_of(persons, 2) == (0, 1, 2, 1) and ends(persons) == []
    persons.pruned.run("stop").ok()
    persons.pruned.run("resume", "profiles.erase").ok()
    persons.work()
    assert left_of(persons, 2) == (0, 1, 2, 1)
    persons.pruned.run("go").ok()
    persons.work()
    assert left_of(persons, 2) == NOTHING and [e[1] for e in ends(persons)] == ["finished"]


@pytest.mark.check_all
def test_a_job_that_is_off_keeps_the_whole_waiting(persons):
    persons.pruned.configuration.write_text("[jobs.people.erase]\nenabled = false\n")
    erase(persons, 2)
    ((state, error),) = parents(persons)
    assert state == "waiting" and "people.erase is switched off" in error and children(persons) == []
    found = persons.pruned.run("check", "person")
    assert found.code == 0 and "people.erase is switched off" in found.stdout
