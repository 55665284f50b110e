-- One of the persons that a held run needs has approved it; it stays held. Its error says how many
-- have (hold.c writes the first).
UPDATE pruned.runs r
SET held = pg_catalog.jsonb_set(r.held, '{approved_by}', coalesce(r.held -> 'approved_by', '[]') || pg_catalog.to_jsonb(:person::text))
           || pg_catalog.jsonb_build_object('approvals', :needed::integer),
    error = pg_catalog.regexp_replace(r.error, '; 0 of [0-9]+ approvals$', '') || '; 1 of ' || :needed::text || ' approvals: ' || :person::text,
    changed_at = now()
WHERE r.run_id = :run_id::uuid
RETURNING r.run_id
