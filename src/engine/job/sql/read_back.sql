-- A part of each statement that writes the audit (job_files_audit.c), one value: until this process
-- knows that what the audit has of {table} is the rows (`:proven`, the definition for which it
-- does; src/engine/step/read_back.h), its records are read back and compared. The statement sees
-- the rows as they were before it.
(SELECT CASE WHEN pruned_own_secret.definition IS DISTINCT FROM :proven::text
   THEN pruned.read_back('{table}', pruned_own_secret.definition, ARRAY(SELECT rows FROM audit)) END FROM secret AS pruned_own_secret)
