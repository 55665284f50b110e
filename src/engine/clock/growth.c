#include "engine/clock/growth.h"

#define LEAST_BYTES (1 << 20)

gboolean
growth_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/clock/sql/ledger_size.sql", NULL, error);
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
