import re

import pytest

from . import compare, compare_children, compare_outcomes, compare_result
from .build import World
from .db import DIRTY, NOW
from .expected import Child


@pytest.fixture
def world():
    made = World()
    made.user(), made.todo(1)
    return made


def three(world):
    return world.db.copy(), world.db.copy(), world.db.copy()


def test_equal_is_silent(world):
    assert compare(*three(world)) == []


def test_a_row_that_should_have_gone_or_stayed(world):
    before, real, expected = three(world)
    expected.delete_where("users")
    real.delete_where("todos")
    assert [d.split(",")[0] for d in compare(before, real, expected)] == [
        "todos[2]: should have stayed", "users[1]: should be gone"]


def test_a_value(world):
    before, real, expected = three(world)
    expected.get("users", 1)["state"] = "blocked"
    assert compare(before, real, expected) == ["users[1].state: should be 'blocked', is 'active', was 'active'"]


def test_a_moment_must_be_new_where_a_rule_says_now_and_may_be_where_the_row_changes(world):
    before, real, expected = three(world)
    expected.get("todos", 2).update(state="done", updated_at=NOW)
    real.get("todos", 2)["state"] = "done"
    assert compare(before, real, expected) == [f"todos[2].updated_at: should be {NOW!r}, is 'before', was 'before'"]
    real.get("todos", 2)["updated_at"] = "later"
    assert compare(before, real, expected) == []
    expected.get("todos", 2)["updated_at"] = "before"
    assert compare(before, real, expected) == []


def test_an_untouched_row_keeps_its_moment(world):
    before, real, expected = three(world)
    real.get("todos", 2)["updated_at"] = "later"
    assert len(compare(before, real, expected)) == 1


def test_a_pattern(world):
    before, real, expected = three(world)
    expected.get("users", 1)["username"] = re.compile("user-[a-z]{5}")
    real.get("users", 1)["username"] = "user-abcde"
    assert compare(before, real, expected) == []
    real.get("users", 1)["username"] = "user"
    assert len(compare(before, real, expected)) == 1


def test_new_rows_are_known_by_what_the_rule_says_of_them(world):
    before, real, expected = three(world)
    expected.insert("ghost_user_migrations", user_id=1, initiator_user_id=None, created_at=NOW)
    assert compare(before, real, expected) == ["ghost_user_migrations: missing a new row user_id=1"]
    real.put("ghost_user_migrations", {"id": 9, "user_id": 1, "initiator_user_id": None, "hard_delete": False, "created_at": 5})
    assert compare(before, real, expected) == []
    real.put("ghost_user_migrations", {"id": 10, "user_id": 2, "initiator_user_id": None})
    assert compare(before, real, expected) == ["ghost_user_migrations[10]: a row that nobody asked for: id=10, user_id=2"]


def test_requests_of_users_who_are_gone_do_not_matter(world):
    before, real, expected = three(world)
    for user_id in (1, 4711):
        real.put(DIRTY, {"user_id": user_id, "kind": "todos"})
    assert [d[:35] for d in compare(before, real, expected)] == ["pruned.dirty_users[(1, 'todos')]: a"]


def test_outcomes_once_each(world):
    removed = {"type": "MemberRemoved", "member_id": 1}
    real = {**removed, "ce_id": "a", "step": 0}
    assert compare_outcomes([removed], [real, dict(real)]) == []
    assert len(compare_outcomes([removed], [real, {**real, "ce_id": "b"}])) == 1
    assert len(compare_outcomes([removed], [{**real, "member_id": 2}])) == 2
    assert compare_outcomes([], [real], types=["MemberKept"]) == []


def test_results_and_children(world):
    assert compare_result({"removed": 1, "kept": 0}, {"removed": 1, "status": "completed"}) == []
    assert len(compare_result({"removed": 1, "kept": 0}, {"removed": 2, "kept": 1})) == 2
    child = Child("users.destroy", {"user_id": 1})
    assert compare_children([child], [{"job": "users.destroy", "args": {"user_id": 1, "reason": "x"}}]) == []
    assert len(compare_children([child], [{"job": "users.destroy", "args": {"user_id": 2}}])) == 2
