-- Part of statements: of the run `r` of an erasure that waits for its runs, the one that it most
-- waits for: dead, held, blocked, one that waits, or one that goes on.
SELECT c.job, c.state, c.error
FROM pruned.runs c
WHERE c.parent_id = r.run_id AND r.waits_for = 'runs' AND r.state || '' = 'waiting' AND c.state || '' NOT IN ('finished', 'skipped')
ORDER BY c.state = 'dead' DESC, c.state = 'held' DESC, c.error LIKE 'blocked: %' DESC NULLS LAST, c.error IS NOT NULL DESC, c.created_at
LIMIT 1
