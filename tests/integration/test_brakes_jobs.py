"""Limits of the built-in jobs: what their runs would remove, and the children that they would
place, is counted before they begin."""

import json

import pytest

from support.instance import Tenant, tenant  # noqa: F401
from support.objects import SLOT, TICK, ListedObjects
from support.scene import result

ADJOURNED, DESTROY, USERS = "groups.adjourned_deletion", "groups.destroy", "users.destroy"


@pytest.fixture
def owned(tenant):  # noqa: F811
    """With an administrator, and groups that are deleted at once."""
    tenant = Owned.of(tenant)
    tenant.period(7)
    tenant.actor = tenant.user(admin=True)
    tenant.pruned.settings[f"jobs.{ADJOURNED}.spacing_ms"] = 0
    return tenant


class Owned(Tenant):
    actor: int

    def doom(self, n):
        """Groups that are due."""
        groups = [self.group() for _ in range(n)]
        for group in groups:
            self.mark(group, self.actor, 30)
        return groups

    def held(self, job):
        (run,) = [run for run in self.runs(job) if run["state"] == "held"]
        return run["error"]

    def approve(self, job):
        for run in self.runs(job):
            if run["state"] == "held":
                self.pruned.run("approve", run["run_id"]).ok()
        self.work()


@pytest.mark.check_all
def test_a_parent_is_held_and_not_its_children(owned):
    owned.pruned.settings[f"jobs.{ADJOURNED}.max_rows"] = 2
    groups = owned.doom(3)
    run = owned.tick(ADJOURNED)
    assert (run["state"], run["error"], owned.children(run)) == ("held", "held: 3 rows are above max_rows 2", [])
    assert owned.ids("group_deletion_schedules", key="group_id") == sorted(groups)
    owned.approve(ADJOURNED)
    assert [child["state"] for child in owned.children(run)] == ["finished"] * 3
    assert owned.ids("group_deletion_schedules", key="group_id") == []


@pytest.mark.check_all
def test_a_group_counts_with_the_groups_below_it(owned):
    owned.pruned.settings |= {f"jobs.{DESTROY}.max_rows": 3, f"jobs.{DESTROY}.batch": 1}
    (top,) = owned.doom(1)
    for _ in range(3):
        owned.project(owned.group(parent=top))
    owned.tick(ADJOURNED)
    assert owned.held(DESTROY) == "held: 4 rows are above max_rows 3"
    assert len(owned.ids("projects")) == 3 and owned.database.value("SELECT count(*) FROM pruned.deletions WHERE action = 'deleted'") == 0
    owned.approve(DESTROY)
    (run,) = owned.runs(DESTROY)
    assert (run["state"], run["rows_done"], owned.ids("projects")) == ("finished", 4, [])


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [1, 1000])
def test_a_group_counts_with_the_bots_that_go_with_it(owned, batch):
    """One approval is enough. A bot with two memberships counts twice; a human counts nowhere."""
    owned.pruned.settings |= {f"jobs.{DESTROY}.max_rows": 3, f"jobs.{DESTROY}.batch": batch}
    (top,) = owned.doom(1)
    below = owned.group(parent=top)
    bots = [owned.user(user_type=6) for _ in range(4)]
    for bot in bots[:3]:
        owned.member(bot, project=owned.project(below))
    for group in (top, below):
        owned.member(bots[3], group=group, level=30)
        owned.member(owned.user(), group=group, level=30)
    owned.tick(ADJOURNED)
    assert owned.held(DESTROY) == "held: 7 rows are above max_rows 3"
    told = json.loads(owned.outcomes("RunHeld")[0]["values"])
    assert told == [{"value": str(owned.day(-30)), "rows": 1}]
    assert len(owned.ids("projects")) == 3 and owned.runs(USERS) == []
    owned.approve(DESTROY)
    (run,) = owned.runs(DESTROY)
    assert (run["state"], owned.ids("projects"), len(owned.runs(USERS))) == ("finished", [], 4)
    assert owned.ids("users", "user_type = 6") == []


