"""imports.placeholder_cleanup and users.delete_placeholder: docs/jobs."""

import datetime

from . import rules, users
from .expected import Expected, result

RETRY_AFTER = datetime.timedelta(days=2)
SPACING_S = 1
LAST_ATTEMPT = ("Maximum deletion attempts (15) reached for deletion of placeholder user. "
                "Making final deletion attempt.")
STILL_REFERENCED = "Unable to delete placeholder user because it is still referenced in other tables"


def cleanup(db, t, args=None):
    expected = result("updated_rows", "scheduled", "maximum_reached")
    details = [d for d in db.rows("import_placeholder_user_details") if unclaimed(d) and tried_long_ago(d, t)]
    for index, detail in enumerate(details):
        count_attempt(expected, detail, t, index * SPACING_S)
    return expected


def orphaned(db, t, args):
    """The event: all details of this user, whenever they were tried before."""
    expected = result("updated_rows", "scheduled", "maximum_reached")
    for detail in db.rows("import_placeholder_user_details", placeholder_user_id=args["placeholder_user_id"]):
        if unclaimed(detail):
            count_attempt(expected, detail, t, 0)
    return expected


def unclaimed(detail):
    return detail["namespace_id"] is None and detail["deletion_attempts"] < users.MAX_ATTEMPTS


def tried_long_ago(detail, t):
    last = detail["last_deletion_attempt_at"]
    return last is None or last < t - RETRY_AFTER


def count_attempt(expected, detail, t, delay_s):
    user_id = detail["placeholder_user_id"]
    detail["deletion_attempts"] += 1
    last = detail["last_deletion_attempt_at"]
    # an old event sets no time back
    detail["last_deletion_attempt_at"] = t if last is None else max(last, t)
    expected.count("updated_rows")
    if expected.start("users.delete_placeholder", delay_s, placeholder_user_id=user_id):
        expected.count("scheduled")
    if detail["deletion_attempts"] == users.MAX_ATTEMPTS:
        expected.count("maximum_reached")
        expected.say("warning", LAST_ATTEMPT, placeholder_user_id=user_id)


def delete_placeholder(db, t, args):
    expected = Expected(result={"status": "completed"})
    user = db.get("users", args["placeholder_user_id"])
    if user is None or user["user_type"] != rules.PLACEHOLDER:
        return expected
    if next(users.references_to(db, user["id"]), None) is None:
        expected.result["scheduled"] = 1
        expected.start("users.destroy", user_id=user["id"], reason=users.OF_PLACEHOLDERS)
        return expected
    expected.result["kept"] = 1
    expected.say("warning", STILL_REFERENCED, placeholder_user_id=user["id"])
    expected.announce("PlaceholderKept", placeholder_user_id=user["id"])
    expected.quarantine += users.abandoned(db, user["id"])
    return expected
