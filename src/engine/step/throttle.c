#include "engine/step/throttle.h"

#include "base/clock.h"
#include "base/condition.h"

#define EVERY_US (2 * G_USEC_PER_SEC)
#define MAINTENANCE_US (10 * 60 * G_USEC_PER_SEC) /* a job waits no longer for a vacuum */

typedef struct {
  gint64 busy_since_us; /* its tables have been vacuumed since then; 0: they are not */
  gboolean seen;        /* by the current look */
} Busy;

#define FIRST_LOOK_US (3 * G_USEC_PER_SEC)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t first_look; /* from first_look_init on */
static gboolean has_looked;       /* under the lock: once, or nobody waits for it any more */
static ThrottleLook *current;     /* under the lock */
static GHashTable *told; /* under the lock: job -> bits of the reasons that are in the log */
/* Of the housekeeping thread. */
static gint64 looked_us;
static guint hidden_told;
static GHashTable *busy; /* job -> Busy */

static void
first_look_init_once (void)
{
  condition_init (&first_look);
}

/* Before each use of `first_look`. */
static void
first_look_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, first_look_init_once);
}

/* With the lock. What concerns this job alone comes first: it is nearer to the cause. */
static const ThrottlePassed *
find (const Job *job)
{
  const ThrottlePassed *found = NULL;
  for (guint i = 0; current != NULL && i < current->passed->len; i++) {
    const ThrottlePassed *passed = &g_array_index (current->passed, ThrottlePassed, i);
    if (passed->job != NULL && passed->job->number == job->number)
      return passed;
    if (passed->job == NULL && found == NULL)
      found = passed;
  }
  return found;
}

/* A vacuum can take hours, and the next one begins soon after: it counts for a while only. */
static void
drop_long_maintenance (ThrottleLook *look)
{
  if (busy == NULL)
    busy = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer one;
  for (guint i = look->passed->len; i-- > 0;) {
    const ThrottlePassed *passed = &g_array_index (look->passed, ThrottlePassed, i);
    if (!passed->maintenance)
      continue;
    Busy *known = g_hash_table_lookup (busy, passed->job);
    if (known == NULL) {
      known = g_new0 (Busy, 1);
      known->busy_since_us = clock_monotonic_us ();
      g_hash_table_insert (busy, (gpointer)passed->job, known);
    }
    known->seen = TRUE;
    if (clock_monotonic_us () - known->busy_since_us > MAINTENANCE_US)
      g_array_remove_index (look->passed, i);
  }
  g_hash_table_iter_init (&iter, busy);
  while (g_hash_table_iter_next (&iter, NULL, &one))
    if (((Busy *)one)->seen)
      ((Busy *)one)->seen = FALSE;
    else
      g_hash_table_iter_remove (&iter);
}

static void
tell_hidden (const ThrottleLook *look)
{
  if (look->hidden == 0 || look->hidden == hidden_told)
    return;
  g_autoptr (GString) list = g_string_new (NULL);
  for (ThrottleReason i = 0; i < THROTTLE_N; i++)
    if (look->hidden & (1u << i))
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", throttle_words[i]);
  log_info ("Thresholds are off, because this role may not see what they need", "thresholds",
            list->str, "remedy", "GRANT pg_monitor TO the role of [postgres] url");
  hidden_told = look->hidden;
}

/* Takes LOOK; NULL: nothing is known. */
static void
replace (ThrottleLook *look, const Jobs *jobs)
{
  g_autoptr (GPtrArray) over = g_ptr_array_new ();
  pthread_mutex_lock (&lock);
  throttle_look_free (current);
  current = look;
  has_looked = TRUE;
  first_look_init ();
  pthread_cond_broadcast (&first_look);
  for (guint i = 0; told != NULL && i < jobs_count (jobs); i++)
    if (find (jobs_at (jobs, i)) == NULL && g_hash_table_remove (told, jobs_at (jobs, i)))
      g_ptr_array_add (over, jobs_at (jobs, i)->name);
  pthread_mutex_unlock (&lock);
  for (guint i = 0; i < over->len; i++)
    log_info ("No longer throttled", "job", over->pdata[i]);
}

gboolean
throttle_beat (ThrottleEye *eye, Pg *pg, GError **error)
{
  if (looked_us != 0 && clock_monotonic_us () - looked_us < EVERY_US)
    return TRUE;
  ThrottleLook *look = throttle_eye_look (eye, pg, error);
  looked_us = look != NULL ? clock_monotonic_us () : 0;
  if (look != NULL) {
    drop_long_maintenance (look);
    tell_hidden (look);
  } else
    g_prefix_error (error, "no run waits for the thresholds of [throttle]: ");
  replace (look, throttle_eye_jobs (eye));
  return look != NULL;
}

/* With the lock: no run begins before housekeeping has looked for the first time. Not longer than
 * FIRST_LOOK_US, and once: housekeeping that hangs does not stop the others. */
static void
await_first_look (void)
{
  const gint64 until_us = clock_monotonic_us () + FIRST_LOOK_US;
  first_look_init ();
  while (!has_looked)
    if (!condition_wait (&first_look, &lock, until_us))
      has_looked = TRUE;
}

char *
throttle_of (const Job *job, ThrottleReason *reason)
{
  char *text = NULL;
  gboolean first = FALSE;
  pthread_mutex_lock (&lock);
  await_first_look ();
  const ThrottlePassed *passed = find (job);
  if (passed != NULL) {
    *reason = passed->reason;
    text = g_strdup_printf ("%s: %s", throttle_words[passed->reason], passed->text);
    if (told == NULL)
      told = g_hash_table_new (NULL, NULL);
    guint bits = GPOINTER_TO_UINT (g_hash_table_lookup (told, job)), bit = 1u << passed->reason;
    first = (bits & bit) == 0;
    g_hash_table_insert (told, (gpointer)job, GUINT_TO_POINTER (bits | bit));
  }
  pthread_mutex_unlock (&lock);
  if (first)
    log_warning ("Throttled; runs wait between pages", "job", job->name, "reason", text);
  return text;
}
