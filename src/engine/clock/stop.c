#include "engine/clock/stop.h"

#include "base/clock.h"
#include "base/thread.h"
#include "engine/clock/processes.h"
#include "engine/lane/lane.h"
#include "engine/lane/outage.h"
#include "store/part.h"

#include <pthread.h>

#define SQL "src/engine/clock/sql/"
#define EVERY_US (G_USEC_PER_SEC / 2)
#define ALLOWED_US (G_USEC_PER_SEC * 3 / 2)
#define ANSWER_MS 2000
#define REMIND_US (60 * G_USEC_PER_SEC)

struct _StopWatch {
  Service *service;
  Pg *pg;
  Wake *wake;
  pthread_t thread;
  char *since;    /* of the stop in force; NULL: none; empty: it does not say since when */
  char *told;     /* what pruned.processes was told; NULL: nothing */
  char *asked;    /* the last request to reload; NULL: none */
  guint outages;  /* looks in a row that PostgreSQL has not answered */
  gint64 away_us; /* since when it is said that it does not answer, monotonic; 0: it does */
  gint64 said_us; /* when it was said last */
};

/* Tells pruned.processes which stop was seen, and which runs are still under way. */
static gboolean
tell (StopWatch *watch, const GPtrArray *running, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  GString *ids = array_new ();
  for (guint i = 0; i < running->len; i++)
    array_add (ids, running->pdata[i]);
  pg_values_set (values, "id", processes_id ());
  pg_values_set (values, "since",
                 watch->since != NULL && *watch->since != '\0' ? watch->since : NULL);
  pg_values_take (values, "running", array_take (ids));
  g_autofree char *words = g_strconcat (watch->since != NULL ? watch->since : "",
                                        pg_values_get (values, "running"), NULL);
  if (g_strcmp0 (words, watch->told) == 0)
    return TRUE;
  g_autoptr (PgRows) rows = pg_run_file (watch->pg, SQL "stop_seen.sql", values, error);
  if (rows != NULL && rows_count (rows) > 0) {
    g_free (watch->told);
    watch->told = g_steal_pointer (&words);
  }
  return rows != NULL;
}

static void
note_stop (StopWatch *watch, const PgRows *rows)
{
  const char *since = rows_text (rows, 0, "since"), *known = since != NULL ? since : "";
  stores_allow_until (0);
  atomic_store (&watch->service->shared.stopped, TRUE);
  if (g_strcmp0 (known, watch->since) == 0)
    return;
  g_free (watch->since);
  watch->since = g_strdup (known);
  log_warning ("Everything is stopped, until: pruned go", "since", since, "by",
               rows_text (rows, 0, "by"), "reason", rows_text (rows, 0, "reason"));
}

static void
note_go (StopWatch *watch, gint64 asked_us)
{
  stores_allow_until (asked_us + ALLOWED_US);
  atomic_store (&watch->service->shared.stopped, FALSE);
  if (watch->since == NULL)
    return;
  g_clear_pointer (&watch->since, g_free);
  log_info ("No longer stopped; work goes on");
  wake_in (watch->service->wake, 0);
}

/* The main thread begins the reload. */
static gboolean
look_for_reload (StopWatch *watch, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (watch->pg, SQL "reload_look.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  const char *asked = rows_count (rows) > 0 ? rows_text (rows, 0, "asked_at") : NULL;
  if (asked != NULL && g_strcmp0 (asked, watch->asked) != 0) {
    g_free (watch->asked);
    watch->asked = g_strdup (asked);
    atomic_store (&watch->service->shared.reload_asked, TRUE);
  }
  return TRUE;
}

static gboolean
look (StopWatch *watch, GError **error)
{
  g_autoptr (GPtrArray) running = g_ptr_array_new_with_free_func (g_free);
  gint64 asked_us = clock_monotonic_us ();
  g_autoptr (PgRows) rows = pg_run_file (watch->pg, SQL "stop_look.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) > 0) {
    note_stop (watch, rows);
    lanes_halt (watch->service->lanes, rows_bool (rows, 0, "cancel"), running);
  } else
    note_go (watch, asked_us);
  return look_for_reload (watch, error)
         && ((watch->since == NULL && watch->told == NULL) || tell (watch, running, error));
}

/* One look can meet a connection that has ended, and the next one makes another. */
#define AWAY 2

/* Once, and then each minute. */
static void
note_away (StopWatch *watch, const GError *error)
{
  gint64 now_us = clock_monotonic_us ();
  if (watch->away_us != 0 && now_us - watch->said_us < REMIND_US)
    return;
  if (watch->away_us == 0)
    watch->away_us = now_us;
  watch->said_us = now_us;
  outage_set_told (TRUE);
  log_warning ("PostgreSQL does not answer (ticks, events and runs wait)", "detail",
               error->message);
}

static void
note_trouble (StopWatch *watch, const GError *error)
{
  if (error->code != PRUNED_OUTAGE)
    log_warning_every (60, "stop", "Cannot read whether everything is stopped; will retry",
                       error->message);
  else if (++watch->outages >= AWAY)
    note_away (watch, error);
}

static void
note_answer (StopWatch *watch)
{
  watch->outages = 0;
  if (watch->away_us == 0)
    return;
  g_autofree char *seconds
      = g_strdup_printf ("%.1f", (double)(clock_monotonic_us () - watch->away_us) / G_USEC_PER_SEC);
  watch->away_us = 0;
  outage_set_told (FALSE);
  log_info ("PostgreSQL answers again; work goes on", "after_s", seconds);
}

static void *
watch_main (void *data)
{
  StopWatch *watch = data;
  pthread_setname_np (pthread_self (), "stop");
  for (gint64 wait_us = 0; wake_sleep (watch->wake, wait_us); wait_us = EVERY_US) {
    g_autoptr (GError) error = NULL;
    if (look (watch, &error))
      note_answer (watch);
    else
      note_trouble (watch, error);
  }
  return NULL;
}

static void
clear (StopWatch *watch)
{
  wake_free (watch->wake);
  pg_free (watch->pg);
  g_free (watch->since);
  g_free (watch->told);
  g_free (watch->asked);
  g_free (watch);
}

StopWatch *
stop_watch_new (Service *service, GError **error)
{
  StopWatch *watch = g_new0 (StopWatch, 1);
  PgSettings settings = service->pg;
  settings.answer_ms = ANSWER_MS;
  watch->service = service;
  watch->pg = pg_new (&settings);
  watch->wake = wake_new ();
  stores_allow_until (0); /* until the first look */
  if (thread_start (&watch->thread, watch_main, watch, error))
    return watch;
  clear (watch);
  return NULL;
}

void
stop_watch_free (StopWatch *watch)
{
  if (watch == NULL)
    return;
  wake_stop (watch->wake);
  pthread_join (watch->thread, NULL);
  clear (watch);
}
