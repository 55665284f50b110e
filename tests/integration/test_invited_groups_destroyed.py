"""Who loses access when an invited group is destroyed, who is refreshed for that, and who gets it
back when the group is restored."""

import pytest

from support.instance import tenant  # noqa: F401

REFRESH = "users.refresh_authorizations"
AT_ONCE = {"jobs.groups.adjourned_deletion.spacing_ms": 0}


class Doomed:
    """P above S above a group, all with members; other users who reach S; a project elsewhere that
    invited S."""

    def __init__(self, tenant):  # noqa: F811
        self.tenant, self.owner = tenant, tenant.user()
        self.above = tenant.group()
        self.p = tenant.group(parent=self.above)
        self.s = tenant.group(parent=self.p)
        self.below = tenant.group(parent=self.s)
        self.x = tenant.project(tenant.group())
        self.h, self.h_of_p = tenant.group(), tenant.group()
        tenant.share(self.s, self.h)
        tenant.share(self.p, self.h_of_p)
        tenant.owner(self.owner, self.s)
        self.people = {name: tenant.user() for name in ("above", "p", "s", "h", "h_of_p", "below")}
        for name, user in self.people.items():
            tenant.member(user, getattr(self, name))

    def had(self, *names, project=None):
        for name in names:
            user = self.owner if name == "owner" else self.people[name]
            self.tenant.put("project_authorizations", user_id=user, project_id=project or self.x, access_level=30)

    def destroy(self, group):
        self.tenant.period(7)
        self.tenant.mark(group, self.owner, 30)
        self.tenant.tick("groups.adjourned_deletion", **AT_ONCE)
        assert group not in self.tenant.ids("namespaces")

    def refreshed(self):
        self.tenant.database.execute("UPDATE pruned.dirty_users SET due_at = now()")
        self.tenant.at += self.tenant.at.resolution
        self.tenant.tick(REFRESH)
        names = {user: name for name, user in self.people.items()} | {self.owner: "owner"}
        return {names.get(user, user) for user in self.tenant.database.column("SELECT user_id FROM project_authorizations")}


@pytest.fixture
def doomed(tenant):  # noqa: F811
    return Doomed(tenant)


def test_all_who_reached_a_destroyed_group_lose_what_came_by_it(doomed):
    doomed.tenant.share_project(doomed.x, doomed.s, access=30)
    doomed.had("owner", "above", "p", "s", "h", "h_of_p", "below")
    doomed.destroy(doomed.s)
    assert doomed.refreshed() == set()


@pytest.mark.check_all
def test_all_who_reached_it_lose_access_also_if_a_group_below_it_was_invited(doomed):
    doomed.tenant.share_project(doomed.x, doomed.below, access=30)
    doomed.had("owner", "above", "p", "s", "h", "h_of_p", "below")
    doomed.destroy(doomed.s)
    assert doomed.refreshed() == set()


@pytest.mark.check_all
def test_access_by_another_group_stays(doomed):
    """The group above is invited, too."""
    doomed.tenant.share_project(doomed.x, doomed.s, access=30)
    doomed.tenant.share_project(doomed.x, doomed.p, access=30)
    doomed.had("owner", "above", "p", "s", "h", "h_of_p", "below")
    doomed.destroy(doomed.s)
    assert doomed.refreshed() == {"above", "p", "h_of_p"}


def test_a_destroyed_group_that_a_linked_one_was_shared_with(doomed):
    """X invited another group, which is shared with S: direct members of S lose X."""
    invited = doomed.tenant.group()
    doomed.tenant.share(doomed.tenant.group(parent=invited), doomed.s)
    doomed.tenant.share(invited, doomed.below)
    doomed.tenant.share_project(doomed.x, invited, access=30)
    doomed.had("below", "s", "owner")
    doomed.destroy(doomed.s)
    assert doomed.refreshed() == set()


