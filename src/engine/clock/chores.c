#include "engine/clock/chores.h"

#include "base/clock.h"
#include "base/cut.h"
#include "engine/work/bad_rows.h"

#include <pthread.h>

#define TELL_EVERY_S 10
#define FIRST_WAIT_US (G_USEC_PER_SEC / 2)
#define SHORT_US (2 * G_USEC_PER_SEC) /* parts of each round wait no longer than this */
#define DOUBLINGS 12

typedef struct {
  const Chore *chore;
  gint64 due_us; /* monotonic; of the thread of housekeeping */
  /* Under the lock. */
  gint64 well_us; /* since the epoch; 0: not since the start */
  guint failures; /* since then */
  char *error;    /* NULL: it went well */
} State;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static State *states; /* the pointer and `n_states` under the lock, too */
static guint n_states;

void
chores_begin (const Chore *chores, guint n)
{
  pthread_mutex_lock (&lock);
  states = g_new0 (State, n);
  n_states = n;
  for (guint i = 0; i < n; i++)
    states[i].chore = &chores[i];
  pthread_mutex_unlock (&lock);
}

void
chores_end (void)
{
  pthread_mutex_lock (&lock);
  for (guint i = 0; i < n_states; i++)
    g_free (states[i].error);
  g_clear_pointer (&states, g_free);
  n_states = 0;
  pthread_mutex_unlock (&lock);
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
note_failed (State *state, const GError *error)
{
  g_autofree char *told = g_strdup_printf ("%s: %s", state->chore->name, error->message);
  const gint64 wait_us = FIRST_WAIT_US << MIN (state->failures, DOUBLINGS);
  state->due_us = clock_monotonic_us () + MIN (wait_us, MAX (state->chore->every_us, SHORT_US));
  pthread_mutex_lock (&lock);
  state->failures++;
  g_free (state->error);
  state->error = cut_text (error->message, CUT_ERROR_BYTES);
  pthread_mutex_unlock (&lock);
  log_warning_every (TELL_EVERY_S, state->chore->name, "Housekeeping failed; will retry", told);
}

gboolean
chores_round (Service *service, Pg *pg, GError **error)
{
  for (guint i = 0; i < n_states; i++) {
    State *state = &states[i];
    g_autoptr (GError) cause = NULL;
    if (clock_monotonic_us () < state->due_us)
      continue;
    service->housekeeping.more = FALSE;
    if (state->chore->look (service, pg, &cause)) {
      note_well (state, service->housekeeping.more);
      continue;
    }
    const gboolean outage = cause->code == PRUNED_OUTAGE;
    if (bad_rows_end_found (service, pg, &cause))
      continue; /* it is due again in the next round */
    pg_rollback (pg);
    if (outage && !pg_ensure (pg, NULL)) { /* else it is Kafka that is away */
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
    note_failed (state, cause);
  }
  return TRUE;
}

void
chores_each (ChoresVisit visit, gpointer data)
{
  pthread_mutex_lock (&lock);
  for (guint i = 0; i < n_states; i++)
    visit (states[i].chore->name, (double)states[i].well_us / G_USEC_PER_SEC, states[i].failures,
           data);
  pthread_mutex_unlock (&lock);
}

json_t *
chores_failing (void)
{
  json_t *failing = json_array ();
  pthread_mutex_lock (&lock);
  for (guint i = 0; i < n_states; i++) {
    const State *state = &states[i];
    if (state->error == NULL)
      continue;
    json_t *one = json_object ();
    json_object_set_new (one, "part", json_string (state->chore->name));
    json_object_set_new (one, "well_at",
                         state->well_us == 0 ? json_null ()
                                             : json_integer (state->well_us / G_USEC_PER_SEC));
    json_object_set_new (one, "failures", json_integer (state->failures));
    json_object_set_new (one, "error", json_string (state->error));
    json_array_append_new (failing, one);
  }
  pthread_mutex_unlock (&lock);
  return failing;
}
