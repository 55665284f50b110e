"""The rules that several jobs share: who is an owner, who may do what, what goes with a membership.

Where the jobs' pages (docs/jobs) leave a question open, the answer taken here is one of the
constants below or says "Chosen". """

from .db import DIRTY, NOW, QUARANTINE

OWNER, MAINTAINER, GUEST = 50, 40, 10
HUMAN, GHOST, PROJECT_BOT, ADMIN_BOT, PLACEHOLDER = 0, 5, 6, 11, 15
PUBLIC, INTERNAL = 20, 10
ACCESS_REQUESTED = 10

# Chosen: "minimal access" to a group (5) opens no project.
LEAST_LEVEL_FOR_PROJECTS = GUEST
# Chosen: a signed-in user still sees what is internal.
VISIBLE_TO_ALL_USERS = (INTERNAL, PUBLIC)


# --- namespaces

def is_group(namespace):
    return namespace is not None and namespace["type"] == "Group"


def with_ancestors(db, namespace_id):
    """The ids from the root down to the namespace itself."""
    namespace = db.get("namespaces", namespace_id)
    if namespace is None:
        return []
    above = [i for i in namespace["traversal_ids"] if i != namespace_id]
    return above + [namespace_id]


def root_of(db, namespace_id):
    line = with_ancestors(db, namespace_id)
    return line[0] if line else None


def subtree(db, namespace_id):
    """The groups from here down, the leaves first."""
    below = [n for n in db.rows("namespaces") if n["type"] != "Project" and namespace_id in with_ancestors(db, n["id"])]
    return sorted(below, key=lambda n: -len(n["traversal_ids"]))


def root_of_source(db, source_type, source_id):
    if source_type == "Namespace":
        return root_of(db, source_id)
    project = db.get("projects", source_id)
    return root_of(db, project["namespace_id"]) if project else None


def full_path(db, source_type, source_id):
    routes = db.rows("routes", source_type=source_type, source_id=source_id)
    return routes[0]["path"] if routes else None


# --- memberships

def gives_access(member):
    """An invitation, a request and an awaiting membership give nothing. A membership whose date is
    over counts while its row exists."""
    return (member["user_id"] is not None and member["requested_at"] is None and (member["state"] or 0) == 0)


def memberships(db, source_type, source_id):
    """What is left of a group or project that is gone gives nothing."""
    if db.get({"Namespace": "namespaces", "Project": "projects"}[source_type], source_id) is None:
        return []
    return [m for m in db.rows("members", source_type=source_type, source_id=source_id) if gives_access(m)]


def is_active_human(db, user_id):
    user = db.get("users", user_id)
    return user is not None and user["state"] == "active" and user["user_type"] == HUMAN


def is_held(db, member):
    """Whether `pruned restore` brought the row back and holds it until an operator decides."""
    return any(q["item"] == f"members:{member['id']}" and q["parked"] and q.get("reason") == "restored" for q in db.rows(QUARANTINE))


def is_last_owner(db, member):
    """Whether the group would be left without an owner who is an active human. Held rows do not
    count."""
    if member["source_type"] != "Namespace" or member["access_level"] != OWNER or not gives_access(member):
        return False
    if not is_active_human(db, member["user_id"]):
        return False
    # Chosen: a group that is gone needs no owner.
    if db.get("namespaces", member["source_id"]) is None:
        return False
    for group_id in with_ancestors(db, member["source_id"]):
        for other in memberships(db, "Namespace", group_id):
            if (other["access_level"] == OWNER and other["user_id"] != member["user_id"]
                    and is_active_human(db, other["user_id"]) and not is_held(db, other)):
                return False
    return True


# --- rights

def link_counts(link, day):
    return link["expires_at"] is None or link["expires_at"] > day


def is_locked(namespace):
    """Chosen: NULL is no lock."""
    return namespace is not None and namespace.get("share_with_group_lock") is True


def direct_level(db, user_id, source_type, source_id):
    return max([m["access_level"] for m in memberships(db, source_type, source_id) if m["user_id"] == user_id], default=0)


def group_level(db, user_id, group_id, day):
    """Direct, inherited from above, or through a share of this group or one above. Through a share
    count the direct members of the invited group."""
    level = 0
    for here in with_ancestors(db, group_id):
        if db.get("namespaces", here) is None:
            continue
        level = max(level, direct_level(db, user_id, "Namespace", here))
        for link in db.rows("group_group_links", shared_group_id=here):
            if link_counts(link, day):
                theirs = direct_level(db, user_id, "Namespace", link["shared_with_group_id"])
                level = max(level, min(theirs, link["group_access"]))
    return level


def project_level(db, user_id, project, day):
    """A link of the project counts for all who reach the invited group in any way, unless the
    project's own namespace has the lock; a lock further above, or of the invited group, closes
    nothing."""
    home = db.get("namespaces", project["namespace_id"])
    level = direct_level(db, user_id, "Project", project["id"])
    level = max(level, group_level(db, user_id, project["namespace_id"], day))
    for link in db.rows("project_group_links", project_id=project["id"]):
        if link_counts(link, day) and not is_locked(home):
            theirs = group_level(db, user_id, link["group_id"], day)
            level = max(level, min(theirs, link["group_access"]))
    if home is not None and home["type"] == "User" and home["owner_id"] == user_id:
        level = max(level, OWNER)
    return level


def is_active(db, user_id):
    user = db.get("users", user_id)
    return user is not None and user["state"] == "active"


def is_admin(db, user_id):
    user = db.get("users", user_id)
    return user is not None and user["admin"]


def may_remove_group(db, user_id, group_id, day):
    if not is_active(db, user_id):
        return False
    return is_admin(db, user_id) or group_level(db, user_id, group_id, day) >= OWNER


# --- what goes with a membership

def mark_dirty(db, user_id, *kinds):
    for kind in kinds:
        if db.get(DIRTY, (user_id, kind)) is None:
            db.insert(DIRTY, user_id=user_id, kind=kind)


def remove_membership(db, expected, member, reason):
    """Removes the row with all its effects. If the database refuses the row, this raises and
    changes nothing."""
    root = root_of_source(db, member["source_type"], member["source_id"])
    db.delete("members", member)
    user_id, source_type, source_id = member["user_id"], member["source_type"], member["source_id"]
    if user_id is not None:
        db.delete_where("notification_settings", user_id=user_id, source_type=source_type, source_id=source_id)
        close_access_requests(db, user_id, source_type, source_id)
        mark_dirty(db, user_id, "authorizations", "todos")
    expected.announce("MemberRemoved", member_id=member["id"], user_id=user_id, source_type=source_type,
                      source_id=source_id, root_namespace_id=root, access_level=member["access_level"],
                      expires_at=member["expires_at"], reason=reason)


def close_access_requests(db, user_id, source_type, source_id):
    column = "group_id" if source_type == "Namespace" else "project_id"
    for todo in db.rows("todos", author_id=user_id, action=ACCESS_REQUESTED, state="pending"):
        if todo[column] == source_id:
            todo["state"], todo["updated_at"] = "done", NOW


def keep_membership(expected, member, reason):
    expected.announce("MemberKept", member_id=member["id"], user_id=member["user_id"],
                      source_type=member["source_type"], source_id=member["source_id"], reason=reason)
