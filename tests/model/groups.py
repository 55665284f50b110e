"""groups.adjourned_deletion and groups.destroy: docs/jobs."""

import datetime
import hashlib
import posixpath
import re

from . import rules
from .db import NOW, Refused
from .expected import Expected, blocked, result
from .members import date_of

SPACING_S = 20
NOT_MARKED = "Group has not been marked for deletion"
IN_PROGRESS = "Group deletion is in progress"
BLOCKED_ACTOR = "You can't delete this group because you're blocked."


def cutoff_of(db, t):
    """None without a settings row."""
    settings = db.rows("application_settings")
    if not settings:
        return None
    return date_of(t) - datetime.timedelta(days=settings[-1]["deletion_adjourned_period"])


def adjourned_deletion(db, t, args=None):
    cutoff = cutoff_of(db, t)
    if cutoff is None:
        return blocked()
    expected = result("updated_rows", "scheduled", "restored")
    marked = [s for s in db.rows("group_deletion_schedules")
              if s["marked_for_deletion_on"] <= cutoff and rules.is_group(db.get("namespaces", s["group_id"]))]
    for index, schedule in enumerate(marked):
        if rules.may_remove_group(db, schedule["user_id"], schedule["group_id"], date_of(t)):
            delay_s = index * SPACING_S
            expected.start("groups.destroy", delay_s, group_id=schedule["group_id"], user_id=schedule["user_id"])
            expected.say("info", "Group deletion scheduled", group_id=schedule["group_id"], delay_s=delay_s,
                         namespace=rules.full_path(db, "Namespace", schedule["group_id"]),
                         user=db.get("users", schedule["user_id"])["username"])
            expected.count("scheduled")
            expected.count("updated_rows")
        elif restore(db, expected, schedule["group_id"]) is None:
            expected.count("restored")
            expected.count("updated_rows")
    return expected


# --- restore

def restore(db, expected, group_id):
    """None, or why not."""
    schedule = db.get("group_deletion_schedules", group_id)
    if schedule is None:
        return NOT_MARKED
    details = db.get("namespace_details", group_id)
    if details is not None and details["deleted_at"] is not None:
        return IN_PROGRESS
    db.delete("group_deletion_schedules", schedule)
    path = take_suffix_off(db, group_id)
    bots = [u for u in db.rows("users") if u["user_type"] == rules.ADMIN_BOT]
    expected.say("info", f"User {bots[0]['id'] if bots else 'system'} restored group {printable(path)}")
    expected.announce("GroupRestored", group_id=group_id, full_path=path)
    return None


def printable(path):
    return path.pattern if isinstance(path, re.Pattern) else path


def without_suffix(text, group_id):
    return re.sub(rf"-(deletion_scheduled|deleted)-{group_id}$", "", text)


def take_suffix_off(db, group_id):
    """Takes the suffix off name and path, each on its own, here and in the routes of everything
    below. Five letters or digits that the model cannot predict become a pattern."""
    group = db.get("namespaces", group_id)
    route = next(iter(db.rows("routes", source_type="Namespace", source_id=group_id)), None)
    old_path, old_name = (route["path"], route["name"]) if route else (group["path"], group["name"])
    new_path, new_name = without_suffix(old_path, group_id), without_suffix(old_name or "", group_id)
    taken = any(r["path"] == new_path and r is not route for r in db.rows("routes"))

    group["path"] = maybe_with_random(without_suffix(group["path"], group_id), taken)
    group["name"] = maybe_with_random(without_suffix(group["name"], group_id), taken)
    groups = {n["id"] for n in rules.subtree(db, group_id)}
    below = {("Namespace", id) for id in groups} | {("Project", p["id"]) for p in db.rows("projects") if p["namespace_id"] in groups}
    for r in db.rows("routes"):
        if route and (r["source_type"], r["source_id"]) in below:
            r["path"] = with_new_head(r["path"], old_path, new_path, "/", taken)
            r["name"] = with_new_head(r["name"], old_name, new_name, " / ", taken)
    return maybe_with_random(new_path, taken)


def maybe_with_random(text, taken):
    return re.compile(re.escape(text) + "-[A-Za-z0-9]{5}") if taken else text


def with_new_head(text, old, new, separator, taken):
    if text is None or not (text == old or text.startswith(old + separator)):
        return text
    tail = text[len(old):]
    return re.compile(re.escape(new) + "-[A-Za-z0-9]{5}" + re.escape(tail)) if taken else new + tail


# --- destroy

def destroy(db, t, args):
    expected = Expected(result={"status": "completed"})
    group_id = args["group_id"]
    group, schedule = db.get("namespaces", group_id), db.get("group_deletion_schedules", group_id)
    if group is None:
        expected.count("gone")
        return expected
    cutoff = cutoff_of(db, t)
    if schedule is None or cutoff is None or schedule["marked_for_deletion_on"] > cutoff:
        return expected
    if not rules.may_remove_group(db, args["user_id"], group_id, date_of(t)):
        if not rules.is_active(db, args["user_id"]):
            expected.result["reason"] = BLOCKED_ACTOR
        restore(db, expected, group_id)
        return expected
    try:
        trial = db.copy()
        take_down(trial, Expected(), group_id, args["user_id"])
    except Refused as refusal:
        # Chosen: how far it got before it failed is not predicted; the caller sees that it does not
        # end.
        expected.state = "waiting"
        expected.say("error", "Rescheduling group deletion", group_id=group_id, user_id=args["user_id"], error=str(refusal))
        return expected
    take_down(db, expected, group_id, args["user_id"])
    return expected


