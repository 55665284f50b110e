"""users.destroy: 5,000 bots whose time is over, beside the same by hand.

By hand: a transaction for each bot, all its prepared statements in one pipeline: block, membership
with its effects, what others own to the ghost user, what is only the bot's, and the bot, with a
full audit. It does not ask whether anything else refers to the bot, which tables there are, or
whether somebody still needs them.
"""

import statistics
import time

import psycopg
from stack.process import wait_until

import growth
from cost import Cost
from fill import PEOPLE, filler

# A bot belongs to one project. It has written two notes and an issue, and has todos and settings of
# its own. A real database has these indexes.
FILL = """
INSERT INTO users (id, username, user_type, state)
SELECT i, 'user' || i, CASE WHEN i = 1 THEN 5 WHEN i > {users} THEN 6 ELSE 0 END, 'active' FROM generate_series(1, {users} + {bots}) i;
INSERT INTO namespaces (id, path, type) SELECT i, 'group-' || i, 'Group' FROM generate_series(1, {groups}) i;
INSERT INTO projects (id, path, namespace_id, project_namespace_id)
SELECT p, 'project-' || p, 1 + p % {groups}, {groups} + p FROM generate_series(1, 2 * {groups}) p;
INSERT INTO members (access_level, source_id, source_type, user_id, expires_at)
SELECT 30, 1 + i % (2 * {groups}), 'Project', 1 + i, CASE WHEN i >= {users} THEN current_date - 1 END
FROM generate_series(1, {users} + {bots} - 1) i;
INSERT INTO project_authorizations (user_id, project_id, access_level) SELECT user_id, source_id, access_level FROM members;
INSERT INTO notification_settings (user_id, source_id, source_type, level) SELECT user_id, source_id, source_type, 1 FROM members;
INSERT INTO issues (project_id, author_id) SELECT source_id, user_id FROM members;
INSERT INTO notes (project_id, author_id) SELECT source_id, user_id FROM members, generate_series(1, 2);
INSERT INTO todos (user_id, author_id, project_id, target_type, action, state)
SELECT user_id, 2 + id % ({users} - 1), source_id, 'Issue', 1, 'pending' FROM members;
INSERT INTO issue_assignees (user_id, issue_id) SELECT author_id, id FROM issues;
CREATE INDEX ON issues (author_id);
CREATE INDEX ON issues (updated_by_id);
CREATE INDEX ON issues (closed_by_id);
CREATE INDEX ON issues (last_edited_by_id);
CREATE INDEX ON notes (author_id);
CREATE INDEX ON issue_assignees (user_id)
"""
LEFT = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table}) AS {table}" for table in (
    "users", "members", "notification_settings", "project_authorizations", "todos", "issue_assignees", "ghost_user_migrations",
    "pruned.dirty_users")).replace("AS pruned.", "AS ") + """,
    (SELECT count(*) FROM notes WHERE author_id = 1) AS notes, (SELECT count(*) FROM issues WHERE author_id = 1) AS issues"""

AUDITED = """WITH gone AS ({change} RETURNING {key} AS key, to_jsonb(t.*) AS row)
    INSERT INTO baseline_deletions (table_name, action, keys, rows)
    SELECT '{table}', '{action}', to_jsonb(array_agg(key)), to_jsonb(array_agg(row)) FROM gone HAVING count(*) > 0"""
OF_USER = "user_id = %(user)s"


def deleted(table, condition=OF_USER, key="t.id"):
    return AUDITED.format(change=f"DELETE FROM {table} t WHERE {condition}", key=key, table=table, action="deleted")


def updated(table, change, condition):
    return AUDITED.format(change=f"UPDATE {table} t SET {change} WHERE {condition}", key="t.id", table=table, action="updated")


