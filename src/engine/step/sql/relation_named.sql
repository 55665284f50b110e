-- Part of statements: the relation that `n.tab` names, as SQL writes it or as it stands; null:
-- there is none.
coalesce(CASE WHEN n.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)([.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*))?$' THEN pg_catalog.to_regclass(n.tab) END,
         pg_catalog.to_regclass(pg_catalog.quote_ident(n.tab)))::oid
