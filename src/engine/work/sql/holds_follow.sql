-- Holds follow their tables: a table that was renamed takes them along. Only where rows are held.
SELECT FROM (SELECT pruned.holds_follow() AS done OFFSET 0) AS f