STATEMENTS = [
    updated("users", "state = 'blocked', updated_at = now()", "id = %(user)s"),
    deleted("members", OF_USER + " AND requested_at IS NULL"), deleted("notification_settings"),
    """INSERT INTO pruned.dirty_users (user_id, kind, due_at)
    VALUES (%(user)s, 'authorizations', now() + interval '60 s'), (%(user)s, 'todos', now() + interval '1 h')""",
    updated("issues", "author_id = 1", "author_id = %(user)s"), updated("issues", "updated_by_id = 1", "updated_by_id = %(user)s"),
    updated("issues", "closed_by_id = 1", "closed_by_id = %(user)s"),
    updated("issues", "last_edited_by_id = 1", "last_edited_by_id = %(user)s"), updated("notes", "author_id = 1", "author_id = %(user)s"),
    updated("todos", "author_id = 1", "author_id = %(user)s"), deleted("issue_assignees", key="to_jsonb(t.*)"), deleted("todos"),
    deleted("project_authorizations", key="to_jsonb(t.*)"), deleted("namespaces", "owner_id = %(user)s AND type = 'User'"),
    deleted("users", "id = %(user)s")]


def fill(share, bots):
    return filler([FILL], users=round(200_000 * share), groups=round(20_000 * share), bots=bots)


def remove(url):
    """One connection: users.destroy uses as many as it has lanes, and its figure has the processors
    for all of them."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE baseline_deletions (table_name text, action text, keys jsonb, rows jsonb, at timestamptz DEFAULT now())")
        bots = [row[0] for row in db.execute("SELECT id FROM users WHERE user_type = 6")]
        began = time.perf_counter()
        for bot in bots:
            with db.transaction(), db.pipeline():
                for text in STATEMENTS:
                    db.execute(text, {"user": bot}, prepare=True)
        return len(bots), time.perf_counter() - began


def by_pruned(stage, template, bots):
    """The runs wait, paused, until the last is there: what made them is not measured."""
    with stage.installation(template, {"topics.partitions": 8, "jobs.members.remove_expired.delay_ms": 0}) as pruned:
        database = pruned.database
        pruned.run("pause", "users.destroy").ok()
        database.execute("CREATE EXTENSION pg_stat_statements")
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        pruned.topics.tick("members.remove_expired")
        made = "SELECT count(*) FROM pruned.runs WHERE job = 'users.destroy'"
        wait_until(lambda: database.value(made) == bots, 600, f"{bots} runs", poll_s=0.2)
        stage.forget_statements()
        cost = Cost(stage, daemon.pid)
        began = database.value("SELECT now()")
        pruned.run("resume", "users.destroy").ok()
        wait_until(lambda: database.value(made + " AND state = 'finished'") == bots, 3600, f"end of {bots} runs", poll_s=0.2)
        row = database.row("SELECT extract(epoch FROM max(finished_at) - %s)::float8 AS seconds, sum(step)::int AS steps,"
                           " sum((result ->> 'removed')::int)::int AS removed FROM pruned.runs WHERE job = 'users.destroy'", [began])
        if row["removed"] != bots:
            raise RuntimeError(f"{row['removed']} of {bots} bots were removed")
        return growth.Measured(bots, row["seconds"], row["steps"], growth.buffers(database), cost.each(bots), database.row(LEFT), None)


def destroy(stage, report, quick):
    bots, found, hand = 500 if quick else 5_000, [], []
    for share in (0.1, 1):
        report.say(f"users.destroy of {bots} bots, {share:g} of everything else")
        template = stage.template(fill(share, bots))
        try:
            found.append(by_pruned(stage, template, bots))
            speed, wanted, _ = growth.by_hand(stage, template, remove, LEFT)
            hand.append(speed)
        finally:
            template.drop()
        if found[-1].left != wanted:
            raise RuntimeError(f"not the same effects:\nby hand {wanted}\npruned  {found[-1].left}")
    growth.add(report, "j", "users.destroy", "users/s", *found)
    report.add("j", "users.destroy by hand in SQL, a transaction each", hand[-1], "users/s", detail={"all": hand})
    report.add("j", "users.destroy: pruned / by hand", statistics.median(m.speed / h for m, h in zip(found, hand)), "ratio")
