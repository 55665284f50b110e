-- A condition: the namespace of membership `m` exists. OFFSET 0 keeps it a look-up by primary key.
EXISTS (SELECT FROM namespaces source WHERE source.id = m.source_id OFFSET 0)
