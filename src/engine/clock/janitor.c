#include "engine/clock/janitor.h"

#include "base/clock.h"
#include "engine/clock/clocks.h"
#include "engine/clock/schedule.h"
#include "engine/job/in_force.h"
#include "engine/ledger/keeping.h"
#include "engine/step/quarantine.h"
#include "kafka/inspect.h"

#define SQL "src/engine/clock/sql/"
#define WORK_FOR_US (100 * G_TIME_SPAN_MILLISECOND) /* per second, as long as there is more */
#define TELL_EVERY_US (10 * G_TIME_SPAN_MINUTE)
/* Ended runs are kept for an hour, and so are the rows that a restore notes. A clock that is wrong
 * by less than half of that drops nothing too early. */
#define HOUR_SKEW_US (30 * G_TIME_SPAN_MINUTE)
#define RETENTION_WAIT_MS 3000
#define DAY_MS (G_TIME_SPAN_DAY / 1000)
#define CLOCK_UNSURE_US G_TIME_SPAN_SECOND

/* MORE may be NULL: the statement does not say whether there is more. */
static gboolean
in_transaction (Pg *pg, const char *file, const PgValues *values, gboolean *more, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_alone (pg, file, values, error);
  if (rows != NULL && more != NULL)
    *more = rows_bool (rows, 0, "more");
  return rows != NULL;
}

/* The first look reads a day, which covers all that is not archived; later ones half an hour. */
gboolean
janitor_note_states (Service *service, Pg *pg, GError **error)
{
  static gboolean before; /* of the one housekeeping thread */
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", jobs_array (in_force_jobs ()));
  pg_values_int (values, "minutes", before ? 30 : 24 * 60);
  gboolean noted = in_transaction (pg, SQL "states_note.sql", values, NULL, error);
  before = before || noted;
  return noted;
}

static PgValues *
days_of (Service *service)
{
  PgValues *values = pg_values_new ();
  pg_values_int (values, "audit_days", config_int (in_force_config (), "audit", "keep_days"));
  pg_values_int (values, "run_days", config_int (in_force_config (), "runs", "keep_days") + 1);
  return values;
}

/* *DAYS: how long ids of events are kept: as long as the ledger keeps runs, and as the topics of
 * events keep messages. -1: for ever, because a topic keeps messages for ever, or its retention is
 * not known. The broker is asked only if some id may be old enough. */
static gboolean
ask_event_days (Service *service, Pg *pg, PgValues *values, gint64 *days, GError **error)
{
  *days = -1;
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_take (values, "events", publisher_topic (service->publisher, "events"));
  pg_values_take (values, "ticks", publisher_topic (service->publisher, "ticks"));
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "event_ids_old.sql", values, error);
  if (rows == NULL || rows_count (rows) == 0)
    return rows != NULL;
  g_autoptr (GPtrArray) topics = g_ptr_array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add (topics, (gpointer)rows_text (rows, i, "topic"));
  g_autoptr (GError) cause = NULL;
  gint64 retention_ms;
  if (kafka_longest_retention (service->kafka_settings, topics, RETENTION_WAIT_MS, &retention_ms,
                               &cause)
      && retention_ms >= 0)
    *days = MAX (config_int (in_force_config (), "runs", "keep_days"),
                 MIN (retention_ms / DAY_MS, 100000) + 1)
            + 1;
  return TRUE;
}

/* Can the database's clock be trusted for rows that are kept for days? Otherwise the part is due in
 * the next round. */
static gboolean
day_is_reliable (Service *service)
{
  service->housekeeping.more
      = !service->housekeeping.compared
        || !clocks_agree (
            service, G_TIME_SPAN_DAY,
            "Nothing old is dropped: the database's clock differs from this machine's");
  return !service->housekeeping.more;
}

/* For rows that are kept for an hour: the same. */
static gboolean
hour_is_reliable (Service *service)
{
  service->housekeeping.more
      = !service->housekeeping.compared
        || !clocks_agree (service, HOUR_SKEW_US,
                          "Nothing is archived: the database's clock differs from this machine's");
  return !service->housekeeping.more;
}

gboolean
janitor_make_days (Service *service, Pg *pg, GError **error)
{
  return !day_is_reliable (service) || in_transaction (pg, SQL "audit_days.sql", NULL, NULL, error);
}

