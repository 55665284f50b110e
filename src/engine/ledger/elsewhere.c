#include "engine/ledger/elsewhere.h"

#define SQL "src/engine/ledger/sql/"

struct _Elsewhere {
  Pg *pg;
  GHashTable *jobs; /* name -> Job; NULL: not asked yet */
};

Elsewhere *
elsewhere_new (Pg *pg)
{
  Elsewhere *self = g_new0 (Elsewhere, 1);
  self->pg = pg;
  return self;
}

void
elsewhere_free (Elsewhere *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->jobs, g_hash_table_unref);
  g_free (self);
}

static gboolean
ask (Elsewhere *self, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (self->pg, SQL "jobs_elsewhere.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  self->jobs = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, job_free);
  for (int i = 0; i < rows_count (rows); i++) {
    Job *job = job_of_name (rows_text (rows, i, "job"), (int)rows_int (rows, i, "capacity"));
    g_hash_table_insert (self->jobs, job->name, job);
  }
  return TRUE;
}

gboolean
elsewhere_find (Elsewhere *self, const char *name, const Job **job, GError **error)
{
  *job = NULL;
  if (self->jobs == NULL && !ask (self, error))
    return FALSE;
  *job = g_hash_table_lookup (self->jobs, name);
  return TRUE;
}
