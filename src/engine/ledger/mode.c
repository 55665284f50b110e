#include "engine/ledger/mode.h"

#include "engine/job/in_force.h"

gboolean
mode_read (Pg *pg, GError **error)
{
  if (!pg_begin (pg, error))
    return FALSE;
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/ledger/sql/mode.sql", NULL, error);
  pg_rollback (pg);
  if (rows != NULL && rows_count (rows) > 0)
    in_force_record_mode (rows_text (rows, 0, "mode"));
  return rows != NULL;
}
