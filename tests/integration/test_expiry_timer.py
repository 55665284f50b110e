"""A membership with an expiry event has one timer: the event with the later time wins, and when it
is due the row decides again."""

import datetime

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import event_id, result
from support.slow import slow_rows, wait_in_flight

JOB = "members.remove_expired"
EVENT = "MemberExpirySet"
SECOND = datetime.timedelta(seconds=1)


@pytest.fixture
def timers(tenant):  # noqa: F811
    tenant.place = tenant.group()
    return tenant


def member_until(timers, day, **more):
    return timers.member(more.pop("user", None) or timers.user(), timers.place, expires_at=timers.day(day), **more)


def set_expiry(timers, member, day, after_s=0, avro=False, **options):
    """Sends the event and returns its run id. DAY None: the expiry is removed. AFTER_S: ce_time."""
    date = None if day is None else timers.day(day)
    ce_id = timers.pruned.topics.event(EVENT, {"member_id": member, "expires_at": date if avro else date and str(date)},
                                       ce_time=timers.at + after_s * SECOND, avro=avro, **options)
    return event_id("/test", ce_id, JOB)


def states(timers):
    """{run id: (state, error)}"""
    return {str(r["run_id"]): (r["state"], r["error"]) for r in timers.runs(JOB)}


def come_due(timers, days):
    """As if so many days had passed: the timers and the memberships' ends come nearer."""
    timers.database.execute("""UPDATE pruned.runs SET due_at = due_at - %(days)s * interval '1 day',
        args = jsonb_set(args, '{expires_at}', to_jsonb((args ->> 'expires_at')::date - %(days)s::int)) WHERE state = 'waiting'""",
                            {"days": days})
    timers.database.execute("UPDATE members SET expires_at = expires_at - %s::int", [days])
    timers.work()


def there(timers, member):
    return timers.ids("members", f"id = {member}") == [member]


@pytest.mark.check_first(2)
@pytest.mark.parametrize("avro", [False, True])
@pytest.mark.parametrize("day", [-400, -1, 0])
def test_an_end_in_the_past_or_today_is_acted_upon_at_once(timers, day, avro):
    member, neighbour = member_until(timers, day), member_until(timers, day)
    run = set_expiry(timers, member, day, avro=avro)
    timers.work()
    [row] = timers.runs(JOB)
    assert (str(row["run_id"]), row["state"], row["scheduled_at"], row["attempts"]) == (run, "finished", timers.at, 0)
    assert {"removed": 1, "updated_rows": 1, "kept": 0, "gone": 0}.items() <= result(row).items()
    assert not there(timers, member) and there(timers, neighbour)
    assert [(m["member_id"], m["reason"]) for m in timers.outcomes("MemberRemoved")] == [(member, "expired")]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("avro", [False, True])
def test_an_end_to_come_waits_until_that_days_midnight(timers, avro):
    member = member_until(timers, 2)
    run = set_expiry(timers, member, 2, avro=avro)
    timers.work()
    [row] = timers.runs(JOB)
    midnight = datetime.datetime.combine(timers.day(2), datetime.time(), datetime.timezone.utc)
    assert (str(row["run_id"]), row["state"], row["due_at"]) == (run, "waiting", midnight)
    assert row["unique_key"] == f"members.remove_expired:member:{member}" and there(timers, member)
    come_due(timers, 2)
    assert timers.runs(JOB)[0]["state"] == "finished" and not there(timers, member)


def test_the_same_event_twice_is_one_timer(timers):
    member = member_until(timers, 2)
    for avro in (False, True, False):
        set_expiry(timers, member, 2, avro=avro, ce_id="the same")
    timers.work()
    set_expiry(timers, member, 2, avro=True, ce_id="the same")
    timers.work()
    assert states(timers) == {event_id("/test", "the same", JOB): ("waiting", None)}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("together", [True, False])
def test_the_later_event_replaces_the_earlier_one(timers, together):
    member = member_until(timers, 5)
    first = set_expiry(timers, member, 3, after_s=-9)
    if not together:
        timers.work()
    second = set_expiry(timers, member, 5, after_s=-8, avro=True)
    timers.work()
    assert states(timers) == {first: ("skipped", f"superseded by {second}"), second: ("waiting", None)}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("together", [True, False])
def test_an_event_that_comes_late_changes_nothing(timers, together):
    member = member_until(timers, 5)
    later = set_expiry(timers, member, 5, after_s=-8)
    if not together:
        timers.work()
    earlier = set_expiry(timers, member, -1, after_s=-9, avro=True)
    timers.work()
    assert states(timers) == {later: ("waiting", None), earlier: ("skipped", f"overlaps {later}")}
    assert there(timers, member)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("together", [True, False])
def test_of_two_events_of_one_moment_the_later_offset_wins(timers, together):
    member = member_until(timers, 5)
    first = set_expiry(timers, member, 3)
    if not together:
        timers.work()
    second = set_expiry(timers, member, 5)
    timers.work()
    assert states(timers) == {first: ("skipped", f"superseded by {second}"), second: ("waiting", None)}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("avro", [False, True])
