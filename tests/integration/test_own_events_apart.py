"""Events of applications' own topics, whose jobs come, go, and are not the same in every
process."""

import json
import signal

import pytest

from support.own_events import ERASE, answers, dead, erased, erasure, outcomes, runs, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401


def test_a_reload_reads_the_topics_of_the_jobs_that_are_enabled(erasure):
    """Earlier messages wait in the topic."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    off = "[jobs.people.erase]\nenabled = false\n"
    erasure.pruned.configuration.write_text(off)
    erasure.start()
    send(erasure, {"id": 1})
    daemon = erasure.pruned.start()
    daemon.wait_line("Partitions assigned")

    def reload(text, count):
        erasure.pruned.configuration.write_text(text)
        daemon.send(signal.SIGHUP)
        line = daemon.wait_line("Configuration reloaded", count=count)
        assert line["changed"] == "jobs.people.erase.enabled" and "needs_restart" not in line, line

    reload("", 1)
    erasure.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", deadline_s=60)
    assert erased(erasure) == [1]
    reload(off, 2)
    daemon.wait_line("Partitions assigned", count=3)
    send(erasure, {"id": 2})
    reload("", 3)
    erasure.pruned.topics.wait("outcomes", lambda m: m.text_key == "2", deadline_s=60)
    assert erased(erasure) == [1, 2] and dead(erasure) == {}
    assert {state for _, state, _ in runs(erasure)} == {"finished"}
    assert daemon.stop() == 0


def two_jobs_on_one_topic(house):  # noqa: F811
    house.say("people.note", "table = people\non = UserNoted\nset = email = 'noted'")
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    say_event(house, "UserNoted", "app-users", "key = id")


def has_answers(house, number):  # noqa: F811
    house.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", count=number, deadline_s=60)
    return answers(house)


@pytest.mark.check_all
def test_the_events_of_a_removed_job_wait_in_a_topic_that_nobody_else_reads(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.say("people.other", "table = people\nwhere = id > 100")
    erasure.start()
    daemon = erasure.pruned.start()
    daemon.wait_line("Partitions assigned")
    send(erasure, {"id": 1})
    has_answers(erasure, 1)
    (erasure.folder / "people.erase.conf").unlink()
    daemon.send(signal.SIGHUP)
    assert daemon.wait_line("reloaded")["removed"] == "people.erase"
    daemon.wait_line("Partitions assigned", count=2)
    send(erasure, {"id": 2})
    assert daemon.stop() == 0
    erasure.work()
    assert erased(erasure) == [1] and not daemon.lines(PASSED_OVER)
    erasure.say("people.erase", ERASE)
    erasure.work()
    assert erased(erasure) == [1, 2] and {key for _, _, key, *_ in answers(erasure)} == {"1", "2"}

PASSED_OVER = "Events of a removed job are passed over, because another job reads their topic"


@pytest.mark.check_all
def test_the_events_of_a_removed_job_are_passed_over_where_another_job_reads_and_can_be_replayed(erasure):
    two_jobs_on_one_topic(erasure)
    erasure.start()
    daemon = erasure.pruned.start()
    daemon.wait_line("Partitions assigned")
    (erasure.folder / "people.erase.conf").unlink()
    daemon.send(signal.SIGHUP)
    line = daemon.wait_line(PASSED_OVER)
    assert (line["job"], line["event"], line["topic"], line["level"]) == (
        "people.erase", "UserErasureRequested", erasure.pruned.topics.full("app-users"), "warning")
    daemon.wait_line("reloaded")
    send(erasure, {"id": 1}, ce_type="UserErasureRequested")
    send(erasure, {"id": 2}, ce_type="UserNoted")
    has_answers(erasure, 1)
    assert daemon.stop() == 0
    erasure.say("people.erase", ERASE)
    erasure.work()
    assert erased(erasure) == []
    lines = erasure.pruned.run("replay", "--from", "-1h", "--topic", line["topic"], "--json").ok().json()
    assert sorted((one["verdict"], one["job"]) for one in lines) == [("done", "people.note"), ("started", "people.erase")]
    erasure.work()
    assert erased(erasure) == [1] and len(set(answers(erasure))) == 2


def test_the_event_of_a_disabled_job_is_answered_where_another_job_reads(erasure):
    two_jobs_on_one_topic(erasure)
    erasure.say("people.erase", ERASE + "\nenabled = false")
    send(erasure, {"id": 1}, ce_type="UserErasureRequested")
    send(erasure, {"id": 2}, ce_type="UserNoted")
    erasure.work()
    assert erased(erasure) == []
    assert sorted(answers(erasure)) == [("people.erase", "people", "1", "failed", "disabled"), ("people.note", "people", "2", "changed", None)]


# --- processes with different jobs on one topic

ELSEWHERE = "waits for a process that has the job"

MARK = "table = people\non = UserMarked\nset = email = 'marked'\naudit = keys"


@pytest.fixture
def apart(erasure):
    """Two folders of jobs for two processes: both read `app-users`, each for its own event."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    erasure.other = erasure.folder.parent / "other"
    erasure.other.mkdir()
    (erasure.other / "people.mark.conf").write_text(f"[retention people.mark]\n{MARK}\n")
    (erasure.other / "marked.conf").write_text(f"[event UserMarked]\ntopic = {erasure.topics.full('app-users')}\nkey = payload.user.id\nmatch = any\n")
    erasure.start()
    other_settings(erasure, "topics", "--apply")
    return erasure


def other_settings(house, *command):  # noqa: F811
    return house.pruned.run(*command, settings={"run.jobs_dir": house.other}).ok()


