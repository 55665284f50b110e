"""PostgreSQL or Kafka goes away while a daemon runs: it stays, waits, charges no attempt, and
continues within seconds of their return."""

import datetime
import re
import time

import pytest

from stack.process import patient, wait_until
from support.scene import configure, fill, now, result, tick_id

JOB = "scratch.remove"
PAGES = 40
BACK_WITHIN_S = 5
# once it is over a restarted broker admits a member anew, for which it waits as long again
SESSION_S = 6
AWAY = "PostgreSQL does not answer (ticks, events and runs wait)"
KAFKA_IS_DOWN = re.compile("Kafka degraded|Publishing waits for Kafka")


@pytest.fixture
def scene(request, own_servers, new_scene):
    """Forty pages of ten, a tenth of a second apart: a step is always under way, unless the test
    itself stands still for seconds."""
    longer = "longer" in request.node.name
    scene = new_scene({"kafka.session.timeout.ms": 1000 * SESSION_S if longer else 60000, "log.level": "debug" if longer else "info"},
                      **own_servers)
    scene.configuration.write_text(f"[jobs.{JOB}]\ndelay_ms = 100\n")
    fill(scene.database, 10 * PAGES)
    scene.run_id = tick_id(JOB, at := now(minutes=-1))
    scene.topics.tick(JOB, at)
    scene.daemon = scene.start()
    wait_step(scene, 3)
    return scene


def step(scene):
    return (scene.run_row(scene.run_id) or {"step": 0})["step"]


def wait_step(scene, least):
    """Waits for a later step, or for the end of the chain."""
    scene.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s", [scene.run_id], until=lambda n: n and n >= min(least, PAGES))


def goes_on(scene, within_s=BACK_WITHIN_S):
    """The chain continues within seconds, and ends: each row went once, and no attempt was
    charged."""
    scene.database.close()  # this connection may have been ended, too
    began, before = time.monotonic(), step(scene)
    wait_step(scene, before + 1)
    assert time.monotonic() - began < patient(within_s)
    configure(scene, "", scene.daemon)  # the other pages at once
    row = scene.wait_run(scene.run_id, deadline_s=60)
    assert (row["state"], row["step"], row["attempts"], result(row)["removed"]) == ("finished", PAGES, 0, 10 * PAGES)
    audit = scene.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions")
    assert sorted(audit) == list(range(1, 10 * PAGES + 1))
    scene.topics.wait("outcomes", lambda m: m.text_key == scene.run_id)
    assert scene.daemon.running and not scene.daemon.lines(level="error")


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_postgres_is_restarted(own_postgres, scene, how):
    getattr(own_postgres, how)()
    scene.daemon.wait_line(AWAY)
    own_postgres.start()
    goes_on(scene)
    [back] = scene.daemon.lines("PostgreSQL answers again; work goes on")
    assert 0 < float(back["after_s"]) < patient(60)
    [ended] = scene.daemon.lines("Run ended", run_id=scene.run_id)
    assert (ended["state"], ended["steps"], ended["removed"]) == ("finished", PAGES, 10 * PAGES) and ended["duration_s"] > 1


def kafka_is_back(scene, kafka):
    kafka.start()
    scene.topics.wait_for_groups()


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_the_broker_is_restarted(own_kafka, scene, how):
    getattr(own_kafka, how)()
    scene.daemon.wait_line(KAFKA_IS_DOWN)
    assert step(scene) < PAGES
    kafka_is_back(scene, own_kafka)
    goes_on(scene)


@pytest.mark.check_all
def test_work_continues_after_a_broker_outage_longer_than_a_session(own_kafka, scene):
    """Runs that became due meanwhile are sent when it is back, not found missing seconds later."""
    at = now(hours=1)
    scene.topics.tick("scratch.wide", at, {"n": 1})
    scene.wait_run(due := tick_id("scratch.wide", at, '{"n":1}'), "waiting")
    own_kafka.kill()
    scene.daemon.wait_line(KAFKA_IS_DOWN)
    scene.database.execute("UPDATE pruned.runs SET scheduled_at = now(), due_at = now() WHERE run_id = %s", [due])
    scene.wait_run(due, "ready")
    scene.database.wait("SELECT now() > changed_at + %s * interval '1 s' FROM pruned.runs WHERE run_id = %s", [SESSION_S, due], until=True)
    kafka_is_back(scene, own_kafka)
    goes_on(scene, BACK_WITHIN_S + SESSION_S)
    assert scene.wait_run(due)["state"] == "finished"
    assert not scene.daemon.lines("Work message was missing and is sent again")
    for message in "Kafka degraded; continuing where possible", "Kafka library message":
        said = [datetime.datetime.fromisoformat(line["time"]) for line in scene.daemon.lines(message)]
        assert all(later - earlier > datetime.timedelta(seconds=59) for earlier, later in zip(said, said[1:])), said
    scene.daemon.wait_line("Kafka works again")
    assert len(scene.daemon.lines("Kafka works again")) == 1


def test_postgres_is_away_for_longer(own_postgres, scene):
    """It is said once, whatever is tried meanwhile, and once that it is back."""
    own_postgres.stop()
    scene.daemon.wait_line("Dispatcher round failed; will retry", count=4, level="debug", deadline_s=60)
    told = [line["message"] for line in scene.daemon.lines(level="warning") if "PostgreSQL: " in line.get("detail", "")]
    assert told == [AWAY]
    own_postgres.start()
    goes_on(scene)
    assert len(scene.daemon.lines("PostgreSQL answers again; work goes on")) == 1


@pytest.mark.check_all
def test_connections_are_ended_by_an_administrator(scene):
    for _ in range(3):
        before = step(scene)
        scene.database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                               "WHERE datname = current_database() AND pid <> pg_backend_pid()")
        wait_step(scene, before + 2)
    goes_on(scene)


def test_a_tick_that_arrives_while_postgres_is_away_is_taken_when_it_is_back(own_postgres, scene):
    own_postgres.kill()
    at = now(minutes=-2)
    scene.topics.tick("scratch.wide", at, {"n": 1})
    own_postgres.start()
    goes_on(scene)
    assert scene.wait_run(tick_id("scratch.wide", at, '{"n":1}'))["state"] == "finished"


@pytest.mark.check_all
def test_postgres_and_kafka_are_away(own_postgres, own_kafka, scene):
    own_postgres.kill()
    own_kafka.kill()
    scene.daemon.wait_line(AWAY)
    own_postgres.start()
    kafka_is_back(scene, own_kafka)
    goes_on(scene)


@pytest.mark.check_all
def test_no_statement_waits_for_a_lock_without_a_limit(new_scene):
    """Of no session. The dispatcher's statements between transactions do not wait either: an
    operator who alters pruned.runs never waits behind a queue of the daemon's."""
    scene = new_scene({})
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    begun = set()

    def given_up():
        waiting = scene.database.rows(
            "SELECT pid, query_start, extract(epoch FROM clock_timestamp() - query_start)::float8 AS age_s FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name LIKE 'pruned%' AND wait_event_type = 'Lock'")
        assert all(row["age_s"] < patient(3) for row in waiting), waiting
        begun.update((row["pid"], row["query_start"]) for row in waiting)
        return (any("lock timeout" in line["detail"] for line in daemon.lines("Dispatcher round failed; will retry"))
                and len(begun) > len({pid for pid, _ in begun}))

    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("LOCK TABLE pruned.runs IN ACCESS EXCLUSIVE MODE")
        wait_until(given_up, 60, "a dispatcher that has given up waiting, and waited again")
        other.rollback()
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    assert scene.wait_run(tick_id(JOB, at))["state"] == "finished"
