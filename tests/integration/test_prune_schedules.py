"""How scheduled removals are carried out: ten at a time, each with its own cursor, none in the way
of the others."""

import pytest

from stack.proxy import Proxy
from support.instance import Tenant, tenant  # noqa: F401
from support.scene import result
from support.writer import Writer

JOB, CHILD = "members.schedule_prune_deletions", "members.prune_deletions"


class Hierarchy(Tenant):
    """A group, and an administrator who schedules."""

    top: int
    admin: int


@pytest.fixture
def hierarchy(tenant):  # noqa: F811
    tenant = Hierarchy.of(tenant)
    tenant.top = tenant.group()
    tenant.admin = tenant.user(admin=True)
    return tenant


def many_projects(tenant, group, n):
    """N projects without routes; their ids."""
    return tenant.database.column("""INSERT INTO projects (name, path, namespace_id)
        SELECT 'p' || i, 'p' || i, %s FROM generate_series(1, %s) i RETURNING id""", [group, n])


def join(tenant, user, projects, level=30):
    return tenant.database.column("""INSERT INTO members (user_id, source_type, source_id, type, access_level)
        SELECT %s, 'Project', p, 'ProjectMember', %s FROM unnest(%s::bigint[]) p RETURNING id""", [user, level, projects])


def prune(tenant, **settings):
    tenant.tick(JOB, **settings)
    return tenant.runs(CHILD)[-1]


def test_a_hundred_denied_ones_never_hide_the_next(hierarchy):
    user, boss = hierarchy.user(), hierarchy.user()
    projects = many_projects(hierarchy, hierarchy.top, 251)
    members = join(hierarchy, user, projects)
    hierarchy.put("members", user_id=boss, source_type="Project", source_id=projects[-1], type="ProjectMember", access_level=40)
    hierarchy.leave(hierarchy.top, user, boss)
    run = prune(hierarchy)
    assert {"removed": 1, "denied": 250, "updated_rows": 1}.items() <= result(run).items()
    assert set(members) - set(hierarchy.ids("members")) == {members[-1]} and run["step"] == 3
    denied = [id for o in hierarchy.outcomes("MemberDeletionProcessed") for id in o["denied_member_ids"]]
    assert sorted(denied) == members[:-1]


def test_all_are_worked_off_by_one_chain(hierarchy):
    projects = many_projects(hierarchy, hierarchy.top, 5)
    users = [hierarchy.user() for _ in range(23)]
    for user in users:
        join(hierarchy, user, projects)
        hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    nobody = hierarchy.user()
    hierarchy.leave(hierarchy.top, nobody, hierarchy.admin)  # without any membership
    parent = hierarchy.tick(JOB)
    (run,) = hierarchy.runs(CHILD)
    assert result(parent)["scheduled"] == 1 and result(parent)["updated_rows"] == 0
    assert run["step"] == 3 and {"removed": 115, "updated_rows": 24, "status": "completed"}.items() <= result(run).items()
    assert hierarchy.ids("members_deletion_schedules") == []
    again = hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=1000))
    assert result(again)["reason"] == "nothing to do" and len(hierarchy.runs(CHILD)) == 1


def test_two_schedules_for_one_user_in_nested_namespaces(hierarchy):
    sub = hierarchy.group(parent=hierarchy.top)
    user, weak = hierarchy.user(), hierarchy.user()
    kept, gone = hierarchy.member(user, hierarchy.top), hierarchy.member(user, sub)
    hierarchy.owner(weak, sub)
    hierarchy.leave(sub, user, weak)
    hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    run = prune(hierarchy)
    assert {"removed": 2, "denied": 1, "updated_rows": 2}.items() <= result(run).items()
    assert not {kept, gone} & set(hierarchy.ids("members"))


def test_an_event_only_wakes_the_row_is_the_order(hierarchy):
    user = hierarchy.user()
    hierarchy.member(user, hierarchy.top)
    hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    for avro in (True, False):
        hierarchy.pruned.topics.event("MemberDeletionScheduled", {"namespace_id": 1, "user_id": 2, "scheduled_by_id": 3},
                                      ce_time=hierarchy.at, avro=avro)
    hierarchy.work()
    assert hierarchy.ids("members", f"user_id = {user}") == [] and hierarchy.ids("members_deletion_schedules") == []
    assert {r["parent_id"] for r in hierarchy.runs(CHILD)} == {None}
    assert sum(result(r)["updated_rows"] for r in hierarchy.runs(CHILD) if r["state"] == "finished") == 1


