/* The rows that all runs of a job together may change within 24 hours (`max_rows_per_day`), and
 * those that all runs of it may change which events start (event_limits.h), over all processes and
 * lanes.
 *
 * A process is given rows in allowances, which the job's row of pruned.days adds up. A transaction
 * takes its rows last of all, when it knows them: from the process's allowance, or it asks for
 * another one. It holds a shared lock until it has committed. Where no rows are left to give, a
 * step takes the lock alone: then nothing is under way, and what the runs have changed is counted.
 * That makes all allowances void, so what a dead process or a rolled back step has taken is there
 * again. A step that exceeds even so is rolled back.
 *
 * Invariant: what is committed within a day, and what still can be without another count, is never
 * more than the limit; approved runs apart.
 *
 * Threads: any; allowances are shared by the process. Ownership: day_allowance_clear.
 */
#pragma once
#include "engine/brakes/event_limits.h"

/* Of all runs of a job; of those that events start (event_limits.h). */
#define DAY_KINDS 2

/* What a transaction was given beyond its own rows, of one kind. */
typedef struct {
  char *key, *label; /* of the count that gave it; NULL: nothing */
  gint64 stamp, rows, age_us, fresh_us;
} DayGiven;

/* The same, of both. */
typedef struct {
  DayGiven given[DAY_KINDS];
  gboolean again; /* the transaction is done again unchanged, and counts then */
} DayAllowance;
void day_allowance_clear (DayAllowance *allowance);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DayAllowance, day_allowance_clear)

/* Takes the rows of STEPS, the steps of one job in this transaction, before they are settled. FALSE
 * with an error: they are not to be committed. A step that shares its transaction has to go alone,
 * unless `again`; for one that is alone `again` or `brake` is set. */
gboolean day_take (const GPtrArray *steps, DayAllowance *allowance, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same for what N steps of runs of one job have leased. If one is refused that is alone,
 * day_room says how many it may lease. Several are refused where rows have to be counted. */
gboolean day_take_leased (Step *const *steps, guint n, DayAllowance *allowance, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* How many rows STEP has leased, with those below them. */
gint64 day_leased (const Step *step);
/* After the commit: the rest of what was given is for the process. */
void day_took (DayAllowance *allowance);

/* How many rows the run of STEP may change, in all, where a step of this process was refused; else
 * LIMIT_NONE. */
gboolean day_room (Step *step, gint64 *room, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Rows of runs within 24 hours, without those that BUT has changed and LEASES has leased; NULL: of
 * all. */
gboolean day_sum (Step *step, const char *but, const char *leases, gint64 *rows, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