# The approval of a run ends with the first row that goes.
LAPSE = """
CREATE FUNCTION lapse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  UPDATE pruned.runs SET approved_until = now() - interval '1 ms' WHERE approved_until IS NOT NULL; RETURN NULL; END $$;
CREATE TRIGGER lapse AFTER DELETE ON public.{0} FOR EACH STATEMENT EXECUTE FUNCTION lapse()"""


@pytest.mark.check_all
def test_the_approval_of_a_group_ends_between_two_pages(owned):
    owned.pruned.settings |= {f"jobs.{DESTROY}.max_rows": 3, f"jobs.{DESTROY}.batch": 1}
    (top,) = owned.doom(1)
    for _ in range(3):
        owned.project(owned.group(parent=top))
    owned.tick(ADJOURNED)
    owned.database.connection.execute(LAPSE.format("projects"))
    owned.approve(DESTROY)
    assert owned.held(DESTROY) == "held: 4 rows are above max_rows 3" and len(owned.ids("projects")) == 2
    owned.database.connection.execute("DROP TRIGGER lapse ON projects")
    owned.approve(DESTROY)
    (run,) = owned.runs(DESTROY)
    assert (run["state"], run["rows_done"], owned.ids("projects")) == ("finished", 4, [])


def test_users_of_a_day(owned):
    owned.pruned.settings[f"jobs.{USERS}.max_rows_per_day"] = 2
    for _ in range(3):
        project = owned.project(owned.group())
        owned.member(owned.user(user_type=6), project=project, expires_at=owned.day(-1))
    owned.tick("members.remove_expired")
    assert sorted(run["state"] for run in owned.runs(USERS)) == ["finished", "finished", "held"]
    assert owned.held(USERS) == "held: 1 row after 2 today is above max_rows_per_day 2"
    assert len(owned.ids("users", "user_type = 6")) == 1
    owned.approve(USERS)
    assert owned.ids("users", "user_type = 6") == []


def test_scheduled_removals(owned):
    owned.pruned.settings["jobs.members.prune_deletions.max_rows"] = 3
    group, user = owned.group(), owned.user()
    for _ in range(3):
        owned.member(user, owned.group(parent=group))
    owned.leave(group, user, owned.actor)
    owned.tick("members.schedule_prune_deletions")
    # three memberships, one schedule
    assert owned.held("members.prune_deletions") == "held: 4 rows are above max_rows 3"
    assert len(owned.ids("members", f"user_id = {user}")) == 3
    owned.approve("members.prune_deletions")
    assert owned.ids("members", f"user_id = {user}") == owned.ids("members_deletion_schedules") == []


def test_placeholders_count_with_their_children(owned):
    owned.pruned.settings["jobs.imports.placeholder_cleanup.max_rows"] = 5
    for _ in range(3):
        owned.placeholder()
    run = owned.tick("imports.placeholder_cleanup")
    assert (run["state"], run["error"], owned.children(run)) == ("held", "held: 6 rows are above max_rows 5", [])
    assert owned.ids("import_placeholder_user_details", "deletion_attempts > 0") == []


# --- objects

@pytest.fixture
def objects(pruned_with_slots, database, tmp_path):
    root = tmp_path / "store"
    root.mkdir()
    return ListedObjects(pruned_with_slots, database, root)


def files(objects):
    return len(list(objects.root.iterdir()))


def slots(objects):
    return objects.database.rows("SELECT * FROM pruned.runs WHERE job = %s", [SLOT])


