"""PostgreSQL's own views and its log say on which job and run a session works."""

import pytest

from stack.process import wait_until
from support.scene import fill, now, tick_id
from support.sentences import house  # noqa: F401
from support.slow import hold_rows, let_held_rows_go

JOB = "scratch.remove"
ASLEEP = "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
NAMED = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE %s"


def wait_named(database, name):
    wait_until(lambda: database.column(ASLEEP) == [name], 30, f"the session {name} at work")


def tick(scene):
    scene.topics.tick(JOB, at := now(minutes=-1))
    return tick_id(JOB, at)


def test_a_session_says_its_job_and_run_while_it_works(scene):
    fill(scene.database, 2)
    hold_rows(scene.database, "true")
    scene.start()
    run_id = tick(scene)
    wait_named(scene.database, f"pruned {JOB} {run_id[:8]}")
    let_held_rows_go(scene.database)
    scene.wait_run(run_id)
    scene.database.wait(NAMED, [f"pruned {JOB} %"], until=0)
    assert scene.database.value(NAMED, ["pruned"]) > 0


def test_of_a_long_name_the_run_stays_readable(house):  # noqa: F811
    """PostgreSQL keeps 63 bytes."""
    job = "sessions." + 9 * "long_name." + "purge"
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, day date); INSERT INTO items VALUES (1, '2020-01-01')")
    hold_rows(house.database, "true", table="items")
    house.say(job, "table = items\nwhere = day < :T\nmax_share = off\n")
    house.start()
    house.pruned.start()
    run_id = house.pruned.run("tick", job, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    name = f"pruned {job[:47]} {run_id[:8]}"
    assert len(name) == 63
    wait_named(house.database, name)
    let_held_rows_go(house.database)
    house.pruned.wait_run(run_id)


def test_of_a_range_the_divided_run_is_named(new_scene):
    """A range has an id of its own, which no command knows."""
    scene = new_scene({f"jobs.{JOB}.ranges": 3, f"jobs.{JOB}.approve": "never"})
    fill(scene.database, 300)
    hold_rows(scene.database, "OLD.id < 250")
    scene.start()
    run_id = tick(scene)
    wait_until(lambda: len(named := scene.database.column(ASLEEP)) > 1 and set(named) == {f"pruned {JOB} {run_id[:8]}"}, 30,
               lambda: scene.database.column(ASLEEP))
    let_held_rows_go(scene.database)
    scene.wait_run(run_id)


@pytest.mark.check_all
def test_a_failed_step_says_its_run_in_the_servers_log(own_postgres, new_scene):
    scene = new_scene(server=own_postgres)
    scene.database.execute("ALTER SYSTEM SET log_line_prefix = 'by <%a> '")
    scene.database.execute("SELECT pg_reload_conf()")
    fill(scene.database, 1)
    scene.database.connection.execute(
        "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;"
        "CREATE TRIGGER no BEFORE DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION no()")
    scene.start()
    run_id = tick(scene)
    scene.wait_run(run_id)
    assert f"by <pruned {JOB} {run_id[:8]}> ERROR:  not this one" in own_postgres.log.read_text()


def test_a_name_in_the_url_stays(scene):
    fill(scene.database, 1)
    hold_rows(scene.database, "true")
    scene.start(settings={"postgres.url": f"{scene.database.role_url}?application_name=mine"})
    run_id = tick(scene)
    wait_named(scene.database, "mine")
    let_held_rows_go(scene.database)
    scene.wait_run(run_id)
