"""Rows that go or change with those that built-in jobs delete from other tables than their own, and
what triggers of the application change with them: they stand in the result and count for the
limits, as those of a sentence do."""

import pytest

from support.doomed import CHILD, destroy, doom
from support.instance import tenant  # noqa: F401

EXPIRED, PRUNE, USERS = "members.remove_expired", "members.prune_deletions", "users.destroy"


def sql(tenant, text):  # noqa: F811
    tenant.database.connection.execute(text)


STOCK = """CREATE TABLE stock (id bigserial PRIMARY KEY, of bigint, n int DEFAULT 1);
    CREATE FUNCTION zero() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      'BEGIN UPDATE public.stock SET n = 0 WHERE of = OLD.id; INSERT INTO public.stock (of) VALUES (-1); RETURN OLD; END';
    CREATE TRIGGER zero AFTER DELETE ON {} FOR EACH ROW EXECUTE FUNCTION zero()"""


def below(tenant, table):  # noqa: F811
    """`tones` goes with a row of TABLE, `lamps` is emptied with it."""
    sql(tenant, f"""
        CREATE TABLE tones (id bigserial PRIMARY KEY, of bigint REFERENCES {table} ON DELETE CASCADE);
        CREATE TABLE lamps (id bigserial PRIMARY KEY, of bigint REFERENCES {table} ON DELETE SET NULL);
        GRANT SELECT, INSERT, UPDATE, DELETE ON tones, lamps TO PUBLIC""")


def hang(tenant, *of):  # noqa: F811
    """Two rows that go and one that is emptied, for each of OF."""
    for row in of:
        for table in ("tones", "tones", "lamps"):
            tenant.put(table, of=row)


@pytest.fixture
def expired(tenant):  # noqa: F811
    """Three memberships whose time is over, each with a setting."""
    group = tenant.group()
    tenant.member(tenant.user(), group)
    tenant.settings = []
    for _ in range(3):
        user = tenant.user()
        tenant.member(user, group, expires_at=tenant.day(-1))
        tenant.settings.append(tenant.put("notification_settings", user_id=user, source_type="Namespace", source_id=group, level=3))
    return tenant


def approved(tenant, held):  # noqa: F811
    tenant.pruned.run("approve", held["run_id"]).ok()
    tenant.work()
    run = tenant.pruned.run_row(held["run_id"])
    assert run["state"] == "finished", run
    return run["rows_done"], run["result"]["others"], run["result"]["tables"]


def test_rows_below_settings_count(expired):
    below(expired, "notification_settings")
    hang(expired, *expired.settings)
    expired.pruned.settings[f"jobs.{EXPIRED}.max_rows"] = 11
    said = expired.pruned.run("plan", EXPIRED, "--at", expired.at.isoformat()).ok().stdout.splitlines()
    assert said[-1] == ("not foreseen: rows of lamps that go or change with those of notification_settings; "
                        "rows of tones that go or change with those of notification_settings")
    held = expired.tick(EXPIRED)
    assert (held["state"], held["error"]) == ("held", "held: 12 rows are above max_rows 11")
    assert len(expired.ids("tones")) == 6 and len(expired.ids("notification_settings")) == 3
    assert approved(expired, held) == (12, 9, {"tones": {"deleted": 6}, "lamps": {"changed": 3}})
    assert expired.ids("tones") == [] and len(expired.ids("lamps", "of IS NULL")) == 3


def test_what_a_trigger_changes_with_memberships_counts(expired):
    sql(expired, STOCK.format("members"))
    for member in expired.ids("members", "expires_at IS NOT NULL"):
        expired.put("stock", of=member)
    expired.pruned.settings[f"jobs.{EXPIRED}.max_rows"] = 5
    held = expired.tick(EXPIRED)
    assert (held["state"], held["error"]) == ("held", "held: 6 rows are above max_rows 5")
    assert len(expired.ids("stock", "n = 1")) == 3
    assert approved(expired, held) == (6, 3, {"stock": {"changed": 3}})


# --- steps of jobs in C

@pytest.mark.check_all
def test_rows_below_schedules_count(tenant):  # noqa: F811
    below(tenant, "members_deletion_schedules")
    top, user = tenant.group(), tenant.user()
    tenant.member(user, top)
    hang(tenant, tenant.leave(top, user, tenant.user(admin=True)))
    tenant.pruned.settings[f"jobs.{PRUNE}.max_rows"] = 4
    tenant.tick("members.schedule_prune_deletions")
    (held,) = tenant.runs(PRUNE)
    assert (held["state"], held["error"]) == ("held", "held: 5 rows are above max_rows 4")
    assert approved(tenant, held) == (5, 3, {"tones": {"deleted": 2}, "lamps": {"changed": 1}})


@pytest.mark.check_all
def test_what_a_trigger_changes_with_a_group_counts(tenant):  # noqa: F811
    tenant = doom(tenant)
    sql(tenant, STOCK.format("projects"))
    for project in (*[tenant.project_id] * 3, tenant.other_project):
        tenant.put("stock", of=project)
    tenant.pruned.settings[f"jobs.{CHILD}.max_rows"] = 2
    run = destroy(tenant)
    assert (run["state"], run["error"]) == ("held", "held: 5 rows are above max_rows 2")
    assert tenant.ids("projects", f"id = {tenant.project_id}") and len(tenant.ids("stock", "n = 1")) == 4
    assert approved(tenant, run) == (5, 3, {"stock": {"changed": 3}})


@pytest.mark.parametrize("bots", [1, pytest.param(3, marks=pytest.mark.check_all)])
def test_rows_below_what_is_a_users_count(tenant, bots):  # noqa: F811
    """Of several users that go together, each goes alone then."""
    below(tenant, "todos")
    home, users = tenant.project(tenant.group()), [tenant.user(user_type=6) for _ in range(bots)]
    for bot in users:
        tenant.member(bot, project=home, expires_at=tenant.day(-1))
    hang(tenant, tenant.put("todos", user_id=users[0], author_id=users[0], target_type="Issue", action=1, state="pending"))
    tenant.pruned.settings |= {f"jobs.{USERS}.max_rows": 3, f"jobs.{USERS}.capacity": 1}
    tenant.tick(EXPIRED)
    runs = {int(run["args"]["user_id"]): run for run in tenant.runs(USERS)}
    held = runs[users[0]]
    assert (held["state"], held["error"]) == ("held", "held: 4 rows are above max_rows 3")
    assert {(run["state"], "tables" in run["result"]) for run in runs.values() if run != held} <= {("finished", False)}
    assert approved(tenant, held) == (4, 3, {"tones": {"deleted": 2}, "lamps": {"changed": 1}})
