import pytest

from . import run_job
from .build import T, World
from .db import DIRTY


@pytest.fixture
def world():
    return World()


# --- destroy

def destroy(world, user_id, **options):
    return run_job(world.db, "users.destroy", T, {"user_id": user_id, "reason": "gone", "initiator_id": 77}, **options)


def test_everything_of_the_user_goes_or_goes_to_the_ghost(world):
    ghost, bot, other = world.user(user_type=5), world.user(user_type=6), world.user()
    home = world.home(bot)
    world.db.rows("routes", source_id=home)[0]["namespace_id"] = None
    world.put("redirect_routes", source_type="Namespace", source_id=home, path="was", namespace_id=home)
    group = world.group()
    world.member(bot, group)
    issue = world.put("issues", author_id=bot, updated_by_id=other, closed_by_id=bot, last_edited_by_id=None)
    note = world.put("notes", author_id=other, updated_by_id=bot, resolved_by_id=bot)
    approval = world.put("approvals", merge_request_id=1, user_id=bot)
    world.put("issue_assignees", issue_id=issue, user_id=bot)
    world.put("project_authorizations", user_id=bot, project_id=1, access_level=40)
    world.setting(bot, None, None)
    own, about = world.todo(bot, other), world.todo(other, bot)
    world.detail(bot), world.leave(group, bot, by=other), world.leave(group, other, by=bot), world.mark(group, bot, 3)
    achievement = world.put("user_achievements", user_id=bot, awarded_by_user_id=bot, revoked_by_user_id=bot)
    inherited = [("reviews", world.put("reviews", author_id=bot), "author_id"),
                 ("abuse_reports", world.put("abuse_reports", reporter_id=bot, user_id=other), "reporter_id"),
                 *(("user_achievements", achievement, f"{who}user_id") for who in ("", "awarded_by_", "revoked_by_"))]
    expected = destroy(world, bot)
    assert [o["type"] for o in expected.outcomes] == ["MemberRemoved", "UserDeleted"]
    assert expected.outcomes[1] == {"type": "UserDeleted", "user_id": bot, "user_type": 6, "reason": "gone"}
    assert world.ids("users") == [ghost, other] and not world.has("namespaces", home)
    row = world.db.get("issues", issue)
    assert (row["author_id"], row["updated_by_id"], row["closed_by_id"], row["last_edited_by_id"]) == (ghost, other, ghost, None)
    assert world.db.get("notes", note)["updated_by_id"] == bot  # not a reference
    assert world.db.get("approvals", approval)["user_id"] == ghost
    assert world.ids("todos") == [about] and own != about and world.db.get("todos", about)["author_id"] == ghost
    assert [world.db.get(table, id)[column] for table, id, column in inherited] == [ghost] * 5
    for table in ("issue_assignees", "project_authorizations", "notification_settings", "redirect_routes", "members",
                  "ghost_user_migrations", "members_deletion_schedules", "group_deletion_schedules",
                  "import_placeholder_user_details"):
        assert not world.db.rows(table), table
    assert [r["source_id"] for r in world.db.rows("routes")] == [group]


def test_the_first_step_alone(world):
    world.user(user_type=5)
    user = world.user(user_type=6)
    member = world.member(user, world.group())
    destroy(world, user, finish=False)
    assert world.db.get("users", user)["state"] == "blocked" and not world.has("members", member)
    [migration] = world.db.rows("ghost_user_migrations")
    assert (migration["user_id"], migration["initiator_user_id"]) == (user, 77)


def test_a_migration_that_exists_is_kept(world):
    world.user(user_type=5)
    user = world.user(user_type=6)
    world.put("ghost_user_migrations", user_id=user, initiator_user_id=5)
    destroy(world, user, finish=False)
    assert [m["initiator_user_id"] for m in world.db.rows("ghost_user_migrations")] == [5]


def test_the_ghost_of_the_own_organization_comes_first(world):
    world.user(user_type=5)
    at_home = world.user(user_type=5, organization_id=2)
    user = world.user(user_type=6, organization_id=2)
    note = world.put("notes", author_id=user)
    destroy(world, user)
    assert world.db.get("notes", note)["author_id"] == at_home


def test_a_move_that_would_break_a_unique_key_is_a_deletion(world):
    ghost, user = world.user(user_type=5), world.user(user_type=6)
    world.db.unique_keys["approvals"] = [("merge_request_id", "user_id")]
    first = world.put("approvals", merge_request_id=1, user_id=ghost)
    world.put("approvals", merge_request_id=1, user_id=user)
    third = world.put("approvals", merge_request_id=2, user_id=user)
    destroy(world, user)
    assert world.ids("approvals") == [first, third]


@pytest.mark.parametrize("hindrance, kept", [("none", 0), ("owner", 1), ("projects", 1), ("bot owner", 0)])
def test_refusals_change_nothing(world, hindrance, kept):
    world.user(user_type=5)
    user = world.user(user_type=6 if hindrance == "bot owner" else 0)
    if hindrance in ("owner", "bot owner"):
        world.owner(user, world.group())
    home = world.home(user)
    if hindrance == "projects":
        world.project(home)
    before = world.db.copy()
    assert destroy(world, user).result.get("kept", 0) == kept
    assert (world.db.tables == before.tables) is bool(kept)


def test_without_a_ghost_nothing_is_decided_and_it_comes_again(world):
    user = world.user(user_type=6)
    before = world.db.copy()
    expected = destroy(world, user)
    assert (expected.state, expected.result) == ("waiting", {}) and world.db.tables == before.tables


def test_twice_is_no_error(world):
    world.user(user_type=5)
    user = world.user(user_type=6)
    destroy(world, user)
    assert destroy(world, user).outcomes == []


