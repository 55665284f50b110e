/* What a run of a job would do with one row: asked as a plan asks, in a read-only transaction,
 * without locks. For `pruned why`.
 *
 * Threads: one. Ownership: why_clear.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  gboolean known;      /* the job decides by a statement that can be asked of one row */
  gboolean goes;       /* a run would remove or change the row, or start a run about it */
  char *what, *reason; /* the job's word, and why; NULL: it says nothing */
  char *below;         /* a held row that would go with the row, so it stays; NULL: none */
} Why;
void why_clear (Why *why);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Why, why_clear)

/* Asks JOB of the row KEY (as page.sql writes it), as a run with T = AT_US. In a transaction of its
 * own. */
gboolean why_ask (Pg *pg, const Job *job, gint64 at_us, const char *key, Why *why, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* What a run with T = AT_US would do with each of KEYS (of char), asked at once: KEY -> a word
 * (static): `goes`; `kept` by the rule of the job; `no rule` names it; `waiting`: a run of another
 * job is at it; `failed`: it cannot be decided. *KNOWN as in Why: FALSE: *WORDS is empty. A row
 * that is gone has no word. In a transaction of its own that takes MOST_MS at most. */
gboolean why_ask_each (Pg *pg, const Job *job, gint64 at_us, const GPtrArray *keys, int most_ms,
                       GHashTable *words, gboolean *known, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The first T after AT_US, to the second, from which on a run would take the row as it is now; -1:
 * none within a hundred years. A condition that holds only for a while may have an earlier one. */
gboolean why_due (Pg *pg, const Job *job, gint64 at_us, const char *key, gint64 *due_us,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
