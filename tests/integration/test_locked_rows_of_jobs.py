"""Rows that another session holds, in the built-in jobs that go by C: what else is to go goes, what
is held waits without an attempt, or is passed over, and goes once it is free."""

import pytest

from stack.process import wait_until
from support.every_job import SETTINGS
from support.instance import Instance
from support.locked import busy, held
from support.scene import now, result, tick_id

pytestmark = [pytest.mark.built_in, pytest.mark.check_all]

PRUNE, OBJECTS = "members.prune_deletions", "ci.delete_objects"


def begin(scene):
    there = Instance(scene.database)
    there.user(user_type=5, username="ghost")
    admin, group = there.user(admin=True), there.group()
    there.owner(admin, group)
    return there, admin, group


def held_rows(scene):
    """What `doctor` says of each job whose rows are held."""
    findings = [f for f in scene.run("doctor", "--json").json() if f["check"] == "rows held" and not f["ok"]]
    return {f["detail"].partition(":")[0]: f for f in findings}


def prune(scene):
    scene.topics.tick("members.schedule_prune_deletions", now(minutes=-1))
    scene.run_until_idle()
    (row,) = scene.database.rows("SELECT * FROM pruned.runs WHERE job = %s ORDER BY created_at DESC LIMIT 1", [PRUNE])
    return row


def test_what_is_held_of_a_scheduled_removal_stops_no_other(new_scene):
    """A schedule with most of the page is held itself, of another one a membership, of a third one
    nothing but the schedule is left."""
    scene = new_scene()
    there, admin, group = begin(scene)
    top = there.group()
    leavers = [there.user() for _ in range(5)]
    whole, part, empty, *free = leavers
    of_whole = [there.member(whole, there.group(parent=top)) for _ in range(25)]
    of_part = [there.member(part, group), there.member(part, project=there.project(group)), there.member(part, there.group(parent=group))]
    for user in free:
        there.member(user, group)
    schedules = {user: there.leave(top if user == whole else group, user, by=admin) for user in leavers}
    name = f"forgotten {scene.database.name}"
    with held(scene.database, f"SELECT FROM members_deletion_schedules WHERE id IN ({schedules[whole]}, {schedules[empty]}) FOR UPDATE",
              f"SELECT FROM members WHERE id = {of_part[1]} FOR UPDATE", forgotten=name):
        row = prune(scene)
        assert (row["state"], row["attempts"], row["error"]) == ("finished", 0, None), row
        assert result(row) | {"gone": 0} == {"status": "completed", "updated_rows": 2, "removed": 4, "denied": 0, "gone": 0, "failed": 0, "busy": 3}
        assert there.ids("members_deletion_schedules") == sorted(schedules[user] for user in (whole, part, empty))
        assert there.ids("members", f"user_id = ANY (ARRAY{leavers})") == sorted([*of_whole, of_part[1]])
        assert [one["item"] for one in busy(scene.database)] == sorted(
            [f"members:{of_part[1]}", f"members_deletion_schedules:{schedules[whole]}", f"members_deletion_schedules:{schedules[empty]}"])
        assert scene.daemons[-1].lines(level="error") == []
        found = held_rows(scene)[PRUNE]
        assert f"'{name}'" in found["detail"] and "ROLLBACK PREPARED" in found["remedy"], found
    row = prune(scene)
    assert (row["state"], result(row)["updated_rows"], result(row)["removed"], result(row).get("busy")) == ("finished", 3, 26, None)
    assert there.ids("members", f"user_id = ANY (ARRAY{leavers})") == there.ids("members_deletion_schedules") == busy(scene.database) == []


def test_a_held_group_user_or_object_waits_alone(new_scene):
    """One lane each: the other runs of the lane go on."""
    scene = new_scene(SETTINGS)
    scene.settings["store.local.root"] = scene.folder / "objects"
    scene.settings["store.local.root"].mkdir()
    there, admin, group = begin(scene)
    there.period(7)
    tops = [there.group() for _ in range(3)]
    projects = [there.project(there.group(parent=top)) for top in tops]
    for top in tops:
        there.mark(top, admin, ago=30)
    bots = [there.user(user_type=6) for _ in range(3)]
    for bot in bots:
        there.member(bot, group, expires_at=there.day(-1))
    details, placeholders = zip(*(there.placeholder() for _ in range(3)))
    objects = [there.put("ci_deleted_objects", file_store=1, store_dir="", file=f"{n}", project_id=7, pick_up_at=there.at) for n in range(5)]
    database = scene.database

    def left():
        return (there.ids("namespaces", f"id = ANY (ARRAY{tops})"), there.ids("users", f"id = ANY (ARRAY{bots})"),
                there.ids("users", f"id = ANY (ARRAY{list(placeholders)})"), there.ids("ci_deleted_objects"))

    def waiting():
        return sorted(database.column("SELECT job FROM pruned.runs WHERE state IN ('waiting', 'ready') AND attempts = 0 AND error_class = '55P03'"))

    def tick():
        for job in ("groups.adjourned_deletion", "members.remove_expired", "imports.placeholder_cleanup", "ci.schedule_delete_objects"):
            scene.topics.tick(job, now(minutes=-1))

    name = f"forgotten {database.name}"
    with held(database, f"SELECT FROM projects WHERE id = {projects[0]} FOR UPDATE",
              f"SELECT FROM group_deletion_schedules WHERE group_id = {tops[1]} FOR UPDATE",
              f"SELECT FROM users WHERE id IN ({bots[0]}, {placeholders[0]}) FOR UPDATE",
              f"SELECT FROM import_placeholder_user_details WHERE id = {details[1]} FOR UPDATE",
              f"SELECT FROM ci_deleted_objects WHERE id = {objects[2]} FOR UPDATE", forgotten=name):
        daemon = scene.start()
        tick()
        wait_until(lambda: left() == (tops[:2], bots[:1], list(placeholders[:2]), [objects[2]]), 120, lambda: f"the others: {left()}")
        wait_until(lambda: waiting() == ["groups.destroy", "users.delete_placeholder", "users.destroy"], 60, lambda: f"those that wait: {waiting()}")
        wait_until(lambda: len(busy(database)) == 3, 60, lambda: f"rows that are passed over: {busy(database)}")
        assert [one["item"] for one in busy(database)] == [f"ci_deleted_objects:{objects[2]}", f"group_deletion_schedules:{tops[1]}",
                                                           f"import_placeholder_user_details:{details[1]}"]
        ended = "SELECT state, step, attempts, result FROM pruned.runs WHERE job = %s AND finished_at IS NOT NULL"
        (run,) = wait_until(lambda: database.rows(ended, [OBJECTS]), 60, "the end of the slot")
        assert (run["state"], run["attempts"], result(run)["updated_rows"], result(run)["busy"]) == ("finished", 0, 4, 1)
        assert run["step"] < 10, "it turns round"
        found = held_rows(scene)
        assert found.keys() == {"groups.adjourned_deletion", "groups.destroy", "imports.placeholder_cleanup",
                                "users.delete_placeholder", "users.destroy", OBJECTS}
        assert all(f"'{name}'" in one["detail"] for one in found.values()), found
    scene.topics.tick("groups.adjourned_deletion", now())
    scene.topics.tick("imports.placeholder_cleanup", now())
    scene.topics.tick("ci.schedule_delete_objects", now())
    wait_until(lambda: left() == ([], [], [], []), 120, lambda: f"what is free now: {left()}")
    assert database.value("SELECT count(*) FROM pruned.runs WHERE attempts > 0 OR state = 'dead'") == 0
    assert busy(database) == [] and daemon.lines(level="error") == []
