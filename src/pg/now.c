#include "pg/pg.h"

gboolean
pg_now_us (Pg *pg, gint64 *now_us, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/pg/sql/now.sql", NULL, error);
  if (rows != NULL)
    *now_us = rows_int (rows, 0, "now");
  return rows != NULL;
}
