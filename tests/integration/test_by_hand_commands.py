"""Odd objects, odd times and commands in an unusual order, with results worked out by hand."""

import datetime

import pytest

from support.instance import tenant  # noqa: F401

JOB = "members.remove_expired"


def test_odd_names_of_objects(tenant, tmp_path):  # noqa: F811
    """Two rows of one object both go; what leaves the store stays."""
    root, precious = tmp_path / "store", tmp_path / "precious"
    (root / "a").mkdir(parents=True)
    (root / "a" / "twice").write_text("x")
    precious.write_text("x")

    def add(dir_, file):
        return tenant.put("ci_deleted_objects", store_dir=dir_, file=file, pick_up_at="2026-01-01", created_at="2026-01-01")

    for dir_, file in (("a", "twice"), ("a", "twice"), ("a", "..b"), ("x" * 1024, "y"), ("a//", "none")):
        add(dir_, file)
    unsafe = [add("..", "precious"), add("a", "../../precious"), add(str(tmp_path), "precious"), add("a/..", "..")]
    tenant.tick("ci.schedule_delete_objects", **{"store.local.root": root})
    left = tenant.database.rows("SELECT id, length(store_dir) AS n FROM ci_deleted_objects ORDER BY id")
    assert [r["id"] for r in left if r["n"] != 1024] == unsafe and precious.exists() and not (root / "a" / "twice").exists()


@pytest.mark.check_all
def test_a_restore_twice_and_the_same_tick_after_it(tenant):  # noqa: F811
    """The second restore brings nothing twice, a finished run is not retried, and the tick that
    made it removes nothing again."""
    place = tenant.group()
    tenant.owner(tenant.user(), place)
    member = tenant.member(tenant.user(), place, expires_at=tenant.day(-1))
    run = tenant.tick(JOB)
    assert tenant.ids("members", f"id = {member}") == []
    tenant.pruned.run("restore", str(run["run_id"])).ok()
    assert tenant.ids("members", f"id = {member}") == [member]
    second = tenant.pruned.run("restore", str(run["run_id"]))
    assert second.code == 0 and "0 restored, 1 exist again" in second.stdout + second.stderr
    assert tenant.ids("members", f"id = {member}") == [member]
    refused = tenant.pruned.run("retry", str(run["run_id"]))
    assert refused.code == 1 and "finished" in refused.stderr
    again = tenant.tick(JOB)
    assert again["run_id"] == run["run_id"]
    assert tenant.ids("members", f"id = {member}") == [member]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("ahead", [14, -12])
def test_a_day_is_a_day_of_utc(tenant, ahead):  # noqa: F811
    """Of whatever offset a tick's time is written with, the day in UTC counts."""
    local = (tenant.at - datetime.timedelta(days=2)).astimezone(datetime.timezone(datetime.timedelta(hours=ahead)))
    day = local.astimezone(datetime.timezone.utc).date()
    place = tenant.group()
    tenant.member(tenant.user(), place, expires_at=day)
    stays = tenant.member(tenant.user(), place, expires_at=day + datetime.timedelta(days=1))
    tenant.tick(JOB, local)
    assert tenant.ids("members") == [stays]


@pytest.mark.check_all
def test_a_reference_that_comes_before_the_child_keeps_the_placeholder(tenant):  # noqa: F811
    _, user = tenant.placeholder()
    _, first = tenant.placeholder()
    tenant.tick("imports.placeholder_cleanup", **{"jobs.imports.placeholder_cleanup.spacing_ms": 3600000})
    tenant.put("issues", author_id=first)
    tenant.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state IN ('waiting', 'ready')")
    tenant.work()
    tenant.work()
    assert tenant.ids("users", "user_type = 15") == [first]
