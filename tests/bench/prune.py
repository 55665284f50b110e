"""members.prune_deletions: 1,000 users leave a hierarchy in which each has 100 memberships, beside
the same by hand.

By hand: pages of ten schedules, one transaction each, four prepared statements: what is on the
page, lock the groups whose owners are on it, lock another owner of each group, then rights, owner
rule, deletes, audit and requests for refreshes in one.
Access requests are left out (there are none). An owner stays if all other owners are on the same
page. The rights are the same: through a share for direct members, through a project's link for all
who reach the invited group, and for one's own removal.
"""

import time

import psycopg

import growth
import hierarchy
from fill import filler
from baseline_remove_expired import OWNER

# Half of them scheduled by the root's owner, half by an administrator. The users who leave also own
# every twentieth group.
LEAVING = """SELECT CASE WHEN j < 20 THEN 'Namespace' ELSE 'Project' END AS source_type, u AS user_id,
    1 + CASE WHEN j < 20 THEN (u * 20 + j) % {groups} ELSE (u * 80 + j) % {projects} END AS source_id,
    CASE j WHEN 0 THEN 50 ELSE 30 END AS access_level
    FROM generate_series(1001, 1000 + {schedules}) u, generate_series(0, 99) j ORDER BY hashint8(u * 100 + j)"""
STAYING = """SELECT CASE i % 2 WHEN 0 THEN 'Namespace' ELSE 'Project' END AS source_type, 1001 + {schedules} + i / 20 AS user_id,
    1 + (hashint8(i) & 2147483647) % CASE i % 2 WHEN 0 THEN {groups} ELSE {projects} END AS source_id,
    (ARRAY[10, 20, 30, 40])[1 + i / 2 % 4] AS access_level FROM generate_series(0, {others} - 1) i"""
SCHEDULES = """
INSERT INTO members_deletion_schedules (namespace_id, user_id, scheduled_by_id)
SELECT 1 + u % {groups}, u, 1 + u % 2 FROM generate_series(1001, 1000 + {schedules}) u
"""
# One project in ten has invited a group; one group in five is shared with another.
LINKS = """
INSERT INTO project_group_links (project_id, group_id, group_access)
SELECT p, 1 + (hashint8(p) & 2147483647) % {groups}, 10 * (2 + p / 10 % 3) FROM generate_series(10, {projects}, 10) p;
INSERT INTO group_group_links (shared_group_id, shared_with_group_id, group_access)
SELECT g, g - 1, 10 * (2 + g / 5 % 4) FROM generate_series(5, {groups}, 5) g
"""
LEFT = """SELECT (SELECT count(*) FROM members) AS members,
    (SELECT coalesce(sum(hashint8extended(id, 1) / 1024), 0)::text FROM members) AS which,
    (SELECT count(*) FROM notification_settings) AS notification_settings,
    (SELECT count(*) FROM members_deletion_schedules) AS schedules, (SELECT count(*) FROM pruned.dirty_users) AS dirty_users"""


