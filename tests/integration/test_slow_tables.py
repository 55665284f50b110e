"""Tables on which every row takes long: each job ends, with fewer rows in a step, and no attempt is
charged."""

import pytest

from support.instance import tenant  # noqa: F401
from support.objects import SLOT, ListedObjects
from support.scene import fill, now, result, tick_id
from support.slow import ENDLESS_S, cancel_until, slow_table

pytestmark = pytest.mark.built_in

EACH_S = 0.25
N = 10  # all rows together take longer than the budget, a part does not
BUDGET_MS = 2000  # less is taken for as much


def budget(*jobs):
    """With pages of which few cuts leave a part of N rows."""
    return {f"jobs.{job}.{name}": value for job in jobs for name, value in {"budget_ms": BUDGET_MS, "batch": 2 * N}.items()}


def assert_cut_and_done(lines, run, state="finished"):
    """The first steps were too long: the log says so, and no attempt was charged."""
    assert (run["state"], run["attempts"]) == (state, 0), run["error"]
    cut = [line for line in lines("Step failed") if line["run_id"] == str(run["run_id"])]
    assert cut and {line["error_class"] for line in cut} == {"57014"} and {line["level"] for line in cut} == {"warning"}
    assert all(line["limit"] >= 1 for line in cut) and not lines(level="error")


@pytest.mark.check_all
def test_scheduled_removals(tenant):  # noqa: F811
    """One membership each: the limit applies to all together, not to those of one schedule."""
    top, admin = tenant.group(), tenant.user(admin=True)
    for _ in range(N):
        user = tenant.user()
        tenant.member(user, top)
        tenant.leave(top, user, admin)
    slow_table(tenant.database, "members", EACH_S)
    tenant.tick("members.schedule_prune_deletions", **budget("members.prune_deletions"))
    (run,) = tenant.runs("members.prune_deletions")
    assert_cut_and_done(tenant.lines, run)
    assert {"removed": N, "updated_rows": N}.items() <= result(run).items()
    assert tenant.ids("members") == tenant.ids("members_deletion_schedules") == []


@pytest.mark.check_all
def test_schedules_whose_own_rows_are_slow(tenant):  # noqa: F811
    top, admin = tenant.group(), tenant.user(admin=True)
    for _ in range(N):
        tenant.leave(top, tenant.user(), admin)
    slow_table(tenant.database, "members_deletion_schedules", EACH_S)
    tenant.tick("members.schedule_prune_deletions", **budget("members.prune_deletions"))
    (run,) = tenant.runs("members.prune_deletions")
    assert_cut_and_done(tenant.lines, run)
    assert tenant.ids("members_deletion_schedules") == []


@pytest.mark.check_all
@pytest.mark.parametrize("table, when", [("members", "DELETE"), ("notification_settings", "DELETE")])
def test_expired_members(tenant, table, when):  # noqa: F811
    top = tenant.group()
    for _ in range(N):
        user = tenant.user()
        tenant.member(user, top, expires_at=tenant.day(-1))
        tenant.put("notification_settings", user_id=user, source_type="Namespace", source_id=top)
    slow_table(tenant.database, table, EACH_S, when)
    run = tenant.tick("members.remove_expired", **budget("members.remove_expired"), **{"jobs.members.remove_expired.delay_ms": 0})
    assert_cut_and_done(tenant.lines, run)
    assert result(run)["removed"] == N and tenant.ids("members") == tenant.ids("notification_settings") == []


def doom(tenant, group, actor):  # noqa: F811
    tenant.period(7)
    tenant.mark(group, actor, 30)
    tenant.tick("groups.adjourned_deletion", **{"jobs.groups.adjourned_deletion.spacing_ms": 0}, **budget("groups.destroy"))
    (run,) = tenant.runs("groups.destroy")
    return run


@pytest.mark.check_all
@pytest.mark.parametrize("table", ["projects", "namespaces", "routes"])
def test_a_group_with_many_projects(tenant, table):  # noqa: F811
    top, actor = tenant.group(), tenant.user(admin=True)
    for _ in range(N):
        tenant.project(top)
    slow_table(tenant.database, table, EACH_S)
    run = doom(tenant, top, actor)
    assert_cut_and_done(tenant.lines, run)
    assert result(run)["projects"] == N and tenant.ids("projects") == tenant.ids("namespaces") == []


