"""Events of applications' own topics: what fits starts a run about one row, what does not is passed
over, what is wrong is a dead letter."""

import datetime
import json

import pytest

from stack.process import wait_until
from support.exposition import Listening
from support.own_events import ERASE, PEOPLE, at, dead, erased, erasure, outcomes, runs, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401
from support.topics import rfc3339


@pytest.fixture
def http():
    listening = Listening()
    yield listening
    listening.close()


def test_what_fits_starts_a_run_and_the_rest_is_passed_over(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    send(erasure, user(1), ce_type="UserErasureRequested")
    send(erasure, user("2"), ce_type="com.example.users.UserErasureRequested")
    send(erasure, user(3), ce_type="com.example.users.UserCreated")
    send(erasure, user(4))
    send(erasure, user(5), ce_type="NotUserErasureRequested")
    send(erasure, b"\x00\xff no JSON", ce_type="Other")
    send(erasure, None, ce_type="Other")
    send(erasure, {"specversion": "1.0", "id": "a", "source": "/b", "type": "x.UserErasureRequested"} | user(6),
         content_type="application/cloudevents+json; charset=utf-8")
    send(erasure, {"specversion": "1.0", "id": "b", "source": "/b", "type": "x.UserCreated"} | user(7),
         content_type="application/cloudevents+json")
    send(erasure, b"\0\0\0\0\x09" + json.dumps(user(8)).encode())
    send(erasure, user(77))
    erasure.work()
    assert erased(erasure) == [1, 2, 4, 6, 8]
    assert sorted(args["key"] for args, *_ in runs(erasure)) == ["1", "2", "4", "6", "77", "8"]
    assert {(state, error) for _, state, error in runs(erasure)} == {("finished", None)}
    assert all(set(args) == {"key"} for args, *_ in runs(erasure))
    assert dead(erasure) == {}
    assert outcomes(erasure) == [(key, "people.erase", "gone" if key == "77" else "changed", None)
                                 for key in ("1", "2", "4", "6", "77", "8")]


def test_match_chooses_messages_with_and_without_a_type(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\nmatch = meta.type = erase")
    send(erasure, user(1) | {"meta": {"type": "erase"}})
    send(erasure, user(2) | {"meta": {"type": "create"}})
    send(erasure, user(3))
    send(erasure, user(4) | {"meta": "erase"})
    send(erasure, None)
    send(erasure, user(5), ce_type="UserErasureRequested")
    send(erasure, user(6) | {"meta": {"type": "erase"}}, ce_type="UserErasureRequested")
    erasure.work()
    assert erased(erasure) == [1, 6] and dead(erasure) == {} and len(runs(erasure)) == 2


def test_the_same_event_twice_is_one_run(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    for _ in range(2):
        send(erasure, user(1), ce_type="UserErasureRequested", ce_id="e1", ce_source="/app")
    erasure.work()
    send(erasure, user(1), ce_type="UserErasureRequested", ce_id="e1", ce_source="/app")
    send(erasure, user(1), ce_type="UserErasureRequested", ce_id="e1", ce_source="/other")
    send(erasure, user(1))
    erasure.work()
    # An event of the same T as the one before changes nothing.
    told = [what for _, _, what, _ in outcomes(erasure)]
    assert told[0] == "changed" and len(told) == 3 and set(told) <= {"changed", "kept"} and len(runs(erasure)) == 3
    # What intake has read comes again: nothing has an identity of its own but its place.
    erasure.database.execute("DELETE FROM pruned.intake")
    erasure.pruned.topics.admin.delete_consumer_groups([erasure.pruned.topics.prefix])[erasure.pruned.topics.prefix].result(30)
    erasure.work()
    assert len(runs(erasure)) == 3


def test_what_comes_while_the_job_is_wrong_waits(house, topics):  # noqa: F811
    """First the table is missing, then it has another primary key. Neither is the fault of the
    message."""
    topics.make("app-users")
    house.say("people.erase", "table = people\non = UserErasureRequested")
    say_event(house, "UserErasureRequested", "app-users", "key = a, b")
    send(house, {"a": "01", "b": "x"})
    house.work()
    ((state, error),) = runs(house, "state, error")
    assert state == "waiting" and "refused: " in error and "there is no table people" in error
    house.sql("CREATE TABLE people (b text, id bigint PRIMARY KEY); INSERT INTO people VALUES ('x', 1), ('y', 2)")
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    ((state, error),) = runs(house, "state, error")
    assert state == "waiting" and "refused: " in error
    [refused] = house.daemons[-1].lines("Job refused")
    assert "has 2 paths, and the primary key of people 1 column" in refused["reason"]
    house.sql("ALTER TABLE people DROP CONSTRAINT people_pkey, ADD PRIMARY KEY (id, b)")
    house.database.execute("UPDATE pruned.runs SET due_at = now()")
    house.work()
    assert house.rows("people", "id") == [(2,)] and dead(house) == {}
    assert outcomes(house) == [('{"b": "x", "id": 1}', "people.erase", "removed", None)]


@pytest.mark.check_all
def test_an_event_that_is_due_later_waits_and_can_be_withdrawn(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id\ndue = payload.due_at\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = user")
    due = at(days=30).replace(microsecond=0)

    def ask(key, due_at=None, **headers):
        send(erasure, {"payload": {"user": {"id": key}} | ({"due_at": due_at} if due_at else {})}, ce_type="UserErasureRequested", **headers)

    ask(1, rfc3339(due))
    ask("02", (due + datetime.timedelta(days=1)).date().isoformat())
    ask(3, rfc3339(due))
    ask(4)
    ask(5, "2020-01-01")
    erasure.work()
    assert erased(erasure) == [4, 5]
    waiting = {args["key"]: due_at for args, due_at in runs(erasure, "args, due_at") if args["key"] in "123"}
    midnight = datetime.datetime.combine(due.date() + datetime.timedelta(days=1), datetime.time(), datetime.timezone.utc)
    assert waiting == {"1": due, "2": midnight, "3": due}
    send(erasure, {"user": 2}, ce_type="UserErasureWithdrawn")
    send(erasure, {"user": "8"}, ce_type="UserErasureWithdrawn")
    send(erasure, {}, ce_type="UserErasureWithdrawn")
    # An earlier withdrawal that arrives late changes nothing.
    send(erasure, {"user": 3}, ce_type="UserErasureWithdrawn", ce_time=rfc3339(at(hours=-1)))
    erasure.work()
    (withdrawn,) = {(state, error) for args, state, error in runs(erasure) if args["key"] == "2"}
    assert withdrawn == ("skipped", "cancelled")
    assert dead(erasure) == {b"{}": "undecodable: key user is missing"}
    assert {args["key"]: state for args, state, _ in runs(erasure) if state == "waiting"} == {"1": "waiting", "3": "waiting"}
    erasure.database.execute("""UPDATE pruned.runs SET due_at = now(), args = jsonb_set(args, '{due}', '"2020-01-01T00:00:00Z"')
        WHERE state = 'waiting' AND args ->> 'key' = '1'""")
    erasure.work()
    assert erased(erasure) == [1, 4, 5]


def test_a_withdrawal_that_overtakes_its_request(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = id")
    send(erasure, {"id": 1}, ce_type="UserErasureWithdrawn", ce_time=rfc3339(at(minutes=-1)))
    erasure.work()
    send(erasure, {"id": 1}, ce_type="UserErasureRequested", ce_time=rfc3339(at(minutes=-2)))
    send(erasure, {"id": 2}, ce_type="UserErasureRequested", ce_time=rfc3339(at(minutes=-2)))
    erasure.work()
    assert erased(erasure) == [2]


def test_two_jobs_on_one_event(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.sql("""CREATE TABLE letters (person text PRIMARY KEY, body text);
        INSERT INTO letters VALUES ('1', 'x'), ('2', 'x'), ('abc', 'x')""")
    erasure.say("letters.purge", "table = letters\non = UserErasureRequested\nwhere = body = 'x'")
    send(erasure, {"id": 1})
    send(erasure, {"id": "abc"})
    erasure.work()
    assert erased(erasure) == [1] and erasure.rows("letters", "person") == [("2",)]
    assert outcomes(erasure) == [("1", "letters.purge", "removed", None), ("1", "people.erase", "changed", None),
                                 ("abc", "letters.purge", "removed", None)]
    ((value, reason),) = dead(erasure).items()
    assert value == b'{"id": "abc"}' and reason.startswith("undecodable: key id: invalid input syntax for type bigint"), reason
    assert reason.endswith(" (job people.erase)"), reason
    # Neither job can take it: one letter, which says it once.
    send(erasure, {"key": 1})
    erasure.work()
    assert dead(erasure)[b'{"key": 1}'] == "undecodable: key id is missing"
    assert len(erasure.pruned.topics.read("dead")) == 2


def test_an_event_of_a_refused_job_waits_for_it(erasure):
    """Another job reads the topic: the message is not lost for the one that is refused."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.sql("""CREATE TABLE letters (person bigint PRIMARY KEY, body text); INSERT INTO letters VALUES (1, 'x'), (2, 'x')""")
    wrong = "table = letters\non = UserErasureRequested\nwehre = true"
    erasure.say("letters.purge", wrong)
    send(erasure, {"id": 1})
    send(erasure, {"key": 1})
    erasure.work()
    assert erased(erasure) == [1] and dead(erasure) == {b'{"key": 1}': "undecodable: key id is missing"}
    ((args, error),) = [(args, error) for args, state, error in runs(erasure) if state == "waiting"]
    assert args["key"] == "1" and error.startswith("refused: ") and "wehre" in error and "letters.purge.conf:4" in error
    erasure.say("letters.purge", wrong.replace("\nwehre = true", ""))
    erasure.made = False  # its work topic
    erasure.work()
    assert erasure.rows("letters", "person") == [(2,)] and {state for _, state, _ in runs(erasure)} == {"finished"}
    assert ("1", "letters.purge", "removed", None) in outcomes(erasure)


@pytest.mark.check_all
def test_a_timer_of_a_refused_job_is_withdrawn_all_the_same(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\ndue = at\ncancel_on = UserErasureWithdrawn")
    say_event(erasure, "UserErasureWithdrawn", "app-users", "key = id")
    erasure.sql("""CREATE TABLE letters (person bigint PRIMARY KEY, body text); INSERT INTO letters SELECT n, 'x' FROM generate_series(1, 4) AS n""")
    erasure.say("letters.purge", "table = letters\non = UserErasureRequested\nwehre = true")
    for key, due in (1, "2020-01-01"), (2, "2020-01-01"), (3, rfc3339(at(days=30))):
        send(erasure, {"id": key, "at": due}, ce_type="UserErasureRequested")
    erasure.work()
    send(erasure, {"id": 2}, ce_type="UserErasureWithdrawn")
    erasure.work()
    erasure.say("letters.purge", "table = letters\non = UserErasureRequested")
    erasure.made = False  # its work topic
    erasure.work()
    assert erasure.rows("letters", "person") == [(2,), (3,), (4,)]
    assert [(key, what, reason) for key, job, what, reason in outcomes(erasure) if job == "letters.purge"] == [
        ("1", "removed", None), ("2", "kept", "withdrawn")]


def test_an_event_whose_section_is_refused_is_dead(erasure):
    """A job of another event reads the topic."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id\nmatch = kind = erase")
    say_event(erasure, "UserLeft", "app-users", "kye = id")
    erasure.sql("CREATE TABLE letters (id bigint PRIMARY KEY)")
    erasure.say("letters.purge", "table = letters\non = UserLeft")
    send(erasure, {"id": 1}, ce_type="com.example.UserLeft")
    send(erasure, {"id": 2, "kind": "erase"})
    send(erasure, {"id": 3}, ce_type="Other")
    send(erasure, {"id": 4})
    erasure.work()
    assert erased(erasure) == [2]
    told = dead(erasure)
    assert sorted(json.loads(value)["id"] for value in told) == [1, 4]
    assert all(reason.startswith("[event UserLeft] is refused: ") and "kye" in reason for reason in told.values()), told

STRUCTURED = {
    "application/cloudevents+avro": b"\x10\x02",
    "Application/CloudEvents+Avro; charset=utf-8": json.dumps({"id": 9}).encode(),
    "application/cloudevents-batch+json": b'[{"type": "UserErasureRequested", "id": 1}]',
    "application/cloudevents+json": b'{"id": 1}',
    "application/cloudevents": b"\x10\x04",
}


def test_a_structured_event_whose_type_cannot_be_read_is_dead(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    for kind, value in STRUCTURED.items():
        send(erasure, value, content_type=kind)
    send(erasure, {"id": 2}, content_type="application/cloudevents+avro", ce_type="UserErasureRequested")
    erasure.work()
    reasons = sorted(dead(erasure).values())
    assert len(reasons) == len(STRUCTURED) and all(reason.startswith("undecodable: ") for reason in reasons), reasons
    assert sum("only application/cloudevents+json" in reason for reason in reasons) == 3 and "undecodable: type is missing" in reasons
    assert erased(erasure) == [2]


def test_a_row_that_where_spares_is_kept_and_one_that_fails_says_so(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.sql("""CREATE TABLE orders (id bigint PRIMARY KEY, person bigint REFERENCES people);
        INSERT INTO orders VALUES (1, 2)""")
    erasure.say("people.erase", "table = people\non = UserErasureRequested\nwhere = id < 4")
    for key in (1, 2, 7, 77):
        send(erasure, {"id": key})
    erasure.work()
    told = outcomes(erasure)
    assert [outcome[:3] for outcome in told] == [(key, "people.erase", what) for key, what in
                                                 [("1", "removed"), ("2", "failed"), ("7", "kept"), ("77", "gone")]]
    assert [told[i][3] for i in (0, 2, 3)] == [None, "where", None] and "orders" in told[1][3], told
    assert [row[0] for row in erasure.rows("people", "id", "id")] == [2, 3, 4, 5, 6, 7, 8, 9]
    # The row is in quarantine; a second request is answered nevertheless.
    send(erasure, {"id": 2})
    erasure.work()
    assert [outcome[1:3] for outcome in outcomes(erasure) if outcome[0] == "2"] == [("people.erase", "failed")] * 2
    erasure.sql("DELETE FROM orders")
    send(erasure, {"id": 2})
    erasure.work()
    assert ("2", "people.erase", "removed", None) in outcomes(erasure)


def test_events_of_a_paused_job_wait_each_for_itself(erasure):
    """They have no unique key in common."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    erasure.pruned.run("pause", "people.erase").ok()
    for key in (1, 2, 2, 3):
        send(erasure, {"id": key})
    erasure.work()
    assert erased(erasure) == [] and {state for _, state, _ in runs(erasure)} == {"waiting"}
    erasure.pruned.run("resume", "people.erase").ok()
    erasure.work()
    assert erased(erasure) == [1, 2, 3] and {state for _, state, _ in runs(erasure)} == {"finished"}


def test_metrics_count_what_comes_and_what_is_passed_over(erasure, http):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()
    daemon = erasure.pruned.start(settings={"http.listen": http.listen})
    for key in (1, 2, 3):
        send(erasure, {"id": key}, ce_type="Other")
    send(erasure, {"id": 4})
    erasure.pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", deadline_s=60)

    def count(name, topic):
        return http.metrics().samples.get((name, frozenset({"topic": topic}.items())), 0)

    wait_until(lambda: count("pruned_messages_total", "events") == 4, 30, "4 messages")
    passed_over = "pruned_passed_over_messages_total", erasure.pruned.topics.full("app-users")
    wait_until(lambda: count(*passed_over) == 3, 30, "3 that are passed over")
    assert daemon.stop() == 0


@pytest.mark.check_all
def test_replay_reads_the_topic_again(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    send(erasure, {"id": 1})
    send(erasure, {"id": "x"})
    send(erasure, {"id": 5}, ce_type="Other")
    erasure.work()
    erasure.database.execute("DELETE FROM pruned.runs")
    erasure.database.execute("UPDATE people SET email = 'again' WHERE id = 1")
    lines = erasure.pruned.run("replay", "--from", "-1h", "--topic", erasure.pruned.topics.full("app-users"), "--json").ok().json()
    assert sorted((line["verdict"], line["job"]) for line in lines) == [("refused", None), ("started", "people.erase")]
    erasure.work()
    assert erased(erasure) == [1]


def test_doctor_and_status_name_messages_that_no_daemon_reads(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    erasure.start()

    def found():
        done = erasure.pruned.run("doctor", "--json")
        return done.code, [line["detail"] for line in done.json() if line["check"] == "unread"]

    def send_to_each_partition(*ids):
        for partition, id in enumerate(ids):
            erasure.pruned.topics.produce("app-users", json.dumps({"id": id}).encode(), partition=partition)

    send_to_each_partition(1, 2)  # one that was never read does not count
    erasure.work()
    assert found() == (0, [])
    send_to_each_partition(3, 4)
    wanted = f"no daemon runs, and 2 messages of {erasure.topics.full('app-users')} wait to be read"
    assert found() == (4, [wanted])
    erasure.database.execute("""INSERT INTO pruned.processes (id, host, pid, version, started_at, settings, jobs)
        VALUES (gen_random_uuid(), 'h', 7, '1', now(), '', '{}')""")
    stands = f"2 messages of {erasure.topics.full('app-users')} wait to be read, and within 8 s no daemon has read any of them"
    assert found() == (4, [stands])
    status = json.loads(erasure.pruned.run("status", "--json").stdout)
    assert status["lag"][erasure.topics.full("app-users")] == 2
    erasure.work()
    assert found() == (0, []) and json.loads(erasure.pruned.run("status", "--json").stdout)["lag"][erasure.topics.full("app-users")] == 0
