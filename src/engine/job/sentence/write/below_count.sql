SELECT {child_text} AS "table", pg_catalog.count(DISTINCT ({child_own}.tableoid, {child_own}.ctid)) AS n
FROM {child} JOIN ({rows}) AS pruned_p ON {on}
