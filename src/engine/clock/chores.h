/* What housekeeping and the dispatcher do again and again, in parts. Each part is done by itself,
 * is tried again by itself after it has failed, and how it went is kept: for `pruned doctor`
 * (pruned.processes) and for the metrics.
 *
 * Invariant: a part that fails delays no other one, unless PostgreSQL is away; nor does one that
 * takes long delay what others wait for (`between_us`). Of both it is said.
 *
 * Threads: main makes and frees them; chores_round: housekeeping or the dispatcher; the rest: any.
 * Ownership: as said.
 */
#pragma once
#include "engine/service/service.h"

typedef struct {
  const char *name;
  /* From a look that went well to the next one, in microseconds; 0: each round. */
  gint64 every_us;
  gboolean (*look) (Service *service, Pg *pg, GError **error);
  /* So long after it was done, it is done again before a later part of the same round: those can
   * take long. 0: not. */
  gint64 between_us;
} Chore;

typedef struct _Chores Chores;

/* N of CHORES and the text SAID, which the log has of a part that fails, must live until
 * chores_free. *MORE, of the same thread: a part sets it to be due in the next round; NULL: none
 * does. */
Chores *chores_new (const Chore *chores, guint n, const char *said, gboolean *more);
void chores_free (Chores *chores);

/* Does the parts that are due, in their order. Each has transactions of its own; one that fails is
 * rolled back, and tried again later and later, at last as seldom as it is done. FALSE: PostgreSQL
 * is away. */
gboolean chores_round (Chores *chores, Service *service, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
  double well_s;  /* when it last went well, in seconds since the epoch; 0: never since the start */
  double takes_s; /* how many seconds it took the last time, or has taken by now */
  guint failures; /* how often it has failed since it went well */
} ChoreState;

/* Of all Chores. */
typedef void (*ChoresVisit) (const char *chore, const ChoreState *state, gpointer data);
void chores_each (ChoresVisit visit, gpointer data);

/* Of those that have failed, and of those that take ten seconds or longer: [{part, well_at,
 * failures, error, seconds}], WELL_AT as `well_s`, SECONDS as `takes_s`; null: never, none. New
 * reference. */
json_t *chores_ailing (void);
