"""`run --until-idle` does the work that is due now, waits for work that has begun, leaves later
work, and ends with 0."""

import pytest

from support.instance import Instance
from support.scene import fill, now, refuse_rows, result, tick_id
from support.slow import hold_rows, let_held_rows_go

pytestmark = pytest.mark.built_in

CHAIN = "scratch.remove"


def tick(scene, job=CHAIN, **delta):
    at = now(**(delta or {"minutes": -1}))
    scene.topics.tick(job, at)
    return tick_id(job, at)


@pytest.mark.check_all
def test_a_run_that_pauses_between_two_pages_is_waited_for_and_so_is_what_comes_meanwhile(scene):
    scene.settings["jobs.scratch.remove.delay_ms"] = 1500
    fill(scene.database, 25)
    hold_rows(scene.database, "OLD.id = 1")  # the line of the last page
    run_id = tick(scene)
    daemon = scene.start("--until-idle")
    scene.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s", [run_id])
    other = tick(scene, "scratch.wide")
    let_held_rows_go(scene.database)
    assert daemon.wait(60) == 0
    row = scene.run_row(run_id)
    assert (row["state"], row["step"], result(row)["removed"]) == ("finished", 3, 25)
    assert scene.run_row(other)["state"] == "finished"


def test_children_and_what_they_start_are_done_too(scene):
    there = Instance(scene.database)
    there.user(user_type=5, username="ghost")
    bots = [there.user(user_type=6) for _ in range(3)]
    group = there.group()
    for bot in bots:
        there.member(bot, group, expires_at=there.day(-1))
    tick(scene, "members.remove_expired")
    scene.run_until_idle()
    assert there.ids("users", f"id = ANY ('{{{','.join(map(str, bots))}}}')") == []
    assert scene.database.column("SELECT DISTINCT state FROM pruned.runs") == ["finished"]


def test_a_waiting_run_whose_time_has_come_is_done_also_if_it_failed_before(scene):
    fill(scene.database, 3)
    scene.database.execute(
        "INSERT INTO pruned.runs (run_id, job, state, attempts, error, scheduled_at, due_at) VALUES "
        "(gen_random_uuid(), 'scratch.remove', 'waiting', 2, 'failed before', now() - interval '1 h', now() - interval '1 s'), "
        "(gen_random_uuid(), 'scratch.wide', 'waiting', 0, NULL, now() - interval '1 h', now() - interval '1 s')")
    scene.run_until_idle()
    assert scene.database.column("SELECT DISTINCT state FROM pruned.runs") == ["finished"]
    assert scene.database.value("SELECT count(*) FROM scratch") == 0


# Work for later. Each function returns the run that must be left when the daemon has ended.

def ahead_of_its_time(scene):
    return tick(scene, hours=1)


def timer_of_another_day(scene):
    """Not tomorrow: that may begin at any moment."""
    there = Instance(scene.database)
    member = there.member(there.user(), there.group(), expires_at=there.day(2))
    scene.topics.event("MemberExpirySet", {"member_id": member, "expires_at": str(there.day(2))})


def back_off(scene):
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    return tick(scene)


def back_off_in_the_middle(scene):
    fill(scene.database, 40)
    refuse_rows(scene.database, "OLD.id < 21")
    return tick(scene)


def blocked(scene):
    """A job whose table is missing when it is loaded would be refused."""
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    scene.database.execute("DROP TABLE scratch")
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 1})
    run_id = str(scene.database.wait("SELECT run_id FROM pruned.runs WHERE job = 'scratch.one' AND state = 'waiting'"))
    assert daemon.stop() == 0
    return run_id


def paused(scene):
    scene.run("pause", CHAIN).ok()
    return tick(scene)


def paused_when_its_message_was_lost(scene):
    scene.run("pause", CHAIN).ok()
    run_id = tick(scene)
    scene.run_until_idle()
    scene.database.execute("UPDATE pruned.runs SET state = 'ready', due_at = now()")
    return run_id


def paused_between_two_pages(scene):
    run_id = ahead_of_its_time(scene)
    scene.run_until_idle()
    scene.database.execute("""UPDATE pruned.runs SET step = 3, due_at = now(), cursor = '{"day": "2026-01-01", "id": 6}'""")
    scene.run("pause", CHAIN).ok()
    return run_id


def store_that_is_down(scene):
    scene.settings["store.local.root"] = scene.folder / "not there"
    scene.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at) "
                           "VALUES (1, 'a', 'b', 7, now() - interval '1 h')")
    tick(scene, "ci.schedule_delete_objects")


@pytest.mark.check_first(2)
@pytest.mark.parametrize("later", [
    ahead_of_its_time, timer_of_another_day, back_off, back_off_in_the_middle, blocked, paused,
    paused_when_its_message_was_lost, paused_between_two_pages, store_that_is_down], ids=lambda f: f.__name__)
def test_work_for_later_is_left(new_scene, later):
    scene = new_scene({"jobs.scratch.remove.batch": 20})
    run_id = later(scene)
    other = tick(scene, "scratch.wide", minutes=-2)
    scene.run_until_idle()
    [left] = scene.database.column("SELECT run_id::text FROM pruned.runs WHERE state IN ('waiting', 'ready')")
    assert run_id in (None, left)
    assert scene.run_row(other)["state"] == "finished"


def test_it_ends_with_0_whatever_became_of_the_runs(scene):
    scene.settings |= {"jobs.scratch.remove.max_attempts": 0, "jobs.scratch.remove.batch": 25, "jobs.scratch.wide.enabled": False}
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    dead, skipped = tick(scene), tick(scene, "scratch.wide")
    scene.topics.produce("ticks", b"nonsense")
    scene.run_until_idle()
    assert (scene.run_row(dead)["state"], scene.run_row(skipped)["state"]) == ("dead", "skipped")
    assert len(scene.topics.read("dead")) == 1


def test_with_nothing_to_do_it_ends(scene):
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM pruned.runs") == 0


def test_what_was_sent_leaves_the_outbox_without_the_next_round_of_housekeeping(scene):
    """Housekeeping, which comes by once a second, waits: somebody else writes down their
    settings."""
    fill(scene.database, 3)
    with scene.database.connect() as other, other.transaction():
        other.execute("SELECT pg_advisory_xact_lock(hashtext('pruned.settings'))")
        run_id = tick(scene)
        daemon = scene.start("--until-idle")
        scene.wait_run(run_id, "finished")
        scene.database.wait("SELECT count(*) FROM pruned.unpublished WHERE run_id = %s", [run_id], until=0)
    assert daemon.wait() == 0


# For two seconds after the end of a run nobody takes out what it has sent.
REFUSE = """
    CREATE FUNCTION public.not_yet() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN
           IF OLD.job = 'scratch.remove' AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.finished_at < clock_timestamp() - interval '2 s') THEN
             RAISE EXCEPTION 'not yet' USING ERRCODE = '55P03';
           END IF;
           RETURN OLD;
         END $$;
    CREATE TRIGGER not_yet BEFORE DELETE ON pruned.unpublished FOR EACH ROW EXECUTE FUNCTION public.not_yet()
"""


def test_an_outbox_that_cannot_be_emptied_for_a_while_is_waited_for(scene):
    scene.database.connection.execute(REFUSE)
    fill(scene.database, 3)
    run_id = tick(scene)
    daemon = scene.start("--until-idle")
    assert daemon.wait() == 0
    assert scene.run_row(run_id)["state"] == "finished"
    assert daemon.lines("Could not check for remaining work")
    assert scene.database.value("SELECT count(*) FROM pruned.unpublished") == 0
