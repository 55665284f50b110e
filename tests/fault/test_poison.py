"""A message that kills its process is put aside after three deaths. No other message is."""

import pytest

from stack.process import wait_until
from support.scene import beside_jobs, fill, now, outcome_id, result, tick_id

JOB = "scratch.wide"


@pytest.fixture
def poisoned(scene_with_faults):
    """A scene with one lane."""
    scene_with_faults.settings["jobs.scratch.wide.capacity"] = 1
    return scene_with_faults


def die(scene, point, run_id, times):
    for _ in range(times):
        assert scene.start(environment=armed(point, run_id)).wait(60) == -9


def armed(point, run_id):
    return {"PRUNED_FAULT": f"{point}={run_id}:kill"}


def produce(scene, n):
    """Sends ticks of N runs of one lane, a minute apart. Returns the run ids in the order of the
    topic."""
    times = [now(minutes=i - n) for i in range(n)]
    for i, at in enumerate(times):
        scene.topics.tick(JOB, at, {"n": i + 1})
    return [tick_id(JOB, at, f'{{"n":{i + 1}}}') for i, at in enumerate(times)]


def suspects(scene):
    return scene.database.column("SELECT deaths FROM pruned.suspects WHERE topic LIKE %s", [f"{scene.topics.prefix}.%"])


@pytest.mark.check_all
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_run_that_kills_its_process_is_dead_after_three_deaths_and_its_neighbours_go_on(poisoned, place):
    ids = produce(poisoned, 5)
    poison = ids[place]
    die(poisoned, "step.after_fence", poison, 3)
    assert poisoned.run_row(poison)["state"] == "ready"
    daemon = poisoned.run_until_idle(environment=armed("step.after_fence", poison))
    row = poisoned.run_row(poison)
    assert (row["state"], row["attempts"], row["step"], row["unique_key"]) == ("dead", 1, 0, None)
    assert row["error"].startswith("poison: ")
    assert {poisoned.run_row(i)["state"] for i in ids if i != poison} == {"finished"}
    assert poisoned.database.column("SELECT id FROM scratch_log ORDER BY id") == [n + 1 for n in range(5) if n != place]
    assert suspects(poisoned) == []
    [line] = daemon.lines("Run is dead", level="error", job=JOB, run_id=poison)
    assert line["error"] == row["error"]
    [said] = [m for m in poisoned.topics.outcomes("RunFinished") if m.text_key == poison]
    assert (said.value["state"], said.value["error"]) == ("dead", row["error"])
    assert said.headers["ce_id"] == outcome_id(poison, 0, "RunFinished", poison)


@pytest.mark.check_all
def test_three_processes_die_one_after_the_other_and_the_next_one_goes_on_without_it(new_scene):
    """Each process takes the lane over from the one before."""
    scene = new_scene({"jobs.scratch.wide.capacity": 1}).with_faults(at_once=3)
    ids = produce(scene, 5)
    armed_ = armed("step.after_fence", ids[1])
    daemons = [scene.start(environment=armed_) for _ in range(3)]
    assert [daemon.wait(120) for daemon in daemons] == [-9] * 3
    after = [scene.start(environment=armed_) for _ in range(3)]
    assert scene.wait_run(ids[1], "dead", deadline_s=60)["error"].startswith("poison: ")
    for other in ids[:1] + ids[2:]:
        scene.wait_run(other, "finished", deadline_s=60)
    wait_until(lambda: suspects(scene) == [], 30, "no suspects left: they are removed after the end of the run")
    assert all(daemon.running for daemon in after)
    at = now()
    scene.topics.tick(JOB, at, {"n": 9})
    assert scene.wait_run(tick_id(JOB, at, '{"n":9}'))["state"] == "finished"


@pytest.mark.check_all
def test_after_two_deaths_a_run_still_finishes(poisoned):
    ids = produce(poisoned, 3)
    die(poisoned, "step.after_fence", ids[1], 2)
    poisoned.run_until_idle()
    assert {poisoned.run_row(i)["state"] for i in ids} == {"finished"}
    assert suspects(poisoned) == []


@pytest.mark.check_all
def test_deaths_of_more_than_three_days_ago_do_not_count(poisoned):
    [poison] = produce(poisoned, 1)
    die(poisoned, "step.after_fence", poison, 3)
    poisoned.database.execute("UPDATE pruned.suspects SET at = at - interval '73 hours'")
    poisoned.run_until_idle()
    assert poisoned.run_row(poison)["state"] == "finished"


@pytest.mark.check_all
def test_a_chain_that_dies_of_poison_can_be_retried_by_hand(poisoned):
    fill(poisoned.database, 25)
    at = now(minutes=-1)
    poisoned.topics.tick("scratch.remove", at)
    poison = tick_id("scratch.remove", at)
    die(poisoned, "step.after_fence", poison, 3)
    poisoned.run_until_idle(environment=armed("step.after_fence", poison))
    assert poisoned.run_row(poison)["state"] == "dead"
    poisoned.run("retry", poison).ok()
    poisoned.run_until_idle()
    row = poisoned.run_row(poison)
    assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, 25)


