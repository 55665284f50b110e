"""Who has access to a project because a group was invited to it: as rows of authorizations, and as
the right to remove a member. Each case has its own project and user; the number is the level that
the user has there."""

import datetime

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import result

REFRESH, PRUNE, DELETION = "users.refresh_authorizations", "members.schedule_prune_deletions", "groups.adjourned_deletion"


class Case:
    """A project X in a group Q; S below P somewhere else, a group above and one below them; H with
    its own neighbours."""

    def __init__(self, tenant, home="group"):  # noqa: F811
        self.tenant, self.user = tenant, tenant.user()
        self.root = tenant.group()
        self.home = tenant.group(parent=self.root)
        if home == "personal":
            self.home = tenant.namespace("User", None, None, None)
            tenant.route("Namespace", self.home, self.home, None)
        self.project = tenant.project(self.home)
        self.p = tenant.group()
        self.s = tenant.group(parent=self.p)
        self.below_s = tenant.group(parent=self.s)
        self.above_h = tenant.group()
        self.h = tenant.group(parent=self.above_h)
        self.below_h = tenant.group(parent=self.h)
        self.i = tenant.group()

    def link(self, group=None, access=50, expires=None):
        self.tenant.share_project(self.project, group or self.s, access=access, expires=expires)
        return self

    def share(self, group, with_group, access=50, expires=None):
        self.tenant.share(group, with_group, access=access, expires=expires)
        return self

    def member(self, group, level=50, **more):
        self.tenant.member(self.user, group, level=level, **more)
        return self

    def lock(self, group, value=True):
        self.tenant.database.execute("UPDATE namespaces SET share_with_group_lock = %s WHERE id = %s", [value, group])
        return self

    def lose(self, group):
        """The group goes without what names it, as if no key did."""
        connection = self.tenant.database.connection
        connection.execute("ALTER TABLE namespaces DISABLE TRIGGER ALL")
        self.tenant.database.execute("DELETE FROM namespaces WHERE id = %s", [group])
        connection.execute("ALTER TABLE namespaces ENABLE TRIGGER ALL")


def linked(home="group", access=50, expires=None):
    return lambda t: Case(t, home).link(access=access, expires=expires)


def build(make, *steps):
    """STEPS: calls by name; groups are given by name, too."""
    def built(tenant):  # noqa: F811
        case = make(tenant)
        for name, *arguments in steps:
            named = {k: v for a in arguments if isinstance(a, dict) for k, v in a.items()}
            getattr(case, name)(*(getattr(case, a) for a in arguments if not isinstance(a, dict)), **named)
        return case
    return built


