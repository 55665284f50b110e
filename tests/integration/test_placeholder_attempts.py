"""When the details of placeholders count an attempt, and what each attempt starts."""

import datetime
import threading

import pytest

from support.bad_rows import AS_BEFORE, LOOSE
from support.instance import tenant  # noqa: F401
from support.scene import child_id, result

JOB, CHILD = "imports.placeholder_cleanup", "users.delete_placeholder"
# the first child is due at once, the others after hours
NOT_YET = {f"jobs.{JOB}.spacing_ms": 3600000}
AT_ONCE = {f"jobs.{JOB}.spacing_ms": 0}
LAST = ("Maximum deletion attempts (15) reached for deletion of placeholder user. "
        "Making final deletion attempt.")
DAYS, MOMENT = datetime.timedelta(days=2), datetime.timedelta(microseconds=1)


def keep(tenant, *users):
    """Adds a reference to the user, so that they stay."""
    for user in users:
        tenant.put("issues", author_id=user)


def attempts(tenant):
    return {r["id"]: r["deletion_attempts"] for r in tenant.database.rows("SELECT id, deletion_attempts FROM import_placeholder_user_details")}


def test_an_attempt_counts_if_the_last_one_is_more_than_two_days_ago(tenant):
    never, user = tenant.placeholder()
    exactly, _ = tenant.placeholder(attempts=1, last=tenant.at - DAYS)
    before, other = tenant.placeholder(attempts=1, last=tenant.at - DAYS - MOMENT)
    after, _ = tenant.placeholder(attempts=1, last=tenant.at - DAYS + MOMENT)
    claimed, _ = tenant.placeholder(namespace=tenant.group())
    keep(tenant, user, other)
    run = tenant.tick(JOB, **AT_ONCE)
    assert {"status": "completed", "updated_rows": 2, "scheduled": 2, "maximum_reached": 0}.items() <= result(run).items()
    assert attempts(tenant) == {never: 1, exactly: 1, before: 2, after: 1, claimed: 0}
    assert tenant.row("import_placeholder_user_details", before)["last_deletion_attempt_at"] == tenant.at


def test_numbers_and_times_that_only_another_program_writes_are_due_as_well(tenant):
    strange = {tenant.placeholder(attempts=n, last=last) for n in (-2, -7, -40000) for last in (None, tenant.at - 2 * DAYS)}
    strange |= {tenant.placeholder(attempts=n) for n in (-7, 0, 3)}
    tenant.database.execute("UPDATE import_placeholder_user_details SET last_deletion_attempt_at = '-infinity' WHERE id = ANY (%s)",
                            [[detail for detail, _ in sorted(strange)[-3:]]])
    never = tenant.placeholder(attempts=-1)
    tenant.database.execute("UPDATE import_placeholder_user_details SET last_deletion_attempt_at = 'infinity' WHERE id = %s", [never[0]])
    keep(tenant, *(user for _, user in strange | {never}))
    before = attempts(tenant)
    run = tenant.tick(JOB, **AT_ONCE, **{f"jobs.{JOB}.batch": 4})
    assert attempts(tenant) == {detail: n + (detail != never[0]) for detail, n in before.items()}
    assert {"updated_rows": 9, "scheduled": 9, "maximum_reached": 0}.items() <= result(run).items()


def test_fourteen_attempts_fifteen_and_sixteen(tenant):
    details = {n: tenant.placeholder(attempts=n) for n in (13, 14, 15, 16)}
    keep(tenant, *(user for _, user in details.values()))
    run = tenant.tick(JOB, **AT_ONCE)
    assert attempts(tenant) == {details[13][0]: 14, details[14][0]: 15, details[15][0]: 15, details[16][0]: 16}
    assert {"updated_rows": 2, "scheduled": 2, "maximum_reached": 1}.items() <= result(run).items()
    (line,) = tenant.lines(LAST)
    assert line["level"] == "warning" and line["placeholder_user_id"] == details[14][1] and "user" in line
    items = tenant.database.rows("SELECT * FROM pruned.quarantine")
    assert [(i["job"], i["item"], i["parked"]) for i in items] == [
        (JOB, f"import_placeholder_user_details:{details[14][0]}", True)]
    assert items[0]["reason"].startswith("abandoned")


