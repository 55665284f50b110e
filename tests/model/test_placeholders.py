import datetime

import pytest

from . import run_job, run_to_end
from .build import T, World

TWO_DAYS = datetime.timedelta(days=2)
TICK = datetime.timedelta(microseconds=1)


@pytest.fixture
def world():
    made = World()
    made.user(user_type=5)
    return made


def placeholder(world, **detail):
    user = world.user(user_type=15)
    return user, world.detail(user, **detail)


def cleanup(world):
    return run_job(world.db, "imports.placeholder_cleanup", T)


@pytest.mark.parametrize("last, selected", [
    (None, 1), (T - TWO_DAYS - TICK, 1), (T - TWO_DAYS, 0), (T - TWO_DAYS + TICK, 0)])
def test_two_days_strictly(world, last, selected):
    placeholder(world, attempts=3, last=last)
    assert cleanup(world).result["updated_rows"] == selected


@pytest.mark.parametrize("attempts, selected, maximum", [(0, 1, 0), (13, 1, 0), (14, 1, 1), (15, 0, 0), (16, 0, 0)])
def test_fifteen_attempts(world, attempts, selected, maximum):
    user, _ = placeholder(world, attempts=attempts)
    expected = cleanup(world)
    assert (expected.result["updated_rows"], expected.result["maximum_reached"]) == (selected, maximum)
    assert [line["placeholder_user_id"] for line in expected.log] == [user] * maximum


def test_claimed_ones_are_left_alone(world):
    placeholder(world, namespace_id=world.group())
    assert cleanup(world).result["updated_rows"] == 0


def test_an_attempt_is_counted_with_its_child(world):
    details = [placeholder(world) for _ in range(3)]
    expected = cleanup(world)
    row = world.db.get("import_placeholder_user_details", details[0][1])
    assert (row["deletion_attempts"], row["last_deletion_attempt_at"]) == (1, T)
    assert [(c.args, c.delay_s) for c in expected.children] == [
        ({"placeholder_user_id": user}, index) for index, (user, _) in enumerate(details)]


def test_deleted_when_nothing_refers_to_it(world):
    user, detail = placeholder(world)
    runs = run_to_end(world.db, "imports.placeholder_cleanup", T)
    assert [job for job, _, _ in runs] == ["imports.placeholder_cleanup", "users.delete_placeholder", "users.destroy"]
    assert not world.has("users", user) and not world.has("import_placeholder_user_details", detail)
    assert runs[1][2].result == {"status": "completed", "scheduled": 1}


@pytest.mark.parametrize("table, column, stays", [
    ("issues", "closed_by_id", True), ("notes", "author_id", True), ("issue_assignees", "user_id", True),
    ("notes", "updated_by_id", False), ("notes", "resolved_by_id", False), ("merge_requests", "last_edited_by_id", False),
    ("merge_requests", "merge_user_id", True), ("events", "author_id", False)])
def test_what_keeps_a_placeholder_alive(world, table, column, stays):
    world.db.tables.setdefault(table, {})
    world.db.primary_keys.setdefault(table, ("id",))
    user, detail = placeholder(world)
    world.put(table, **{column: user} | ({"issue_id": 1} if table == "issue_assignees" else {}))
    runs = run_to_end(world.db, "imports.placeholder_cleanup", T)
    assert world.has("users", user) is stays
    assert runs[1][2].result == {"status": "completed", "kept" if stays else "scheduled": 1}
    assert len(runs) == (2 if stays else 3) and world.has("import_placeholder_user_details", detail) is stays


@pytest.mark.parametrize("attempts, abandoned", [(13, False), (14, True)])
def test_abandoned_when_the_last_attempt_has_failed(world, attempts, abandoned):
    user, detail = placeholder(world, attempts=attempts)
    world.put("notes", author_id=user)
    parent, child = [expected for _, _, expected in run_to_end(world.db, "imports.placeholder_cleanup", T)]
    assert parent.result["scheduled"] == 1
    assert [o["type"] for o in child.outcomes] == ["PlaceholderKept"] and child.log[0]["placeholder_user_id"] == user
    assert child.quarantine == ([f"import_placeholder_user_details:{detail}"] if abandoned else [])


@pytest.mark.parametrize("attempts, abandoned", [(13, False), (14, True)])
def test_abandoned_when_the_user_is_not_destroyed(world, attempts, abandoned):
    user, detail = placeholder(world, attempts=attempts)
    world.project(world.home(user))
    *_, (job, _, destroyed) = run_to_end(world.db, "imports.placeholder_cleanup", T)
    assert job == "users.destroy" and destroyed.result["kept"] == 1
    assert destroyed.quarantine == ([f"import_placeholder_user_details:{detail}"] if abandoned else [])


@pytest.mark.parametrize("user", ["human", "missing"])
def test_only_placeholders_are_deleted(world, user):
    user_id = world.user() if user == "human" else 4711
    expected = run_job(world.db, "users.delete_placeholder", T, {"placeholder_user_id": user_id})
    assert expected.result == {"status": "completed"} and not expected.children


def test_an_old_event_sets_no_time_back(world):
    user, detail = placeholder(world, last=T + TICK)
    run_job(world.db, "PlaceholderUserOrphaned", T, {"placeholder_user_id": user})
    row = world.db.get("import_placeholder_user_details", detail)
    assert (row["deletion_attempts"], row["last_deletion_attempt_at"]) == (1, T + TICK)


def test_the_event_does_not_wait_two_days(world):
    user, _ = placeholder(world, last=T - TICK)
    world.detail(user, attempts=15), world.detail(user, namespace_id=world.group()), placeholder(world)
    expected = run_job(world.db, "PlaceholderUserOrphaned", T, {"placeholder_user_id": user})
    assert expected.result["updated_rows"] == 1 and [(c.args, c.delay_s) for c in expected.children] == [
        ({"placeholder_user_id": user}, 0)]
