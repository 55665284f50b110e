-- Part of statements: the operator, as SQL, by which the index `i` finds equal values of its column
-- `k.n` (from 1), wherever it is and whatever it is called.
(SELECT pg_catalog.format('OPERATOR(%I.%s)', pruned_on.nspname, pruned_o.oprname)
 FROM pg_catalog.pg_opclass pruned_oc
 JOIN pg_catalog.pg_amop pruned_om ON pruned_om.amopfamily = pruned_oc.opcfamily AND pruned_om.amoplefttype = pruned_oc.opcintype
   AND pruned_om.amoprighttype = pruned_oc.opcintype AND pruned_om.amopstrategy = 3
 JOIN pg_catalog.pg_operator pruned_o ON pruned_o.oid = pruned_om.amopopr
 JOIN pg_catalog.pg_namespace pruned_on ON pruned_on.oid = pruned_o.oprnamespace
 WHERE pruned_oc.oid = (i.indclass::oid[])[k.n - 1])