def test_children_are_spaced_by_their_place_in_the_whole_run(tenant):
    users = [tenant.placeholder()[1] for _ in range(7)]
    run = tenant.tick(JOB, **NOT_YET, **{f"jobs.{JOB}.batch": 3})
    started = tenant.children(run)
    assert [c["args"] for c in started] == [{"placeholder_user_id": user} for user in users]
    assert [str(c["run_id"]) for c in started] == [child_id(run["run_id"], CHILD, user) for user in users]
    assert [c["scheduled_at"] for c in started] == [tenant.at] * 7
    hours = [(c["due_at"] - started[0]["due_at"]).total_seconds() for c in started]
    assert hours == [3600 * i for i in range(7)]
    assert run["step"] == 3 and result(run)["scheduled"] == 7
    assert started[0]["state"] == "finished" and {c["state"] for c in started[1:]} == {"waiting"}


def test_while_a_child_waits_its_row_is_not_counted_again(tenant):
    first, second = tenant.placeholder()[0], tenant.placeholder()[0]
    tenant.tick(JOB, **NOT_YET)
    tenant.at += datetime.timedelta(seconds=1)
    tenant.database.execute("UPDATE import_placeholder_user_details SET last_deletion_attempt_at = %s", [tenant.at - 2 * DAYS])
    run = tenant.tick(JOB, **NOT_YET)
    assert attempts(tenant).get(second) == 1 and first not in attempts(tenant)
    assert result(run)["updated_rows"] == 0


def test_one_child_for_two_details_of_one_user_and_no_attempt_without_a_child(tenant):
    one, user = tenant.placeholder()
    two, _ = tenant.placeholder(user=user)
    keep(tenant, user)
    run = tenant.tick(JOB, **{f"jobs.{JOB}.batch": 1})
    assert [c["args"] for c in tenant.children(run)] == [{"placeholder_user_id": user}]
    assert attempts(tenant) == {one: 1, two: 0}, "on another page the child of this run is used up"
    later = tenant.tick(JOB, at=tenant.at + datetime.timedelta(seconds=1))
    assert attempts(tenant) == {one: 1, two: 1} and len(tenant.children(later)) == 1


@pytest.mark.check_all
def test_an_old_event_with_two_pages_uses_up_no_attempt_without_a_child(tenant):
    """Neither detail has the event's time; the child has ended when the second page comes."""
    one, user = tenant.placeholder(attempts=3, last=tenant.at)
    two, _ = tenant.placeholder(attempts=3, last=tenant.at, user=user)
    keep(tenant, user)
    tenant.emit("PlaceholderUserOrphaned", ce_time=tenant.at - 10 * DAYS, placeholder_user_id=user)
    tenant.work({f"jobs.{JOB}.batch": 1, f"jobs.{JOB}.delay_ms": 3000})
    (run,) = tenant.runs(JOB)
    assert run["step"] == 2 and len(tenant.children(run)) == 1 and attempts(tenant) == {one: 4, two: 3}


def test_the_same_tick_again_changes_nothing(tenant):
    detail, user = tenant.placeholder()
    keep(tenant, user)
    tenant.tick(JOB, **AT_ONCE)
    tenant.tick(JOB, **AT_ONCE)
    assert attempts(tenant) == {detail: 1} and len(tenant.runs()) == 2


def test_a_row_that_cannot_be_counted_stops_no_other_and_starts_nothing(tenant):
    details = [tenant.placeholder() for _ in range(3)]
    keep(tenant, *(user for _, user in details))
    bad, user = details[1]
    tenant.database.connection.execute(f"""
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF NEW.id = {bad} THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER no BEFORE UPDATE ON import_placeholder_user_details FOR EACH ROW EXECUTE FUNCTION no()""")
    run = tenant.tick(JOB, **AT_ONCE)
    assert attempts(tenant) == {details[0][0]: 1, bad: 0, details[2][0]: 1}
    assert {"updated_rows": 2, "scheduled": 2, "failed": 1, "errors": 1, "maximum_reached": 0}.items() <= result(run).items()
    assert user not in [c["args"]["placeholder_user_id"] for c in tenant.children(run)]
    assert tenant.database.column("SELECT item FROM pruned.quarantine") == [f"import_placeholder_user_details:{bad}"]


@pytest.mark.parametrize("timing, back", [
    ("BEFORE", "NEW.deletion_attempts := OLD.deletion_attempts"),
    ("AFTER", "UPDATE public.import_placeholder_user_details SET deletion_attempts = OLD.deletion_attempts WHERE id = OLD.id AND pg_trigger_depth() = 1")])
