#include "pg/commit.h"

#include "base/clock.h"
#include "pg/pg_private.h"

#define ASK_US (5 * G_USEC_PER_SEC)
#define ASK_EVERY_US (200 * G_TIME_SPAN_MILLISECOND)

#define DOUBT                                                                                      \
  "it is not known how the commit has ended%s: what was asked for may be in effect, or come into " \
  "effect later; `pruned journal` lists it once it is (%s)"
#define STANDBY ", which waits for a synchronous standby (synchronous_standby_names)"

gboolean
commit_note (Pg *pg, GError **error)
{
  g_clear_pointer (&pg->number, g_free);
  g_clear_pointer (&pg->server, g_free);
  pg->in_doubt = FALSE;
  if (pg->sent->len > 0 && (!pg_flush (pg, error) || !pg_finish (pg, error)))
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/pg/sql/commit_number.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  pg->number = g_strdup (rows_text (rows, 0, "number"));
  pg->server = g_strdup (rows_text (rows, 0, "server"));
  return TRUE;
}

/* One row; NULL: the server cannot be asked. */
static PgRows *
ask (Pg *pg)
{
  g_autoptr (GError) ignored = NULL;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "number", pg->number);
  pg_values_set (values, "server", pg->server);
  return pg_run_file (pg, "src/pg/sql/commit_end.sql", values, &ignored);
}

gboolean
commit_find_out (Pg *pg, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + ASK_US;
  g_autoptr (GError) lost = g_steal_pointer (error);
  gboolean waits = FALSE;
  do {
    g_autoptr (PgRows) rows = ask (pg);
    const char *state = rows != NULL ? rows_text (rows, 0, "state") : NULL;
    waits = rows != NULL && rows_bool (rows, 0, "waits");
    if (g_strcmp0 (state, "committed") == 0)
      return TRUE;
    if (g_strcmp0 (state, "aborted") == 0)
      return error_set (error, PRUNED_OUTAGE, "nothing was changed: %s", lost->message);
    if (rows != NULL && state == NULL)
      break;
    g_usleep (ASK_EVERY_US);
  } while (clock_monotonic_us () < until_us);
  pg->in_doubt = TRUE;
  return error_set (error, PRUNED_OUTAGE, DOUBT, waits ? STANDBY : "", lost->message);
}
