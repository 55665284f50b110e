"""A daemon is killed while a parked item, or a run that backs off, is tried again: at most one try
is added, and nothing is lost."""

import datetime

import pytest

from support.instance import Tenant, tenant  # noqa: F401
from support.scene import result

pytestmark = pytest.mark.built_in

JOB, PARENT, CHILD = "members.remove_expired", "members.schedule_prune_deletions", "members.prune_deletions"
STEP = ("step.after_fence", "step.before_commit", "step.after_commit")


class Mortal(Tenant):
    """A tenant whose process is killed."""

    stuck: int  # a membership that cannot go; only `parked` has one


@pytest.fixture
def mortal(tenant):  # noqa: F811
    tenant = Mortal.of(tenant)
    tenant.pruned.with_faults().settings[f"jobs.{JOB}.item_attempts"] = 1
    return tenant


def tick_and_kill(mortal, job, point, at):
    run = mortal.pruned.run("tick", job, "--at", at.isoformat()).ok().stdout.strip()
    killed = mortal.pruned.start(environment={"PRUNED_FAULT": f"{point}:kill"})
    assert killed.wait(60) == -9
    mortal.work()
    return mortal.pruned.run_row(run)


# --- a parked item, a week later

def tries(mortal):
    """How often the row was tried. A sequence also counts what was rolled back."""
    return mortal.database.value("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM tries")


def entry(mortal):
    return mortal.database.row("SELECT * FROM pruned.quarantine WHERE item = %s", [f"members:{mortal.stuck}"])


@pytest.fixture
def parked(mortal):
    mortal.stuck = mortal.member(mortal.user(), mortal.group(), expires_at=mortal.day(-3))
    mortal.database.connection.execute("""
        CREATE SEQUENCE tries;
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          PERFORM nextval('public.tries'); RAISE EXCEPTION 'not %', OLD.id; END $$;
        CREATE TRIGGER no BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION no()""")
    assert result(mortal.tick(JOB))["failed"] == 1 and entry(mortal)["parked"]
    mortal.database.execute("UPDATE pruned.quarantine SET first_at = first_at - interval '8 days',"
                            " next_try_at = next_try_at - interval '8 days'")
    return mortal


def later(mortal, seconds):
    return mortal.at + datetime.timedelta(seconds=seconds)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", STEP)
def test_a_parked_item_is_tried_once_more_at_most_and_its_failure_is_not_lost(parked, point):
    a_try = tries(parked)
    row = tick_and_kill(parked, JOB, point, later(parked, 1))
    assert (row["state"], result(row)["failed"]) == ("finished", 1)
    assert (entry(parked)["attempts"], entry(parked)["parked"]) == (2, True)
    spent = tries(parked)
    assert spent - a_try <= (2 if point == "step.before_commit" else 1) * a_try
    assert result(parked.tick(JOB, later(parked, 2)))["passed_over"] == 1
    assert tries(parked) == spent, "not before another week"


@pytest.mark.check_all
@pytest.mark.parametrize("point", (*STEP, "step.after_effects", "publish.before", "publish.after_acknowledgement"))
def test_a_parked_item_that_goes_now_goes_once_with_its_entry(parked, point):
    parked.database.execute("DROP TRIGGER no ON members")
    row = tick_and_kill(parked, JOB, point, later(parked, 1))
    assert (row["state"], result(row)["removed"]) == ("finished", 1)
    assert parked.stuck not in parked.ids("members") and entry(parked) is None
    assert parked.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = 'members'") == [parked.stuck]


# --- a child that backs off, at its parent's next tick

@pytest.mark.check_all
@pytest.mark.parametrize("point", (*STEP, "dispatcher.before_commit", "dispatcher.after_commit", "publish.before", "publish.after_acknowledgement"))
def test_a_child_that_backs_off_is_revived_and_done_once(mortal, point):
    top = mortal.group()
    mortal.owner(admin := mortal.user(admin=True), top)
    left = mortal.member(user := mortal.user(), top)
    mortal.leave(top, user, admin)
    mortal.database.execute("ALTER TABLE members_deletion_schedules RENAME COLUMN scheduled_by_id TO who")
    mortal.tick(PARENT)
    [child] = mortal.runs(CHILD)
    assert child["state"] == "waiting" and child["error"]
    mortal.database.execute("UPDATE pruned.runs SET due_at = now() + interval '4 days' WHERE run_id = %s", [child["run_id"]])
    mortal.database.execute("ALTER TABLE members_deletion_schedules RENAME COLUMN who TO scheduled_by_id")
    row = tick_and_kill(mortal, PARENT, point, later(mortal, 1))
    assert (row["state"], result(row)["revived"]) == ("finished", 1)
    [ended] = mortal.runs(CHILD)
    assert (ended["run_id"], ended["state"], ended["error"]) == (child["run_id"], "finished", None)
    assert mortal.ids("members_deletion_schedules") == [] and left not in mortal.ids("members")
    assert mortal.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = 'members'") == [left]