@pytest.mark.parametrize("together", [True, False])
def test_null_cancels_and_what_comes_late_stays_cancelled(timers, together, avro):
    member = member_until(timers, 5)
    timer = set_expiry(timers, member, 5, after_s=-9)
    if not together:
        timers.work()
    cancel = set_expiry(timers, member, None, after_s=-7, avro=avro)
    timers.work()
    late = set_expiry(timers, member, 5, after_s=-8)
    timers.work()
    got = states(timers)
    assert got.pop(timer) == ("skipped", f"superseded by {cancel}" if together else "cancelled")
    assert got == {cancel: ("skipped", "cancelled"), late: ("skipped", f"overlaps {cancel}")}
    again = set_expiry(timers, member, 6, after_s=-6)
    timers.work()
    assert states(timers)[again] == ("waiting", None) and there(timers, member)


def test_null_without_a_timer_is_recorded(timers):
    member = member_until(timers, 5)
    run = set_expiry(timers, member, None)
    timers.work()
    assert states(timers) == {run: ("skipped", "cancelled")} and there(timers, member)


def test_a_row_that_was_extended_meanwhile_is_kept(timers):
    member = member_until(timers, 2)
    set_expiry(timers, member, 2)
    timers.work()
    timers.database.execute("UPDATE members SET expires_at = %s WHERE id = %s", [timers.day(3), member])
    come_due(timers, 2)
    [row] = timers.runs(JOB)
    assert row["state"] == "finished" and {"kept": 1, "removed": 0, "reason": "not expired"}.items() <= result(row).items()
    assert there(timers, member) and timers.outcomes("MemberKept") == []


def test_a_row_whose_end_was_taken_away_is_kept(timers):
    member = member_until(timers, 0)
    timers.database.execute("UPDATE members SET expires_at = NULL WHERE id = %s", [member])
    set_expiry(timers, member, 0)
    timers.work()
    assert result(timers.runs(JOB)[0])["kept"] == 1 and there(timers, member)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("avro", [False, True])
def test_a_membership_that_is_gone_or_never_existed_is_reported(timers, avro):
    gone = member_until(timers, 0)
    timers.database.execute("DELETE FROM members WHERE id = %s", [gone])
    for member in (gone, 999999999, 0, -1):
        set_expiry(timers, member, 0, avro=avro)
    timers.work()
    rows = timers.runs(JOB)
    assert len(rows) == 4
    assert all(r["state"] == "finished" and {"gone": 1, "removed": 0}.items() <= result(r).items() for r in rows)


def test_an_event_after_its_timer_has_ended_begins_anew(timers):
    member = member_until(timers, 0)
    first = set_expiry(timers, member, 0, after_s=-2)
    timers.work()
    second, cancel = set_expiry(timers, member, 0, after_s=-1), set_expiry(timers, member, None)
    timers.work()
    assert states(timers) == {first: ("finished", None), second: ("skipped", f"superseded by {cancel}"),
                              cancel: ("skipped", "cancelled")}


@pytest.mark.check_all
@pytest.mark.parametrize("seconds", [1, 5])
@pytest.mark.parametrize("day", [None, 5])
def test_an_event_that_comes_during_the_timers_step_waits_for_its_end(timers, day, seconds):
    """Also when the step takes longer than the lock time-out. Other events are handled
    meanwhile."""
    member, other = member_until(timers, 0), member_until(timers, 0)
    slow_rows(timers.database, seconds, f"OLD.id = {member}", table="members")
    first = set_expiry(timers, member, 0, after_s=-2)
    timers.pruned.start()
    wait_in_flight(timers.database)
    second = set_expiry(timers, member, day, after_s=-1)
    third = set_expiry(timers, other, 0)
    timers.pruned.wait_run(third, "finished", deadline_s=40)
    assert states(timers) == {first: ("finished", None), third: ("finished", None),
                              second: ("skipped", "cancelled") if day is None else ("waiting", None)}
    assert timers.ids("members") == []


def test_timer_and_nightly_chain_are_no_overlap(timers):
    late, now = member_until(timers, 2), member_until(timers, -1)
    set_expiry(timers, late, 2)
    timers.work()
    assert timers.tick(JOB)["state"] == "finished"
    assert there(timers, late) and not there(timers, now)
    assert sorted(r["state"] for r in timers.runs(JOB)) == ["finished", "waiting"]


def test_the_last_owner_stays_and_a_bot_is_destroyed(timers):
    owner = member_until(timers, 0, level=50)
    bot = timers.user(user_type=6)
    machine = member_until(timers, 0, user=bot)
    run = set_expiry(timers, owner, 0)
    set_expiry(timers, machine, 0)
    timers.work()
    assert {"kept": 1, "reason": "last_owner"}.items() <= result(timers.pruned.run_row(run)).items() and there(timers, owner)
    assert [(m["member_id"], m["reason"]) for m in timers.outcomes("MemberKept")] == [(owner, "last_owner")]
    assert timers.ids("users", f"id = {bot}") == []


def test_a_held_timer_that_is_replaced_is_no_longer_held(timers):
    timers.pruned.settings["jobs.members.remove_expired.approve"] = "always"
    member = member_until(timers, 0)
    first = set_expiry(timers, member, 0, after_s=-9)
    timers.work()
    assert states(timers) == {first: ("held", "held: each run of this job needs an approval (1 row)")}
    assert timers.pruned.run("runs", first, "--json").ok().json()[0]["held"]["counted"] == 1
    second = set_expiry(timers, member, None, after_s=-8)
    timers.work()
    assert states(timers)[first] == ("skipped", "cancelled") and second
    assert timers.pruned.run("runs", first, "--json").ok().json()[0]["held"] is None
