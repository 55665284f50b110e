-- Rows that went before they were held: nothing holds them any more.
DELETE FROM pruned.holds h
WHERE h.hold_id = :hold_id::uuid AND h.tab = pruned.held_table(:tab::text) AND h.key = ANY (:key::text[])
