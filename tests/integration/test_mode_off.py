"""A job that is off begins no step: its runs wait, whatever they are, and go on once the job is on
again."""

import pytest

from stack.process import wait_until
from support.instance import tenant  # noqa: F401
from support.objects import SLOT, ListedObjects
from support.scene import configure, due_now, fill, let_rows_go, refuse_rows, result, send_tick, start
from support.slow import quick_table, slow_table

pytestmark = pytest.mark.built_in

JOB, WIDE = "scratch.remove", "scratch.wide"
OFF = f"[jobs.{JOB}]\nmode = off\n"


def wait_off(scene, run_id):
    wait_until(lambda: (scene.run_row(run_id)["error"] or "").startswith("mode off"), 30, "the reason")
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"], row["finished_at"]) == ("waiting", 0, None)
    return row


def left(scene):
    return scene.database.value("SELECT count(*) FROM scratch")


@pytest.mark.check_all
@pytest.mark.parametrize("text", [OFF, f"[jobs.{JOB}]\nenabled = false\n", "[run]\nmode = off\n"])
def test_a_chain_stops_and_goes_on(new_scene, text):
    scene = new_scene()
    scene.settings.pop("run.mode", None)
    on = "[run]\nmode = apply\n"
    configure(scene, on)
    fill(scene.database, 300)
    slow_table(scene.database, "scratch", 0.02)  # 30 pages of 0.2 s each
    [daemon] = start(scene)
    run_id = send_tick(scene)
    scene.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s", [run_id], until=lambda n: n and n > 3)
    configure(scene, text if "[run]" in text else on + text, daemon)
    row = wait_off(scene, run_id)
    assert 3 < row["step"] < 30 and left(scene) == 300 - 10 * row["step"]
    [listed] = [run for run in scene.run("runs", "--json").ok().json() if run["run_id"] == run_id]
    assert (listed["state"], listed["error"]) == ("waiting", "mode off")
    skipped = scene.wait_run(send_tick(scene))
    assert (skipped["state"], skipped["error"]) == ("skipped", "disabled")
    assert scene.run_row(run_id)["step"] == row["step"]
    quick_table(scene.database, "scratch")
    configure(scene, on, daemon)
    due_now(scene.database, run_id)
    row = scene.wait_run(run_id)
    assert (result(row)["removed"], row["error"], left(scene)) == (300, None, 0)


@pytest.mark.check_all
def test_an_approved_run_waits(new_scene):
    scene = new_scene({f"jobs.{JOB}.max_rows": 20})
    fill(scene.database, 30)
    [daemon] = start(scene)
    run_id = send_tick(scene)
    scene.wait_run(run_id, "held")
    configure(scene, OFF, daemon)
    done = scene.run("approve", run_id)
    assert done.code == 0 and "off" in done.stderr and "waits" in done.stderr
    wait_off(scene, run_id)
    assert left(scene) == 30
    configure(scene, "", daemon)
    assert result(scene.wait_run(run_id))["removed"] == 30


def test_a_run_that_waited_in_a_pause_waits_on(scene):
    fill(scene.database, 5)
    [daemon] = start(scene)
    scene.run("pause", JOB).ok()
    run_id = send_tick(scene)
    scene.wait_run(run_id, "waiting")
    configure(scene, OFF, daemon)
    scene.run("resume", JOB).ok()
    row = wait_off(scene, run_id)
    assert row["step"] == 0 and left(scene) == 5
    configure(scene, "", daemon)
    assert result(scene.wait_run(run_id))["removed"] == 5


@pytest.mark.check_all
def test_a_retried_run_waits_with_its_last_error(new_scene):
    scene = new_scene({f"jobs.{JOB}.max_attempts": 1, f"jobs.{JOB}.batch": 25})
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    [daemon] = start(scene)
    run_id = send_tick(scene)
    scene.wait_run(run_id, "waiting")
    due_now(scene.database, run_id)
    scene.wait_run(run_id, "dead")
    let_rows_go(scene.database)
    configure(scene, OFF, daemon)
    done = scene.run("retry", run_id)
    assert done.code == 0 and "off" in done.stderr and "waits" in done.stderr
    wait_off(scene, run_id)
    assert left(scene) == 25
    configure(scene, "", daemon)
    due_now(scene.database, run_id)
    assert result(scene.wait_run(run_id))["removed"] == 25


@pytest.mark.check_all
def test_it_is_idle_and_the_next_process_goes_on(scene):
    fill(scene.database, 5)
    scene.database.execute("INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job) VALUES (gen_random_uuid(), now(), now(), 'ready', %s), "
                           "(gen_random_uuid(), now(), now(), 'waiting', %s)", [JOB, WIDE])
    scene.run_until_idle(settings={f"jobs.{JOB}.mode": "off", f"jobs.{WIDE}.mode": "off"})
    assert left(scene) == 5 and set(scene.database.column("SELECT state FROM pruned.runs")) <= {"ready", "waiting"}
    start(scene)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=2)
    assert left(scene) == 0


def test_a_child_is_placed_and_waits(tenant):  # noqa: F811
    project = tenant.project(tenant.group())
    bot = tenant.user(user_type=6)
    tenant.member(bot, project=project, expires_at=tenant.day(-1))
    tenant.pruned.settings["jobs.users.destroy.mode"] = "off"
    parent = tenant.tick("members.remove_expired")
    [child] = tenant.children(parent)
    assert (child["state"], child["step"], child["attempts"]) == ("waiting", 0, 0) and bot in tenant.ids("users")
    tenant.pruned.settings["jobs.users.destroy.mode"] = "apply"
    tenant.pruned.run_until_idle()
    assert tenant.children(parent)[0]["state"] == "finished" and bot not in tenant.ids("users")


def test_nothing_is_sent_to_a_store(pruned_with_slots, database, tmp_path):
    root = tmp_path / "store"
    root.mkdir()
    objects = ListedObjects(pruned_with_slots, database, root)
    objects.add(8, store=1)
    objects.delete(**{f"jobs.{SLOT}.mode": "off"})
    [run] = database.rows("SELECT * FROM pruned.runs WHERE job = %s", [SLOT])
    assert (run["state"], run["attempts"]) == ("waiting", 0) and len(list(root.iterdir())) == len(objects.rows()) == 8
    objects.again()
    [run] = database.rows("SELECT * FROM pruned.runs WHERE job = %s", [SLOT])
    assert run["state"] == "finished" and list(root.iterdir()) == objects.rows() == []
