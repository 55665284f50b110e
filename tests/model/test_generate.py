"""The generator against a real PostgreSQL, and the model on what it makes."""

from . import compare, load, run_to_end
from .db import DIRTY
from .generate import generate
from .users import wanted_authorizations

import pytest

SEEDS = range(12)


def test_the_same_seed_makes_the_same_rows(new_database):
    conn = new_database("app").connection
    first = generate(conn, 1), load(conn).tables
    generate(conn, 2)
    assert load(conn).tables["members"] != first[1]["members"]
    again = generate(conn, 1, t=first[0]), load(conn).tables
    created = {"group_group_links", "members_deletion_schedules", "import_placeholder_user_details", "ci_deleted_objects",
               "namespace_details"}  # have a created_at of their own
    assert again[0] == first[0]
    assert {t: rows for t, rows in again[1].items() if t not in created} == {
        t: rows for t, rows in first[1].items() if t not in created}


@pytest.mark.check_all
def test_the_border_cases_are_there(new_database):
    conn = new_database("app").connection
    seen = {"removed": 0, "kept": 0, "failed": 0, "restored": 0, "scheduled": 0, "denied": 0, "maximum_reached": 0}
    types = set()
    for seed in SEEDS:
        t = generate(conn, seed, refusals=seed % 2 == 0)
        before = load(conn)
        for job in ("members.remove_expired", "members.prune_deletions", "groups.adjourned_deletion",
                    "imports.placeholder_cleanup"):
            db = before.copy()
            if job != "members.remove_expired":
                db.refused.clear()
            for _, _, expected in run_to_end(db, job, t):
                types |= {o["type"] for o in expected.outcomes}
                for counter in seen:
                    seen[counter] += expected.result.get(counter, 0)
            assert compare(before, before, before) == []
            assert compare(before, before, db) != [] or db.tables == before.tables
    assert all(seen.values()), seen
    assert types == {"MemberRemoved", "MemberKept", "MemberDeletionProcessed", "GroupDeleted", "GroupRestored", "ProjectDeleted",
                     "UserDeleted", "PlaceholderKept"}


@pytest.mark.check_all
def test_shares_and_chains_exist_and_users_who_lose_rights_have_a_refresh_request(new_database):
    """With any rule about guests: after the run, rights have changed only for users with a request
    for a refresh."""
    conn = new_database("app").connection
    by_link, by_lock, lost = 0, 0, 0
    for seed in SEEDS:
        t = generate(conn, seed, size=100)
        before = load(conn)
        after, flat = before.copy(), before.copy()
        flat.tables["project_group_links"].clear()
        run_to_end(after, "groups.adjourned_deletion", t)
        unlocked = before.copy()
        for namespace in unlocked.rows("namespaces"):
            namespace["share_with_group_lock"] = False
        for user in (u["id"] for u in after.rows("users")):
            had, has, without, could = (wanted_authorizations(db, user, t.date()) for db in (before, after, flat, unlocked))
            by_link += had != without
            by_lock += had != could
            left = {p: level for p, level in had.items() if after.get("projects", p)}
            if left != has:
                lost += 1
                assert after.get(DIRTY, (user, "authorizations")), (seed, user, left, has)
    assert by_link > 50 and by_lock > 10 and lost > 10, (by_link, by_lock, lost)


def test_postgresql_refuses_what_the_model_refuses(new_database):
    conn = new_database("app").connection
    generate(conn, 4, refusals=True)
    refused = {key for _, key in load(conn).refused}
    for member in [row["id"] for row in conn.execute("SELECT id FROM members")]:
        try:
            conn.execute("DELETE FROM members WHERE id = %s", [member])
        except Exception as error:
            assert f"member {member} is on legal hold" in str(error)
    assert refused and {row["id"] for row in conn.execute("SELECT id FROM members")} == refused
