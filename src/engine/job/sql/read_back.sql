-- A part of a statement that reads its records back (job_files_audit.c), one value: what is said of
-- the records of {table} (schemas/postgres/039-records.sql), unless this process knows it already
-- (`:audit.proven`; src/engine/step/read_back.h). The statement sees the rows as they were before
-- it.
, (SELECT CASE WHEN s.definition IS DISTINCT FROM :audit.proven::text
     THEN pruned.read_back('{table}', s.oid, s.how, s.definition, ARRAY(SELECT rows FROM audit)) END FROM secret AS s) AS audit_back
