#include "engine/clock/housekeeping.h"

#include "base/thread.h"
#include "engine/clock/blocked.h"
#include "engine/clock/clock_set_back.h"
#include "engine/clock/group.h"
#include "engine/clock/held_rows.h"
#include "engine/clock/janitor.h"
#include "engine/clock/left_out.h"
#include "engine/clock/letters.h"
#include "engine/clock/missing.h"
#include "engine/clock/outbox_left.h"
#include "engine/clock/overdue_rows.h"
#include "engine/clock/chores.h"
#include "engine/clock/processes.h"
#include "engine/clock/readings.h"
#include "engine/clock/rounds.h"
#include "engine/clock/settings_changed.h"
#include "engine/clock/silent.h"
#include "engine/job/in_force.h"
#include "engine/job/job_reads.h"
#include "engine/lane/astray.h"
#include "engine/outbox/publish.h"
#include "engine/step/throttle.h"

#include <pthread.h>

#define EVERY_US G_USEC_PER_SEC
#define BEAT_US (5 * G_USEC_PER_SEC) /* others take a process for dead after half a minute */
#define SQL "src/engine/clock/sql/"
#define LEAST_BYTES (1 << 20)
#define SAID "Housekeeping failed; will retry"

struct _Housekeeping {
  Rounds rounds;
  Chores *chores;
  Wake *wake; /* stops the thread */
  Missing *missing;
  OutboxLeft *left;
  ThrottleEye *throttle;
  guint seen;  /* number of the settings that `throttle` looks for; 0: none yet */
  guint noted; /* number of the settings that the journal knows; 0: none yet */
  pthread_t thread;
};

static gboolean
note_settings (Service *service, Pg *pg, GError **error)
{
  Housekeeping *housekeeping = service->housekeeping.self;
  guint number = in_force_number ();
  if (housekeeping->noted == number)
    return TRUE;
  if (!settings_changed (service, pg, housekeeping->noted == 0 ? "start" : "reload", error))
    return FALSE;
  housekeeping->noted = number;
  return TRUE;
}

static gboolean
look_at_load (Service *service, Pg *pg, GError **error)
{
  Housekeeping *housekeeping = service->housekeeping.self;
  if (housekeeping->seen != in_force_number ()) {
    g_clear_pointer (&housekeeping->throttle, throttle_eye_free);
    housekeeping->throttle = throttle_eye_new (in_force_jobs ());
    housekeeping->seen = in_force_number ();
  }
  return throttle_beat (housekeeping->throttle, pg, error);
}

/* Tells other processes which events the jobs of this one read (pruned.job_states.reads): so that
 * an event that comes to a process without its job waits for it. */

/* NULL: there are none. ALL: also those that read nothing. */
static PgValues *
told_values (const Jobs *jobs, gboolean all)
{
  const char *prefix = config_text (in_force_config (), "topics", "prefix");
  g_autofree char *ours = g_strconcat (prefix, ".events", NULL);
  GString *names = array_new (), *reads = array_new ();
  guint n = 0;
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    g_autoptr (json_t) one = job_reads_of (job, ours);
    g_autofree char *text = one != NULL ? json_text (one) : NULL;
    if (text == NULL && !all)
      continue;
    array_add (names, job->name);
    array_add (reads, text);
    n++;
  }
  PgValues *values = pg_values_new ();
  pg_values_take (values, "job", array_take (names));
  pg_values_take (values, "reads", array_take (reads));
  if (n == 0)
    g_clear_pointer (&values, pg_values_free);
  return values;
}

/* NULL: there are none. */
static PgValues *
removed_values (const Jobs *jobs)
{
  const Job *job;
  GString *names = array_new ();
  for (guint i = 0; (job = jobs_removed_at (jobs, i)) != NULL; i++)
    array_add (names, job->name);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "removed", array_take (names));
  if (jobs_removed_at (jobs, 0) == NULL)
    g_clear_pointer (&values, pg_values_free);
  return values;
}

static gboolean
run (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) rows = values != NULL ? pg_run_file (pg, file, values, error) : NULL;
  return values == NULL || rows != NULL;
}

/* Of the jobs in force; those that were removed read nothing. */
static gboolean
reads_tell (Pg *pg, GError **error)
{
  static guint told; /* the number of the jobs that were told as a whole */
  const Jobs *jobs = in_force_jobs ();
  gboolean all = told != in_force_number ();
  g_autoptr (PgValues) values = told_values (jobs, all),
                       removed = all ? removed_values (jobs) : NULL;
  if (!run (pg, SQL "reads_tell.sql", values, error)
      || !run (pg, SQL "reads_forget.sql", removed, error))
    return FALSE;
  told = in_force_number ();
  return TRUE;
}

static gboolean
tell_reads (Service *service, Pg *pg, GError **error)
{
  return reads_tell (pg, error);
}

/* Runs of jobs that are off wait, as in a pause, and say why: those that were due without being
 * sent. */
static gboolean
jobs_off_look (Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "off", in_force_names (FALSE));
  if (g_str_equal (pg_values_get (values, "off"), "{}"))
    return TRUE;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "jobs_off.sql", values, error);
  return rows != NULL;
}

static gboolean
put_off (Service *service, Pg *pg, GError **error)
{
  return jobs_off_look (pg, error);
}

static gboolean
remove_sent (Service *service, Pg *pg, GError **error)
{
  return transaction_remove_sent (service->publisher, pg, error);
}

static gboolean
send_left (Service *service, Pg *pg, GError **error)
{
  return outbox_left_look (service->housekeeping.self->left, pg, error);
}

static gboolean
find_missing (Service *service, Pg *pg, GError **error)
{
  return missing_look (service->housekeeping.self->missing, pg, error);
}