def test_objects_are_counted_before_the_store_is_asked(objects):
    objects.add(8, store=1)
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = date_trunc('hour', now()) - CASE WHEN id <= 3 THEN interval '9 h' "
                             "WHEN id <= 5 THEN interval '8 h' ELSE id * interval '1 s' + interval '1 h' END")
    limit = {f"jobs.{SLOT}.max_rows": 7}
    objects.delete(**limit)
    (run,) = slots(objects)
    assert (run["state"], run["error"], files(objects), len(objects.rows())) == ("held", "held: 8 rows are above max_rows 7", 8, 8)
    (said,) = objects.pruned.topics.outcomes("RunHeld")
    days = objects.database.rows("SELECT pick_up_at::date::text AS value, count(*) AS rows FROM ci_deleted_objects GROUP BY 1 ORDER BY 2 DESC, 1")
    assert json.loads(said.value["values"]) == days
    objects.pruned.run("approve", run["run_id"]).ok()
    objects.again(**limit)
    (run,) = slots(objects)
    assert (run["state"], run["rows_done"], files(objects), objects.rows()) == ("finished", 8, 0, [])


@pytest.mark.check_all
def test_the_own_limit_of_objects_holds_before_the_first_lease(objects):
    """One object more than the million that a run may delete."""
    objects.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at) "
                             "SELECT 1, '', 'file ' || i, now() - interval '1 hour' FROM generate_series(1, 1000001) i")
    objects.pruned.run("tick", TICK).ok()
    objects.pruned.start(settings={"store.local.root": objects.root})
    begun = objects.database.wait("SELECT max(coalesce(error, 'rows went')) FROM pruned.runs WHERE job = %s AND (state = 'held' OR rows_done > 0)", [SLOT])
    assert begun == "held: 1,000,001 rows are above max_rows 1000000"
    assert objects.database.value("SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at < now()") == 1000001


@pytest.mark.check_all
def test_the_approval_of_a_slot_ends_between_two_leases(objects):
    objects.add(8, store=1)
    settings = {f"jobs.{SLOT}.max_rows": 7, f"jobs.{SLOT}.batch": 2}
    objects.delete(**settings)
    (run,) = slots(objects)
    objects.database.connection.execute(LAPSE.format("ci_deleted_objects"))
    objects.pruned.run("approve", run["run_id"]).ok()
    objects.again(**settings)
    (run,) = slots(objects)
    assert (run["state"], run["error"], run["rows_done"], files(objects)) == ("held", "held: 8 rows are above max_rows 7", 2, 6)
    assert objects.database.value("SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at > now()") == 0
    objects.database.connection.execute("DROP TRIGGER lapse ON ci_deleted_objects")
    objects.pruned.run("approve", run["run_id"]).ok()
    objects.again(**settings)
    (run,) = slots(objects)
    assert (run["state"], run["rows_done"], files(objects), objects.rows()) == ("finished", 8, 0, [])


def test_objects_that_are_listed_meanwhile_stop_the_next_lease(objects):
    """Two leases of four are within the limit; then there are more."""
    objects.add(8, store=1)
    objects.database.connection.execute("""
        CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          INSERT INTO public.ci_deleted_objects (file_store, store_dir, file, pick_up_at) VALUES (1, '', 'late ' || OLD.id, now() - interval '1 hour');
          RETURN OLD; END $$;
        CREATE TRIGGER more BEFORE DELETE ON ci_deleted_objects FOR EACH ROW EXECUTE FUNCTION more()""")
    objects.delete(**{f"jobs.{SLOT}.max_rows": 10, f"jobs.{SLOT}.batch": 4})
    (run,) = slots(objects)
    assert run["state"] == "held" and run["rows_done"] <= 10 and run["error"].endswith(" rows are above max_rows 10")


def test_slots_count_as_children(objects):
    objects.add(150, store=1)
    objects.delete(**{f"jobs.{TICK}.max_rows": 1})
    assert (objects.database.value("SELECT error FROM pruned.runs"), files(objects)) == ("held: 2 rows are above max_rows 1", 150)


def test_a_plan_sends_no_request_to_a_store(objects):
    objects.add(8, store=1)
    objects.delete(**{f"jobs.{SLOT}.mode": "plan"})
    (run,) = slots(objects)
    assert (run["state"], result(run)["mode"], result(run)["updated_rows"]) == ("finished", "plan", 8)
    assert files(objects) == len(objects.rows()) == 8