def test_over_the_budget_a_step_ends_between_schedules(hierarchy):
    projects = many_projects(hierarchy, hierarchy.top, 3)
    for _ in range(4):
        user = hierarchy.user()
        join(hierarchy, user, projects)
        hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    database = hierarchy.database
    # a statement takes longer than the budget
    far = Proxy(int(database.role_url.rpartition(":")[2].partition("/")[0]), delay_s=0.002)
    url = database.role_url.replace(f":{far.to}/", f":{far.port}/")
    run = prune(hierarchy, **{f"jobs.{CHILD}.budget_ms": 1, "postgres.url": url})
    assert run["step"] == 4 and {"removed": 12, "updated_rows": 4}.items() <= result(run).items()


@pytest.mark.check_all  # unit/engine/step/test_pace.c has the rule
def test_slow_removals_make_the_next_steps_smaller(hierarchy):
    """Ten schedules with a membership each are read at once, far less than a page may have."""
    for project in many_projects(hierarchy, hierarchy.top, 30):
        user = hierarchy.user()
        join(hierarchy, user, [project])
        hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    hierarchy.database.connection.execute("""
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.15); RETURN OLD; END $$;
        CREATE TRIGGER slow BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION slow()""")
    run = prune(hierarchy, **{f"jobs.{CHILD}.target_step_ms": 300})
    # 10 take 1.5 s, so that 5 come, then 2, which take the time that a step may take, or more
    assert {"removed": 30, "updated_rows": 30}.items() <= result(run).items()
    assert 10 <= run["step"] <= 18


