"""The effects of members.remove_expired written by hand: what the engine is measured against.

Keyset pages of 1000, one transaction each, three prepared statements: lock the groups whose owners
are on the page, lock another owner of each such group, then everything else in one statement: owner
rule, deletes, the update, the full audit without secrets, requests for refreshes, the bots to be
destroyed. No cursor is stored, no outcome is made, and one failing row ends the program. The
indexes of `pruned migrate --indexes` help it as they help the job. It can leave the audit out: then
it makes no texts of rows either.
Run as a program it prints one line of JSON: rows, seconds, rows per second.
"""
import json
import sys
import time

import psycopg

OWNER = """m.source_type = 'Namespace' AND m.type = 'GroupMember' AND m.access_level = 50
    AND m.requested_at IS NULL AND m.state = 0 AND u.state = 'active' AND u.user_type = 0"""

PAGE = """SELECT m.id, m.expires_at, m.user_id, m.source_id, m.source_type, m.access_level, m.requested_at, m.state, m.type
    FROM members m
    WHERE m.expires_at <= %(day)s::date AND (m.expires_at, m.id) < (%(expires_at)s::date, %(id)s::bigint)
    ORDER BY m.expires_at DESC, m.id DESC LIMIT %(limit)s::int"""

LOCK = f"""
WITH page AS MATERIALIZED ({PAGE}),
owner AS MATERIALIZED (SELECT m.source_id FROM page m JOIN users u ON u.id = m.user_id WHERE {OWNER})
SELECT n.id FROM namespaces n
WHERE n.id IN (SELECT unnest(g.traversal_ids) FROM owner o JOIN namespaces g ON g.id = o.source_id)
ORDER BY n.id FOR NO KEY UPDATE"""

RELY = f"""
WITH page AS MATERIALIZED ({PAGE}),
owner AS MATERIALIZED (
  SELECT m.id, m.user_id, n.traversal_ids AS groups
  FROM page m JOIN users u ON u.id = m.user_id JOIN namespaces n ON n.id = m.source_id WHERE {OWNER})
SELECT r.id FROM owner o, LATERAL (
  SELECT m.id FROM users u JOIN members m ON m.user_id = u.id
  WHERE m.source_id = ANY (o.groups) AND {OWNER} AND m.user_id <> o.user_id AND m.id NOT IN (SELECT id FROM owner)
  LIMIT 1 FOR SHARE OF u, m) AS r"""

AUDIT = """audit AS (
  INSERT INTO baseline_deletions (table_name, action, keys, rows)
  SELECT 'members', 'deleted', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM gone HAVING count(*) > 0
  UNION ALL
  SELECT 'notification_settings', 'deleted', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM settings HAVING count(*) > 0
  UNION ALL
  SELECT 'todos', 'updated', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM done HAVING count(*) > 0),"""


