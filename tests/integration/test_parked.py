"""Parked rows: they are tried again from time to time, start afresh when they have changed, and
leave the quarantine when they are gone."""

import pytest

from support.instance import Tenant, tenant  # noqa: F401
from support.command_line import says
from support.scene import result

JOB, PRUNE, CHILD = "members.remove_expired", "members.schedule_prune_deletions", "members.prune_deletions"
ONE_TRY = {f"jobs.{JOB}.item_attempts": 1, f"jobs.{CHILD}.item_attempts": 1}


def refuse(tenant, member):  # noqa: F811
    tenant.database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF OLD.id = {member} THEN RAISE EXCEPTION 'not %', OLD.id; END IF; RETURN OLD; END $$;
        CREATE OR REPLACE TRIGGER no BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION no()""")


def let_go(tenant):  # noqa: F811
    tenant.database.execute("DROP TRIGGER no ON members")


def older(tenant, days):  # noqa: F811
    """As if the entry had been parked that many days ago."""
    tenant.database.execute("UPDATE pruned.quarantine SET first_at = first_at - %(d)s * interval '1 day',"
                            " next_try_at = next_try_at - %(d)s * interval '1 day'", {"d": days})


class Parked(Tenant):
    """A membership that cannot go."""

    stuck: int  # the membership
    ticks: int  # the number of ticks sent


@pytest.fixture
def parked(tenant):  # noqa: F811
    """An expired member who cannot be removed: parked after the first try."""
    tenant = Parked.of(tenant)
    tenant.stuck = tenant.member(tenant.user(), tenant.group(), expires_at=tenant.day(-3))
    refuse(tenant, tenant.stuck)
    tenant.ticks = 0
    tick(tenant)
    assert entry(tenant)["parked"]
    return tenant


def tick(tenant, job=JOB, **settings):  # noqa: F811
    tenant.ticks += 1
    return result(tenant.tick(job, at=tenant.at.replace(microsecond=tenant.ticks), **ONE_TRY, **settings))


def entry(tenant):  # noqa: F811
    return tenant.database.row("SELECT * FROM pruned.quarantine WHERE item = %s", [f"members:{tenant.stuck}"])


# --- once in park_retry_days

@pytest.mark.check_all
def test_a_parked_item_is_tried_again_after_a_week_with_all_that_is_said_of_it(parked):
    older(parked, 6.9)
    assert tick(parked)["passed_over"] == 1 and not parked.lines(level="error")
    older(parked, 0.2)
    announced = len(parked.outcomes("MemberKept"))
    assert tick(parked)["failed"] == 1
    (line,) = parked.lines(level="error")
    assert line["message"].startswith(f"Expired Member ID={parked.stuck} cannot be removed")
    assert len(parked.outcomes("MemberKept")) == announced + 1
    row = entry(parked)
    assert (row["attempts"], row["parked"]) == (2, True)
    assert tick(parked)["passed_over"] == 1, "not before another week"
    let_go(parked)
    older(parked, 7.1)
    assert tick(parked)["removed"] == 1 and entry(parked) is None


@pytest.mark.check_all
@pytest.mark.parametrize("days, ago, tried", [(1, 1.1, True), (30, 20, False), (0, 1000, False)])
def test_how_often_is_a_setting(parked, days, ago, tried):
    older(parked, ago)
    counts = tick(parked, **{f"jobs.{JOB}.park_retry_days": days})
    assert (counts.get("failed", 0), counts.get("passed_over", 0)) == ((1, 0) if tried else (0, 1))


def test_the_list_says_when(parked):
    row = entry(parked)
    (line,) = parked.pruned.run("quarantine", "--json").ok().json()
    assert line["next_try_at"][:10] == (row["next_try_at"].date() + (parked.day(7) - parked.day(0))).isoformat()
    (never,) = parked.pruned.run("quarantine", "--json", settings={f"jobs.{JOB}.park_retry_days": 0}).ok().json()
    assert never["next_try_at"] is None


@pytest.mark.check_all
def test_doctor_and_the_metric_say_when(parked, http):
    words = "retried once in park_retry_days (files in a store: once a day), or at once by `pruned quarantine retry`"
    [found] = [f for f in parked.pruned.run("doctor", "--json").json() if f["check"] == "quarantine"]
    assert found["detail"].endswith(words)
    parked.pruned.start(settings={"http.listen": http.listen}).wait_line("Partitions assigned")
    [line] = [line for line in http.ask("/metrics").text.splitlines() if line.startswith("# HELP pruned_quarantine_items ")]
    assert words in line


def test_what_a_restore_holds_stays_held(parked):
    parked.database.execute("UPDATE pruned.quarantine SET reason = 'restored'")
    older(parked, 100)
    let_go(parked)
    parked.database.execute("UPDATE members SET expires_at = expires_at - 1")
    assert tick(parked)["kept_restored"] == 1 and parked.stuck in parked.ids("members")


@pytest.mark.check_all
def test_parked_memberships_and_schedules_of_a_scheduled_removal(parked):
    group, admin = parked.group(), parked.user(admin=True)
    user = parked.user()
    parked.stuck = parked.member(user, group)
    refuse(parked, parked.stuck)
    schedule = parked.leave(group, user, admin)
    tick(parked, PRUNE)
    item = f"members_deletion_schedules:{schedule}"
    assert parked.database.column("SELECT parked FROM pruned.quarantine WHERE job = %s ORDER BY item", [CHILD]) == [True, True]
    assert tick(parked, PRUNE)["reason"] == "nothing to do"
    let_go(parked)
    older(parked, 8)
    tick(parked, PRUNE)
    assert parked.ids("members_deletion_schedules") == [] and parked.stuck not in parked.ids("members")
    assert parked.database.column("SELECT item FROM pruned.quarantine WHERE item = %s OR job = %s", [item, CHILD]) == []


# --- an entry belongs to its row as it was

def test_a_membership_that_was_extended_and_expired_again_starts_afresh(parked):
    let_go(parked)
    parked.database.execute("UPDATE members SET expires_at = %s WHERE id = %s", [parked.day(-1), parked.stuck])
    assert tick(parked)["removed"] == 1 and entry(parked) is None


def test_a_changed_row_that_fails_again_has_all_its_tries(parked):
    older(parked, 1)
    parked.database.execute("UPDATE members SET expires_at = %s WHERE id = %s", [parked.day(-1), parked.stuck])
    parked.ticks += 1
    parked.tick(JOB, at=parked.at.replace(microsecond=parked.ticks))
    row = entry(parked)
    assert (row["attempts"], row["parked"]) == (1, False) and row["next_try_at"] > row["first_at"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("day, left", [(300, 0), (-1, 0), (None, 1)])
def test_an_entry_ends_when_its_row_has_changed(parked, day, left):
    """Also if the row is not due any more: nothing is parked, and no alert says so."""
    if day is not None:
        parked.database.execute("UPDATE members SET expires_at = %s WHERE id = %s", [parked.day(day), parked.stuck])
    marker = "INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, 'members:4711', 'z')"
    parked.database.execute(marker, [JOB])  # is looked at in the same round
    parked.pruned.start()
    parked.database.wait("SELECT count(*) FROM pruned.quarantine WHERE reason = 'z'", until=0)
    assert (entry(parked) is not None) == bool(left)


def test_an_entry_that_is_written_while_housekeeping_waits_for_it_stays(parked):
    """The row has changed and failed again: the step's entry is about the row as it is."""
    database = parked.database
    database.execute("UPDATE members SET expires_at = %s WHERE id = %s", [parked.day(-1), parked.stuck])
    database.execute("INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, 'members:999999999', 'z')", [JOB])
    with database.connect() as step, step.transaction():
        step.execute("UPDATE pruned.quarantine SET attempts = 1, parked = false, state = (SELECT md5(to_jsonb(m.*)::text) FROM members m"
                     " WHERE m.id = %s) WHERE item = %s", [parked.stuck, f"members:{parked.stuck}"])
        parked.pruned.start()
        database.wait("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%%DELETE FROM pruned.quarantine%%'"
                      " AND datname = current_database()", until=1)
    database.wait("SELECT count(*) FROM pruned.quarantine WHERE reason = 'z'", until=0)
    assert entry(parked)["attempts"] == 1