def fill(share):
    sizes = {name: round(n * share) for name, n in
             {"groups": 2_000, "projects": 20_000, "schedules": 1_000, "others": 200_000}.items()}
    return filler([hierarchy.TREE, hierarchy.join(LEAVING),
                             hierarchy.join(STAYING), hierarchy.LISTEN, LINKS, SCHEDULES],
                            users=1001 + sizes["schedules"] + sizes["others"] // 20, **sizes)


PAGE = """SELECT s.id AS schedule, m.id AS member FROM (
    SELECT * FROM members_deletion_schedules WHERE id > %(after)s ORDER BY id LIMIT 10 FOR UPDATE) s
  JOIN namespaces n ON n.id = s.namespace_id
  LEFT JOIN LATERAL (
    SELECT m.id FROM members m WHERE m.user_id = s.user_id AND m.requested_at IS NULL AND n.traversal_ids[1] =
      CASE m.source_type
        WHEN 'Project' THEN (SELECT g.traversal_ids[1] FROM projects p JOIN namespaces g ON g.id = p.namespace_id WHERE p.id = m.source_id)
        ELSE (SELECT g.traversal_ids[1] FROM namespaces g WHERE g.id = m.source_id) END
    ORDER BY m.id LIMIT 100) m ON true ORDER BY 1, 2"""
OWNERS = f"""owner AS MATERIALIZED (
  SELECT m.id, m.user_id, m.source_id, n.traversal_ids AS groups FROM unnest(%(members)s::bigint[]) k (id)
  JOIN members m ON m.id = k.id JOIN users u ON u.id = m.user_id JOIN namespaces n ON n.id = m.source_id WHERE {OWNER})"""
OTHER = f"""SELECT m.id FROM users u JOIN members m ON m.user_id = u.id
  WHERE m.source_id = ANY (o.groups) AND {OWNER} AND m.user_id <> o.user_id AND m.id NOT IN (SELECT id FROM owner) LIMIT 1"""
LOCK = f"""WITH {OWNERS} SELECT n.id FROM namespaces n WHERE n.id IN (SELECT unnest(groups) FROM owner)
  ORDER BY n.id FOR NO KEY UPDATE"""
RELY = f"WITH {OWNERS} SELECT r.id FROM owner o, LATERAL ({OTHER} FOR SHARE OF u, m) r"
WORK = f"""
WITH {OWNERS},
page AS MATERIALIZED (
  SELECT m.id, m.user_id, m.source_id, m.source_type, s.scheduled_by_id AS actor_id, n.traversal_ids AS groups,
         CASE WHEN m.source_type = 'Namespace' OR m.access_level = 50 THEN 50 ELSE 40 END AS level
  FROM unnest(%(members)s::bigint[], %(schedules)s::bigint[]) k (id, schedule_id)
  JOIN members_deletion_schedules s ON s.id = k.schedule_id JOIN members m ON m.id = k.id AND m.user_id = s.user_id
  JOIN users u ON u.id = m.user_id AND u.user_type <> 6 LEFT JOIN projects p ON m.source_type = 'Project' AND p.id = m.source_id
  JOIN namespaces n ON n.id = CASE m.source_type WHEN 'Project' THEN p.namespace_id ELSE m.source_id END),
actor AS MATERIALIZED (SELECT id, admin FROM users WHERE id IN (SELECT actor_id FROM page) AND state = 'active'),
held AS MATERIALIZED (
  SELECT m.user_id, m.source_type, m.source_id, m.access_level AS level FROM actor a JOIN members m ON m.user_id = a.id
  WHERE m.requested_at IS NULL AND m.access_level >= 40 AND m.state = 0),
given AS MATERIALIZED (
  SELECT * FROM held
  UNION ALL SELECT h.user_id, 'Namespace', l.shared_group_id, least(h.level, l.group_access) FROM held h
    JOIN group_group_links l ON l.shared_with_group_id = h.source_id
    WHERE h.source_type = 'Namespace' AND (l.expires_at IS NULL OR l.expires_at > current_date)),
invited AS MATERIALIZED (
  SELECT l.project_id, g.id AS group_id, max(l.group_access) AS most
  FROM (SELECT DISTINCT source_id AS id FROM page WHERE source_type = 'Project') e, LATERAL (
    SELECT * FROM project_group_links l WHERE l.project_id = e.id AND (l.expires_at IS NULL OR l.expires_at > current_date) OFFSET 0) l
  JOIN projects p ON p.id = l.project_id JOIN namespaces own ON own.id = p.namespace_id AND own.share_with_group_lock IS NOT TRUE
  JOIN namespaces n ON n.id = l.group_id, unnest(n.traversal_ids) AS g (id)
  GROUP BY l.project_id, g.id),
kept AS MATERIALIZED (SELECT o.id FROM owner o WHERE NOT EXISTS ({OTHER})),
gone AS (
  DELETE FROM members m USING page p JOIN actor a ON a.id = p.actor_id
  WHERE m.id = p.id AND p.id NOT IN (SELECT id FROM kept)
    AND (a.admin OR p.user_id = a.id OR EXISTS (
      SELECT FROM given g WHERE g.user_id = a.id AND g.level >= p.level
        AND (g.source_type = 'Namespace' AND g.source_id = ANY (p.groups) OR g.source_type = p.source_type AND g.source_id = p.source_id))
      OR EXISTS (
        SELECT FROM invited i JOIN given g ON g.source_type = 'Namespace' AND g.source_id = i.group_id
        WHERE p.source_type = 'Project' AND i.project_id = p.source_id AND g.user_id = a.id AND least(g.level, i.most) >= p.level))
  RETURNING m.id, m.user_id, m.source_id, m.source_type, to_jsonb(m) - 'invite_token' AS row),
settings AS (
  DELETE FROM notification_settings s USING gone g
  WHERE s.user_id = g.user_id AND s.source_id = g.source_id AND s.source_type = g.source_type RETURNING s.id, to_jsonb(s) AS row),
asked AS MATERIALIZED (
  SELECT t.id, t.row FROM gone g, LATERAL (
    SELECT t.id, to_jsonb(t) AS row FROM todos t WHERE t.author_id = g.user_id AND t.action = 10 AND t.state = 'pending'
      AND CASE g.source_type WHEN 'Project' THEN t.project_id ELSE t.group_id END = g.source_id OFFSET 0) t),
done AS (UPDATE todos t SET state = 'done', updated_at = now() FROM asked a WHERE t.id = a.id RETURNING t.id, a.row),
schedule AS (
  DELETE FROM members_deletion_schedules s WHERE s.id = ANY (%(all)s::bigint[]) RETURNING s.id, to_jsonb(s) AS row),
audit AS (
  INSERT INTO baseline_deletions (table_name, action, keys, rows)
  SELECT 'members', 'deleted', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM gone HAVING count(*) > 0
  UNION ALL SELECT 'notification_settings', 'deleted', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM settings HAVING count(*) > 0
  UNION ALL SELECT 'todos', 'updated', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM done HAVING count(*) > 0
  UNION ALL SELECT 'members_deletion_schedules', 'deleted', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM schedule
    HAVING count(*) > 0),
refresh AS (
  INSERT INTO pruned.dirty_users AS d (user_id, kind, due_at)
  SELECT u.user_id, k.kind, now() + k.delay FROM (SELECT DISTINCT user_id FROM gone) u,
       (VALUES ('authorizations', interval '60 s'), ('todos', interval '1 h')) k (kind, delay)
  ORDER BY u.user_id, k.kind
  ON CONFLICT (user_id, kind) DO UPDATE
  SET seq = d.seq + 1, due_at = CASE d.kind WHEN 'todos' THEN excluded.due_at ELSE d.due_at END)
SELECT count(*) FROM gone"""


def remove(url):
    removed, after = 0, 0
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE baseline_deletions (table_name text, action text, keys jsonb, rows jsonb, at timestamptz DEFAULT now())")
        began = time.perf_counter()
        while True:
            with db.transaction():
                page = db.execute(PAGE, {"after": after}, prepare=True).fetchall()
                if not page:
                    return removed, time.perf_counter() - began
                after = page[-1][0]
                what = {"members": [m for _, m in page if m], "schedules": [s for s, m in page if m],
                        "all": list({s for s, _ in page})}
                db.execute(LOCK, what, prepare=True)
                db.execute(RELY, what, prepare=True)
                removed += db.execute(WORK, what, prepare=True).fetchone()[0]


def prune(stage, report, quick):
    growth.against_by_hand(stage, report, "g", "prune_deletions", "rows/s", fill, remove, LEFT,
                           (0.01, 0.1) if quick else (0.1, 1), 1 if quick else 2,
                           ("members.schedule_prune_deletions", "members.prune_deletions", "removed"))
