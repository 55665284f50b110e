-- Schema `pruned`, step 41: rows that stay whatever a job says, because somebody holds them
-- (`pruned hold`), or because `pruned restore` has brought them back.

-- A row that is held, once for each hold. tab: its table with its schema, of a partition the
-- partitioned table (pruned.held_table). key: as in quarantine. hold_id: all rows of one `pruned
-- hold`; of a restore, the run whose rows came back. job: of that run. until: then the hold has
-- ended; null: it ends when it is released.
CREATE TABLE pruned.holds (
    tab     text COLLATE "C" NOT NULL,
    key     text COLLATE "C" NOT NULL,
    hold_id uuid NOT NULL,
    kind    text NOT NULL CHECK (kind IN ('hold', 'restored')),
    job     text,
    reason  text NOT NULL,
    who     text NOT NULL,
    at      timestamptz NOT NULL DEFAULT now(),
    until   timestamptz,
    PRIMARY KEY (tab, key, hold_id)
);
CREATE INDEX holds_id ON pruned.holds (hold_id);
CREATE INDEX holds_until ON pruned.holds (until) WHERE until IS NOT NULL;

-- The table NAME, as a job or a command writes it, as `holds` has it: with its schema, and of a
-- partition the partitioned table. A name that is of no table stays as it is.
CREATE FUNCTION pruned.held_table(name text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((
        SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
        FROM (SELECT coalesce(CASE WHEN name OPERATOR(pg_catalog.~) '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)([.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*))?$'
                                   THEN pg_catalog.to_regclass(name) END,
                              pg_catalog.to_regclass(pg_catalog.quote_ident(name))) AS rel) AS r
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) coalesce(pg_catalog.pg_partition_root(r.rel), r.rel)
        JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace), name);
END
$$;

-- The kind of a hold on a row in REL, a partition of the table ROOT, attached or not; null: there
-- is none. Each row that is held is looked for by the primary key of REL.
CREATE FUNCTION pruned.held_within(rel oid, root text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    kind text;
    same text := (
        SELECT pg_catalog.string_agg(pg_catalog.format(
            CASE WHEN i.indnkeyatts OPERATOR(pg_catalog.=) 1 THEN 't.%1$I OPERATOR(%2$I.%3$s) h.key::%4$s'
                 WHEN coalesce(nullif(y.typbasetype, 0), y.oid) IN ('pg_catalog.json'::pg_catalog.regtype, 'pg_catalog.jsonb'::pg_catalog.regtype)
                 THEN 't.%1$I OPERATOR(%2$I.%3$s) (h.key::jsonb OPERATOR(pg_catalog.->) %5$L)::%4$s'
                 ELSE 't.%1$I OPERATOR(%2$I.%3$s) (h.key::jsonb OPERATOR(pg_catalog.->>) %5$L)::%4$s' END,
            a.attname, s.nspname, o.oprname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attname), ' AND ')
        FROM pg_catalog.pg_index i
        CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(i.indkey::smallint[]), pg_catalog.unnest(i.indclass::oid[])) WITH ORDINALITY AS k (attnum, class, n)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = rel AND a.attnum = k.attnum
        JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
        JOIN pg_catalog.pg_opclass c ON c.oid = k.class
        JOIN pg_catalog.pg_amop m ON m.amopfamily = c.opcfamily AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype AND m.amopstrategy = 3
        JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr JOIN pg_catalog.pg_namespace s ON s.oid = o.oprnamespace
        WHERE i.indrelid = rel AND i.indisprimary AND k.n <= i.indnkeyatts);
BEGIN
    IF same IS NULL OR NOT EXISTS (SELECT FROM pruned.holds) THEN
        RETURN NULL;
    END IF;
    EXECUTE pg_catalog.format('SELECT h.kind FROM pruned.holds h WHERE h.tab OPERATOR(pg_catalog.=) $1 AND (h.until IS NULL OR h.until OPERATOR(pg_catalog.>) pg_catalog.now())'
                              ' AND EXISTS (SELECT FROM %s t WHERE %s OFFSET 0) LIMIT 1',
                              (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = rel), same)
        INTO kind USING pruned.held_table(root);
    RETURN kind;
END
$$;

-- Processes and commands of the version before write what a restore has brought back into
-- quarantine, parked with the reason `restored`, and read it there. So such an entry is a hold from
-- the moment that it is written, and it stays beside the hold until that is released.
CREATE FUNCTION pruned.hold_restored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    named text := pg_catalog.substring(NEW.item, '^((?:"(?:[^"]|"")*"|[^":])*):');
    held text := pruned.held_table(named);
    row_key text := pg_catalog.substr(NEW.item, pg_catalog.length(named) OPERATOR(pg_catalog.+) 2);
BEGIN
    INSERT INTO pruned.holds (tab, key, hold_id, kind, job, reason, who)
    SELECT held, row_key, pg_catalog.md5(NEW.job)::uuid, 'restored', NEW.job, 'restored', session_user
    WHERE named IS NOT NULL AND NOT EXISTS (
        SELECT FROM pruned.holds h
        WHERE h.tab OPERATOR(pg_catalog.=) held AND h.key OPERATOR(pg_catalog.=) row_key AND h.kind OPERATOR(pg_catalog.=) 'restored')
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER hold_restored AFTER INSERT OR UPDATE OF parked, reason ON pruned.quarantine
    FOR EACH ROW WHEN (NEW.parked AND NEW.reason = 'restored') EXECUTE FUNCTION pruned.hold_restored();
REVOKE ALL ON FUNCTION pruned.held_table(text), pruned.held_within(oid, text), pruned.hold_restored() FROM PUBLIC;

-- What is held now.
LOCK TABLE pruned.quarantine IN SHARE ROW EXCLUSIVE MODE;
UPDATE pruned.quarantine q SET reason = q.reason WHERE q.parked AND q.reason = 'restored';

-- Whether the process asks `holds`; null: it is of a version that does not.
ALTER TABLE pruned.processes ADD COLUMN asks_holds boolean;

SELECT pruned.give_daemons(ARRAY['holds: SELECT, INSERT, DELETE']);
DO $$
DECLARE
    member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.held_table(text), pruned.held_within(oid, text) TO %s', member);
    END LOOP;
END $$;