def test_an_attempt_that_is_set_back_starts_nothing(tenant, timing, back):
    """Else its user would get attempts without end."""
    details = [tenant.placeholder() for _ in range(3)]
    keep(tenant, *(user for _, user in details))
    bad, user = details[1]
    tenant.database.connection.execute(f"""
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN IF NEW.id = {bad} THEN {back}; END IF; RETURN NEW; END $$;
        CREATE TRIGGER no {timing} UPDATE ON import_placeholder_user_details FOR EACH ROW EXECUTE FUNCTION no()""")
    run = tenant.tick(JOB, **AT_ONCE)
    assert attempts(tenant) == {details[0][0]: 1, bad: 0, details[2][0]: 1}
    assert {"updated_rows": 2, "scheduled": 2, "failed": 1, "errors": 1}.items() <= result(run).items()
    assert user not in [c["args"]["placeholder_user_id"] for c in tenant.children(run)]
    [entry] = tenant.database.rows("SELECT item, reason FROM pruned.quarantine")
    assert entry["item"] == f"import_placeholder_user_details:{bad}" and "deletion_attempts" in entry["reason"]


def test_a_second_tick_within_the_run_is_skipped(tenant):
    keep(tenant, *(tenant.placeholder()[1] for _ in range(3)))
    tenant.pruned.start(settings=NOT_YET | {f"jobs.{JOB}.batch": 1, f"jobs.{JOB}.delay_ms": 3600000})
    tenant.pruned.topics.tick(JOB, tenant.at)
    first = tenant.database.wait("SELECT run_id FROM pruned.runs WHERE state = 'waiting' AND step = 1")
    tenant.pruned.topics.tick(JOB, tenant.at + datetime.timedelta(seconds=1))
    assert tenant.database.wait("SELECT error FROM pruned.runs WHERE state = 'skipped'") == f"overlaps {first}"
    tenant.database.wait("SELECT state = 'finished' FROM pruned.runs WHERE job = %s", [CHILD])


def test_an_event_counts_every_detail_of_its_user_at_once(tenant):
    recent, user = tenant.placeholder(attempts=3, last=tenant.at - MOMENT)
    never, _ = tenant.placeholder(user=user)
    used_up, _ = tenant.placeholder(user=user, attempts=15)
    other, _ = tenant.placeholder()
    keep(tenant, user)
    for avro in (False, True):
        tenant.pruned.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": user}, ce_time=tenant.at, avro=avro,
                                   ce_id="the same")
    tenant.pruned.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 999999}, ce_time=tenant.at)
    tenant.work()
    assert attempts(tenant) == {recent: 4, never: 1, used_up: 15, other: 0}
    mine = [r for r in tenant.runs(JOB) if r["args"] == {"placeholder_user_id": user}]
    (child,) = tenant.children(mine[0])
    assert len(mine) == 1 and mine[0]["scheduled_at"] == tenant.at and child["state"] == "finished"
    assert [result(r)["updated_rows"] for r in tenant.runs(JOB) if r not in mine] == [0]


def test_what_is_taken_out_of_quarantine_is_tried_again(tenant):
    detail, user = tenant.placeholder(attempts=14)
    keep(tenant, user)
    tenant.tick(JOB)
    item = f"import_placeholder_user_details:{detail}"
    tenant.pruned.run("quarantine", "retry", JOB, item).ok()
    tenant.tick(JOB, at=tenant.at + MOMENT * 1000)
    assert attempts(tenant) == {detail: 16}
    row = tenant.database.row("SELECT * FROM pruned.quarantine WHERE item = %s", [item])
    assert row["parked"] and row["attempts"] == 16


# --- times and limits

def test_an_old_event_sets_no_time_back(tenant):
    """Nor does an old tick, with a detail that an operator released from quarantine."""
    detail, user = tenant.placeholder(attempts=3, last=tenant.at - MOMENT)
    keep(tenant, user)
    tenant.pruned.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": user}, ce_time=tenant.at - 10 * DAYS, ce_id="old")
    tenant.work()
    row = tenant.row("import_placeholder_user_details", detail)
    assert (row["deletion_attempts"], row["last_deletion_attempt_at"]) == (4, tenant.at - MOMENT)
    tenant.database.execute("INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, %s, 'x')",
                            [JOB, f"import_placeholder_user_details:{detail}"])
    tenant.tick(JOB, at=tenant.at - 5 * DAYS)
    row = tenant.row("import_placeholder_user_details", detail)
    assert (row["deletion_attempts"], row["last_deletion_attempt_at"]) == (5, tenant.at - MOMENT)


