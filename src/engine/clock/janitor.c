#include "engine/clock/janitor.h"

#include "base/clock.h"
#include "engine/clock/clocks.h"
#include "engine/clock/schedule.h"
#include "engine/job/in_force.h"
#include "engine/ledger/keeping.h"
#include "engine/step/quarantine.h"
#include "kafka/inspect.h"

#define SQL "src/engine/clock/sql/"
#define DAYS_EVERY_US (10 * G_TIME_SPAN_MINUTE)
#define ARCHIVE_EVERY_US (5 * G_TIME_SPAN_SECOND)
#define ARCHIVE_FOR_US (100 * G_TIME_SPAN_MILLISECOND) /* per second, as long as there is more */
/* Ended runs are kept for an hour, and so are the rows that a restore notes. A clock that is wrong
 * by less than half of that drops nothing too early. */
#define HOUR_SKEW_US (30 * G_TIME_SPAN_MINUTE)
#define SWEEP_EVERY_US (10 * G_TIME_SPAN_SECOND)
#define RETENTION_WAIT_MS 3000
#define DAY_MS (G_TIME_SPAN_DAY / 1000)
#define MEND_EVERY_US (15 * G_TIME_SPAN_SECOND)
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
static gboolean
note_states (Service *service, Pg *pg, GError **error)
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

/* DONE: the clocks agree, so what is old can be dropped. */
static gboolean
keep_days (Service *service, Pg *pg, gboolean *done, gint64 *event_days, GError **error)
{
  g_autoptr (PgValues) values = days_of (service);
  *done = clocks_agree (service, G_TIME_SPAN_DAY,
                        "Nothing old is dropped: the database's clock differs from this machine's");
  return !*done
         || (in_transaction (pg, SQL "audit_days.sql", NULL, NULL, error)
             && keeping_ask (pg, in_force_config (), error)
             && in_transaction (pg, SQL "audit_drop.sql", values, NULL, error)
             && ask_event_days (service, pg, values, event_days, error));
}

/* Deletes page by page, within its share of the second. *MORE: a page was full when time was up. */
static gboolean
forget (Service *service, Pg *pg, gint64 event_days, gboolean *more, GError **error)
{
  static const char *const files[] = { SQL "timers_forget.sql", SQL "verdicts_forget.sql",
                                       SQL "journal_forget.sql", SQL "event_ids_forget.sql" };
  g_autoptr (PgValues) values = days_of (service);
  pg_values_int (values, "event_days", event_days);
  gint64 until = clock_monotonic_us () + ARCHIVE_FOR_US;
  gboolean any = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (files) - (event_days < 0); i++)
    for (*more = TRUE; *more;) {
      if (!in_transaction (pg, files[i], values, more, error))
        return FALSE;
      if (*more && clock_monotonic_us () >= until) {
        any = TRUE;
        break;
      }
    }
  *more = any;
  return TRUE;
}

/* Writes this clock's difference from the server's into the session's application_name: with AGAIN,
 * and at once in a new session. The server's time is compared with the middle of the question's
 * duration; if that was too long (a slow server, a stopped process), the next look asks again. */
static gboolean
tell_clock (Pg *pg, gboolean again, GError **error)
{
  static guint session; /* number of the session that has it; 0: none */
  if (!again && pg_connections (pg) == session)
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

/* Page by page, as long as they are full. */
static gboolean
archive (Pg *pg, gboolean *more, GError **error)
{
  *more = TRUE;
  for (gint64 until = clock_monotonic_us () + ARCHIVE_FOR_US;
       *more && clock_monotonic_us () < until;)
    if (!archive_page (pg, more, error))
      return FALSE;
  return TRUE;
}

/* Can the database's clock be trusted for rows that are kept for an hour? */
static gboolean
hour_is_reliable (const Service *service)
{
  return clocks_agree (service, HOUR_SKEW_US,
                       "Nothing is archived: the database's clock differs from this machine's");
}

/* Removes entries of quarantine whose rows are gone. */
static gboolean
sweep (Service *service, Pg *pg, GError **error)
{
  static gint64 swept_us; /* of the one housekeeping thread */
  gint64 now = clock_monotonic_us ();
  if (swept_us != 0 && now - swept_us < SWEEP_EVERY_US)
    return TRUE;
  swept_us = now;
  if (!pg_begin (pg, error))
    return FALSE;
  if (quarantine_sweep (service, pg, error) && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  return FALSE;
}

gboolean
janitor_look (Service *service, Pg *pg, GError **error)
{
  static gint64 days_us, archive_us, mended_us; /* of the one housekeeping thread */
  static gint64 event_days;
  static gboolean forgetting;
  gint64 now = clock_monotonic_us ();
  gboolean again = days_us == 0 || now - days_us > DAYS_EVERY_US, done = FALSE;
  if (again)
    days_us = now;
  gboolean hour = hour_is_reliable (service);
  if ((hour && !sweep (service, pg, error)) || !tell_clock (pg, again, error)
      || (again
          && (!note_states (service, pg, error)
              || !keep_days (service, pg, &done, &event_days, error))))
    return FALSE;
  if (again && !done)
    days_us = 0;
  forgetting |= done;
  if (forgetting && !forget (service, pg, event_days, &forgetting, error))
    return FALSE;
  if (now - mended_us >= MEND_EVERY_US) {
    mended_us = now;
    if (!schedule_mend (pg, error))
      return FALSE;
  }
  if (!hour || (archive_us != 0 && now - archive_us < ARCHIVE_EVERY_US))
    return TRUE;
  if (!in_transaction (pg, SQL "ranges_left.sql", NULL, NULL, error))
    return FALSE;
  archive_us = now; /* also if it fails: housekeeping does other work before it tries again */
  gboolean more = FALSE;
  if (!archive (pg, &more, error))
    return FALSE;
  if (more)
    archive_us = 0;
  return TRUE;
}