CASES = {
    # ways to the invited group
    "direct member": (50, build(linked(), ("member", "s"))),
    "no more than the link gives": (40, build(linked(access=40), ("member", "s"))),
    "no more than the member has": (40, build(linked(), ("member", "s", {"level": 40}))),
    "inherited from above": (50, build(linked(), ("member", "p"))),
    "inherited, no more than the link gives": (40, build(linked(access=40), ("member", "p"))),
    "the higher of two memberships": (50, build(linked(), ("member", "s", {"level": 20}), ("member", "p"))),
    "a group shared with the invited one": (50, build(linked(), ("share", "s", "h"), ("member", "h"))),
    "a group shared with one above": (50, build(linked(), ("share", "p", "h"), ("member", "h"))),
    "the lowest of the chain: the share": (40, build(linked(), ("share", "p", "h", {"access": 40}), ("member", "h"))),
    "the lowest of the chain: the link": (40, build(linked(access=40), ("share", "p", "h"), ("member", "h"))),
    "the lowest of the chain: the member": (40, build(linked(), ("share", "s", "h"), ("member", "h", {"level": 40}))),
    "the higher of two ways": (50, build(linked(access=20), ("link", "h"), ("member", "s"), ("member", "h"))),
    "below the group that is linked": (50, build(linked(), ("link", "below_s", {"access": 20}), ("member", "p"))),
    "two groups shared with each other": (50, build(linked(), ("share", "s", "h"), ("share", "h", "s"), ("member", "h"))),
    "link to a group above the project's own": (50, build(lambda t: Case(t), ("link", "root"), ("share", "root", "h"), ("member", "h"))),
    "a personal project": (50, build(linked("personal"), ("member", "p"))),
    # the last day
    "link until tomorrow": (50, build(linked(expires=1), ("member", "p"))),
    "link until today": (0, build(linked(expires=0), ("member", "p"))),
    "share until tomorrow": (50, build(linked(), ("share", "p", "h", {"expires": 1}), ("member", "h"))),
    "share until today": (0, build(linked(), ("share", "p", "h", {"expires": 0}), ("member", "h"))),
    "membership past its date, still there": (50, build(linked(), ("member", "p", {"expires_at": "2020-01-01"}))),
    # rows that are no membership
    "request above": (0, build(linked(), ("member", "p", {"requested_at": "2020-01-01"}))),
    "awaiting above": (0, build(linked(), ("member", "p", {"state": 1}))),
    "minimal access above": (0, build(linked(), ("member", "p", {"level": 5}))),
    "minimal access above, more in it": (40, build(linked(), ("member", "p", {"level": 5}), ("member", "s", {"level": 40}))),
    "minimal access by the link": (0, build(linked(access=5), ("member", "p"))),
    "request in the shared group": (0, build(linked(), ("share", "s", "h"), ("member", "h", {"requested_at": "2020-01-01"}))),
    "awaiting in the shared group": (0, build(linked(), ("share", "s", "h"), ("member", "h", {"state": 1}))),
    "minimal access in the shared group": (0, build(linked(), ("share", "s", "h"), ("member", "h", {"level": 5}))),
    # no higher than the link
    "below the invited group": (0, build(linked(), ("member", "below_s"))),
    "above the shared group": (0, build(linked(), ("share", "s", "h"), ("member", "above_h"))),
    "below the shared group": (0, build(linked(), ("share", "s", "h"), ("member", "below_h"))),
    "a group shared with the shared one": (0, build(linked(), ("share", "s", "h"), ("share", "h", "i"), ("member", "i"))),
    "a group shared with one above the shared one": (
        0, build(linked(), ("share", "s", "h"), ("share", "above_h", "i"), ("member", "i"))),
    "a group shared with one below": (0, build(linked(), ("share", "below_s", "h"), ("member", "h"))),
    "the share the other way round": (0, build(linked(), ("share", "h", "s"), ("member", "h"))),
    "above the group that the project's own is shared with": (0, build(lambda t: Case(t), ("share", "home", "s"), ("member", "p"))),
    "a group shared with the one that the project's own is shared with": (
        0, build(lambda t: Case(t), ("share", "home", "s"), ("share", "s", "h"), ("member", "h"))),
    # the lock
    "own group locked": (0, build(linked(), ("lock", "home"), ("member", "s"))),
    "own group locked, inherited": (0, build(linked(), ("lock", "home"), ("member", "p"))),
    "own group locked, chain": (0, build(linked(), ("lock", "home"), ("share", "s", "h"), ("member", "h"))),
    "personal namespace locked": (0, build(linked("personal"), ("lock", "home"), ("member", "s"))),
    "only a group above locked": (50, build(linked(), ("lock", "root"), ("member", "p"))),
    "the invited groups locked": (50, build(linked(), ("lock", "s"), ("lock", "p"), ("lock", "h"), ("share", "p", "h"), ("member", "h"))),
    "lock unknown": (50, build(linked(), ("lock", "home", {"value": None}), ("member", "p"))),
    "locked, but a member": (40, build(linked(), ("lock", "home"), ("member", "root", {"level": 40}), ("member", "s"))),
    "locked, but shared with the own group": (40, build(linked(), ("lock", "home"), ("share", "home", "h", {"access": 40}),
                                                         ("member", "h"), ("member", "s"))),
}


def ask(tenant, *users):  # noqa: F811
    tenant.database.executemany("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'authorizations', now())",
                                [(user,) for user in users])


def levels(tenant, cases, user=lambda name, case: case.user):  # noqa: F811
    """The authorizations of each case: its one level, or all that exist; 0 for none."""
    found = {}
    for name, case in cases.items():
        there = tenant.database.column("SELECT access_level FROM project_authorizations WHERE user_id = %s AND project_id = %s",
                                       [user(name, case), case.project])
        found[name] = there[0] if len(there) == 1 else there or 0
    return found


@pytest.mark.check_all
@pytest.mark.parametrize("before", ["nothing", "all of it", "other levels"])
def test_authorizations(tenant, before):  # noqa: F811
    """Whatever the table had before: missing rows are added, right ones stay, wrong ones go."""
    cases = {name: make(tenant) for name, (_, make) in CASES.items()}
    for name, (level, _) in CASES.items():
        held = {"nothing": [], "all of it": [level] if level else [], "other levels": [10, 20]}[before]
        for one in held:
            tenant.put("project_authorizations", user_id=cases[name].user, project_id=cases[name].project, access_level=one)
    ask(tenant, *(case.user for case in cases.values()))
    told = result(tenant.tick(REFRESH))
    assert levels(tenant, cases) == {name: level for name, (level, _) in CASES.items()}
    assert before != "all of it" or told.get("removed", 0) == 0