def test_a_message_that_kills_intake_goes_to_the_dead_topic_and_its_neighbours_go_on(poisoned):
    ids = produce(poisoned, 5)
    poison = ids[2]
    die(poisoned, "intake.decoded", poison, 3)
    assert poisoned.topics.read("dead") == []
    poisoned.run_until_idle(environment=armed("intake.decoded", poison))
    [letter] = poisoned.topics.read("dead")
    [sent] = [m for m in poisoned.topics.read("ticks") if m.value["args"] == {"n": 3}]
    assert letter.raw == sent.raw and letter.headers["pruned_reason"].startswith("poison: ")
    assert letter.headers["pruned_attempts"] == "3"
    source = (poisoned.topics.full("ticks"), str(sent.partition), str(sent.offset))
    assert source == tuple(letter.headers[f"pruned_source_{name}"] for name in ("topic", "partition", "offset"))
    assert poisoned.run_row(poison) is None
    assert {poisoned.run_row(i)["state"] for i in ids if i != poison} == {"finished"}
    assert suspects(poisoned) == []


@pytest.mark.check_all
def test_a_message_that_killed_intake_is_not_met_again_by_the_next_processes(poisoned):
    """Burying the message moves the position in PostgreSQL, where the next process begins."""
    before, poison = produce(poisoned, 2)
    die(poisoned, "intake.decoded", poison, 3)
    for _ in range(3):
        poisoned.run_until_idle(environment=armed("intake.decoded", poison))
    assert len(poisoned.topics.read("dead")) == 1
    assert poisoned.run_row(poison) is None and poisoned.run_row(before)["state"] == "finished"
    [place] = poisoned.database.rows("SELECT next_offset FROM pruned.intake WHERE topic = %s", [poisoned.topics.full("ticks")])
    assert place["next_offset"] == 2


SLOW = """
SELECT 1::bigint AS key, 1::bigint AS id
FROM (SELECT pg_sleep((:args::jsonb ->> 'seconds')::float)) s
WHERE :cursor.id::bigint < 1
ORDER BY id
"""
KEPT = "SELECT k AS key, 'kept' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k"
SLOW_CONF = """
[job]
starts = tick
capacity = 1
table = scratch
arguments = seconds
cursor = id bigint
"""


@pytest.fixture
def slow(new_scene, tmp_path):
    """Two jobs with a lane each. Their steps take as long as the tick says."""
    folder = beside_jobs(tmp_path / "jobs")
    for name in ("scratch.slow", "scratch.slower"):
        (folder / name).mkdir()
        (folder / name / "job.conf").write_text(SLOW_CONF)
        (folder / name / "page.sql").write_text(SLOW)
        (folder / name / "decide.sql").write_text(KEPT)
    scene = new_scene({"run.jobs_dir": folder, "run.workers": 4}).with_faults()
    # The server must end the statements of a dead process: otherwise they keep its runs locked
    # while they sleep.
    scene.database.execute(f"ALTER DATABASE {scene.database.value('SELECT quote_ident(current_database())')}"
                           " SET client_connection_check_interval = '50ms'")
    return scene


def test_a_run_that_was_under_way_when_another_killed_the_process_still_finishes(slow):
    """The run of the other lane takes seconds, so that it is still under way at each death."""
    at = now(minutes=-1)
    slow.topics.tick("scratch.slower", at, {"seconds": 6})
    slow.topics.tick("scratch.slow", at, {"seconds": 0})
    innocent = tick_id("scratch.slower", at, '{"seconds":6}')
    poison = tick_id("scratch.slow", at, '{"seconds":0}')
    deaths = armed("step.after_fence", poison)
    died = 0
    while slow.start("--until-idle", environment=deaths).wait(60) == -9:
        died += 1
        assert died <= 3, "it dies again and again"
    row = slow.run_row(poison)
    assert row["state"] == "dead" and row["error"].startswith("poison: ")
    assert slow.run_row(innocent)["state"] == "finished"
    assert suspects(slow) == []


@pytest.mark.check_all
def test_a_message_under_way_at_two_deaths_is_tried_alone(slow):
    """Kills from outside: two deaths with several messages under way convict none of them."""
    at = now(minutes=-1)
    runs = {}
    for job in ("scratch.slow", "scratch.slower"):
        slow.topics.tick(job, at, {"seconds": 5})
        runs[job] = tick_id(job, at, '{"seconds":5}')
    for _ in range(2):
        daemon = slow.start()
        slow.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'", until=2)
        daemon.kill()
        slow.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'", until=0)
    assert max(suspects(slow)) == 2
    daemon = slow.run_until_idle()
    assert {slow.run_row(run_id)["state"] for run_id in runs.values()} == {"finished"}
    lines = [line for line in daemon.lines() if line["message"] in ("Started", "Finished") and line.get("job") in runs]
    assert [line["message"] for line in lines] == ["Started", "Finished"] * 2, "one after the other"
    assert suspects(slow) == []
