#include "base/clock.h"
#include "cli/holds/holds.h"

#define POLL_US (100 * 1000) /* between two looks at what has begun before */
#define SAY_US (5 * G_USEC_PER_SEC)

static PgRows *
ask_before (Pg *pg, gboolean leases, const PgRows *of, GError **error)
{
  GString *what = array_new ();
  for (int i = 0; of != NULL && i < rows_count (of); i++)
    array_add (what, rows_text (of, i, "what"));
  g_autofree char *list = array_take (what);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "of", of != NULL ? list : NULL);
  pg_values_set (values, "leases", leases ? "t" : "f");
  return pg_run_file (pg, "src/cli/holds/sql/before.sql", values, error);
}

gboolean
holds_wait (Pg *pg, gboolean leases, GError **error)
{
  gint64 said_us = clock_monotonic_us ();
  g_autoptr (PgRows) first = ask_before (pg, leases, NULL, error);
  while (first != NULL && rows_count (first) > 0) {
    g_usleep (POLL_US);
    PgRows *left = ask_before (pg, leases, first, error);
    rows_free (first);
    first = left;
    if (first == NULL || rows_count (first) == 0 || clock_monotonic_us () - said_us < SAY_US)
      continue;
    said_us = clock_monotonic_us ();
    g_printerr ("Rows are held; waiting for what has begun before: %s\n",
                rows_text (first, 0, "what"));
  }
  return first != NULL;
}