def test_how_many_attempts_is_one_setting_for_both_jobs_and_the_line_says_it(tenant):
    tenant.pruned.settings[f"jobs.{JOB}.item_attempts"] = 3
    last, user = tenant.placeholder(attempts=2)
    first, other = tenant.placeholder(attempts=1)
    keep(tenant, user, other)
    run = tenant.tick(JOB, **AT_ONCE)
    assert result(run)["maximum_reached"] == 1 and attempts(tenant) == {last: 3, first: 2}
    (line,) = tenant.lines("Maximum deletion attempts (3) reached for deletion of placeholder user. Making final deletion attempt.")
    assert line["placeholder_user_id"] == user
    assert tenant.database.column("SELECT item FROM pruned.quarantine WHERE parked") == [f"import_placeholder_user_details:{last}"]


@pytest.mark.check_all
def test_an_abandoned_detail_gets_one_more_attempt_a_week(tenant):
    detail, user = tenant.placeholder(attempts=14)
    keep(tenant, user)
    tenant.tick(JOB, **AT_ONCE)
    tenant.tick(JOB, at=tenant.at + MOMENT * 1000, **AT_ONCE)
    assert attempts(tenant) == {detail: 15}
    tenant.database.execute("UPDATE pruned.quarantine SET next_try_at = next_try_at - interval '8 days'")
    tenant.tick(JOB, at=tenant.at + MOMENT * 2000, **AT_ONCE)
    assert attempts(tenant) == {detail: 16}
    assert tenant.database.row("SELECT parked, attempts FROM pruned.quarantine") == {"parked": True, "attempts": 16}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("attempts, abandoned", [(13, False), (14, True)])
@pytest.mark.parametrize("end", ["kept", "dead"])
def test_a_last_attempt_that_fails_when_the_user_is_destroyed_leaves_an_abandoned_detail(tenant, end, attempts, abandoned):
    """Nothing refers to the user, so they are handed over; but they have a project of their own, or
    a key forbids the end."""
    detail, user = tenant.placeholder(attempts=attempts)
    if end == "kept":
        home = tenant.namespace("User", owner_id=user)
        tenant.route("Namespace", home, home, None)
        tenant.project(home)
    else:
        tenant.database.connection.execute("CREATE TABLE theirs (user_id bigint REFERENCES users); GRANT SELECT ON theirs TO PUBLIC")
        tenant.database.execute("INSERT INTO theirs VALUES (%s)", [user])
    tenant.tick(JOB, **AT_ONCE, **{"jobs.users.destroy.max_attempts": 0})
    (run,) = tenant.runs("users.destroy")
    assert user in tenant.ids("users") and run["state"] == ("finished" if end == "kept" else "dead")
    rows = tenant.database.rows("SELECT job, item, parked, attempts FROM pruned.quarantine")
    assert rows == [{"job": JOB, "item": f"import_placeholder_user_details:{detail}", "parked": True, "attempts": 15}] * abandoned
    if end == "kept":
        assert (result(run)["kept"], result(run)["abandoned"]) == (1, int(abandoned))


def children_of(tenant, run):
    return {c["args"]["placeholder_user_id"]: str(c["run_id"]) for c in tenant.children(run)}


def abandoned(tenant):
    return {r["item"]: r["reason"] for r in tenant.database.rows("SELECT item, reason FROM pruned.quarantine WHERE job = %s AND parked", [JOB])}


@pytest.mark.check_all
def test_a_last_attempt_that_ends_outside_its_steps_leaves_an_abandoned_detail(tenant):
    """Its run is discarded before it begins, or when the user was handed over, or its row cannot be
    used. Not that of a user who goes for another reason, or for none that is told."""
    (one, first), (two, handed), (three, broken), (early, other), (_, plain) = [tenant.placeholder(attempts=n) for n in (14, 14, 14, 13, 14)]
    for job in (CHILD, "users.destroy"):
        tenant.pruned.run("pause", job).ok()
    runs = children_of(tenant, tenant.tick(JOB, **AT_ONCE))
    tenant.pruned.run("discard", runs[first], runs[other]).ok()
    tenant.database.connection.execute(LOOSE)
    tenant.database.execute("UPDATE pruned.runs SET attempts = -1 WHERE run_id = %s", [runs[broken]])
    tenant.database.connection.execute(AS_BEFORE)
    tenant.pruned.run("resume", CHILD).ok()
    tenant.work()
    destroys = {r["args"]["user_id"]: str(r["run_id"]) for r in tenant.runs("users.destroy")}
    assert (set(destroys), tenant.pruned.run_row(runs[broken])["state"]) == ({handed, plain}, "dead")
    tenant.database.execute("UPDATE pruned.runs SET args = args - 'reason' WHERE run_id = %s", [destroys[plain]])
    assert set(abandoned(tenant)) == {f"import_placeholder_user_details:{n}" for n in (one, three)}
    tenant.pruned.run("discard", *destroys.values()).ok()
    said = {int(item.rpartition(":")[2]): reason for item, reason in abandoned(tenant).items()}
    assert said.pop(three).startswith("abandoned: the run's row: attempts was -1")
    assert said == {one: "abandoned: discarded", two: "abandoned: discarded"} and attempts(tenant)[early] == 14
    tenant.database.execute("UPDATE pruned.quarantine SET next_try_at = next_try_at - interval '8 days'")
    tenant.pruned.run("resume", "users.destroy").ok()
    tenant.tick(JOB, at=tenant.at + MOMENT * 1000, **AT_ONCE)
    assert {first, handed, broken} & set(tenant.ids("users")) == set()


