#include "engine/ledger/unrecorded.h"

#include "engine/job/in_force.h"
#include "engine/job/job_tables.h"
#include "engine/ledger/keeping.h"
#include "pg/quoted.h"

#define SQL "src/engine/ledger/sql/"

typedef struct {
  GString *tables, *how; /* how: DELETE or UPDATE */
} Wanted;

static void
want (const Job *job, const char *table, const char *privilege, gpointer data)
{
  const Wanted *wanted = data;
  if (job->sentence != NULL && g_str_equal (privilege, "UPDATE")
      && !g_str_equal (table, job->table))
    return; /* only a foreign key of it is emptied */
  array_add (wanted->tables, table);
  array_add (wanted->how, privilege);
}

static void
unrecorded_free (gpointer data)
{
  Unrecorded *column = data;
  g_free (column->column);
  g_free (column->why);
  g_free (column);
}

/* The tables that its statements change: of a sentence that is complete also those that only the
 * catalogue names. */
static void
want_tables (const Job *job, Wanted *wanted)
{
  if (job->sentence == NULL || job->whats->len == 0)
    job_tables_each (job, want, wanted);
  for (guint i = 0; job->sentence != NULL && i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++) {
      const JobApply *file = &g_array_index (apply, JobApply, k);
      if (file->kind != APPLY_INSERT)
        want (job, file->table, file->kind == APPLY_UPDATE ? "UPDATE" : "DELETE", wanted);
    }
  }
}

char *
unrecorded_emptied (const Job *job)
{
  if (job == NULL || (job->sentence == NULL && !job->built_in))
    return NULL;
  GString *columns = array_new ();
  for (guint i = 0; job->sentence != NULL && i < job->sentence->set->len; i++) {
    const SentenceSet *set = job->sentence->set->pdata[i];
    g_autofree char *bare = quoted_bare (set->column);
    array_add (columns, bare);
  }
  return array_take (columns);
}

static PgValues *
values_of (const Job *job)
{
  const Config *config = in_force_config ();
  Wanted wanted = { array_new (), array_new () };
  want_tables (job, &wanted);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "tab", array_take (wanted.tables));
  pg_values_take (values, "how", array_take (wanted.how));
  pg_values_take (values, "emptied", unrecorded_emptied (job));
  pg_values_set (values, "record", job_recorded (job));
  pg_values_take (values, "secret", keeping_secret (config));
  pg_values_set (values, "audit",
                 job->audit != NULL ? job->audit : config_text (config, "audit", "rows"));
  pg_values_take (values, "audit_of",
                  job->audit != NULL ? g_strdup ("{}") : keeping_rows_of (config));
  return values;
}

GPtrArray *
unrecorded_find (Pg *pg, const Job *job, GError **error)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func (unrecorded_free);
  if (!job->kind->rows)
    return g_steal_pointer (&columns);
  g_autoptr (PgValues) values = values_of (job);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "unrecorded.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    if (job->built_in && !rows_bool (rows, i, "lost"))
      continue;
    Unrecorded *column = g_new0 (Unrecorded, 1);
    *column = (Unrecorded){ g_strdup (rows_text (rows, i, "name")),
                            g_strdup (rows_text (rows, i, "why")), rows_bool (rows, i, "lost"),
                            rows_bool (rows, i, "vain") };
    g_ptr_array_add (columns, column);
  }
  return rows != NULL ? g_steal_pointer (&columns) : NULL;
}

char *
unrecorded_words (const GPtrArray *columns)
{
  g_autoptr (GString) words = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++) {
    const Unrecorded *column = columns->pdata[i];
    if (!column->vain)
      g_string_append_printf (words, "%s%s%s", words->len > 0 ? ", " : "", column->column,
                              column->lost ? " (its rows cannot be put back)" : "");
  }
  return words->len > 0 ? g_strdup (words->str) : NULL;
}

gboolean
unrecorded_loses (const Job *job, const GPtrArray *columns)
{
  for (guint i = 0; i < columns->len; i++)
    if (((const Unrecorded *)columns->pdata[i])->lost)
      return job->final == NULL;
  return FALSE;
}
