#include "engine/clock/chores.h"

#include "base/clock.h"
#include "base/cut.h"
#include "engine/work/bad_rows.h"

#include <pthread.h>

#define TELL_EVERY_S 10
#define FIRST_WAIT_US (G_USEC_PER_SEC / 2)
#define SHORT_US (2 * G_USEC_PER_SEC) /* parts of each round wait no longer than this */
#define DOUBLINGS 12
#define LONG_US (10 * G_USEC_PER_SEC) /* the parts behind it wait for so long */

typedef struct {
  const Chore *chore;
  gint64 due_us, done_us; /* monotonic; of the thread of housekeeping */
  /* Under the lock. */
  gint64 well_us;  /* since the epoch; 0: not since the start */
  guint failures;  /* since then */
  char *error;     /* NULL: it went well */
  gint64 began_us; /* monotonic; 0: it is not under way */
  gint64 took_us;  /* the last time */
} State;

struct _Chores {
  State *states;
  guint n;
  const char *said;
  gboolean *more;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GPtrArray *all; /* of Chores; NULL: none; under the lock */

Chores *
chores_new (const Chore *chores, guint n, const char *said, gboolean *more)
{
  Chores *fresh = g_new0 (Chores, 1);
  *fresh = (Chores){ .states = g_new0 (State, n), .n = n, .said = said, .more = more };
  for (guint i = 0; i < n; i++)
    fresh->states[i].chore = &chores[i];
  pthread_mutex_lock (&lock);
  if (all == NULL)
    all = g_ptr_array_new ();
  g_ptr_array_add (all, fresh);
  pthread_mutex_unlock (&lock);
  return fresh;
}

void
chores_free (Chores *chores)
{
  if (chores == NULL)
    return;
  pthread_mutex_lock (&lock);
  g_ptr_array_remove (all, chores);
  if (all->len == 0)
    g_clear_pointer (&all, g_ptr_array_unref);
  pthread_mutex_unlock (&lock);
  for (guint i = 0; i < chores->n; i++)
    g_free (chores->states[i].error);
  g_free (chores->states);
  g_free (chores);
}

static void
note_well (State *state, gboolean more)
{
  state->due_us = more ? 0 : clock_monotonic_us () + state->chore->every_us;
  pthread_mutex_lock (&lock);
  state->well_us = clock_now_us ();
  state->failures = 0;
  g_clear_pointer (&state->error, g_free);
  pthread_mutex_unlock (&lock);
}

static void
note_failed (State *state, const char *said, const GError *error)
{
  g_autofree char *told = g_strdup_printf ("%s: %s", state->chore->name, error->message);
  const gint64 wait_us = FIRST_WAIT_US << MIN (state->failures, DOUBLINGS);
  state->due_us = clock_monotonic_us () + MIN (wait_us, MAX (state->chore->every_us, SHORT_US));
  pthread_mutex_lock (&lock);
  state->failures++;
  g_free (state->error);
  state->error = cut_text (error->message, CUT_ERROR_BYTES);
  pthread_mutex_unlock (&lock);
  log_warning_every (TELL_EVERY_S, state->chore->name, said, told);
}

/* With the lock. How long it took, or has taken by now. */
static gint64
takes_us (const State *state)
{
  return state->began_us != 0 ? clock_monotonic_us () - state->began_us : state->took_us;
}

static void
note_begin (State *state)
{
  pthread_mutex_lock (&lock);
  state->began_us = state->done_us = clock_monotonic_us ();
  pthread_mutex_unlock (&lock);
}

static void
note_end (State *state)
{
  pthread_mutex_lock (&lock);
  state->took_us = takes_us (state);
  state->began_us = 0;
  pthread_mutex_unlock (&lock);
}

/* FALSE: PostgreSQL is away. */
static gboolean
do_one (const Chores *chores, State *state, Service *service, Pg *pg, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (chores->more != NULL)
    *chores->more = FALSE;
  note_begin (state);
  const gboolean well = state->chore->look (service, pg, &cause);
  note_end (state);
  if (well) {
    note_well (state, chores->more != NULL && *chores->more);
    return TRUE;
  }
  const gboolean outage = cause->code == PRUNED_OUTAGE;
  if (bad_rows_end_found (service, pg, &cause))
    return TRUE; /* it is due again in the next round */
  pg_rollback (pg);
  if (outage && !pg_ensure (pg, NULL)) { /* else it is Kafka that is away */
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  note_failed (state, chores->said, cause);
  return TRUE;
}

/* Before part I: those before it that must not wait for a round that takes long. */
static gboolean
do_between (const Chores *chores, guint i, Service *service, Pg *pg, GError **error)
{
  const gint64 now_us = clock_monotonic_us ();
  gboolean there = TRUE;
  for (guint k = 0; there && k < i; k++) {
    State *state = &chores->states[k];
    const gint64 between_us = state->chore->between_us;
    if (between_us > 0 && now_us >= MAX (state->due_us, state->done_us + between_us))
      there = do_one (chores, state, service, pg, error);
  }
  return there;
}

gboolean
chores_round (Chores *chores, Service *service, Pg *pg, GError **error)
{
  gboolean there = TRUE;
  for (guint i = 0; there && i < chores->n; i++) {
    State *state = &chores->states[i];
    if (clock_monotonic_us () >= state->due_us)
      there = do_between (chores, i, service, pg, error)
              && do_one (chores, state, service, pg, error);
  }
  return there;
}

/* VISIT is called with the lock. */
static void
each_state (void (*visit) (const State *state, gpointer data), gpointer data)
{
  pthread_mutex_lock (&lock);
  for (guint c = 0; all != NULL && c < all->len; c++) {
    const Chores *chores = all->pdata[c];
    for (guint i = 0; i < chores->n; i++)
      visit (&chores->states[i], data);
  }
  pthread_mutex_unlock (&lock);
}

typedef struct {
  ChoresVisit visit;
  gpointer data;
} Visit;

static void
visit_state (const State *state, gpointer data)
{
  const Visit *to = data;
  const ChoreState now = { (double)state->well_us / G_USEC_PER_SEC,
                           (double)takes_us (state) / G_USEC_PER_SEC, state->failures };
  to->visit (state->chore->name, &now, to->data);
}

void
chores_each (ChoresVisit visit, gpointer data)
{
  Visit to = { visit, data };
  each_state (visit_state, &to);
}

static void
add_ailing (const State *state, gpointer data)
{
  const gint64 long_us = takes_us (state);
  if (state->error == NULL && long_us < LONG_US)
    return;
  json_t *one = json_object ();
  json_object_set_new (one, "part", json_string (state->chore->name));
  json_object_set_new (one, "well_at",
                       state->well_us == 0 ? json_null ()
                                           : json_integer (state->well_us / G_USEC_PER_SEC));
  json_object_set_new (one, "failures", json_integer (state->failures));
  json_object_set_new (one, "error",
                       state->error != NULL ? json_string (state->error) : json_null ());
  json_object_set_new (one, "seconds", json_integer (long_us / G_USEC_PER_SEC));
  json_array_append_new (data, one);
}

json_t *
chores_ailing (void)
{
  json_t *ailing = json_array ();
  each_state (add_ailing, ailing);
  return ailing;
}
