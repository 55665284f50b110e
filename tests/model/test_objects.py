import datetime

import pytest

from . import run_job
from .build import T, World


@pytest.fixture
def world():
    return World()


def thing(world, file="a.zip", store_dir="x/y", ago_s=60, store=1):
    return world.put("ci_deleted_objects", file_store=store, store_dir=store_dir, file=file,
                     pick_up_at=T - datetime.timedelta(seconds=ago_s))


@pytest.mark.parametrize("ready, slots", [(0, 0), (1, 1), (100, 1), (101, 2), (5100, 50)])
def test_a_slot_per_hundred_up_to_fifty(world, ready, slots):
    for _ in range(ready):
        thing(world)
    thing(world, ago_s=0), thing(world, ago_s=-5)
    expected = run_job(world.db, "ci.schedule_delete_objects", T, {"colour": "red"})
    assert [c.args for c in expected.children] == [{"colour": "red", "slot": slot} for slot in range(slots)]


def test_a_row_goes_with_its_object_or_if_the_object_is_absent(world):
    thing(world), thing(world, "absent")
    later = thing(world, "b.zip", ago_s=0)
    storage = {(1, "x/y/a.zip"), (2, "x/y/a.zip"), (1, "x/y/b.zip")}
    expected = run_job(world.db, "ci.delete_objects", T, storage=storage)
    assert world.ids("ci_deleted_objects") == [later] and storage == {(2, "x/y/a.zip"), (1, "x/y/b.zip")}
    assert (expected.result["updated_rows"], expected.result["failed"]) == (2, 0)


def test_parts_are_joined_by_one_slash(world):
    thing(world, "f", "d/", store=2), thing(world, "f", "", store=2)
    storage = {(2, "pre/d/f"), (2, "pre/f"), (2, "other")}
    run_job(world.db, "ci.delete_objects", T, storage=storage, prefix="pre/")
    assert storage == {(2, "other")}


@pytest.mark.parametrize("store_dir, file, store", [
    ("/etc", "passwd", 1), ("a/../..", "b", 2), ("a", "/b", 1), ("..", "b", 1), ("a", "b", 3)])
def test_unsafe_paths_and_unknown_stores_are_not_followed(world, store_dir, file, store):
    row = thing(world, file, store_dir, store=store)
    assert run_job(world.db, "ci.delete_objects", T).quarantine == [f"ci_deleted_objects:{row}"]
    assert world.has("ci_deleted_objects", row)


def test_dots_in_a_name_are_safe(world):
    thing(world, "..b", "a..c/...")
    assert run_job(world.db, "ci.delete_objects", T).result["updated_rows"] == 1


def test_a_failure_keeps_its_row(world):
    row = thing(world)
    storage = {(1, "x/y/a.zip")}
    assert run_job(world.db, "ci.delete_objects", T, storage=storage, failing={(1, "x/y/a.zip")}).result["failed"] == 1
    assert world.has("ci_deleted_objects", row) and storage