def start_other(house):  # noqa: F811
    daemon = house.pruned.start(settings={"run.jobs_dir": house.other})
    daemon.wait_line("Partitions assigned")
    house.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = 'people.mark' AND reads IS NOT NULL", until=1)
    return daemon


def start_own(house):  # noqa: F811
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    return daemon


def emails(house):  # noqa: F811
    return dict(house.rows("people", "id, email", "id"))


@pytest.mark.check_all
def test_an_event_that_only_another_process_knows_waits_for_it(apart):
    """One process is down for a while; the other one reads the topic for a job of its own."""
    start_other(apart).stop()
    own = start_own(apart)
    for key in (1, 2, 3, 4):
        send(apart, user(key), ce_type="UserMarked")
    send(apart, user(5), ce_type="UserErasureRequested")
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark' AND state = 'waiting' AND error = %s", [ELSEWHERE], until=4)
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND state = 'finished'", until=1)
    assert dead(apart) == {} and emails(apart)[1] == "p1" and emails(apart)[5] is None
    start_other(apart)
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark' AND state = 'finished' AND error IS NULL", until=4)
    assert [emails(apart)[key] for key in (1, 2, 3, 4, 6)] == ["marked"] * 4 + ["p6"]
    assert [(key, what) for key, job, what, _ in outcomes(apart) if job == "people.mark"] == [(str(key), "changed") for key in (1, 2, 3, 4)]
    assert own.running


@pytest.mark.check_all
def test_each_event_of_two_processes_that_run_becomes_one_run(apart):
    """Both read partitions of the topic, and each meets events of the other."""
    start_other(apart)
    start_own(apart)
    for key in range(1, 10):
        send(apart, user(key), ce_type="UserMarked", ce_id=f"m{key}", ce_source="/app", partition=-1)
        send(apart, user(key), ce_type="UserErasureRequested", ce_id=f"e{key}", ce_source="/app", partition=-1)
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished' AND result ->> 'changed' = '1'", until=18)
    assert apart.database.value("SELECT count(*) FROM pruned.runs") == 18 and dead(apart) == {}


def odd_reads(topic):
    """What a program of another version, or a mistake, may have written of the events of a job:
    each a list of them."""
    right = {"name": "UserMarked", "topic": topic, "format": "json", "key": ["payload.user.id"]}
    for key in ([5], [None], ["payload.user.id", 5], "payload.user.id", {}, [], [""], ["."], ["payload.user.id"] * 50):
        yield [{"own": right | {"key": key}, "unique_key": "people.mark/{key}", "due": "due"}]
    for cancel in ({}, 7, right | {"key": [7]}, right | {"topic": 5}):
        yield [{"own": right, "cancel": cancel}]
    for more in ({"due": 5}, {"due": ""}, {"match_path": "kind"}, {"match_value": "x"}, {"name": ""}, {"format": "avro"}, {"format": "avro", "schema": "{"},
                 {"format": "avro", "schema": '{"type":"record","name":"A","fields":[{"name":"a","type":"A"}]}'}):
        yield [{"own": right | more}]
    for unique_key in ("{", "{}", "{key", "{parts}", "", 5):
        yield [{"own": right, "unique_key": unique_key}]
    yield from ([], "x", [[]], [7], [{}], [{"own": []}], [{"type": 5}], [{"type": "UserMarked", "due": "payload"}], {})


@pytest.mark.check_all
def test_whatever_another_program_says_of_what_its_job_reads_ends_no_process(apart):
    topic = apart.topics.full("app-users")
    start_other(apart).stop()
    own = start_own(apart)
    for n, events in enumerate(odd_reads(topic)):
        reads = {"capacity": -n, "table": "people", "topics": {topic: True}, "events": events}
        apart.database.execute("UPDATE pruned.job_states SET reads = %s, read_at = now() WHERE job = 'people.mark'", [json.dumps(reads)])
        send(apart, user(1), ce_type="UserMarked")
        send(apart, user(2), ce_type="UserErasureRequested")
        apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND state = 'finished'", until=n + 1)
        assert own.running, events
    assert apart.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark' AND args ->> 'key' IS NULL") == 0


def test_an_event_of_a_job_that_no_process_has_had_for_a_week_is_passed_over(apart):
    """The day before, it still waits."""
    start_other(apart).stop()
    start_own(apart)
    for days, key in (6, 1), (8, 2):
        apart.database.execute(f"UPDATE pruned.job_states SET read_at = now() - interval '{days} days' WHERE job = 'people.mark'")
        send(apart, user(key), ce_type="UserMarked")
        send(apart, user(key + 2), ce_type="UserErasureRequested")
        apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND state = 'finished'", until=key)
    assert apart.database.column("SELECT args ->> 'key' FROM pruned.runs WHERE job = 'people.mark'") == ["1"] and dead(apart) == {}


@pytest.mark.check_all
def test_an_event_of_a_job_that_was_removed_is_passed_over(apart):
    """Nobody has the job any more, and whoever had it was told so."""
    other = start_other(apart)
    (apart.other / "people.mark.conf").unlink()
    (apart.other / "people.erase.conf").write_text(f"[retention people.erase]\n{ERASE}\n")
    (apart.other / "event.conf").write_text((apart.folder / "event-UserErasureRequested.conf").read_text())
    other.process.send_signal(signal.SIGHUP)
    apart.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = 'people.mark' AND reads IS NULL", until=1)
    send(apart, user(1), ce_type="UserMarked")
    send(apart, user(2), ce_type="UserErasureRequested")
    send(apart, user(3), ce_type="UserErasureRequested")
    apart.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'people.erase' AND state = 'finished'", until=2)
    assert apart.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'people.mark'") == 0
