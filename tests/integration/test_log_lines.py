"""Log lines about one row name its user and place. Lines of a child run name those that its parent
knew, although the row is gone by then."""

import pytest

from support.instance import tenant  # noqa: F401

WHERE = ("user", "project", "namespace", "root_namespace")


def said(tenant, run):  # noqa: F811
    """The user and the place in each line of the run, except the line about a late message."""
    lines = [line for line in tenant.lines(run_id=str(run["run_id"])) if not line["message"].startswith("Work message was missing")]
    return [{name: line[name] for name in WHERE if name in line} for line in lines]


def test_the_lines_of_a_bots_deletion_name_the_bot_and_its_project(tenant):  # noqa: F811
    root = tenant.group(path="root{id}")
    project, bot = tenant.project(tenant.group(root)), tenant.user(user_type=6, username="the-bot")
    tenant.member(bot, project=project, expires_at=tenant.day(-1))
    tenant.tick("members.remove_expired")
    (child,) = tenant.runs("users.destroy")
    lines = said(tenant, child)
    # Two of each step, and one with the totals of the run.
    assert child["state"] == "finished" and len(lines) == 2 * child["step"] + 1
    assert lines == [{"user": "the-bot", "project": tenant.path("Project", project),
                      "root_namespace": tenant.path("Namespace", root)}] * len(lines)


@pytest.mark.check_all
def test_the_lines_of_a_groups_deletion_and_of_its_bots_name_the_group(tenant):  # noqa: F811
    tenant.period(7)
    actor = tenant.user(username="the-owner")
    group = tenant.group(path="doomed{id}")
    path = tenant.path("Namespace", group)
    tenant.owner(actor, group)
    bot = tenant.user(user_type=6)
    tenant.member(bot, project=tenant.project(group))
    tenant.mark(group, actor, 8)
    tenant.tick("groups.adjourned_deletion", **{"jobs.groups.adjourned_deletion.spacing_ms": 0})
    place = {"user": "the-owner", "namespace": path, "root_namespace": path}
    for job in ("groups.destroy", "users.destroy"):
        (child,) = tenant.runs(job)
        lines = said(tenant, child)
        assert child["state"] == "finished" and len(lines) >= 2 * child["step"]
        assert all(line == place for line in lines), lines


def test_the_lines_of_a_placeholders_deletion_name_the_user(tenant):  # noqa: F811
    _, user = tenant.placeholder(user=tenant.user(user_type=15, username="the-placeholder"))
    tenant.tick("imports.placeholder_cleanup")
    assert user not in tenant.ids("users")
    for job in ("users.delete_placeholder", "users.destroy"):
        (child,) = tenant.runs(job)
        lines = said(tenant, child)
        assert lines and all(line == {"user": "the-placeholder"} for line in lines), lines


@pytest.mark.check_all
def test_a_child_that_fails_says_so_too(tenant):  # noqa: F811
    group, bot = tenant.group(), tenant.user(user_type=6, username="the-bot")
    tenant.member(bot, group, expires_at=tenant.day(-1))
    tenant.database.execute("CREATE TABLE theirs (id bigint PRIMARY KEY, user_id bigint REFERENCES users)")
    tenant.database.execute("INSERT INTO theirs VALUES (1, %s)", [bot])
    tenant.tick("members.remove_expired")
    (child,) = tenant.runs("users.destroy")
    assert (child["state"], child["attempts"]) == ("waiting", 1) and "theirs" in child["error"]
    assert tenant.row("users", bot)["state"] == "blocked"
    (line,) = tenant.lines("Step failed", run_id=str(child["run_id"]))
    assert (line["user"], line["namespace"]) == ("the-bot", tenant.path("Namespace", group))
    tenant.pruned.run("retry", child["run_id"]).ok()
    tenant.work({"jobs.users.destroy.max_attempts": 0})
    assert tenant.pruned.run_row(child["run_id"])["state"] == "dead"
