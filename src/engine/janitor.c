#include "engine/janitor.h"

#include "base/clock.h"

#define SQL "src/engine/sql/"
#define DAYS_EVERY_US (10 * G_TIME_SPAN_MINUTE)
#define ARCHIVE_EVERY_US (5 * G_TIME_SPAN_SECOND)

static gboolean
in_transaction (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (pg, file, values, error);
  if (rows != NULL && pg_commit (pg, error))
    return TRUE;
  pg_rollback (pg);
  return FALSE;
}

static gboolean
keep_days (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "audit_days", config_int (service->config, "audit", "keep_days"));
  pg_values_int (values, "run_days", config_int (service->config, "runs", "keep_days") + 1);
  return in_transaction (pg, SQL "audit_days.sql", values, error)
         && in_transaction (pg, SQL "timers_forget.sql", values, error);
}

static gboolean
tell_clock (Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "now_us", clock_now_us ());
  return in_transaction (pg, SQL "clock.sql", values, error);
}

gboolean
janitor_look (Service *service, Pg *pg, GError **error)
{
  static gint64 days_us, archive_us; /* of the one dispatcher thread */
  gint64 now = clock_monotonic_us ();
  if (days_us == 0 || now - days_us > DAYS_EVERY_US)
    {
      days_us = now;
      if (!tell_clock (pg, error) || !keep_days (service, pg, error))
        return FALSE;
    }
  if (archive_us != 0 && now - archive_us < ARCHIVE_EVERY_US)
    return TRUE;
  archive_us = now;
  return in_transaction (pg, SQL "archive_days.sql", NULL, error) && in_transaction (pg, SQL "archive.sql", NULL, error);
}
