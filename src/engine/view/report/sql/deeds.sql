-- What people have done since `:since`, the oldest first, by the part of a report: approvals,
-- restores, holds, rules (what a daemon found changed at a start or a reload), others. By the index
-- on `at`.
SELECT CASE WHEN w.word IN ('approve', 'discard') THEN 'approvals' WHEN w.word IN ('restore', 'forget') THEN 'restores'
            WHEN w.word IN ('hold', 'release') THEN 'holds' WHEN w.word IN ('start', 'reload', 'migrate') THEN 'rules' ELSE 'others' END AS part,
       j.at, pg_catalog.concat(j.os_user, ' (', j.role, ', ', j.host, ')') AS who, j.command, j.object, j.reason
FROM pruned.journal j CROSS JOIN LATERAL (SELECT pg_catalog.split_part(j.command, ' ', 1) AS word) AS w
WHERE j.at >= :since::timestamptz
ORDER BY j.at, j.command, j.object
