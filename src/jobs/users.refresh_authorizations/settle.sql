-- Deletes the requests that were served; one that was repeated since it was read (another seq)
-- stays. A table of pruned: not audited. Fast by primary key.
WITH answered AS (
  DELETE FROM pruned.dirty_users d
  USING (SELECT k.id, r.kind, r.seq
         FROM unnest(:key::bigint[], :authorizations::bigint[], :todos::bigint[]) AS k (id, authorizations, todos),
              LATERAL (VALUES ('authorizations', k.authorizations), ('todos', k.todos)) AS r (kind, seq)
         WHERE r.seq IS NOT NULL ORDER BY k.id, r.kind) AS r
  WHERE d.user_id = r.id AND d.kind = r.kind AND d.seq = r.seq
)
SELECT pg_catalog.unnest(:key::bigint[]) AS key
