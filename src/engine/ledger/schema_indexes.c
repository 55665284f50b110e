#include "engine/ledger/schema.h"

#include "base/resource.h"
#include "engine/job/in_force.h"

#include <string.h>

/* CREATE [UNIQUE] INDEX CONCURRENTLY [IF NOT EXISTS] name ON table (columns) ... */
#define STATEMENT                                                                                  \
  "^CREATE (UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?([a-z_0-9]+) ON ([a-z_0-9]+) ?(\\(.*)$"

static void
index_free (gpointer data)
{
  WantedIndex *index = data;
  g_free (index->name);
  g_free (index->table);
  g_free (index->create);
  g_free (index->drop);
  g_free (index);
}

/* The statements found so far, as columns for the query. */
typedef struct {
  GPtrArray *indexes;
  GString *names, *relations, *kinds, *rests;
} Wanted;

/* Two jobs can need the same index. */
static gboolean
is_wanted (const Wanted *wanted, const char *name)
{
  for (guint i = 0; i < wanted->indexes->len; i++)
    if (g_str_equal (((WantedIndex *)wanted->indexes->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
add_statement (Wanted *wanted, const Job *job, const char *sql, GError **error)
{
  g_autoptr (GRegex) pattern = g_regex_new (STATEMENT, G_REGEX_CASELESS | G_REGEX_DOTALL, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  if (!g_regex_match (pattern, sql, 0, &match))
    return error_fatal (
        error, "%s/indexes.sql: not CREATE [UNIQUE] INDEX CONCURRENTLY name ON table (columns): %s",
        job->folder, sql);
  g_autofree char *name = g_match_info_fetch (match, 2);
  if (is_wanted (wanted, name))
    return TRUE;
  WantedIndex *index = g_new0 (WantedIndex, 1);
  index->job = job;
  index->name = g_steal_pointer (&name);
  index->table = g_match_info_fetch (match, 3);
  g_ptr_array_add (wanted->indexes, index);
  g_autofree char *kind = g_match_info_fetch (match, 1), *rest = g_match_info_fetch (match, 4);
  array_add (wanted->names, index->name);
  array_add (wanted->relations, index->table);
  array_add (wanted->kinds, kind);
  array_add (wanted->rests, rest);
  return TRUE;
}

/* Splits the file into statements, without comments and line ends. */
static gboolean
add_job (Wanted *wanted, const Job *job, GError **error)
{
  g_autofree char *path = g_build_filename (job->folder, "indexes.sql", NULL);
  if (!resource_exists (path))
    return TRUE;
  g_autofree char *text = resource_text (path, error);
  if (text == NULL)
    return FALSE;
  g_autoptr (GRegex) noise = g_regex_new ("--[^\n]*|\\s+", 0, 0, NULL);
  g_autofree char *plain = g_regex_replace_literal (noise, text, -1, 0, " ", 0, NULL);
  g_auto (GStrv) parts = g_strsplit (plain, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    g_autofree char *single = g_regex_replace_literal (noise, parts[i], -1, 0, " ", 0, NULL);
    if (*g_strstrip (single) != '\0' && !add_statement (wanted, job, single, error))
      return FALSE;
  }
  return TRUE;
}

static IndexState
state_of (const PgRows *rows, int row)
{
  if (!rows_bool (rows, row, "has_table"))
    return INDEX_NO_TABLE;
  if (rows_bool (rows, row, "there"))
    return INDEX_THERE;
  return rows_bool (rows, row, "invalid") ? INDEX_INVALID : INDEX_MISSING;
}

static gboolean
look (Wanted *wanted, Pg *pg, const char *app_schema, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", app_schema);
  pg_values_take (values, "name", array_take (g_steal_pointer (&wanted->names)));
  pg_values_take (values, "relation", array_take (g_steal_pointer (&wanted->relations)));
  pg_values_take (values, "kind", array_take (g_steal_pointer (&wanted->kinds)));
  pg_values_take (values, "rest", array_take (g_steal_pointer (&wanted->rests)));
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/ledger/sql/schema_indexes.sql", values, error);
  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < wanted->indexes->len; i++) {
    WantedIndex *index = wanted->indexes->pdata[i];
    if ((int)i >= rows_count (rows)) { /* the schema does not exist */
      index->state = INDEX_NO_TABLE;
      continue;
    }
    index->state = state_of (rows, (int)i);
    index->create = g_strdup (rows_text (rows, (int)i, "make"));
    index->drop = g_strdup (rows_text (rows, (int)i, "remove"));
  }
  return TRUE;
}

static gboolean
add_jobs (Wanted *wanted, const Jobs *jobs, GError **error)
{
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (!add_job (wanted, jobs_at (jobs, i), error))
      return FALSE;
  return TRUE;
}

GPtrArray *
schema_indexes (Pg *pg, const Jobs *jobs, GError **error)
{
  g_autoptr (GPtrArray) indexes = g_ptr_array_new_with_free_func (index_free);
  if (jobs_count (jobs) == 0)
    return g_steal_pointer (&indexes);
  const char *app_schema = config_text (in_force_config (), "postgres", "app_schema");
  Wanted wanted = { indexes, array_new (), array_new (), array_new (), array_new () };
  gboolean ok = add_jobs (&wanted, jobs, error) && look (&wanted, pg, app_schema, error);
  GString *left[] = { wanted.names, wanted.relations, wanted.kinds, wanted.rests };
  for (guint i = 0; i < G_N_ELEMENTS (left); i++)
    if (left[i] != NULL)
      g_string_free (left[i], TRUE);
  return ok ? g_steal_pointer (&indexes) : NULL;
}

gboolean
schema_index_make (Pg *pg, const WantedIndex *index, GError **error)
{
  if (index->state == INDEX_INVALID && !pg_script (pg, index->drop, error))
    return FALSE;
  return pg_script (pg, index->create, error);
}

void
schema_warn_indexes (Pg *pg, const Jobs *jobs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) indexes = pg_ensure (pg, &error) ? schema_indexes (pg, jobs, &error) : NULL;
  if (indexes == NULL)
    log_warning ("Could not check for missing indexes", "detail", error->message);
  for (guint i = 0; indexes != NULL && i < indexes->len; i++) {
    const WantedIndex *index = indexes->pdata[i];
    if (index->state == INDEX_MISSING || index->state == INDEX_INVALID)
      log_warning (
          "An index that the job's cursor needs is missing: pages get slower as the table grows",
          "job", index->job->name, "index", index->name, "table", index->table, "remedy",
          "pruned migrate --indexes");
  }
}
