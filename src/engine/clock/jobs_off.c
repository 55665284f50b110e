#include "engine/clock/jobs_off.h"

#include "engine/job/in_force.h"

gboolean
jobs_off_look (Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "off", in_force_names (FALSE));
  if (g_str_equal (pg_values_get (values, "off"), "{}"))
    return TRUE;
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/clock/sql/jobs_off.sql", values, error);
  return rows != NULL;
}
