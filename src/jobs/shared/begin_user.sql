-- Once in a transaction: the stamp of the catalogue, and the settings of the steps about one user.
-- Several steps can share the transaction. The stamp first: it reads whole tables, and its plan is
-- made before the settings are.
SELECT c.stamp, s.row_security, s.enable_seqscan
FROM (
-- include: catalogue.sql
) AS c,
(
-- include: one_user.sql
) AS s
