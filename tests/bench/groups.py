"""groups.destroy: a root with 2,000 subgroups, 20,000 projects, 200,000 members and 200,000
artifacts, beside the same by hand.

By hand: all members are marked for a refresh in one statement, then a hundred projects a
transaction, then a hundred groups, the leaves first: a prepared statement a table, which deletes
and audits, all of a transaction in one pipeline. It does not look into tables that are empty here,
nor at the mark and the rights, and it cannot continue after a crash.
"""

import time

import psycopg

import growth
import hierarchy
from fill import filler

MEMBERS = """SELECT CASE i % 2 WHEN 0 THEN 'Namespace' ELSE 'Project' END AS source_type, 3 + i % ({users} - 2) AS user_id,
    1 + i / 2 % CASE i % 2 WHEN 0 THEN {groups} ELSE {projects} END AS source_id, 10 * (1 + i % 4) AS access_level
    FROM generate_series(0, {members} - 1) i"""
THINGS = """
INSERT INTO project_authorizations (user_id, project_id, access_level)
SELECT user_id, source_id, max(access_level) FROM members WHERE source_type = 'Project' GROUP BY 1, 2;
INSERT INTO ci_job_artifacts (project_id, job_id, file, created_at)
SELECT 1 + i % {projects}, i, 'artifacts.zip', now() - interval '1 day' FROM generate_series(1, {artifacts}) i;
INSERT INTO todos (user_id, author_id, project_id, target_type, action, state)
SELECT 3 + i % ({users} - 2), 1, 1 + i % {projects}, 'Issue', 1, 'pending' FROM generate_series(1, {artifacts} / 10) i;
INSERT INTO group_deletion_schedules (group_id, user_id, marked_for_deletion_on) VALUES (1, 1, current_date - 30)
"""
LEFT = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table}) AS {table}" for table in (
    "namespaces", "namespace_details", "projects", "routes", "members", "notification_settings", "project_authorizations", "todos",
    "ci_job_artifacts", "ci_deleted_objects", "group_deletion_schedules", "users", "pruned.dirty_users")).replace("AS pruned.", "AS ")


def fill(share):
    sizes = {name: round(n * share) for name, n in
             {"groups": 2_000, "projects": 20_000, "members": 200_000, "artifacts": 200_000, "users": 20_000}.items()}
    return filler([hierarchy.TREE, hierarchy.join(MEMBERS), hierarchy.LISTEN, THINGS], **sizes)


MARK = """INSERT INTO pruned.dirty_users (user_id, kind, due_at)
    SELECT user_id, 'authorizations', now() + interval '60 s' FROM (
      SELECT m.user_id FROM members m JOIN namespaces n ON n.id = m.member_namespace_id WHERE n.traversal_ids[1] = 1
      UNION SELECT a.user_id FROM project_authorizations a JOIN projects p ON p.id = a.project_id
        JOIN namespaces n ON n.id = p.namespace_id WHERE n.traversal_ids[1] = 1) u
    WHERE user_id IS NOT NULL ORDER BY 1"""
PROJECTS = """SELECT p.id, p.project_namespace_id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
    WHERE n.traversal_ids @> ARRAY[1::bigint] ORDER BY p.namespace_id, p.id"""
GROUPS = """SELECT id, cardinality(traversal_ids) FROM namespaces
    WHERE traversal_ids @> ARRAY[1::bigint] AND type = 'Group' ORDER BY 2 DESC, 1"""
AUDITED = """WITH gone AS (DELETE FROM {table} t WHERE {condition} RETURNING {key} AS key, to_jsonb(t) AS row){more}
    INSERT INTO baseline_deletions (table_name, action, keys, rows)
    SELECT '{table}', 'deleted', to_jsonb(array_agg(key)), to_jsonb(array_agg(row)) FROM gone HAVING count(*) > 0"""
RECORD = """, recorded AS (INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id)
    SELECT (row ->> 'file_store')::smallint, concat_ws('/', left(h.hash, 2), substr(h.hash, 3, 2), h.hash,
           to_char((row ->> 'created_at')::timestamptz AT TIME ZONE 'UTC', 'YYYY_MM_DD'), row ->> 'job_id', key), row ->> 'file',
           (row ->> 'project_id')::bigint
    FROM gone, LATERAL (SELECT encode(sha256((row ->> 'project_id')::bytea), 'hex') AS hash OFFSET 0) h WHERE row ->> 'file' <> '')"""
SOURCE = "source_type = '{}' AND source_id = ANY (%(ids)s::bigint[])"
OWN, SPACE = "id = ANY (%(ids)s::bigint[])", "{} = ANY (%(spaces)s::bigint[])"
OF_PROJECTS = [
    ("project_authorizations", "project_id = ANY (%(ids)s::bigint[])", "to_jsonb(t)"), ("todos", "project_id = ANY (%(ids)s::bigint[])",),
    ("ci_job_artifacts", "project_id = ANY (%(ids)s::bigint[])", "id", RECORD), ("notification_settings", SOURCE.format("Project")),
    ("members", SOURCE.format("Project")), ("projects", OWN), ("routes", SOURCE.format("Project")),
    ("namespace_details", SPACE.format("namespace_id"), "namespace_id"), ("namespaces", SPACE.format("id"))]
OF_GROUPS = [
    ("notification_settings", SOURCE.format("Namespace")), ("members", SOURCE.format("Namespace")), ("routes", SOURCE.format("Namespace")),
    ("group_deletion_schedules", "group_id = ANY (%(ids)s::bigint[])", "group_id"),
    ("namespace_details", "namespace_id = ANY (%(ids)s::bigint[])", "namespace_id"), ("namespaces", OWN)]


def statement(table, condition, key="id", more=""):
    return AUDITED.format(table=table, condition=condition, key=key, more=more)


def batches(rows, alike):
    """Up to a hundred neighbours with the same ALIKE."""
    batch = []
    for row in rows:
        if batch and (len(batch) == 100 or not alike(batch[0], row)):
            yield batch
            batch = []
        batch.append(row)
    yield batch


def take(db, rows, statements):
    what = {"ids": [row[0] for row in rows], "spaces": [row[1] for row in rows]}
    with db.transaction(), db.pipeline():
        for text in statements:
            db.execute(text, what, prepare=True)


def remove(url):
    projects, groups = ([statement(*one) for one in many] for many in (OF_PROJECTS, OF_GROUPS))
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE baseline_deletions (table_name text, action text, keys jsonb, rows jsonb, at timestamptz DEFAULT now())")
        began = time.perf_counter()
        db.execute(MARK)
        for batch in batches(db.execute(PROJECTS).fetchall(), lambda a, b: True):
            take(db, batch, projects)
        all_groups = db.execute(GROUPS).fetchall()
        for batch in batches(all_groups, lambda a, b: a[1] == b[1]):
            take(db, batch, groups)
        return len(all_groups), time.perf_counter() - began


def destroy(stage, report, quick):
    growth.against_by_hand(stage, report, "h", "groups.destroy", "groups/s", fill, remove, LEFT,
                           (0.01, 0.1) if quick else (0.1, 1), 1 if quick else 2,
                           ("groups.adjourned_deletion", "groups.destroy", "groups"))