# The step fails once something waits for its run; what it then writes waits until that has ended.
FAILS_MEANWHILE = """
CREATE FUNCTION bad(text, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(4711);
  WHILE NOT EXISTS (SELECT FROM pg_locks l WHERE NOT l.granted AND pg_backend_pid() = ANY (pg_blocking_pids(l.pid))) LOOP
    PERFORM pg_sleep(0.02); END LOOP;
  RAISE EXCEPTION 'broken'; END $$;
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = bigint, FUNCTION = bad);
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_query() LIKE '%rows_leased%' THEN PERFORM pg_sleep(0.5); END IF; RETURN NULL; END $$;
CREATE TRIGGER later BEFORE UPDATE ON pruned.runs FOR EACH STATEMENT EXECUTE FUNCTION later()"""


def test_a_run_that_is_discarded_while_its_last_attempt_fails_stays_so(tenant):
    detail, _ = tenant.placeholder(attempts=14)
    tenant.put("issues", author_id=1)
    tenant.database.execute("ALTER TABLE issues ALTER author_id TYPE text USING author_id::text")
    tenant.database.connection.execute(FAILS_MEANWHILE)
    daemon = tenant.pruned.start(settings=AT_ONCE | {f"jobs.{CHILD}.max_attempts": 0})
    tenant.pruned.topics.tick(JOB, tenant.at)
    child = str(tenant.database.wait("SELECT run_id FROM pruned.runs WHERE job = %s AND state = 'ready'", [CHILD]))
    said = []
    discard = threading.Thread(target=lambda: said.append(tenant.pruned.run("discard", child)))
    tenant.database.wait("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND granted", until=1)
    discard.start()
    line = daemon.wait_line("Step failed", job=CHILD, run_id=child)
    discard.join(30)
    row = said[0].ok() and tenant.pruned.run_row(child)
    assert (row["state"], row["error"]) == ("skipped", "discarded") and "broken" in line["error"]
    assert "state" not in line and line["detail"].startswith("nothing follows") and line["level"] == "warning"
    assert abandoned(tenant) == {f"import_placeholder_user_details:{detail}": "abandoned: discarded"}
    tenant.database.wait("SELECT count(*) FROM pruned.runs WHERE state IN ('waiting', 'ready')", until=0)
    assert daemon.stop() == 0
    assert [m.value["state"] for m in tenant.pruned.topics.outcomes("RunFinished") if m.text_key == child] == []


def test_an_abandoned_detail_whose_attempts_were_set_back_starts_afresh(tenant):
    """Another change of its row does not end the entry: the detail would be forgotten."""
    detail, user = tenant.placeholder(attempts=14)
    keep(tenant, user)
    tenant.tick(JOB, **AT_ONCE)
    tenant.database.execute("UPDATE import_placeholder_user_details SET updated_at = now()")
    tenant.database.execute("INSERT INTO pruned.quarantine (job, item, reason) VALUES (%s, 'import_placeholder_user_details:4711', 'z')", [JOB])
    daemon = tenant.pruned.start()
    tenant.database.wait("SELECT count(*) FROM pruned.quarantine WHERE reason = 'z'", until=0)
    assert daemon.stop() == 0
    assert tenant.database.column("SELECT item FROM pruned.quarantine") == [f"import_placeholder_user_details:{detail}"]
    tenant.database.execute("UPDATE import_placeholder_user_details SET deletion_attempts = 0, last_deletion_attempt_at = NULL")
    tenant.tick(JOB, at=tenant.at + MOMENT * 1000, **AT_ONCE)
    assert attempts(tenant) == {detail: 1} and tenant.database.rows("SELECT * FROM pruned.quarantine") == []
