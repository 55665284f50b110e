#include "engine/ledger/place_holders.h"

#define SQL "src/engine/ledger/sql/"
#define POSTPONE_MS 1000

static char *
ids_of (const GPtrArray *holders)
{
  GString *array = array_new ();
  for (guint i = 0; i < holders->len; i++)
    if (holders->pdata[i] != NULL)
      array_add (array, holders->pdata[i]);
  return array_take (array);
}

static PgRows *
lock_holders (Pg *pg, const char *file, const GPtrArray *holders, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", ids_of (holders));
  return pg_run_file (pg, file, values, error);
}

gboolean
place_yield_to_holders (Pg *pg, GArray *specs, const GArray *losers, const GPtrArray *holders,
                        GError **error)
{
  g_autoptr (PgRows) rows = lock_holders (pg, SQL "place_wait.sql", holders, error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) unfinished = rows_index (rows, "run_id");
  for (guint i = 0; i < losers->len; i++)
    if (holders->pdata[i] != NULL && g_hash_table_contains (unfinished, holders->pdata[i]))
      g_array_index (specs, RunSpec, g_array_index (losers, guint, i)).placed = PLACED_RUNNING;
  return TRUE;
}

static gboolean
supersede (Pg *pg, GString *ids, GString *successors, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  gboolean any = ids->len > 1;
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "successor", array_take (successors));
  if (!any)
    return TRUE;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "place_supersede.sql", values, error);
  return rows != NULL;
}

static void
postpone (RunSpec *spec)
{
  spec->state = "waiting";
  spec->late_key = TRUE;
  spec->delay_ms += POSTPONE_MS;
}

void
place_skip (RunSpec *spec, const char *holder)
{
  spec->state = "skipped";
  g_free (spec->error);
  spec->error = g_strdup_printf ("overlaps %s", holder);
}

gboolean
place_meet_holders (Pg *pg, GArray *specs, const GArray *losers, const GPtrArray *holders,
                    GError **error)
{
  g_autoptr (PgRows) rows = lock_holders (pg, SQL "place_holders.sql", holders, error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) at_rest = rows_index (rows, "run_id");
  g_autoptr (GHashTable) taken
      = g_hash_table_new (g_str_hash, g_str_equal); /* holders that are superseded */
  GString *ids = array_new (), *successors = array_new ();
  for (guint i = 0; i < losers->len; i++) {
    RunSpec *spec = &g_array_index (specs, RunSpec, g_array_index (losers, guint, i));
    const char *holder = holders->pdata[i];
    if (holder == NULL || spec->state != NULL)
      continue; /* the holder has ended: insert again */
    int row = GPOINTER_TO_INT (g_hash_table_lookup (at_rest, holder)) - 1;
    if (row < 0)
      postpone (spec);
    else if (g_hash_table_contains (taken, holder))
      continue; /* it meets the successor in the next round */
    else if (rows_bool (rows, row, "retrying")) {
      g_hash_table_add (taken, (gpointer)holder);
      spec->attempts = (int)rows_int (rows, row, "attempts");
      array_add (ids, holder);
      array_add (successors, spec->run_id);
    } else
      place_skip (spec, holder);
  }
  return supersede (pg, ids, successors, error);
}