def work(audited):
    """Everything behind the locks, in one statement."""
    def only_audited(text):
        return text if audited else ""

    return f"""
WITH RECURSIVE page AS MATERIALIZED (SELECT row_number() OVER () AS pos, m.* FROM ({PAGE}) AS m),
owner AS MATERIALIZED (
  SELECT m.pos, m.id, m.user_id, m.source_id, n.traversal_ids AS groups
  FROM page m JOIN users u ON u.id = m.user_id JOIN namespaces n ON n.id = m.source_id WHERE {OWNER}),
alone AS MATERIALIZED (
  SELECT row_number() OVER (ORDER BY o.pos) AS turn, o.* FROM owner o
  WHERE NOT EXISTS (SELECT FROM owner l WHERE l.source_id = ANY (o.groups) AND l.pos > o.pos AND l.user_id <> o.user_id)
    AND NOT EXISTS (SELECT FROM members m JOIN users u ON u.id = m.user_id
                    WHERE m.source_id = ANY (o.groups) AND {OWNER} AND m.user_id <> o.user_id
                      AND NOT EXISTS (SELECT FROM owner x WHERE x.id = m.id) OFFSET 0)),
walk (turn, ids, groups, users) AS (
  SELECT 0::bigint, '{{}}'::bigint[], '{{}}'::bigint[], '{{}}'::bigint[]
  UNION ALL
  SELECT a.turn, CASE WHEN stays THEN w.ids || a.id ELSE w.ids END,
         CASE WHEN stays THEN w.groups || a.source_id ELSE w.groups END,
         CASE WHEN stays THEN w.users || a.user_id ELSE w.users END
  FROM walk w JOIN alone a ON a.turn = w.turn + 1,
  LATERAL (SELECT NOT EXISTS (SELECT FROM unnest(w.groups, w.users) AS k (source_id, user_id)
                              WHERE k.source_id = ANY (a.groups) AND k.user_id <> a.user_id) AS stays) AS s),
kept AS MATERIALIZED (SELECT unnest(ids) AS id FROM (SELECT ids FROM walk ORDER BY turn DESC LIMIT 1) AS w),
gone AS (
  DELETE FROM members m USING page p
  WHERE m.id = p.id AND m.expires_at <= %(day)s::date AND NOT EXISTS (SELECT FROM kept k WHERE k.id = p.id)
  RETURNING m.id, m.user_id, m.source_id, m.source_type{only_audited(", to_jsonb(m) - 'invite_token' AS row")}),
settings AS (
  DELETE FROM notification_settings s USING gone g
  WHERE s.user_id = g.user_id AND s.source_id = g.source_id AND s.source_type = g.source_type
  RETURNING s.id{only_audited(", to_jsonb(s) AS row")}),
asked AS MATERIALIZED (
  SELECT t.* FROM gone g, LATERAL (
    SELECT t.id{only_audited(", to_jsonb(t) AS row")} FROM todos t
    WHERE t.author_id = g.user_id AND t.action = 10 AND t.state = 'pending'
      AND CASE g.source_type WHEN 'Project' THEN t.project_id ELSE t.group_id END = g.source_id OFFSET 0) AS t),
done AS (
  UPDATE todos t SET state = 'done', updated_at = now() FROM asked a WHERE t.id = a.id{only_audited(" RETURNING t.id, a.row")}),
{only_audited(AUDIT)}
refresh AS (
  INSERT INTO pruned.dirty_users AS d (user_id, kind, due_at)
  SELECT u.user_id, k.kind, now() + k.delay
  FROM (SELECT DISTINCT user_id FROM gone WHERE user_id IS NOT NULL) AS u,
       (VALUES ('authorizations', interval '60 s'), ('todos', interval '1 h')) AS k (kind, delay)
  ORDER BY u.user_id, k.kind
  ON CONFLICT (user_id, kind) DO UPDATE
  SET seq = d.seq + 1, due_at = CASE d.kind WHEN 'todos' THEN excluded.due_at ELSE d.due_at END),
bots AS (
  INSERT INTO baseline_children (job, args, unique_key)
  SELECT DISTINCT 'users.destroy', jsonb_build_object('user_id', u.id, 'reason', 'Membership expired'), 'users.destroy:' || u.id
  FROM gone g JOIN users u ON u.id = g.user_id WHERE u.user_type = 6
  ON CONFLICT (unique_key) DO NOTHING)
SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM gone),
       (SELECT expires_at FROM page ORDER BY pos DESC LIMIT 1), (SELECT id FROM page ORDER BY pos DESC LIMIT 1)"""


def remove_expired(url, day, page=1000, audited=True):
    """Removes what has expired on DAY. Returns (rows removed, seconds)."""
    statement = work(audited)
    at = {"day": day, "expires_at": "infinity", "id": 2**63 - 1, "limit": page}
    removed = 0
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE IF NOT EXISTS baseline_deletions"
                   " (table_name text, action text, keys jsonb, rows jsonb, at timestamptz NOT NULL DEFAULT now())")
        db.execute("CREATE TABLE IF NOT EXISTS baseline_children (job text, args jsonb, unique_key text PRIMARY KEY)")
        began = time.perf_counter()
        while True:
            with db.transaction():
                db.execute(LOCK, at, prepare=True)
                db.execute(RELY, at, prepare=True)
                seen, gone, expires_at, last = db.execute(statement, at, prepare=True).fetchone()
            removed += gone
            if seen < page:
                return removed, time.perf_counter() - began
            at.update(expires_at=expires_at.isoformat(), id=last)


if __name__ == "__main__":
    rows, seconds = remove_expired(sys.argv[1], sys.argv[2])
    print(json.dumps({"rows": rows, "seconds": round(seconds, 3), "rows_per_second": round(rows / seconds)}))
