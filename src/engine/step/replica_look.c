#include "engine/step/replica_look.h"

#define SQL "src/engine/step/sql/"

const char *const replica_words[REPLICA_N]
    = { "used", "last", "shared",   "failed",  "behind", "paused",
        "away", "slow", "promoted", "foreign", "refused" };

void
replica_mark_clear (ReplicaMark *mark)
{
  g_clear_pointer (&mark->lsn, g_free);
  g_clear_pointer (&mark->identity, g_free);
}

gboolean
replica_mark (Pg *primary, ReplicaMark *mark, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (primary, SQL "replica_mark.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  replica_mark_clear (mark);
  mark->lsn = g_strdup (rows_text (rows, 0, "lsn"));
  mark->identity = g_strdup (rows_text (rows, 0, "identity"));
  return TRUE;
}

static ReplicaState
state_of (const PgRows *rows)
{
  if (!rows_bool (rows, 0, "same"))
    return REPLICA_FOREIGN;
  if (!rows_bool (rows, 0, "standby"))
    return REPLICA_PROMOTED;
  gboolean fresh = !rows_bool (rows, 0, "is_behind") && rows_bool (rows, 0, "known");
  return fresh ? REPLICA_USED : rows_bool (rows, 0, "paused") ? REPLICA_PAUSED : REPLICA_BEHIND;
}

gboolean
replica_look (Pg *standby, const ReplicaMark *mark, const ReplicaRun *run, ReplicaLook *look,
              GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "lsn", mark->lsn);
  pg_values_set (values, "identity", mark->identity);
  pg_values_set (values, "run_id", run != NULL ? run->run_id : NULL);
  pg_values_int (values, "step", run != NULL ? run->step : 0);
  pg_values_int (values, "attempts", run != NULL ? run->attempts : 0);
  g_autoptr (PgRows) rows = pg_run_file (standby, SQL "replica_look.sql", values, error);
  if (rows == NULL)
    return FALSE;
  const char *behind_s = rows_text (rows, 0, "behind_s");
  *look = (ReplicaLook){ .state = state_of (rows),
                         .known = rows_bool (rows, 0, "known"),
                         .behind_bytes = rows_int (rows, 0, "behind"),
                         .behind_s = behind_s != NULL ? g_ascii_strtod (behind_s, NULL) : 0 };
  return TRUE;
}

char *
replica_look_words (const ReplicaLook *look)
{
  switch (look->state) {
  case REPLICA_PROMOTED:
    return g_strdup ("it is not in recovery, so it is no standby");
  case REPLICA_FOREIGN:
    return g_strdup ("it belongs to another cluster, or to another database than [postgres] url");
  default:
    return g_strdup_printf ("%" G_GINT64_FORMAT " bytes, %.1f s%s%s", look->behind_bytes,
                            look->behind_s, look->known ? "" : ", it does not show the run",
                            look->state == REPLICA_PAUSED ? ", its replay is paused" : "");
  }
}

ReplicaState
replica_state_of_error (const Pg *standby, const GError *error)
{
  return error->code == PRUNED_OUTAGE ? REPLICA_AWAY
         : pg_is_class42 (standby)    ? REPLICA_REFUSED
                                      : REPLICA_FAILED;
}
