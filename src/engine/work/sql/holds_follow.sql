-- Holds follow their tables and their rows: a table that was renamed takes them along, and so does
-- a primary key that is another. Only where rows are held. The first call locks the tables.
SELECT FROM (
    SELECT pruned.holds_settle() AS locked, pruned.holds_follow() AS done, pruned.holds_settle() AS settled
    OFFSET 0) AS f