gboolean
janitor_drop_days (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = days_of (service);
  return !day_is_reliable (service)
         || (keeping_ask (pg, in_force_config (), error)
             && in_transaction (pg, SQL "audit_drop.sql", values, NULL, error));
}

/* Deletes page by page, within its share of the second. */
static gboolean
forget (Service *service, Pg *pg, const char *file, const PgValues *values, GError **error)
{
  gboolean *more = &service->housekeeping.more;
  const gint64 until_us = clock_monotonic_us () + WORK_FOR_US;
  do
    if (!in_transaction (pg, file, values, more, error))
      return FALSE;
  while (*more && clock_monotonic_us () < until_us);
  return TRUE;
}

/* What is as old as runs of the archive. */
static gboolean
forget_old (Service *service, Pg *pg, const char *file, GError **error)
{
  g_autoptr (PgValues) values = days_of (service);
  return !day_is_reliable (service) || forget (service, pg, file, values, error);
}

gboolean
janitor_forget_timers (Service *service, Pg *pg, GError **error)
{
  return forget_old (service, pg, SQL "timers_forget.sql", error);
}

gboolean
janitor_forget_verdicts (Service *service, Pg *pg, GError **error)
{
  return forget_old (service, pg, SQL "verdicts_forget.sql", error);
}

gboolean
janitor_forget_journal (Service *service, Pg *pg, GError **error)
{
  return forget_old (service, pg, SQL "journal_forget.sql", error);
}

gboolean
janitor_forget_event_ids (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = days_of (service);
  gint64 days;
  if (!day_is_reliable (service))
    return TRUE;
  if (!ask_event_days (service, pg, values, &days, error))
    return FALSE;
  if (days < 0)
    return TRUE;
  pg_values_int (values, "event_days", days);
  return forget (service, pg, SQL "event_ids_forget.sql", values, error);
}

/* The server's time is compared with the middle of the question's duration; if that was too long (a
 * slow server, a stopped process), the next look asks again. */
gboolean
janitor_tell_clock (Service *service, Pg *pg, GError **error)
{
  /* Of the one housekeeping thread. `session`: the number of the session that has it; 0: none. */
  static guint session;
  static gint64 told_us;
  if (pg_connections (pg) == session && clock_monotonic_us () - told_us < TELL_EVERY_US)
    return TRUE;
  session = 0;
  gint64 before_us = clock_now_us (), database_us;
  gboolean answered = pg_now_us (pg, &database_us, error);
  gint64 after_us = clock_now_us ();
  if (!answered || after_us - before_us > CLOCK_UNSURE_US)
    return answered;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "ahead_ms", ((before_us + after_us) / 2 - database_us) / 1000);
  if (!in_transaction (pg, SQL "clock_tell.sql", values, NULL, error))
    return FALSE;
  session = pg_connections (pg);
  told_us = clock_monotonic_us ();
  return TRUE;
}

/* Archives one page, unless another process is archiving. *MORE: the page was full. */
static gboolean
archive_page (Pg *pg, gboolean *more, GError **error)
{
  *more = FALSE;
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) days = pg_run_file (pg, SQL "archive_days.sql", NULL, error);
  gboolean mine = days != NULL && rows_bool (days, 0, "mine");
  g_autoptr (PgRows) moved = mine ? pg_run_file (pg, SQL "archive.sql", NULL, error) : NULL;
  gboolean ok = days != NULL && (moved != NULL || !mine) && pg_commit (pg, error);
  *more = ok && mine && rows_bool (moved, 0, "more");
  if (!ok)
    pg_rollback (pg);
  return ok;
}

gboolean
janitor_archive (Service *service, Pg *pg, GError **error)
{
  gboolean *more = &service->housekeeping.more;
  const gint64 until_us = clock_monotonic_us () + WORK_FOR_US;
  if (!hour_is_reliable (service))
    return TRUE;
  if (!in_transaction (pg, SQL "ranges_left.sql", NULL, NULL, error))
    return FALSE;
  do
    if (!archive_page (pg, more, error))
      return FALSE;
  while (*more && clock_monotonic_us () < until_us);
  return TRUE;
}

gboolean
janitor_sweep (Service *service, Pg *pg, GError **error)
{
  return !hour_is_reliable (service) || quarantine_sweep (service, pg, error);
}

gboolean
janitor_mend_schedules (Service *service, Pg *pg, GError **error)
{
  return schedule_mend (pg, error);
}
