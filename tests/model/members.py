"""members.remove_expired and members.prune_deletions."""

import datetime

from . import rules
from .db import QUARANTINE, Refused
from .expected import result


def date_of(t):
    return t.astimezone(datetime.timezone.utc).date()


# A parked item is tried once in this time; an item held by a restore is never tried by itself.
PARK_RETRY = datetime.timedelta(days=7)


# --- members.remove_expired

def remove_expired(db, t, args=None):
    """Newest first, one after the other; pages only cut this walk into pieces."""
    expected = result("updated_rows", "removed", "kept", "failed")
    for member in expired(db, date_of(t), (args or {}).get("cursor")):
        if waits_in_quarantine(db, "members.remove_expired", member):
            expected.count("passed_over")
        else:
            expire(db, expected, member)
    expected.result["updated_rows"] = expected.result["removed"]
    return expected


def expired(db, cutoff, cursor):
    found = [m for m in db.rows("members") if m["expires_at"] is not None and m["expires_at"] <= cutoff]
    if cursor:
        after = (datetime.date.fromisoformat(cursor["expires_at"]), cursor["id"])
        found = [m for m in found if (m["expires_at"], m["id"]) < after]
    return sorted(found, key=lambda m: (m["expires_at"], m["id"]), reverse=True)


def waits_in_quarantine(db, job, member):
    entry = db.get(QUARANTINE, (job, f"members:{member['id']}"))
    if entry is None:
        return False
    now = datetime.datetime.now(datetime.timezone.utc)
    if not entry["parked"]:
        return entry["next_try_at"] > now
    return entry.get("reason") == "restored" or entry["next_try_at"] > now - PARK_RETRY


def expire(db, expected, member):
    if rules.is_last_owner(db, member):
        expected.count("kept")
        rules.keep_membership(expected, member, "last_owner")
        return
    try:
        rules.remove_membership(db, expected, member, "expired")
    except Refused as refusal:
        expected.count("failed")
        expected.quarantine.append(f"members:{member['id']}")
        rules.keep_membership(expected, member, "failed")
        expected.say("error", f"Expired Member ID={member['id']} cannot be removed - {refusal}")
        return
    expected.count("removed")
    user = db.get("users", member["user_id"])
    if user is not None and user["user_type"] == rules.PROJECT_BOT:
        expected.start("users.destroy", user_id=user["id"], reason="Membership expired")


def expiry_due(db, t, args):
    """The timer of MemberExpirySet {member_id, expires_at}; t: the event's time."""
    expected = result("updated_rows", "removed", "kept", "failed")
    member = db.get("members", args["member_id"])
    cutoff = max(date_of(t), datetime.date.fromisoformat(str(args["expires_at"])))
    if member is None:
        expected.count("gone")
    elif member["expires_at"] is None or member["expires_at"] > cutoff:
        expected.count("kept")
        expected.result["reason"] = "not expired"  # in the result only
    else:
        expire(db, expected, member)
    expected.result["updated_rows"] = expected.result["removed"]
    return expected


# --- members.prune_deletions

MEMBERSHIPS_PER_PASS = 100


def schedule_prune_deletions(db, t, args=None):
    expected = result("updated_rows")
    if db.rows("members_deletion_schedules"):
        expected.start("members.prune_deletions")
    return expected


def prune_deletions(db, t, args=None):
    """One schedule after the other, by id: what one removes is gone when the next is judged. Steps
    and pages only cut this walk into pieces."""
    expected = result("updated_rows", "removed", "denied", "failed")
    for schedule in db.rows("members_deletion_schedules"):
        todo = memberships_in_hierarchy(db, schedule)
        parts = [todo[i:i + MEMBERSHIPS_PER_PASS] for i in range(0, len(todo), MEMBERSHIPS_PER_PASS)] or [[]]
        failed = [member for part in parts for member in prune_part(db, expected, schedule, part, date_of(t))]
        if not failed:
            db.delete("members_deletion_schedules", schedule)
            expected.count("updated_rows")
    return expected


def prune_part(db, expected, schedule, part, day):
    """Does the step of one schedule. Returns the memberships that could not be removed."""
    removed, denied, failed = [], [], []
    for member in part:
        reason = denied_because(db, schedule, member, day) or ("last owner" if rules.is_last_owner(db, member) else None)
        if reason:
            denied.append(member["id"])
            expected.say("warning", "Denied scheduled member deletion", user_id=schedule["user_id"],
                         namespace_id=schedule["namespace_id"], scheduled_by_id=schedule["scheduled_by_id"],
                         member_id=member["id"], reason=reason)
            continue
        try:
            rules.remove_membership(db, expected, member, "scheduled")
            removed.append(member["id"])
        except Refused:
            failed.append(member["id"])
            expected.quarantine.append(f"members:{member['id']}")
    expected.count("removed", len(removed))
    expected.count("denied", len(denied))
    expected.count("failed", len(failed))
    expected.announce("MemberDeletionProcessed", schedule_id=schedule["id"], user_id=schedule["user_id"],
                      namespace_id=schedule["namespace_id"], removed=len(removed), denied_member_ids=denied)
    return failed


def memberships_in_hierarchy(db, schedule):
    """All memberships of the user in the root's groups and in all projects of these, by id."""
    root = rules.root_of(db, schedule["namespace_id"])
    groups = {n["id"] for n in rules.subtree(db, root)}
    projects = {p["id"] for p in db.rows("projects") if p["namespace_id"] in groups}
    return [m for m in db.rows("members", user_id=schedule["user_id"])
            if m["source_id"] in (groups if m["source_type"] == "Namespace" else projects)]


def denied_because(db, schedule, member, day):
    actor = schedule["scheduled_by_id"]
    if db.get("users", member["user_id"])["user_type"] == rules.PROJECT_BOT:
        return "project bot"
    if not rules.is_active(db, actor):
        return "actor not active"
    # Users who schedule their own removal may go, whatever their level is now.
    if rules.is_admin(db, actor) or actor == member["user_id"]:
        return None
    if member["source_type"] == "Namespace":
        level, wanted = rules.group_level(db, actor, member["source_id"], day), rules.OWNER
    else:
        level = rules.project_level(db, actor, db.get("projects", member["source_id"]), day)
        wanted = rules.OWNER if member["access_level"] == rules.OWNER else rules.MAINTAINER
    return None if level >= wanted else "no rights"