@pytest.mark.check_all
@pytest.mark.parametrize("table", ["members", "things", "parts", "ci_job_artifacts"])
def test_a_group_with_many_rows(tenant, table):  # noqa: F811
    """Rows of tables that the job knows, and rows that only a foreign key ties to the group:
    directly, and over other tables."""
    top, actor = tenant.group(), tenant.user(admin=True)
    project = tenant.project(top)
    tenant.database.connection.execute("""
        CREATE TABLE things (id bigint PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE);
        CREATE TABLE parts (id bigint PRIMARY KEY, thing_id bigint REFERENCES things ON DELETE CASCADE);
        GRANT SELECT, UPDATE, DELETE ON things, parts TO PUBLIC""")
    for n in range(N):
        tenant.member(tenant.user(), project=project)
        tenant.put("things", id=n, project_id=project)
        tenant.put("parts", id=n, thing_id=n)
        tenant.put("ci_job_artifacts", project_id=project, job_id=n, file="a.zip")
    slow_table(tenant.database, table, EACH_S)
    run = doom(tenant, top, actor)
    assert_cut_and_done(tenant.lines, run)
    assert tenant.ids("projects") == tenant.ids(table) == [] and result(run)["members"] == result(run)["artifacts"] == N
    recorded = tenant.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions WHERE table_name = %s", [table])
    assert recorded == N and len(tenant.outcomes("MemberRemoved")) == N


@pytest.mark.check_all
@pytest.mark.parametrize("place", ["groups", "projects"])
def test_a_group_with_many_users_to_refresh(tenant, place):  # noqa: F811
    """All refreshes are requested before anything is removed. That is cut as well: groups and
    projects come in parts."""
    top, actor = tenant.group(), tenant.user(admin=True)
    users = [tenant.user() for _ in range(N)]
    for user in users:
        if place == "groups":
            tenant.member(user, tenant.group(top))
        else:
            tenant.member(user, project=tenant.project(top))
    slow_table(tenant.database, "pruned.dirty_users", EACH_S, "INSERT")
    assert_cut_and_done(tenant.lines, doom(tenant, top, actor))
    assert tenant.database.column("SELECT user_id FROM pruned.dirty_users ORDER BY 1") == users and tenant.ids("namespaces") == []


def test_a_batch_bounds_the_projects_of_a_step(tenant):  # noqa: F811
    top, actor = tenant.group(), tenant.user(admin=True)
    for _ in range(5):
        tenant.project(top)
    tenant.period(7)
    tenant.mark(top, actor, 30)
    tenant.tick("groups.adjourned_deletion", **{"jobs.groups.adjourned_deletion.spacing_ms": 0, "jobs.groups.destroy.batch": 2})
    gone = tenant.database.column("SELECT jsonb_array_length(keys) FROM pruned.deletions WHERE table_name = 'projects' ORDER BY step")
    assert gone == [2, 2, 1]


@pytest.mark.check_all
def test_groups_that_are_taken_back(tenant):  # noqa: F811
    tenant.period(7)
    weak = tenant.user()  # no owner any more
    for _ in range(N):
        tenant.mark(tenant.group(), weak, 30)
    slow_table(tenant.database, "group_deletion_schedules", EACH_S)
    run = tenant.tick("groups.adjourned_deletion", **budget("groups.adjourned_deletion"))
    assert_cut_and_done(tenant.lines, run)
    assert tenant.ids("group_deletion_schedules", key="group_id") == []


@pytest.mark.check_all
def test_placeholders(tenant):  # noqa: F811
    for _ in range(N):
        tenant.placeholder()
    slow_table(tenant.database, "import_placeholder_user_details", EACH_S, "UPDATE")
    job = "imports.placeholder_cleanup"
    run = tenant.tick(job, **budget(job), **{f"jobs.{job}.spacing_ms": 3600000})
    assert_cut_and_done(tenant.lines, run)
    assert result(run)["scheduled"] == N and tenant.database.column("SELECT DISTINCT deletion_attempts FROM import_placeholder_user_details") == [1]


@pytest.mark.check_all
@pytest.mark.parametrize("table, when", [("issues", "UPDATE"), ("members", "DELETE"), ("todos", "DELETE"), ("tokens", "DELETE")])
def test_a_user(tenant, table, when):  # noqa: F811
    """Rows that move to the ghost user, rows that are only the user's, and rows that go by a
    key."""
    top = tenant.group()
    bot, project = tenant.user(user_type=6), tenant.project(top)
    tenant.member(bot, project=project, expires_at=tenant.day(-1))
    tenant.database.connection.execute("CREATE TABLE tokens (id bigint PRIMARY KEY, user_id bigint REFERENCES users ON DELETE CASCADE);"
                                       "GRANT SELECT, UPDATE, DELETE ON tokens TO PUBLIC")
    for n in range(N):
        tenant.put("issues", author_id=bot, project_id=project)
        tenant.put("todos", user_id=bot, author_id=bot, project_id=project, action=1, target_type="Issue", state="pending")
        tenant.put("tokens", id=n, user_id=bot)
        if table == "members":
            tenant.member(bot, tenant.group())
    slow_table(tenant.database, table, EACH_S, when)
    tenant.tick("members.remove_expired", **budget("users.destroy"))
    (run,) = tenant.runs("users.destroy")
    assert_cut_and_done(tenant.lines, run)
    assert tenant.ids("users", f"id = {bot}") == tenant.ids("tokens") == tenant.ids("members") == []
    assert len(tenant.ids("issues", f"author_id <> {bot}")) == N


