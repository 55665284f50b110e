"""users.refresh_authorizations: users who have lost memberships, beside the same by hand.

By hand: pages of 500 users, one transaction each, two prepared statements: the users' due requests,
locked; then what they may enter, the difference written, todos of what they can no longer see, a
full audit, and the requests. It takes no notice of links of projects, of changes that happen
meanwhile, of private groups, or of a user with more rows than a step should touch.
"""

import time

import psycopg

import data
import fill
import growth

# Groups in trees of four, all public, a third of them shared with another. Everybody has what they
# may enter; then one membership in ten goes.
SHARES = """
INSERT INTO group_group_links (shared_group_id, shared_with_group_id, group_access)
SELECT g, 1 + (g + 3) % {groups}, 30 FROM generate_series(3, {groups}, 3) g;
UPDATE projects SET visibility_level = 0;
INSERT INTO todos (user_id, author_id, project_id, target_type, action, state)
SELECT user_id, 1, source_id, 'Issue', 1, 'pending' FROM members WHERE source_type = 'Project' AND id % 2 = 1;
INSERT INTO todos (user_id, author_id, group_id, target_type, action, state)
SELECT user_id, 1, source_id, 'Epic', 1, 'pending' FROM members WHERE source_type = 'Namespace' AND id % 4 = 0;
CREATE TABLE filled AS SELECT id FROM users
"""
WANTED = """reach AS MATERIALIZED (
  SELECT user_id, source_id AS group_id, access_level FROM members m
  WHERE user_id IN (SELECT id FROM who) AND requested_at IS NULL AND coalesce(state, 0) = 0 AND source_type = 'Namespace'
  UNION ALL
  SELECT m.user_id, l.shared_group_id, least(m.access_level, l.group_access)
  FROM members m JOIN group_group_links l ON l.shared_with_group_id = m.source_id
  WHERE m.user_id IN (SELECT id FROM who) AND requested_at IS NULL AND coalesce(state, 0) = 0 AND source_type = 'Namespace'
    AND (l.expires_at IS NULL OR l.expires_at > current_date)),
tree AS MATERIALIZED (
  SELECT g.group_id, p.id FROM (SELECT DISTINCT group_id FROM reach) g
  JOIN namespaces n ON n.traversal_ids @> ARRAY[g.group_id] AND n.type || '' = 'Group' JOIN projects p ON p.namespace_id = n.id),
wanted AS MATERIALIZED (
  SELECT user_id, project_id, max(access_level) AS access_level FROM (
    SELECT r.user_id, t.id AS project_id, r.access_level FROM reach r JOIN tree t USING (group_id)
    UNION ALL
    SELECT m.user_id, m.source_id, m.access_level FROM members m JOIN projects p ON p.id = m.source_id
    WHERE m.user_id IN (SELECT id FROM who) AND requested_at IS NULL AND coalesce(m.state, 0) = 0 AND m.source_type = 'Project'
    UNION ALL
    SELECT n.owner_id, p.id, 50 FROM namespaces n JOIN projects p ON p.namespace_id = n.id
    WHERE n.owner_id IN (SELECT id FROM who) AND n.type = 'User') w
  WHERE access_level > 5 GROUP BY 1, 2)"""
# All groups at once: each looks up those above it.
ABOVE = ("JOIN namespaces n ON n.traversal_ids @> ARRAY[g.group_id] AND n.type || '' = 'Group'",
         "JOIN (SELECT id, unnest(traversal_ids) AS above FROM namespaces WHERE type = 'Group') n ON n.above = g.group_id")
BEGUN = f"""
INSERT INTO project_authorizations (user_id, project_id, access_level)
WITH who AS (SELECT id FROM filled), {WANTED.replace(*ABOVE)} SELECT user_id, project_id, access_level FROM wanted;
DROP TABLE filled;
CREATE TABLE leaving AS SELECT id, user_id FROM members
WHERE user_id IN (SELECT id FROM users ORDER BY hashint8(id) LIMIT {{dirty}}) AND expires_at < current_date;
DELETE FROM members WHERE id IN (SELECT id FROM leaving);
INSERT INTO pruned.dirty_users (user_id, kind, due_at)
SELECT DISTINCT user_id, kind, now() - interval '1 min' FROM leaving, unnest(ARRAY['authorizations', 'todos']) kind;
DROP TABLE leaving
"""
LEFT = """SELECT (SELECT count(*) FROM project_authorizations) AS authorizations,
    (SELECT sum(hashint8extended(user_id * 1000003 + project_id, access_level) / 1024)::text FROM project_authorizations) AS which,
    (SELECT count(*) FROM todos) AS todos, (SELECT count(*) FROM pruned.dirty_users) AS dirty_users"""
PAGE = """SELECT DISTINCT user_id FROM (
    SELECT user_id FROM pruned.dirty_users WHERE due_at <= now() ORDER BY due_at, user_id, kind LIMIT 1000 FOR UPDATE) d"""
WORK = f"""WITH who AS (SELECT id FROM users WHERE id = ANY (%(users)s::bigint[]) ORDER BY id FOR NO KEY UPDATE), {WANTED},
present AS MATERIALIZED (SELECT a.* FROM project_authorizations a WHERE user_id IN (SELECT id FROM who)),
gone AS (
  DELETE FROM project_authorizations a USING (SELECT * FROM present EXCEPT SELECT * FROM wanted) s
  WHERE a.user_id = s.user_id AND a.project_id = s.project_id AND a.access_level = s.access_level RETURNING to_jsonb(a) AS row),
made AS (INSERT INTO project_authorizations SELECT * FROM wanted EXCEPT SELECT * FROM present ON CONFLICT DO NOTHING),
hidden AS (
  DELETE FROM todos t USING who, projects p
  WHERE t.user_id = who.id AND p.id = t.project_id AND p.visibility_level = 0
    AND NOT EXISTS (SELECT FROM wanted w WHERE w.user_id = t.user_id AND w.project_id = t.project_id)
  RETURNING t.id, to_jsonb(t) AS row),
audit AS (
  INSERT INTO baseline_deletions (table_name, action, keys, rows)
  SELECT 'project_authorizations', 'deleted', to_jsonb(array_agg(row)), to_jsonb(array_agg(row)) FROM gone HAVING count(*) > 0
  UNION ALL SELECT 'todos', 'deleted', to_jsonb(array_agg(id)), to_jsonb(array_agg(row)) FROM hidden HAVING count(*) > 0),
served AS (DELETE FROM pruned.dirty_users WHERE user_id = ANY (%(users)s::bigint[]) AND due_at <= now())
SELECT count(*) FROM who"""


def filling(share):
    members, dirty = round(1_000_000 * share), round(20_000 * share)
    first = data.filler(members, data.SPREAD)
    rest = fill.filler([SHARES, BEGUN], groups=max(members // 20, 8), dirty=dirty)

    def both(database):
        first(database)
        database.execute("ANALYZE")
        rest(database)
    return both


def remove(url):
    users = 0
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE baseline_deletions (table_name text, action text, keys jsonb, rows jsonb, at timestamptz DEFAULT now())")
        began = time.perf_counter()
        while True:
            with db.transaction():
                page = [row[0] for row in db.execute(PAGE, prepare=True)]
                if not page:
                    return users, time.perf_counter() - began
                users += db.execute(WORK, {"users": page}, prepare=True).fetchone()[0]


def refresh(stage, report, quick):
    job = "users.refresh_authorizations"
    growth.against_by_hand(stage, report, "k", job, "users/s", filling, remove, LEFT, (0.01, 0.05) if quick else (0.1, 1),
                           1 if quick else 2, (job, job, "updated_rows"))
