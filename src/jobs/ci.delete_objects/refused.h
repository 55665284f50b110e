/* Rows that PostgreSQL refuses to delete although their objects are gone: a trigger, a rule or a
 * foreign key keeps them. They count as failed (docs/jobs/README.md, 3) and stop no others.
 *
 * Threads: a worker, inside the step's transaction. Ownership: none is taken.
 */
#pragma once
#include "jobs/ci.delete_objects/leased.h"

/* Bisects the rows of objects that are gone, in a transaction that the caller must roll back, and
 * marks the rows at fault as failed, or as held by other sessions. Rows that are undecided after 32
 * tries count as not tried. FALSE with PRUNED_DATA: no row can be deleted. */
gboolean refused_find (Step *step, Leased *leased, GError **error);
/* Marks rows that should have been deleted and still exist under this lease as failed. *ANY: there
 * are some. */
gboolean refused_silently (Step *step, Leased *leased, gboolean *any, GError **error);
