"""users.destroy and users.refresh_authorizations."""

from . import rules
from .db import DIRTY
from .expected import Expected, result
from .members import date_of

# docs/jobs/users.delete_placeholder.md: what a user wrote or did. A placeholder that one of these
# names stays; when a user is destroyed, they move to the ghost user.
REFERENCES = [
    ("approvals", "user_id"), ("award_emoji", "user_id"), ("ci_pipeline_schedules", "owner_id"),
    ("design_management_versions", "author_id"), ("notes", "author_id"),
    ("epics", "author_id"), ("epics", "assignee_id"), ("epics", "last_edited_by_id"), ("epics", "closed_by_id"),
    ("issues", "author_id"), ("issues", "updated_by_id"), ("issues", "closed_by_id"), ("issues", "last_edited_by_id"),
    ("issue_assignees", "user_id"), ("lists", "user_id"),
    ("merge_requests", "author_id"), ("merge_requests", "updated_by_id"), ("merge_requests", "merge_user_id"),
    ("merge_request_metrics", "merged_by_id"), ("merge_request_metrics", "latest_closed_by_id"),
    ("merge_request_assignees", "user_id"), ("merge_request_reviewers", "user_id"),
    ("protected_tag_create_access_levels", "user_id"), ("protected_branch_merge_access_levels", "user_id"),
    ("protected_branch_push_access_levels", "user_id"), ("snippets", "author_id"), ("releases", "author_id"),
    ("resource_label_events", "user_id"), ("resource_milestone_events", "user_id"), ("resource_state_events", "user_id"),
    ("timelogs", "user_id"), ("vulnerabilities", "author_id"), ("vulnerabilities", "resolved_by_id"),
]
# docs/jobs/users.destroy.md: only connections between the user and something else; they end with
# the user.
ASSOCIATIONS = ["issue_assignees", "merge_request_assignees", "merge_request_reviewers", "subscriptions", "todos",
                "notification_settings", "project_authorizations"]
# These keep no placeholder. But another user's row must not go because it names this user: they
# move to the ghost user.
INHERITED = [("todos", "author_id"), ("reviews", "author_id"), ("abuse_reports", "reporter_id"), ("user_achievements", "user_id"),
             ("user_achievements", "awarded_by_user_id"), ("user_achievements", "revoked_by_user_id")]


def references_to(db, user_id, columns=REFERENCES):
    """The references, in the tables and columns that exist."""
    for table, column in columns:
        if db.has_column(table, column):
            for row in db.rows(table, **{column: user_id}):
                yield table, column, row


# --- placeholders

MAX_ATTEMPTS = 15
OF_PLACEHOLDERS = "Placeholder user"  # the reason of a run that removes one


def abandoned(db, user_id):
    """The items of the user's details that had their last attempt, if the user stays a placeholder
    that nobody claims."""
    user, details = db.get("users", user_id), db.rows("import_placeholder_user_details", placeholder_user_id=user_id)
    if user is None or user["user_type"] != rules.PLACEHOLDER or any(d["namespace_id"] is not None for d in details):
        return []
    return [f"import_placeholder_user_details:{d['id']}" for d in details if d["deletion_attempts"] >= MAX_ATTEMPTS]


# --- users.destroy

def destroy(db, t, args, finish=True):
    user = db.get("users", args["user_id"])
    expected = Expected(result={"status": "completed"})
    if user is None:
        return expected
    ghost = ghost_for(db, user)
    if is_sole_owner(db, user) or has_projects(db, user):
        expected.count("kept")
        if args.get("reason") == OF_PLACEHOLDERS:
            expected.quarantine += abandoned(db, user["id"])
        return expected
    if ghost is None:
        # Without a ghost user nothing is decided: the run fails and is tried again.
        return Expected(state="waiting")

    user["state"] = "blocked"
    for member in db.rows("members", user_id=user["id"]):
        rules.remove_membership(db, expected, member, "user_destroyed")
    if not db.rows("ghost_user_migrations", user_id=user["id"]):
        db.insert("ghost_user_migrations", user_id=user["id"], initiator_user_id=args.get("initiator_id"))
    if finish:
        hand_over(db, user, ghost)
        remove_user(db, expected, user, args.get("reason"))
    return expected