@pytest.mark.check_all
def test_the_right_to_remove(tenant):  # noqa: F811
    """A maintainer of a project may remove its members, an owner its owners. Personal projects are
    in no hierarchy."""
    cases = {name: make(tenant) for name, (_, make) in CASES.items() if "personal" not in name}
    people = {name: {level: tenant.user() for level in (30, 50)} for name in cases}
    rows = {name: {level: tenant.member(user, project=cases[name].project, level=level) for level, user in of.items()}
            for name, of in people.items()}
    for name, of in people.items():
        for user in of.values():
            tenant.leave(cases[name].root, user, by=cases[name].user)
    tenant.tick(PRUNE)
    there = set(tenant.ids("members"))
    gone = {name: {level for level, row in of.items() if row not in there} for name, of in rows.items()}
    assert gone == {name: {needed for of, needed in ((40, 30), (50, 50)) if CASES[name][0] >= of} for name in cases}


def test_a_table_without_the_lock_has_none(tenant):  # noqa: F811
    cases = {name: CASES[name][1](tenant) for name in ("inherited from above", "own group locked", "above the shared group")}
    tenant.database.execute("ALTER TABLE namespaces DROP COLUMN share_with_group_lock")
    ask(tenant, *(case.user for case in cases.values()))
    case = cases["own group locked"]
    leaver = tenant.user()
    leaves = tenant.member(leaver, project=case.project)
    tenant.leave(case.root, leaver, by=case.user)
    tenant.tick(REFRESH)
    tenant.tick(PRUNE)
    assert levels(tenant, cases) == {"inherited from above": 50, "own group locked": 50, "above the shared group": 0}
    assert leaves not in tenant.ids("members")


def test_access_by_an_invited_groups_parent_stays(tenant):  # noqa: F811
    """A user whose membership elsewhere expired keeps the access that comes from the parent of an
    invited group."""
    p = tenant.group()
    s, x, user, elsewhere = tenant.group(parent=p), tenant.project(tenant.group()), tenant.user(), tenant.group()
    tenant.share_project(x, s, access=30)
    tenant.member(user, p)
    tenant.member(user, elsewhere, expires_at=tenant.day(-1))
    tenant.put("project_authorizations", user_id=user, project_id=x, access_level=30)
    tenant.tick("members.remove_expired")
    tenant.database.execute("UPDATE pruned.dirty_users SET due_at = now()")
    tenant.tick(REFRESH)
    assert tenant.database.rows("SELECT * FROM project_authorizations") == [{"user_id": user, "project_id": x, "access_level": 30}]


# --- what is left of a group that is gone: the group that is lost, and what gave the level of an
# owner until then

LEFT = {
    "the invited group": ("s", build(linked(), ("member", "s"))),
    "the invited group, inherited": ("s", build(linked(), ("member", "p"))),
    "above the invited group": ("p", build(linked(), ("member", "p"))),
    "a group shared with the invited one": ("h", build(linked(), ("share", "s", "h"), ("member", "h"))),
    "above the invited group, which it shared": ("p", build(linked(), ("share", "p", "h"), ("member", "h"))),
    "a group shared with the project's own": ("h", build(Case, ("share", "home", "h"), ("member", "h"))),
    "above the project's own": ("root", build(Case, ("member", "root"))),
    "above the project's own, which it shared": ("root", build(Case, ("share", "root", "h"), ("member", "h"))),
    "the project's own": ("home", build(Case, ("member", "home"))),
}


@pytest.mark.check_all
def test_what_is_left_of_a_group_that_is_gone_gives_nothing(tenant):  # noqa: F811
    cases = {name: make(tenant) for name, (_, make) in LEFT.items()}
    ask(tenant, *(case.user for case in cases.values()))
    tenant.tick(REFRESH)
    assert set(levels(tenant, cases).values()) == {50}
    people = [tenant.user() for _ in cases]
    rows = [tenant.member(user, project=case.project) for user, case in zip(people, cases.values())]
    for user, case in zip(people, cases.values()):
        tenant.leave(case.root, user, by=case.user)
    for name, (lost, _) in LEFT.items():
        cases[name].lose(getattr(cases[name], lost))
    ask(tenant, *(case.user for case in cases.values()))
    tenant.at += datetime.timedelta(seconds=1)
    tenant.tick(REFRESH)
    tenant.tick(PRUNE)
    assert levels(tenant, cases) == dict.fromkeys(cases, 0)
    assert tenant.ids("members", f"id = ANY (ARRAY{rows})") == rows


def test_neither_a_groups_end_nor_its_last_owner_relies_on_it(tenant):  # noqa: F811
    case = Case(tenant)
    case.share(case.home, case.h)
    case.member(case.h)
    owner = tenant.user()
    last = tenant.owner(owner, case.below_s, expires_at=tenant.day(-1))
    tenant.owner(tenant.user(), case.p)
    tenant.period(7)
    tenant.mark(case.home, case.user, 30)
    for group in (case.h, case.p):
        case.lose(group)
    assert result(tenant.tick("members.remove_expired"))["kept"] == 1 and last in tenant.ids("members")
    told = result(tenant.tick(DELETION, **{f"jobs.{DELETION}.spacing_ms": 0}))
    assert told["restored"] == 1 and case.home in tenant.ids("namespaces")
