-- Schema `pruned`, step 34: a run whose row has failed knows which entry of the quarantine it waits
-- for.
-- compatible_from: 15

-- waits_for: the item in pruned.quarantine (`<table>:<key>`): the row that an event has named. The
-- run tries it again when the entry says so, or when an operator releases it. Null: for none.
ALTER TABLE pruned.runs ADD COLUMN waits_for text;
ALTER TABLE pruned.runs_done ADD COLUMN waits_for text;
CREATE INDEX runs_waits_for ON pruned.runs (job, waits_for) WHERE waits_for IS NOT NULL;
