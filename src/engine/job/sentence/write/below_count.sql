SELECT {child_text} AS "table", {is_own} AS own, {emptied} AS emptied, pg_catalog.count(DISTINCT ({child_own}.tableoid, {child_own}.ctid)) AS n
FROM {child} JOIN ({rows}) AS pruned_p ON {on}{not_keys}