def ghost_for(db, user):
    ghosts = db.rows("users", user_type=rules.GHOST)
    at_home = [g for g in ghosts if g["organization_id"] == user["organization_id"]]
    return next(iter(at_home + ghosts), None)


def is_sole_owner(db, user):
    return any(rules.is_last_owner(db, m) for m in db.rows("members", user_id=user["id"]))


def personal_namespaces(db, user):
    return db.rows("namespaces", type="User", owner_id=user["id"])


def has_projects(db, user):
    return any(db.rows("projects", namespace_id=n["id"]) for n in personal_namespaces(db, user))


def hand_over(db, user, ghost):
    for table in ASSOCIATIONS:
        if db.has_column(table, "user_id"):
            db.delete_where(table, user_id=user["id"])
    for table, column, row in list(references_to(db, user["id"], REFERENCES + INHERITED)):
        if db.breaks_unique_key(table, row, column, ghost["id"]):
            db.delete(table, row)
        else:
            row[column] = ghost["id"]


def remove_user(db, expected, user, reason):
    for namespace in personal_namespaces(db, user):
        for table in ("routes", "redirect_routes"):
            db.delete_where(table, source_type="Namespace", source_id=namespace["id"])
        db.delete("namespaces", namespace)
    db.delete("users", user)
    # The reason of a placeholder's deletion may be any text.
    because = {"reason": reason} if reason else {}
    expected.announce("UserDeleted", user_id=user["id"], user_type=user["user_type"], **because)


# --- users.refresh_authorizations

def refresh_authorizations(db, t, args=None, now=None):
    """All requests that are due at `now`; without it, all there are."""
    due = [r for r in db.rows(DIRTY) if now is None or (r.get("due_at") is not None and r["due_at"] <= now)]
    day = date_of(t)
    for user_id in sorted({r["user_id"] for r in due}):
        if db.get("users", user_id) is not None:
            kinds = [r["kind"] for r in due if r["user_id"] == user_id]
            refresh_user(db, user_id, kinds, day)
    for request in due:
        db.delete(DIRTY, request)
    return result()


def refresh_user(db, user_id, kinds, day):
    wanted = wanted_authorizations(db, user_id, day)
    for row in db.rows("project_authorizations", user_id=user_id):
        if wanted.get(row["project_id"]) != row["access_level"]:
            db.delete("project_authorizations", row)
    for project_id, level in wanted.items():
        if db.get("project_authorizations", (user_id, project_id, level)) is None:
            db.insert("project_authorizations", user_id=user_id, project_id=project_id, access_level=level)
    if "todos" in kinds:
        for todo in db.rows("todos", user_id=user_id):
            if not sees_target(db, user_id, todo, wanted, day):
                db.delete("todos", todo)


def wanted_authorizations(db, user_id, day):
    levels = {p["id"]: rules.project_level(db, user_id, p, day) for p in db.rows("projects")}
    return {p: level for p, level in levels.items() if level >= rules.LEAST_LEVEL_FOR_PROJECTS}


def sees_target(db, user_id, todo, wanted, day):
    """An instance admin sees everything."""
    if rules.is_admin(db, user_id):
        return True
    if todo["project_id"] is not None:
        project = db.get("projects", todo["project_id"])
        if project is None:
            return False
        return project["id"] in wanted or project["visibility_level"] in rules.VISIBLE_TO_ALL_USERS
    if todo["group_id"] is not None:
        return sees_group(db, user_id, todo["group_id"], wanted, day)
    return True


def sees_group(db, user_id, group_id, wanted, day):
    """Chosen: users with rights anywhere below a group see the group, too."""
    group = db.get("namespaces", group_id)
    if group is None:
        return False
    if group["visibility_level"] in rules.VISIBLE_TO_ALL_USERS:
        return True
    below = {n["id"] for n in rules.subtree(db, group_id)}
    if any(rules.group_level(db, user_id, here, day) > 0 for here in below):
        return True
    return any(p["namespace_id"] in below and p["id"] in wanted for p in db.rows("projects"))
