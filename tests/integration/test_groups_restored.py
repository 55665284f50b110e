"""A group whose mark has no right behind it (any more) comes back under its own name."""

import re

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import result

JOB = "groups.adjourned_deletion"


@pytest.fixture
def nobody(tenant):  # noqa: F811
    tenant.period(7)
    return tenant.user()


def names(tenant, group):
    row = tenant.row("namespaces", group)
    return row["name"], row["path"], tenant.path("Namespace", group)


def test_suffixes_go_from_everything_below(tenant, nobody):
    top = tenant.group(path="top")
    group = tenant.group(parent=top, path="wiki-deletion_scheduled-{id}", name="Wiki-deletion_scheduled-{id}")
    other = tenant.group(path="old-deleted-{id}", name="Old")
    not_its_own = tenant.group(path="keep-deleted-1", name="Keep-deletion_scheduled-1")
    below = tenant.group(parent=group, path="sub")
    project = tenant.project(below, path="code")
    for g in (group, other, not_its_own):
        tenant.mark(g, nobody, 30)
    run = tenant.tick(JOB)
    assert {"restored": 3, "scheduled": 0, "updated_rows": 3}.items() <= result(run).items()
    assert names(tenant, group) == ("Wiki", "wiki", "top/wiki")
    assert names(tenant, other) == ("Old", "old", "old")
    assert names(tenant, not_its_own) == ("Keep-deletion_scheduled-1", "keep-deleted-1", "keep-deleted-1")
    assert tenant.path("Namespace", below) == "top/wiki/sub" and tenant.path("Project", project) == "top/wiki/sub/code"
    assert tenant.database.value("SELECT name FROM routes WHERE source_type = 'Project'") == "top / Wiki / sub / code"
    assert tenant.ids("group_deletion_schedules", key="group_id") == []
    assert {o["full_path"]: o["group_id"] for o in tenant.outcomes("GroupRestored")} == {
        "top/wiki": group, "old": other, "keep-deleted-1": not_its_own}
    assert len(tenant.lines("User system restored group top/wiki")) == 1


def test_a_taken_path_gets_five_letters_or_digits(tenant, nobody):
    bot = tenant.user(user_type=11)
    tenant.group(path="mine")
    group = tenant.group(path="mine-deleted-{id}")
    twins = [tenant.group(path="twin-deleted-{id}") for _ in range(2)]
    below = tenant.group(parent=group, path="sub")
    for g in (group, *twins):
        tenant.mark(g, nobody, 30)
    tenant.tick(JOB)
    name, path, full = names(tenant, group)
    assert re.fullmatch("mine-[A-Za-z0-9]{5}", path) and full == path and name == path
    assert tenant.path("Namespace", below) == f"{path}/sub"
    first, second = (names(tenant, g)[2] for g in twins)
    assert first == "twin" and re.fullmatch("twin-[A-Za-z0-9]{5}", second)
    assert len(tenant.lines(f"User {bot} restored group {path}")) == 1


def test_groups_of_one_line_come_back_together(tenant, nobody):
    group = tenant.group(path="a-deleted-{id}")
    inner = tenant.group(parent=group, path="b-deletion_scheduled-{id}")
    leaf = tenant.group(parent=inner, path="c")
    for g in (group, inner):
        tenant.mark(g, nobody, 30)
    tenant.tick(JOB)
    assert [names(tenant, g)[2] for g in (group, inner, leaf)] == ["a", "a/b", "a/b/c"]


def test_a_deletion_in_progress_is_not_undone(tenant, nobody):
    group = tenant.group(path="x-deleted-{id}")
    tenant.mark(group, nobody, 30)
    tenant.database.execute("UPDATE namespace_details SET deleted_at = now() WHERE namespace_id = %s", [group])
    run = tenant.tick(JOB)
    assert {"kept": 1, "restored": 0}.items() <= result(run).items()
    assert tenant.ids("group_deletion_schedules", key="group_id") == [group]
    assert tenant.lines("Group cannot be restored")[0]["reason"] == "Group deletion is in progress"


def test_a_line_that_contradicts_itself_is_left_alone_and_the_others_go_on(tenant, nobody):
    empty, wrong, good = tenant.group(), tenant.group(parent=tenant.group()), tenant.group()
    tenant.database.execute("UPDATE namespaces SET traversal_ids = '{}' WHERE id = %s", [empty])
    tenant.database.execute("UPDATE namespaces SET traversal_ids = ARRAY[id] WHERE id = %s", [wrong])
    for g in (empty, wrong, good):
        tenant.mark(g, nobody, 30)
    run = tenant.tick(JOB)
    assert {"failed": 2, "restored": 1}.items() <= result(run).items()
    lines = tenant.lines("Group cannot be deleted")
    assert {line["group_id"] for line in lines} == {empty, wrong} and all("traversal_ids" in line["reason"] for line in lines)
    assert tenant.ids("group_deletion_schedules", key="group_id") == [empty, wrong]
