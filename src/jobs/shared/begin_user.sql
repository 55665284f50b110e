-- Once in a transaction: the stamp of the catalogue, and a setting of the steps about one user.
-- Several steps can share the transaction. The stamp first: it reads whole tables, and its plan is
-- made before the setting is.
SELECT c.stamp, s.enable_seqscan
FROM (
-- include: catalogue.sql
) AS c,
(
-- include: one_user.sql
) AS s