# --- authorizations

def refresh(world, *users, kinds=("authorizations", "todos")):
    for user_id in users:
        for kind in kinds:
            world.db.put(DIRTY, {"user_id": user_id, "kind": kind, "due_at": T})
    run_job(world.db, "users.refresh_authorizations", T)
    assert not world.db.rows(DIRTY)
    return {(r["user_id"], r["project_id"]): r["access_level"] for r in world.db.rows("project_authorizations")}


def test_the_highest_of_all_ways(world):
    root = world.group()
    group = world.group(root)
    project, user = world.project(group), world.user()
    world.member(user, root, level=20)
    assert refresh(world, user) == {(user, project): 20}
    world.member(user, project=project, level=40)
    assert refresh(world, user) == {(user, project): 40}
    world.owner(user, group)
    assert refresh(world, user) == {(user, project): 50}


@pytest.mark.parametrize("more", [{"requested_at": T}, {"state": 1}, {"level": 5}])
def test_what_opens_no_project(world, more):
    group, user = world.group(), world.user()
    world.project(group)
    world.member(user, group, **more)
    assert refresh(world, user) == {}


def test_a_guest_has_access(world):
    group, user = world.group(), world.user()
    project = world.project(group)
    world.member(user, group, level=10)
    assert refresh(world, user) == {(user, project): 10}


def test_a_membership_past_its_date_counts_while_it_stands(world):
    group, user = world.group(), world.user()
    project = world.project(group)
    world.member(user, group, expires=-9)
    assert refresh(world, user) == {(user, project): 30}


@pytest.mark.parametrize("expires, counts", [(None, True), (1, True), (0, False), (-1, False)])
def test_shares_count_until_their_day(world, expires, counts):
    root, guests, user = world.group(), world.group(), world.user()
    below, alone = world.project(world.group(root)), world.project(world.group())
    world.member(user, guests, level=40)
    world.share(root, guests, access=30, expires=expires)
    world.share_project(alone, guests, access=50, expires=expires)
    assert refresh(world, user) == ({(user, below): 30, (user, alone): 40} if counts else {})


@pytest.mark.parametrize("place, level", [("s", 40), ("p", 40), ("h", 30), ("below s", 0), ("above h", 0), ("below h", 0), ("i", 0)])
@pytest.mark.parametrize("locked", ["nothing", "own", "above", "invited"])
def test_all_who_reach_the_invited_group(world, place, level, locked):
    """S below P is invited; P is shared with H, which is shared with I."""
    root = world.group(lock=locked == "above")
    project, user = world.project(world.group(root, lock=locked == "own")), world.user()
    p, above_h, i = world.group(lock=locked == "invited"), world.group(), world.group()
    s, h = world.group(p, lock=locked == "invited"), world.group(above_h)
    places = {"s": s, "p": p, "h": h, "below s": world.group(s), "above h": above_h, "below h": world.group(h), "i": i}
    world.share_project(project, s, access=40)
    world.share(p, h, access=30), world.share(h, i)
    world.member(user, places[place], level=50)
    got = {id: found for (_, id), found in refresh(world, user).items()}
    assert got.get(project, 0) == (0 if locked == "own" else level)


def test_the_owner_of_a_personal_namespace(world):
    user = world.user()
    project = world.project(world.home(user))
    assert refresh(world, user) == {(user, project): 50}


def test_only_the_difference_for_users_who_are_due(world):
    group, user, other = world.group(), world.user(), world.user()
    project, gone = world.project(group), world.project(world.group())
    world.member(user, group)
    for level in (30, 40):
        world.put("project_authorizations", user_id=user, project_id=project, access_level=level)
    world.put("project_authorizations", user_id=user, project_id=gone, access_level=30)
    world.put("project_authorizations", user_id=other, project_id=gone, access_level=30)
    assert refresh(world, user) == {(user, project): 30, (other, gone): 30}


def test_a_missing_users_request_is_dropped(world):
    assert refresh(world, 4711) == {}


@pytest.mark.parametrize("minute, left", [(9, 1), (10, 0), (11, 0)])
def test_what_is_not_due_waits(world, minute, left):
    user = world.user()
    world.db.put(DIRTY, {"user_id": user, "kind": "todos", "due_at": T})
    run_job(world.db, "users.refresh_authorizations", T, now=T.replace(minute=minute))
    assert len(world.db.rows(DIRTY)) == left


def test_todos_of_invisible_places_go(world):
    user, group, hidden = world.user(), world.group(), world.group()
    world.member(user, group)
    public = world.project(hidden, visibility_level=20)
    stay = [world.todo(user, project=world.project(group)), world.todo(user, project=public), world.todo(user, group=group),
            world.todo(user, group=world.group(visibility_level=20)), world.todo(user),
            world.todo(user, project=world.project(hidden, visibility_level=10)),
            world.todo(world.user(), project=world.project(hidden))]
    around, below = world.group(), world.group()
    world.member(user, world.group(around), level=5), world.member(user, project=world.project(below))
    stay += [world.todo(user, group=around), world.todo(user, group=below)]
    world.todo(user, project=world.project(hidden)), world.todo(user, group=hidden)
    refresh(world, user)
    assert world.ids("todos") == stay


def test_an_admin_sees_everything(world):
    admin = world.user(admin=True)
    stays = world.todo(admin, group=world.group())
    refresh(world, admin)
    assert world.ids("todos") == [stays]


def test_todos_stay_until_their_kind_is_due(world):
    user = world.user()
    world.todo(user, group=world.group())
    refresh(world, user, kinds=["authorizations"])
    assert len(world.ids("todos")) == 1
