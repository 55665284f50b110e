-- Holds these rows of the table `:tab`.
INSERT INTO pruned.holds (tab, key, hold_id, kind, reason, who, until)
SELECT t.tab, k.key, :hold_id::uuid, 'hold', :reason::text, pg_catalog.concat(session_user, ' (', :who::text, ')'), :until::timestamptz
FROM pg_catalog.unnest(:key::text[]) AS k (key), (SELECT pruned.held_table(:tab::text) AS tab OFFSET 0) AS t
ORDER BY k.key
ON CONFLICT DO NOTHING