@pytest.mark.check_all
@pytest.mark.parametrize("when", ["DELETE", "UPDATE"])
def test_objects(pruned_with_slots, database, tmp_path, when):
    """Leasing rows, and settling rows whose objects are gone: no lease has to run out."""
    (tmp_path / "store").mkdir()
    objects = ListedObjects(pruned_with_slots, database, tmp_path / "store")
    objects.add(N, store=1)
    slow_table(database, "ci_deleted_objects", 0.4, when)
    daemon = objects.delete(**budget(SLOT))
    (run,) = objects.runs()
    assert (run["state"], run["attempts"], result(run)["updated_rows"]) == ("finished", 0, N)
    assert objects.rows() == [] and run["step"] > 2 and not daemon.lines(level="error")
    assert when == "DELETE" or daemon.lines("Step failed", error_class="57014", level="warning")


@pytest.mark.check_all
@pytest.mark.parametrize("table, when", [("project_authorizations", "DELETE"), ("project_authorizations", "INSERT"), ("todos", "DELETE")])
def test_one_user_with_many_rights(tenant, table, when):  # noqa: F811
    """A step can be smaller than one user: it takes some of their rows."""
    user, top = tenant.user(), tenant.group()
    projects = [tenant.project(top) for _ in range(N)]
    if when == "INSERT":
        tenant.member(user, top)
    for project in projects if when == "DELETE" else []:
        if table == "todos":
            tenant.put("todos", user_id=user, author_id=user, project_id=project, action=1, target_type="Issue", state="pending")
        else:
            tenant.put("project_authorizations", user_id=user, project_id=project, access_level=30)
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) SELECT %s, k, now() - interval '1 min' "
                            "FROM unnest('{authorizations,todos}'::text[]) k", [user])
    slow_table(tenant.database, table, EACH_S, when)
    job = "users.refresh_authorizations"
    run = tenant.tick(job, **budget(job))
    assert_cut_and_done(tenant.lines, run)
    assert run["step"] > 3
    assert len(tenant.ids("project_authorizations", f"user_id = {user}", "project_id")) == (N if when == "INSERT" else 0)
    assert tenant.ids("todos", f"user_id = {user}") == []
    assert tenant.database.value("SELECT count(*) FROM pruned.dirty_users") == 0


@pytest.mark.check_all
def test_a_row_that_takes_too_long_alone_stops_no_other(new_scene):
    """The row is charged, and quarantined after the third time. Its statements are cancelled
    as the server would after 15 s."""
    scene = new_scene({"jobs.scratch.remove.delay_ms": 0})
    fill(scene.database, 4)
    slow_table(scene.database, "scratch", ENDLESS_S, condition="OLD.id = 2")
    run_id = tick_id("scratch.remove", at := now(minutes=-1))
    scene.topics.tick("scratch.remove", at)
    daemon = scene.start()
    cancel_until(scene.database, "SELECT attempts = 1 FROM pruned.runs WHERE run_id = %s", [run_id])
    scene.database.execute("UPDATE pruned.runs SET cursor = cursor || '{\"timeouts\": 2}', due_at = now() WHERE run_id = %s", [run_id])
    cancel_until(scene.database, "SELECT state = 'finished' FROM pruned.runs WHERE run_id = %s", [run_id])
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"]) == ("finished", 1) and {"removed": 3, "failed": 1}.items() <= result(row).items()
    assert scene.database.column("SELECT item FROM pruned.quarantine") == ["scratch:2"] and daemon.stop() == 0


@pytest.mark.check_all
def test_no_step_is_longer_than_18_seconds_even_of_one_row(tenant):  # noqa: F811
    """Each of the two statements would be allowed its 11 s, and the budget is less. Nothing of the
    step stays, and it is charged, because it cannot be smaller."""
    user, top = tenant.user(), tenant.group()
    member = tenant.member(user, top, expires_at=tenant.day(-1))
    tenant.put("notification_settings", user_id=user, source_type="Namespace", source_id=top)
    for table in ("members", "notification_settings"):
        slow_table(tenant.database, table, 11)
    run = tenant.tick("members.remove_expired", **budget("members.remove_expired"))
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "57014" in run["error"]
    assert tenant.ids("members") == [member] and len(tenant.ids("notification_settings")) == 1
    for table in ("members", "notification_settings"):
        tenant.database.execute(f"DROP TRIGGER slow_{table} ON {table}")
    tenant.database.execute("UPDATE pruned.runs SET due_at = now()")
    tenant.work()
    assert tenant.ids("members") == tenant.ids("notification_settings") == []
