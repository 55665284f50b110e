-- The hold of the row `:key` of the table `:whose`, if somebody holds it. By the primary key.
SELECT h.hold_id, h.reason, h.who
FROM pruned.holds h
WHERE h.tab = (SELECT pruned.held_table(:whose::text)) AND h.key = (:key::jsonb #>> '{}') COLLATE "C"
  AND h.kind = 'hold' AND (h.until IS NULL OR h.until > now())
ORDER BY h.at LIMIT 1
