-- The JSON `m.value`, as the key of a row in the audit, if it is a secret.
pg_catalog.to_jsonb('sha256:' || pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(m.value #>> '{}', 'UTF8')), 'hex'))
