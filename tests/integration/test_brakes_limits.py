"""What holds a run besides `max_rows`: a share of its table, all rows of a day, many times the
usual."""

import pytest

from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.scene import fill, result, send_tick

pytestmark = pytest.mark.built_in


def test_a_share_of_the_table(new_scene):
    scene = new_scene({"jobs.scratch.remove.max_share": "5 %", "jobs.scratch.remove.min_rows": 0})
    fill(scene.database, 190, day="2999-01-01", first=1000)
    fill(scene.database, 10)
    scene.start()
    assert scene.wait_run(send_tick(scene, seconds=-50))["state"] == "finished"
    fill(scene.database, 11)
    assert scene.wait_run(send_tick(scene), "held")["error"] == "held: 11 rows are 5.5 % of scratch, above max_share 5 %"


def test_below_min_rows_neither_share_nor_ratio_counts(new_scene):
    scene = new_scene({"jobs.scratch.remove.max_share": "5 %", "jobs.scratch.remove.min_rows": 25})
    fill(scene.database, 24)
    scene.start()
    assert scene.wait_run(send_tick(scene, seconds=-50))["state"] == "finished"
    fill(scene.database, 25)
    assert scene.wait_run(send_tick(scene), "held")["error"] == "held: 25 rows are 100.0 % of scratch, above max_share 5 %"


def test_all_runs_of_a_day(new_scene):
    scene = new_scene({"jobs.scratch.remove.max_rows_per_day": 20})
    scene.start()
    for n, rows in enumerate((8, 12)):
        fill(scene.database, rows)
        assert scene.wait_run(send_tick(scene, minutes=-9 + n))["state"] == "finished"
    fill(scene.database, 1)
    run_id = send_tick(scene)
    assert scene.wait_run(run_id, "held")["error"] == "held: 1 row after 20 today is above max_rows_per_day 20"
    scene.run("discard", run_id).ok()
    scene.database.execute("UPDATE pruned.runs SET finished_at = finished_at - interval '25 hours' WHERE rows_done = 8")
    fill(scene.database, 7, first=100)
    assert scene.wait_run(send_tick(scene, seconds=-20))["state"] == "finished"


def test_many_times_the_usual(new_scene):
    scene = new_scene({"jobs.scratch.remove.max_ratio": 3, "jobs.scratch.remove.min_rows": 0})
    scene.start()
    for n, rows in enumerate((4, 30, 4, 5, 1)):  # without five runs there is no usual
        fill(scene.database, rows)
        assert scene.wait_run(send_tick(scene, minutes=-30 + n))["state"] == "finished"
    fill(scene.database, 13)
    run_id = send_tick(scene, minutes=-9)
    assert scene.wait_run(run_id, "held")["error"] == "held: 13 rows are 3.2 times the usual 4, above max_ratio 3"
    held = scene.run("runs", run_id, "--json").ok().json()[0]["held"]
    assert {**held, "at": None} == {"limit": "max_ratio", "counted": 13, "estimated": False, "at": None, "usual": 4}
    scene.run("discard", run_id).ok()
    scene.database.execute("DELETE FROM scratch WHERE id = 1")
    assert scene.wait_run(send_tick(scene))["state"] == "finished"


@pytest.mark.check_all
def test_runs_that_only_planned_are_not_usual(new_scene):
    scene = new_scene({"jobs.scratch.remove.max_ratio": 3, "jobs.scratch.remove.min_rows": 0})
    daemon = scene.start()
    for n in range(5):
        fill(scene.database, 1)
        assert scene.wait_run(send_tick(scene, minutes=-30 + n))["state"] == "finished"
    daemon.stop()
    fill(scene.database, 13)
    daemon = scene.start(settings={"jobs.scratch.remove.mode": "plan"})
    for n in range(8):
        assert result(scene.wait_run(send_tick(scene, minutes=-20 + n)))["mode"] == "plan"
    daemon.stop()
    scene.start()
    run_id = send_tick(scene, minutes=-9)
    assert scene.wait_run(run_id, "held", "finished")["state"] == "held"
    assert scene.database.value("SELECT count(*) FROM scratch") == 13


def test_limits_are_on_by_default(tenant):  # noqa: F811
    """Nine of ten members expire at once."""
    group = tenant.group()
    user = tenant.user()
    tenant.database.execute("""
        WITH u AS (INSERT INTO users (username, state, user_type, organization_id, updated_at)
                   SELECT 'many' || i, 'active', 0, u.organization_id, now() FROM generate_series(1, 2000) i, users u WHERE u.id = %(user)s RETURNING id)
        INSERT INTO members (user_id, source_type, source_id, type, access_level, expires_at, state, member_namespace_id)
        SELECT u.id, m.source_type, m.source_id, m.type, m.access_level,
               CASE WHEN row_number() OVER () <= 1800 THEN %(day)s::date END, m.state, m.member_namespace_id
        FROM u, members m WHERE m.id = %(member)s""", {"user": user, "day": tenant.day(-1), "member": tenant.member(user, group)})
    row = tenant.tick("members.remove_expired")
    assert (row["state"], row["error"]) == ("held", "held: 1,800 rows are 90.0 % of members, above max_share 20 %")


@pytest.mark.check_all
def test_the_share_of_a_table_with_a_new_partition(new_scene):
    """A partition that was never analyzed is taken to be as full as the others."""
    scene = new_scene({"jobs.scratch.remove.max_share": "20 %", "jobs.scratch.remove.max_rows": "off"})
    scene.database.connection.execute("""DROP TABLE scratch CASCADE;
        CREATE TABLE scratch (id bigint, day date NOT NULL, note text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE scratch_old PARTITION OF scratch FOR VALUES FROM ('2000-01-01') TO ('2100-01-01');
        CREATE TABLE scratch_new PARTITION OF scratch FOR VALUES FROM ('2100-01-01') TO ('2200-01-01')""")
    fill(scene.database, 12000)
    fill(scene.database, 3000, day="2150-01-01", first=100_000)
    scene.database.connection.execute(f"GRANT ALL ON scratch TO {ROLE}; ANALYZE scratch_old")
    scene.start()
    row = scene.wait_run(send_tick(scene), "held")
    of = row["held"]["table_rows"]
    assert 14_000 <= of <= 16_500 and row["error"].endswith(" % of scratch, above max_share 20 %"), row["error"]
