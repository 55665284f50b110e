"""Rows of the application's own tables that foreign keys take along, empty or set to a default with
a group or a user: they are counted before anything goes, stand in the result, and count for the
limits. What the job's page lists counts as the page says."""

import pytest

from support.cascades import doomed  # noqa: F401
from support.doomed import CHILD, JOB, destroy
from support.instance import tenant  # noqa: F401
from support.restored import actions, restore, world
from support.scene import result

USERS = "users.destroy"


# --- groups.destroy

@pytest.fixture
def laden(doomed):  # noqa: F811
    """Two groups with a project and eleven rows that only keys tie to them, beside listed ones and
    those of a neighbour."""
    project, other = doomed.project_id, doomed.other_project
    plans = [doomed.put("plans", project_id=p) for p in (project, project, project, other)]
    for plan in (*plans[:2], plans[3]):
        doomed.put("plan_lines", plan_id=plan, project_id=doomed.row("plans", plan)["project_id"])
    for group in (doomed.top, doomed.sub, doomed.neighbour):
        doomed.put("group_notes", group_id=group)
    for p in (project, project, other):
        doomed.put("odd_hints", t="a", x="b", d="c", project_id=p)
    doomed.database.connection.execute(f"""
        CREATE TABLE homes (id bigserial PRIMARY KEY, project_id bigint DEFAULT {other} REFERENCES projects ON DELETE SET DEFAULT,
                            member_id bigint REFERENCES members ON DELETE CASCADE);
        GRANT SELECT, INSERT, UPDATE, DELETE ON homes, plans, plan_lines, group_notes, odd_hints TO PUBLIC""")
    doomed.put("homes", project_id=project)
    doomed.put("homes", project_id=other, member_id=doomed.member(doomed.user(), group=doomed.sub))
    for _ in range(5):
        doomed.put("issues", project_id=project, author_id=doomed.actor)
    return doomed


LADEN = {"plans": {"deleted": 3}, "plan_lines": {"deleted": 2}, "group_notes": {"deleted": 2}, "odd_hints": {"changed": 2},
         "homes": {"deleted": 1, "changed": 1}}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("batch", [1000, 1])
def test_rows_that_go_with_a_group_count_before_it_goes(laden, batch):
    laden.pruned.settings |= {f"jobs.{CHILD}.max_rows": 12, f"jobs.{CHILD}.batch": batch}
    before = world(laden.database, without=("group_deletion_schedules", "namespace_details"))
    held = destroy(laden)
    assert (held["state"], held["error"]) == ("held", "held: 13 rows are above max_rows 12")
    assert world(laden.database, without=("group_deletion_schedules", "namespace_details")) == before
    laden.pruned.run("approve", held["run_id"]).ok()
    laden.work()
    run = laden.pruned.run_row(held["run_id"])
    assert (run["state"], run["rows_done"], run["result"]["others"], run["result"]["tables"]) == ("finished", 13, 11, LADEN)
    assert "cannot be" not in actions(restore(laden.pruned, run["run_id"]))


def test_a_group_at_its_limit_goes(laden):
    laden.pruned.settings |= {f"jobs.{CHILD}.max_rows": 13}
    run = destroy(laden)
    assert (run["state"], run["rows_done"], run["result"]["tables"]) == ("finished", 13, LADEN)


@pytest.mark.check_all
def test_the_plan_of_a_group_has_what_goes_with_it(laden):
    laden.mark(laden.top, laden.actor, 30)
    (line,) = [row for row in laden.pruned.run("plan", JOB, "--json", "--at", laden.at.isoformat()).ok().json() if row.get("key") == str(laden.top)]
    assert sorted(line["reason"].split(", ")[4:]) == ["1 row of homes", "1 row of homes changed", "2 rows of group_notes", "2 rows of odd_hints changed",
                                                     "2 rows of plan_lines", "3 rows of plans"]
    laden.tick(JOB, **{f"jobs.{JOB}.spacing_ms": 0, f"jobs.{CHILD}.mode": "plan"})
    (run,) = laden.runs(CHILD)
    planned = run["result"]  # what takes longer than eight seconds is left out, and it says so
    assert result(run)["mode"] == "plan" and (planned["tables"] == LADEN or planned["reason"] == "planned as far as one transaction reaches")
    assert laden.project_id in laden.ids("projects")


# --- users.destroy

