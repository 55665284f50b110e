/* Rows that PostgreSQL does not let go though their objects are gone: a trigger, a rule or a
 * foreign key keeps them. They have failed (docs/jobs/README.md, 3), and hold up no others. */
#pragma once
#include "jobs/ci.delete_objects/leased.h"

/* Tries rows of objects that are gone by halves, in a transaction that is to be rolled back; those
 * at fault have failed from now on. What remains undecided after 32 tries was not tried at all.
 * FALSE with PRUNED_DATA: none of them goes. */
gboolean refused_find (Step *step, Leased *leased, GError **error);
/* Those that were to go and are still there, under this lease, have failed from now on. *ANY: there
 * are some. */
gboolean refused_silently (Step *step, Leased *leased, gboolean *any, GError **error);
