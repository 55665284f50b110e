-- The runs that hold these keys.
SELECT h.run_id, h.unique_key FROM pruned.runs h WHERE h.unique_key = ANY (:unique_key::text[])