TABLES = """
CREATE TABLE awards (id bigint PRIMARY KEY, owner_id bigint REFERENCES users ON DELETE CASCADE);
CREATE TABLE ribbons (id bigint PRIMARY KEY, award_id bigint REFERENCES awards ON DELETE CASCADE);
CREATE TABLE desks (id bigint PRIMARY KEY, holder_id bigint REFERENCES users ON DELETE SET NULL);
CREATE TABLE keys (id bigint PRIMARY KEY, holder_id bigint DEFAULT {ghost} REFERENCES users ON DELETE SET DEFAULT);
CREATE TABLE badges (id bigint PRIMARY KEY, member_id bigint REFERENCES members ON DELETE CASCADE);
ALTER TABLE issues ADD CONSTRAINT listed FOREIGN KEY (author_id) REFERENCES users ON DELETE CASCADE;
GRANT SELECT, INSERT, UPDATE, DELETE ON awards, ribbons, desks, keys, badges TO PUBLIC;
"""
TAKEN = {"awards": {"deleted": 2}, "ribbons": {"deleted": 2}, "desks": {"changed": 3}, "keys": {"changed": 1}, "badges": {"deleted": 1}}


@pytest.fixture(params=[1, 5])
def bots(request, tenant):  # noqa: F811
    """Bots whose time is over; nine rows that only keys tie to the first of them, and one that is
    listed."""
    (ghost,) = tenant.ids("users", "user_type = 5")
    tenant.database.connection.execute(TABLES.format(ghost=ghost))
    home, other = tenant.project(tenant.group()), tenant.project(tenant.group())
    tenant.bots = [tenant.user(user_type=6) for _ in range(request.param)]
    for bot in tenant.bots:
        tenant.member(bot, project=home, expires_at=tenant.day(-1))
    first = tenant.first = tenant.bots[0]
    for n in (1, 2):
        tenant.put("awards", id=n, owner_id=first)
        tenant.put("ribbons", id=n, award_id=n)
    for n in (1, 2, 3):
        tenant.put("desks", id=n, holder_id=first)
    tenant.put("keys", id=1, holder_id=first)
    tenant.put("badges", id=1, member_id=tenant.member(first, project=other))
    tenant.put("issues", project_id=other, author_id=first)
    return tenant


def of_the_first(bots):
    (run,) = [run for run in bots.runs(USERS) if int(run["args"]["user_id"]) == bots.first]
    return run


@pytest.mark.check_first(1)
def test_rows_that_go_with_a_user_count_before_anything_goes(bots):
    bots.pruned.settings |= {f"jobs.{USERS}.max_rows": 9, f"jobs.{USERS}.capacity": 1}
    bots.tick("members.remove_expired")
    held = of_the_first(bots)
    assert (held["state"], held["error"]) == ("held", "held: 10 rows are above max_rows 9")
    assert {run["state"] for run in bots.runs(USERS) if run["run_id"] != held["run_id"]} <= {"finished"}
    assert bots.row("users", bots.first)["state"] == "active" and len(bots.ids("badges")) == len(bots.ids("keys")) == 1
    assert bots.database.value("SELECT count(*) FROM pruned.deletions WHERE run_id = %s", [held["run_id"]]) == 0
    bots.pruned.run("approve", held["run_id"]).ok()
    bots.work()
    run = of_the_first(bots)
    assert (run["state"], run["rows_done"], run["result"]["others"], run["result"]["tables"]) == ("finished", 10, 9, TAKEN)
    assert "cannot be" not in actions(restore(bots.pruned, run["run_id"]))


def test_a_user_at_the_limit_goes(bots):
    bots.pruned.settings |= {f"jobs.{USERS}.max_rows": 10}
    bots.tick("members.remove_expired")
    assert {run["state"] for run in bots.runs(USERS)} == {"finished"}
    assert of_the_first(bots)["result"]["tables"] == TAKEN
    assert all("tables" not in run["result"] for run in bots.runs(USERS) if int(run["args"]["user_id"]) != bots.first)


@pytest.mark.check_all
def test_the_day_has_the_rows_that_go_with_a_user(bots):
    bots.pruned.settings |= {f"jobs.{USERS}.max_rows_per_day": 9}
    bots.tick("members.remove_expired")
    assert of_the_first(bots)["state"] == "held" and bots.row("users", bots.first) is not None