/* PostgreSQL keeps the plan of a prepared statement until the table is analyzed. A plan that was
 * made while the ledger was empty still scans all of it at a million rows, and autovacuum can be
 * busy elsewhere for hours. So statements are planned again when the ledger has grown: `plans` of
 * SERVICE is incremented each time it has doubled, from a megabyte on. */
static gboolean
growth_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "ledger_size.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  gint64 bytes = rows_int (rows, 0, "bytes");
  if (bytes >= MAX (2 * service->housekeeping.ledger_bytes, LEAST_BYTES)) {
    service->housekeeping.ledger_bytes = bytes;
    atomic_fetch_add (&service->shared.plans, 1);
  } else if (bytes
             < service->housekeeping.ledger_bytes
                   / 2) /* VACUUM has truncated the table: count the next doubling from here */
    service->housekeeping.ledger_bytes = bytes;
  return TRUE;
}

/* In the order in which they are done. */
static const Chore CHORES[] = {
  { "this process's row", 0, processes_beat, BEAT_US },
  { "members of the group", 0, group_look },
  { "what jobs read", 5 * G_USEC_PER_SEC, tell_reads },
  { "jobs that are left out", 5 * G_USEC_PER_SEC, left_out_look },
  { "thresholds", 0, look_at_load },
  { "settings in the journal", 0, note_settings },
  { "runs of jobs that are off", 0, put_off },
  { "the database's clock", 0, clock_set_back_look },
  { "messages that were sent", 0, remove_sent },
  { "messages that were left", 0, send_left },
  { "growth of the ledger", 0, growth_look },
  { "partitions that went astray", 0, astray_look },
  { "missing messages", 0, find_missing },
  { "blocked ticks", 0, blocked_look },
  { "dead letters", 5 * G_USEC_PER_SEC, letters_look },
  { "sections that take nothing", 10 * G_USEC_PER_SEC, silent_look },
  { "second readings", 0, readings_look },
  { "entries of rows that are gone", 10 * G_USEC_PER_SEC, janitor_sweep },
  { "this machine's clock", 0, janitor_tell_clock },
  { "states of jobs", 10 * G_TIME_SPAN_MINUTE, janitor_note_states },
  { "new days of the audit", 10 * G_TIME_SPAN_MINUTE, janitor_make_days },
  { "old days of audit and archive", 10 * G_TIME_SPAN_MINUTE, janitor_drop_days },
  { "old timers", 10 * G_TIME_SPAN_MINUTE, janitor_forget_timers },
  { "old verdicts on letters", 10 * G_TIME_SPAN_MINUTE, janitor_forget_verdicts },
  { "old lines of the journal", 10 * G_TIME_SPAN_MINUTE, janitor_forget_journal },
  { "old ids of events", 10 * G_TIME_SPAN_MINUTE, janitor_forget_event_ids },
  { "held rows", 60 * G_USEC_PER_SEC, held_rows_look },
  { "rows past their deadline", 10 * G_USEC_PER_SEC, overdue_rows_look },
  { "schedules", 15 * G_USEC_PER_SEC, janitor_mend_schedules },
  { "the archive", 5 * G_USEC_PER_SEC, janitor_archive },
};

/* What a reload has just put in force is told, too. */
static void
leave (Housekeeping *housekeeping)
{
  g_autoptr (GError) error = NULL;
  in_force_renew ();
  if (!note_settings (housekeeping->rounds.service, housekeeping->rounds.pg, &error))
    log_warning ("Changed settings are missing in the journal", "detail", error->message);
  processes_leave (housekeeping->rounds.pg);
}

static void *
housekeeping_main (void *data)
{
  Housekeeping *housekeeping = data;
  gint64 wait_us = 0;
  pthread_setname_np (pthread_self (), "housekeeping");
  while (wake_sleep (housekeeping->wake, wait_us)) {
    in_force_renew ();
    g_autoptr (GError) error = NULL;
    if (chores_round (housekeeping->chores, housekeeping->rounds.service, housekeeping->rounds.pg,
                      &error)) {
      housekeeping->rounds.failures = 0;
      wait_us = EVERY_US;
    } else
      wait_us = rounds_failed (&housekeeping->rounds, SAID, &error);
  }
  if (housekeeping->rounds.failures
      == 0) /* else PostgreSQL may be down, and the shutdown must not wait */
    leave (housekeeping);
  return NULL;
}

static void
clear (Housekeeping *housekeeping)
{
  chores_free (housekeeping->chores);
  left_out_end ();
  missing_free (housekeeping->missing);
  outbox_left_free (housekeeping->left);
  g_clear_pointer (&housekeeping->throttle, throttle_eye_free);
  pg_free (housekeeping->rounds.pg);
  wake_free (housekeeping->wake);
  g_free (housekeeping);
}

Housekeeping *
housekeeping_new (Service *service, GError **error)
{
  Housekeeping *housekeeping = g_new0 (Housekeeping, 1);
  housekeeping->rounds = (Rounds){ service, pg_new (&service->pg), 0 };
  housekeeping->wake = wake_new ();
  housekeeping->missing = missing_new (service);
  housekeeping->left = outbox_left_new (service);
  service->housekeeping.self = housekeeping;
  housekeeping->chores
      = chores_new (CHORES, G_N_ELEMENTS (CHORES), SAID, &service->housekeeping.more);
  if (thread_start (&housekeeping->thread, housekeeping_main, housekeeping, error))
    return housekeeping;
  clear (housekeeping);
  return NULL;
}

void
housekeeping_stop (Housekeeping *housekeeping)
{
  if (housekeeping == NULL)
    return;
  wake_stop (housekeeping->wake);
  pthread_join (housekeeping->thread, NULL);
  clear (housekeeping);
}