@pytest.mark.check_all
def test_a_refresh_while_the_group_is_going_does_not_keep_what_goes_later(doomed):
    """Users may have been refreshed before the link itself went; so a second refresh is requested
    together with the link."""
    tenant = doomed.tenant  # noqa: F811
    tenant.share_project(doomed.x, doomed.s, access=30)
    doomed.had("owner", "above", "p", "s", "h", "h_of_p")
    # Every request of an earlier step is done before the link goes.
    tenant.database.connection.execute("""
        CREATE FUNCTION answered() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN DELETE FROM pruned.dirty_users WHERE xmin::text::bigint < pg_current_xact_id()::text::bigint; RETURN NULL; END $$;
        CREATE TRIGGER answered BEFORE DELETE ON project_group_links FOR EACH STATEMENT EXECUTE FUNCTION answered()""")
    doomed.destroy(doomed.s)
    assert doomed.refreshed() == set()


def test_without_an_invitation_members_above_are_not_refreshed(doomed):
    """The members of the groups above may be many. They lose nothing but what is gone itself."""
    doomed.tenant.project(doomed.s)
    doomed.tenant.period(7)
    doomed.tenant.mark(doomed.s, doomed.owner, 30)
    doomed.tenant.tick("groups.adjourned_deletion", **AT_ONCE,
                       **{"jobs.users.refresh_authorizations.enabled": False})
    asked = set(doomed.tenant.database.column("SELECT user_id FROM pruned.dirty_users"))
    assert {doomed.people["above"], doomed.people["h_of_p"]} & asked == set()
    assert {doomed.people[name] for name in ("s", "h", "below")} | {doomed.owner} <= asked


@pytest.mark.check_all
@pytest.mark.parametrize("project_of, invited, more", [
    ("below", None, set()),
    ("below", "outside", {"above_it", "it", "shared_with_it", "shared_above_it"}),
    ("s", "p", {"above", "p", "h_of_p"}),
    ("below", "s", {"above", "p", "h_of_p"}),
    ("elsewhere", "below", {"above", "p", "h_of_p"})])
def test_refreshes_are_requested_for_those_who_reached_the_group(doomed, project_of, invited, more):
    """Refreshes are for members of the groups that go, members of groups that these are shared
    with, and all who reach an invited group: for nobody else."""
    tenant = doomed.tenant
    above, doomed.elsewhere = tenant.group(), tenant.group()
    doomed.outside = tenant.group(parent=above)
    places = {"above_it": above, "it": doomed.outside, "below_it": tenant.group(parent=doomed.outside),
              "shared_with_it": tenant.group(), "shared_above_it": tenant.group()}
    tenant.share(doomed.outside, places["shared_with_it"])
    tenant.share(above, places["shared_above_it"])
    for name, group in places.items():
        doomed.people[name] = tenant.user()
        tenant.member(doomed.people[name], group)
    project = tenant.project(getattr(doomed, project_of))
    if invited:
        tenant.share_project(project, getattr(doomed, invited))
    tenant.period(7)
    tenant.mark(doomed.s, doomed.owner, 30)
    tenant.tick("groups.adjourned_deletion", **AT_ONCE, **{"jobs.users.refresh_authorizations.enabled": False})
    asked = set(tenant.database.column("SELECT user_id FROM pruned.dirty_users")) - {doomed.owner}
    assert {name for name, user in doomed.people.items() if user in asked} == {"s", "h", "below"} | more


@pytest.mark.check_all
def test_a_restored_group_gives_its_access_again(doomed):
    """Also to users whose own memberships never went."""
    doomed.tenant.share_project(doomed.x, doomed.s, access=30)
    doomed.had("owner", "above", "p", "s", "h", "h_of_p")
    doomed.destroy(doomed.s)
    assert doomed.refreshed() == set()
    (run,) = doomed.tenant.runs("groups.destroy")
    doomed.tenant.pruned.run("restore", run["run_id"], "--with-children").ok()
    assert doomed.refreshed() == {"owner", "above", "p", "s", "h", "h_of_p"}


@pytest.mark.check_all
def test_a_restored_share_between_groups_gives_its_access_again(doomed):
    """X invited a group below the destroyed one, and that is shared with a third that stays."""
    guest, third = doomed.tenant.user(), doomed.tenant.group()
    doomed.tenant.member(guest, third)
    doomed.tenant.share(doomed.below, third)
    doomed.tenant.share_project(doomed.x, doomed.below)
    doomed.destroy(doomed.s)
    doomed.refreshed()
    (run,) = doomed.tenant.runs("groups.destroy")
    doomed.tenant.pruned.run("restore", run["run_id"], "--with-children").ok()
    assert guest in doomed.refreshed()