@pytest.mark.check_all
def test_a_schedule_that_was_changed_is_taken_at_once(parked):
    """It was parked because its namespace is no group; the application has corrected it."""
    top, user = parked.group(), parked.user()
    member, project = parked.member(user, top), parked.project(top)
    schedule = parked.leave(parked.row("projects", project)["project_namespace_id"], user, parked.user(admin=True))
    tick(parked, PRUNE)
    assert parked.database.value("SELECT parked FROM pruned.quarantine WHERE job = %s", [CHILD])
    assert tick(parked, PRUNE)["reason"] == "nothing to do"
    parked.database.execute("UPDATE members_deletion_schedules SET namespace_id = %s WHERE id = %s", [top, schedule])
    assert tick(parked, PRUNE)["scheduled"] == 1
    assert member not in parked.ids("members") and parked.ids("members_deletion_schedules") == []
    assert parked.database.value("SELECT count(*) FROM pruned.quarantine WHERE job = %s", [CHILD]) == 0


@pytest.mark.check_first(1)
@pytest.mark.parametrize("changed", [False, True])
def test_a_plan_knows_a_membership_that_was_changed(parked, changed):
    top, user = parked.group(), parked.user()
    parked.stuck = parked.member(user, top)
    refuse(parked, parked.stuck)
    parked.leave(top, user, parked.user(admin=True))
    tick(parked, PRUNE)
    parked.database.execute("DELETE FROM pruned.quarantine WHERE item LIKE 'members_deletion_schedules:%%'")
    if changed:
        parked.database.execute("UPDATE members SET access_level = 20 WHERE id = %s", [parked.stuck])
    lines = parked.pruned.run("plan", CHILD, "--at", parked.at.isoformat(), "--json").ok().json()
    assert [(line["key"], line["action"]) for line in lines[:-1] if line.get("table") == "members"] == [
        (str(parked.stuck), "removed" if changed else "parked")]