def take_down(db, expected, group_id, actor_id):
    groups = rules.subtree(db, group_id)
    for user_id in everybody_with_access(db, groups):
        rules.mark_dirty(db, user_id, "authorizations")
    for group in groups:
        for project in db.rows("projects", namespace_id=group["id"]):
            remove_project(db, expected, project, actor_id)
    for group in groups:
        remove_group(db, expected, group, actor_id)


def everybody_with_access(db, groups):
    """Members of the groups and their projects, direct members of the groups that these groups are
    shared with, and all who reach a group whose link to a project goes: one of these groups, or a
    group that their projects invited."""
    ids = {g["id"] for g in groups}
    projects = {p["id"] for p in db.rows("projects") if p["namespace_id"] in ids}
    invited = invited_by(db, ids)
    for link in db.rows("project_group_links"):
        if link["project_id"] in projects or link["group_id"] in ids:
            line = set(rules.with_ancestors(db, link["group_id"]))
            invited |= line | invited_by(db, line)
    return sorted({m["user_id"] for m in db.rows("members") if rules.gives_access(m) and (
        m["source_id"] in ids | invited if m["source_type"] == "Namespace" else m["source_id"] in projects)})


def invited_by(db, groups):
    return {link["shared_with_group_id"] for link in db.rows("group_group_links") if link["shared_group_id"] in groups}


def remove_members_of(db, expected, source_type, source_id):
    root = rules.root_of_source(db, source_type, source_id)
    for member in db.delete_where("members", source_type=source_type, source_id=source_id):
        expected.announce("MemberRemoved", member_id=member["id"], user_id=member["user_id"], source_type=source_type,
                          source_id=source_id, root_namespace_id=root, access_level=member["access_level"],
                          expires_at=member["expires_at"], reason="group_destroyed")
    db.delete_where("notification_settings", source_type=source_type, source_id=source_id)


def remove_project(db, expected, project, actor_id):
    id = project["id"]
    destroy_bots(db, expected, "Project", id, "Project deleted", actor_id)
    for artifact in db.delete_where("ci_job_artifacts", project_id=id):
        record_file(db, artifact)
    expected.announce("ProjectDeleted", project_id=id, namespace_id=project["namespace_id"],
                      root_namespace_id=rules.root_of(db, project["namespace_id"]), full_path=rules.full_path(db, "Project", id))
    remove_members_of(db, expected, "Project", id)
    remove_writings(db, id)
    for table in ("project_group_links", "project_authorizations", "todos"):
        db.delete_where(table, project_id=id)
    for table in ("routes", "redirect_routes"):
        db.delete_where(table, source_type="Project", source_id=id)
    db.delete("projects", project)
    own = db.get("namespaces", project["project_namespace_id"])
    if own is not None:
        db.delete("namespaces", own)


def destroy_bots(db, expected, source_type, source_id, reason, actor_id):
    """Destroys bots that are members, or have requested access."""
    for member in db.rows("members", source_type=source_type, source_id=source_id):
        user = db.get("users", member["user_id"])
        if user is not None and user["user_type"] == rules.PROJECT_BOT:
            expected.start("users.destroy", user_id=user["id"], reason=reason, initiator_id=actor_id)


def remove_writings(db, project_id):
    """No row may point into the deleted tree, so what was written in it goes, with everything that
    depends on it."""
    for issue in db.delete_where("issues", project_id=project_id):
        db.delete_where("issue_assignees", issue_id=issue["id"])
    for request in db.delete_where("merge_requests", target_project_id=project_id):
        db.delete_where("approvals", merge_request_id=request["id"])
    db.delete_where("notes", project_id=project_id)


def record_file(db, artifact):
    """Records the file of a row that goes; a row without a file leaves no record."""
    if artifact["file_final_path"]:
        store_dir, file = posixpath.split(artifact["file_final_path"])
    elif artifact["file"]:
        h = hashlib.sha256(str(artifact["project_id"]).encode()).hexdigest()
        day = artifact["created_at"].astimezone(datetime.timezone.utc).strftime("%Y_%m_%d")
        store_dir = f"{h[:2]}/{h[2:4]}/{h}/{day}/{artifact['job_id']}/{artifact['id']}"
        file = artifact["file"]
    else:
        return
    db.insert("ci_deleted_objects", file_store=artifact["file_store"], store_dir=store_dir, file=file,
              project_id=artifact["project_id"], pick_up_at=NOW, created_at=NOW)


def remove_group(db, expected, group, actor_id):
    id = group["id"]
    destroy_bots(db, expected, "Namespace", id, "Group deleted", actor_id)
    expected.announce("GroupDeleted", group_id=id, root_namespace_id=rules.root_of(db, id),
                      parent_namespace_id=group["parent_id"], full_path=rules.full_path(db, "Namespace", id))
    remove_members_of(db, expected, "Namespace", id)
    db.delete_where("todos", group_id=id)
    db.delete_where("project_group_links", group_id=id)
    for column in ("shared_group_id", "shared_with_group_id"):
        db.delete_where("group_group_links", **{column: id})
    for table in ("routes", "redirect_routes"):
        db.delete_where(table, source_type="Namespace", source_id=id)
    db.delete_where("members_deletion_schedules", namespace_id=id)
    db.delete_where("group_deletion_schedules", group_id=id)
    db.delete("namespaces", group)