def refuse(tenant, members):
    tenant.database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF OLD.id = ANY ('{{{','.join(map(str, members))}}}') THEN RAISE EXCEPTION 'not %', OLD.id; END IF; RETURN OLD; END $$;
        CREATE OR REPLACE TRIGGER no BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION no()""")


@pytest.mark.check_all
def test_a_membership_that_cannot_go_keeps_its_schedule_which_waits(hierarchy):
    user, other = hierarchy.user(), hierarchy.user()
    stuck, free = hierarchy.member(user, hierarchy.top), hierarchy.member(user, hierarchy.group(parent=hierarchy.top))
    fine = hierarchy.member(other, hierarchy.top)
    first, second = hierarchy.leave(hierarchy.top, user, hierarchy.admin), hierarchy.leave(hierarchy.top, other, hierarchy.admin)
    refuse(hierarchy, [stuck])
    run = prune(hierarchy)
    assert run["state"] == "finished" and {"removed": 2, "failed": 1, "updated_rows": 1}.items() <= result(run).items()
    assert hierarchy.ids("members_deletion_schedules") == [first] and not {free, fine} & set(hierarchy.ids("members"))
    items = {r["item"]: r for r in hierarchy.database.rows("SELECT * FROM pruned.quarantine")}
    assert set(items) == {f"members:{stuck}", f"members_deletion_schedules:{first}"}
    assert all(r["attempts"] == 1 and not r["parked"] for r in items.values()) and second not in items
    idle = hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=1000))
    assert result(idle)["reason"] == "nothing to do", "its next try lies ahead"
    hierarchy.database.execute("DROP TRIGGER no ON members")
    hierarchy.pruned.run("quarantine", "retry", CHILD).ok()
    hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=2000))
    assert hierarchy.ids("members_deletion_schedules") == [] and hierarchy.database.value("SELECT count(*) FROM pruned.quarantine") == 0


@pytest.mark.check_all
@pytest.mark.parametrize("refusal", ["RAISE EXCEPTION 'not schedule %', OLD.id", "RETURN NULL"])
def test_a_schedule_that_cannot_be_dropped_waits_and_the_others_go_on(hierarchy, refusal):
    users = [hierarchy.user() for _ in range(12)]
    members = [hierarchy.member(user, hierarchy.top) for user in users]
    schedules = [hierarchy.leave(hierarchy.top, user, hierarchy.admin) for user in users]
    stuck = {schedules[3], schedules[11]}
    hierarchy.database.connection.execute(f"""
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF OLD.id = ANY ('{{{','.join(map(str, stuck))}}}') THEN {refusal}; END IF; RETURN OLD; END $$;
        CREATE TRIGGER no BEFORE DELETE ON members_deletion_schedules FOR EACH ROW EXECUTE FUNCTION no()""")
    run = prune(hierarchy)
    assert run["state"] == "finished" and {"removed": 12, "failed": 2, "updated_rows": 10}.items() <= result(run).items()
    assert not set(members) & set(hierarchy.ids("members"))
    assert set(hierarchy.ids("members_deletion_schedules")) == stuck
    items = {r["item"]: r for r in hierarchy.database.rows("SELECT * FROM pruned.quarantine")}
    assert set(items) == {f"members_deletion_schedules:{id}" for id in stuck}
    assert all(r["attempts"] == 1 and not r["parked"] for r in items.values())
    assert len(hierarchy.lines("Scheduled member deletion cannot be processed")) == 2
    hierarchy.database.execute("DROP TRIGGER no ON members_deletion_schedules")
    hierarchy.pruned.run("quarantine", "retry", CHILD).ok()
    hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=1000))
    assert hierarchy.ids("members_deletion_schedules") == [] and hierarchy.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_a_namespace_that_is_no_group_is_said_and_the_others_go_on(hierarchy):
    project = hierarchy.project(hierarchy.top)
    own = hierarchy.row("projects", project)["project_namespace_id"]
    broken, rootless = hierarchy.group(), hierarchy.group()
    hierarchy.database.execute("UPDATE namespaces SET traversal_ids = '{}' WHERE id = %s", [broken])
    hierarchy.database.execute("UPDATE namespaces SET traversal_ids = ARRAY[NULL, id] WHERE id = %s", [rootless])
    users = [hierarchy.user() for _ in range(4)]
    members = [hierarchy.member(u, project=project) for u in users]
    wrong, empty, without = [hierarchy.leave(group, user, hierarchy.admin) for group, user in zip((own, broken, rootless), users)]
    hierarchy.leave(hierarchy.top, users[3], hierarchy.admin)
    run = prune(hierarchy)
    assert run["state"] == "finished" and {"failed": 3, "removed": 1, "updated_rows": 1}.items() <= result(run).items()
    assert set(members[:3]) <= set(hierarchy.ids("members")) and members[3] not in hierarchy.ids("members")
    assert hierarchy.ids("members_deletion_schedules") == [wrong, empty, without]
    assert len(hierarchy.lines("Scheduled member deletion cannot be processed")) == 3
    parked = {r["item"]: r["parked"] for r in hierarchy.database.rows("SELECT * FROM pruned.quarantine")}
    assert parked == {f"members_deletion_schedules:{n}": n == wrong for n in (wrong, empty, without)}


@pytest.mark.check_all
def test_the_parent_says_that_its_child_is_under_way(hierarchy):
    user = hierarchy.user()
    member = hierarchy.member(user, hierarchy.top)
    hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    hierarchy.pruned.run("pause", CHILD).ok()
    assert result(hierarchy.tick(JOB))["scheduled"] == 1
    again = result(hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=1000)))
    assert again["reason"] == "already running" and again["updated_rows"] == 0 and len(hierarchy.runs(CHILD)) == 1
    assert member in hierarchy.ids("members")


@pytest.mark.check_all
def test_a_schedule_is_parked_once_its_tries_are_used_up(hierarchy):
    user = hierarchy.user()
    refuse(hierarchy, [hierarchy.member(user, hierarchy.top)])
    schedule = hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    for tries in (1, 2):
        hierarchy.database.execute("UPDATE pruned.quarantine SET next_try_at = now()")
        hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=tries * 1000), **{f"jobs.{CHILD}.item_attempts": 2})
        row = hierarchy.database.row("SELECT * FROM pruned.quarantine WHERE item = %s", [f"members_deletion_schedules:{schedule}"])
        assert (row["attempts"], row["parked"]) == (tries, tries == 2)
    hierarchy.database.execute("UPDATE pruned.quarantine SET next_try_at = now()")
    assert result(hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=9000)))["reason"] == "nothing to do"


# --- concurrent changes: the application was first, and the daemon waits for it

@pytest.mark.check_first(1)
@pytest.mark.timeout(120)
@pytest.mark.parametrize("change", [
    "DELETE FROM users WHERE id = {boss}",
    "DELETE FROM members_deletion_schedules",
    "UPDATE namespaces SET parent_id = {elsewhere}, traversal_ids = ARRAY[{elsewhere}, {sub}] WHERE id = {sub}",
])
def test_what_the_application_changes_meanwhile_is_seen(hierarchy, change):
    user, boss, other = hierarchy.user(), hierarchy.user(admin=True), hierarchy.user()
    sub, elsewhere = hierarchy.group(parent=hierarchy.top), hierarchy.group()
    hierarchy.owner(other, sub)
    member = hierarchy.owner(user, sub)
    hierarchy.leave(hierarchy.top, user, boss)
    writer = Writer(hierarchy.database, change.format(boss=boss, elsewhere=elsewhere, sub=sub)).write()
    writer.start()
    try:
        run = prune(hierarchy)
    finally:
        writer.end()
    assert writer.waited and run["state"] == "finished" and result(run)["removed"] == 0
    assert member in hierarchy.ids("members")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("place, batch", [("sub", 100), ("project", 100), ("sub", 1)])
def test_a_membership_that_is_added_while_the_others_go_keeps_its_schedule(hierarchy, place, batch):
    """It is added after the page was read; another one, which is denied, keeps nothing."""
    database, user, boss = hierarchy.database, hierarchy.user(), hierarchy.user()
    sub, project = hierarchy.group(parent=hierarchy.top), hierarchy.project(hierarchy.top)
    hierarchy.owner(boss, sub)
    hierarchy.member(boss, project=project, level=40)
    denied, first = hierarchy.member(user, hierarchy.top), hierarchy.member(user, sub)
    hierarchy.leave(hierarchy.top, user, boss)
    source = {"sub": (sub, "Namespace", "GroupMember"), "project": (project, "Project", "ProjectMember")}[place]
    if place == "sub":
        source = (hierarchy.group(parent=sub), *source[1:])
    database.execute("CREATE TABLE added (id bigint)")
    database.execute(f"""
        CREATE FUNCTION add() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
            IF OLD.id = {first} THEN
                WITH new AS (INSERT INTO members (access_level, source_id, source_type, type, user_id)
                             VALUES (30, {source[0]}, '{source[1]}', '{source[2]}', {user}) RETURNING id)
                INSERT INTO added SELECT id FROM new;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER add AFTER DELETE ON members FOR EACH ROW EXECUTE FUNCTION add()""")
    run = prune(hierarchy, **{f"jobs.{CHILD}.batch": batch})
    added = database.value("SELECT id FROM added")
    assert run["state"] == "finished" and added not in hierarchy.ids("members") and denied in hierarchy.ids("members")
    assert hierarchy.ids("members_deletion_schedules") == [] and result(run)["removed"] == 2
    assert database.value("SELECT count(*) FROM pruned.quarantine") == 0


def test_an_added_membership_elsewhere_keeps_no_schedule(hierarchy):
    user, elsewhere = hierarchy.user(), hierarchy.group()
    hierarchy.member(user, hierarchy.top)
    hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    hierarchy.database.execute(f"""
        CREATE FUNCTION add() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
            INSERT INTO members (access_level, source_id, source_type, type, user_id)
            VALUES (30, {elsewhere}, 'Namespace', 'GroupMember', {user});
            RETURN NULL;
        END $$;
        CREATE TRIGGER add AFTER DELETE ON members FOR EACH ROW EXECUTE FUNCTION add()""")
    assert result(prune(hierarchy))["removed"] == 1
    assert hierarchy.ids("members_deletion_schedules") == [] and len(hierarchy.ids("members", f"user_id = {user}")) == 1


def test_a_schedule_of_a_held_membership_waits_for_the_end_of_the_hold_and_has_not_failed(hierarchy):
    """Its other memberships and later schedules go; nothing is in quarantine."""
    user, next_one = hierarchy.user(), hierarchy.user()
    held, gone = hierarchy.member(user, hierarchy.top), hierarchy.member(user, hierarchy.group(parent=hierarchy.top))
    later = hierarchy.member(next_one, hierarchy.top)
    order = hierarchy.leave(hierarchy.top, user, hierarchy.admin)
    hierarchy.leave(hierarchy.top, next_one, hierarchy.admin)
    hierarchy.pruned.run("hold", f"members:{held}", "--reason", "case 1").ok()
    run = prune(hierarchy, **{f"jobs.{CHILD}.batch": 1})
    assert {"removed": 2, "kept_hold": 1, "updated_rows": 1, "failed": 0}.items() <= result(run).items()
    assert hierarchy.ids("members", f"id IN ({held}, {gone}, {later})") == [held] and hierarchy.ids("members_deletion_schedules") == [order]
    assert hierarchy.database.rows("SELECT * FROM pruned.quarantine") == []
    assert hierarchy.lines("Scheduled member deletion cannot be processed") == []
    hierarchy.pruned.run("release", f"members:{held}", "--yes", "--reason", "over").ok()
    hierarchy.tick(JOB, at=hierarchy.at.replace(microsecond=1000))
    assert held not in hierarchy.ids("members") and hierarchy.ids("members_deletion_schedules") == []
