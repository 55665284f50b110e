#include "engine/clock/growth.h"

#define LEAST_BYTES (1 << 20)

gboolean
growth_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/clock/sql/ledger_size.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  gint64 bytes = rows_int (rows, 0, "bytes");
  if (bytes >= MAX (2 * service->ledger_bytes, LEAST_BYTES)) {
    service->ledger_bytes = bytes;
    g_atomic_int_inc (&service->plans);
  } else if (bytes
             < service->ledger_bytes
                   / 2) /* VACUUM has given back its end, and plans were made for what is left */
    service->ledger_bytes = bytes;
  return TRUE;
}
