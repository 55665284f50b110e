-- The recorded mode: one row.
SELECT m.mode FROM pruned.mode m