# --- rows and jobs that are gone

def test_entries_of_rows_that_the_application_deleted_leave(parked):
    group, person = parked.group(), parked.user()
    rows = {JOB: f"members:{parked.stuck}", CHILD: "members_deletion_schedules:4711", "users.destroy": "users:4711",
            "imports.placeholder_cleanup": "import_placeholder_user_details:4711", "groups.adjourned_deletion": "group_deletion_schedules:4711"}
    stays = {JOB: f"members:{parked.member(person, group)}", "users.destroy": f"users:{person}", "gone.job": "members:4711",
             CHILD: "members:odd"}
    for entries in (rows, stays):
        for job, item in entries.items():
            parked.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%s, %s, 'x', true)"
                                    " ON CONFLICT DO NOTHING", [job, item])
    let_go(parked)
    parked.database.execute("DELETE FROM members WHERE id = %s", [parked.stuck])
    parked.pruned.start()
    parked.database.wait("SELECT count(*) FROM pruned.quarantine", until=len(stays))
    assert {row["job"]: row["item"] for row in parked.database.rows("SELECT job, item FROM pruned.quarantine")} == stays


def test_entries_of_a_job_whose_folder_is_gone_can_be_dropped(tenant):  # noqa: F811
    for item in ("scratch:1", "scratch:2"):
        tenant.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES ('gone.job', %s, 'x', true)", [item])
    says(tenant.pruned.run("quarantine", "retry", "gone.job"), 6, "gone.job")
    (line,) = tenant.pruned.run("quarantine", "drop", "gone.job", "scratch:1", "--json").ok().json()
    assert line["item"] == "scratch:1"
    assert len(tenant.pruned.run("quarantine", "drop", "gone.job", "--json").ok().json()) == 1
    says(tenant.pruned.run("quarantine", "drop", "gone.job"), 6, "gone.job")
