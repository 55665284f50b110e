"""After a run a daemon reads its rows again; a disagreement stops the job, and is told."""

import json

import pytest

from stack.process import wait_until
from support.instance import tenant  # noqa: F401
from support.sentences import house  # noqa: F401

JOB = "items.purge"


def world(house, **settings):  # noqa: F811
    """A daemon, and a trigger that spoils what the audit has: as if other rows had gone."""
    house.sql("""CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, flag boolean);
        INSERT INTO items SELECT n, now() - interval '40 days', true FROM generate_series(1, 20) n""")
    house.say(JOB, "table = items\nwhere = at < :T - interval '30 days' AND flag\nmax_share = off\n")
    house.start()
    return house.pruned.start(settings=settings)


def spoil(house):  # noqa: F811
    house.database.connection.execute("""CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        NEW.rows := jsonb_set(NEW.rows, '{3,flag}', 'false'); RETURN NEW; END $$;
        CREATE TRIGGER spoil BEFORE INSERT ON pruned.deletions FOR EACH ROW EXECUTE FUNCTION spoil()""")


def read(house):  # noqa: F811
    return wait_until(lambda: house.database.rows("SELECT * FROM pruned.readings WHERE read IS NOT NULL"), 30, "a reading")


def test_a_disagreement_stops_the_job_and_is_told(house):  # noqa: F811
    from support.scene import now, tick_id
    daemon = world(house)
    spoil(house)
    at = now(minutes=-1)
    house.pruned.topics.tick(JOB, at)
    (found,) = read(house)
    assert (str(found["run_id"]), found["wrong"], found["left_over"], found["lost"], found["read"], found["rows"]) == (tick_id(JOB, at), 1, 0, 0, 20, 20)
    assert [(n["verdict"], n["table"], n["key"]) for n in found["named"]] == [("wrong", "items", "4")]
    paused = wait_until(lambda: house.database.rows("SELECT paused, reason FROM pruned.controls WHERE job = %s", [JOB]), 10, "the stop")[0]
    assert paused["paused"] and paused["reason"].startswith(f"stopped: second reading: run {str(found['run_id'])[:8]}, items:4")
    assert daemon.lines("The second reading disagrees, and its job is stopped")
    (told,) = wait_until(lambda: house.pruned.topics.outcomes("RunDisagreed"), 30, "RunDisagreed")
    assert (told.value["job"], told.value["wrong"], json.loads(told.value["rows"])[0]["key"]) == (JOB, 1, "4")
    doctor = house.pruned.run("doctor", "--json")
    assert any(f["check"] == "second reading" and "items:4" in f["detail"] for f in doctor.json() if "check" in f), doctor
    house.pruned.run("resume", JOB, "--reason", "looked at").ok()
    assert not any("items:4" in f["detail"] for f in house.pruned.run("doctor", "--json").json() if f.get("check") == "second reading")


def test_a_reading_that_has_not_ended_is_begun_anew(house):  # noqa: F811
    """As of a process that died while it read."""
    from support.scene import now, tick_id
    daemon = world(house, **{f"jobs.{JOB}.verify_rows": 0})
    house.pruned.topics.tick(JOB, at := now(minutes=-1))
    daemon.wait_line("Finished", job=JOB)
    daemon.stop()
    house.database.execute("INSERT INTO pruned.readings (run_id, job, at) VALUES (%s, %s, now() - interval '61 minutes')", [tick_id(JOB, at), JOB])
    (said,) = [f for f in house.pruned.run("doctor", "--json").json() if f.get("check") == "second reading"]
    assert said["level"] == "warning" and tick_id(JOB, at) in said["detail"]
    house.pruned.start()
    assert [(str(found["run_id"]), found["read"]) for found in read(house)] == [(tick_id(JOB, at), 20)]


@pytest.mark.check_all
def test_a_run_that_was_right_goes_on_and_one_that_is_not_wanted_is_not_read(house):  # noqa: F811
    from support.scene import now
    daemon = world(house)
    house.pruned.topics.tick(JOB, now(minutes=-1))
    (found,) = read(house)
    assert (found["wrong"], found["left_over"], found["unsure"], found["unread"]) == (0, 0, 0, [])
    assert house.database.rows("SELECT FROM pruned.controls WHERE paused") == [] and house.pruned.topics.outcomes("RunDisagreed") == []
    daemon.stop()
    house.sql("INSERT INTO items SELECT n, now() - interval '40 days', true FROM generate_series(101, 120) n")
    daemon = house.pruned.start(settings={f"jobs.{JOB}.verify_rows": 0})
    run = house.pruned.topics.tick(JOB, now())
    wait_until(lambda: house.rows("items") == [], 30, "the second run")
    daemon.wait_line("Finished", count=1)
    assert len(house.database.rows("SELECT FROM pruned.readings")) == 1, run


# which rows of runs look as if another version of the program had written them
OTHERS = {"a step": "NEW.range_of IS NULL AND NEW.step = 1", "a range": "NEW.range_of IS NOT NULL", "the last step": "NEW.range_of IS NULL AND NEW.state = 'finished'"}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("what", OTHERS)
def test_what_another_version_of_the_program_did_stops_nothing(tenant, what):  # noqa: F811
    """It may record rows otherwise, or know another rule."""
    job = "members.remove_expired"
    for _ in range(24):
        tenant.member(tenant.user(), tenant.group(), expires_at=tenant.day(-3))
    tenant.database.connection.execute(f"""CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.job_version := 'other'; RETURN NEW; END $$;
        CREATE TRIGGER other BEFORE INSERT OR UPDATE ON pruned.runs FOR EACH ROW WHEN (NEW.job_version IS NOT NULL AND {OTHERS[what]}) EXECUTE FUNCTION other();
        CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        NEW.rows := jsonb_set(NEW.rows, '{{0,expires_at}}', '"2999-01-01"'); RETURN NEW; END $$;
        CREATE TRIGGER spoil BEFORE INSERT ON pruned.deletions FOR EACH ROW WHEN (NEW.table_name LIKE '%members') EXECUTE FUNCTION spoil()""")
    tenant.pruned.settings |= {f"jobs.{job}.batch": 3, f"jobs.{job}.delay_ms": 0, f"jobs.{job}.ranges": 2}
    tenant.pruned.run("topics", "--apply").ok()
    run = tenant.tick(job)
    assert (run["state"], run["result"]["removed"]) == ("finished", 24)
    assert run["result"].get("versions", []) == ([] if what == "the last step" else ["other"])
    tenant.pruned.start()
    (found,) = wait_until(lambda: tenant.database.rows("SELECT * FROM pruned.readings WHERE read IS NOT NULL AND job = %s", [job]), 30, "a reading")
    assert (found["wrong"], found["read"]) == (0, 0) and "version" in found["unread"][0]["why"], found
    assert tenant.pruned.run("verify", run["run_id"], "--all").code == 7
