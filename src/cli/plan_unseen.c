#include "cli/plan_unseen.h"

#include "engine/job/job_writes.h"
#include "engine/job/sentence/complete.h"

#define SQL "src/cli/sql/plan_unseen.sql"

static void
add_once (GPtrArray *tables, const char *table)
{
  if (!g_ptr_array_find_with_equal_func (tables, table, g_str_equal, NULL))
    g_ptr_array_add (tables, (gpointer)table);
}

static void
add_removed (const Job *job, const char *table, const char *privilege, gpointer others)
{
  if (g_str_equal (privilege, "DELETE") && g_strcmp0 (table, job->table) != 0)
    add_once (others, g_intern_string (table));
}

/* The tables of JOB's files of this KIND, its own first; of a job in C also those that its steps
 * delete from. */
static char *
tables_of (const Job *job, ApplyKind kind)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new (), others = g_ptr_array_new ();
  if (job->built_in && kind == APPLY_DELETE) {
    add_once (own, job->table);
    job_writes_each (job, add_removed, others);
  }
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++) {
      const JobApply *file = &g_array_index (apply, JobApply, k);
      if (file->kind == kind)
        add_once (g_strcmp0 (file->table, job->table) == 0 ? own : others, file->table);
    }
  }
  g_ptr_array_extend (own, others, NULL, NULL);
  return array_of_texts (own);
}

/* The columns that a sentence sets; NULL: not known. */
static char *
columns_of (const Job *job)
{
  if (job->sentence == NULL)
    return NULL;
  GString *columns = array_new ();
  for (guint i = 0; i < job->sentence->set->len; i++)
    array_add (columns, ((SentenceSet *)job->sentence->set->pdata[i])->column);
  return array_take (columns);
}

/* What a sentence empties in other tables (SET NULL) it knows; keys that lead to that are followed
 * from its own rows. */
static PgValues *
question_of (const Job *job)
{
  PgValues *values = pg_values_new ();
  pg_values_take (values, "removed", tables_of (job, APPLY_DELETE));
  if (job->sentence == NULL)
    pg_values_take (values, "changed", tables_of (job, APPLY_UPDATE));
  else {
    GString *own = array_new ();
    if (job->sentence->kind == SENTENCE_SET)
      array_add (own, job->table);
    pg_values_take (values, "changed", array_take (own));
  }
  pg_values_take (values, "columns", columns_of (job));
  pg_values_set (values, "files", job_is_own_folder (job) ? "true" : "false");
  pg_values_set (values, "built_in",
                 job->built_in && (job->code == NULL || job->code->foresee == NULL) ? "true"
                                                                                    : "false");
  return values;
}

static void
add_item (GString *words, const PgRows *rows, int row)
{
  const char *why = rows_text (rows, row, "why"), *name = rows_text (rows, row, "name"),
             *table = rows_text (rows, row, "tab");
  if (words->len > 0)
    g_string_append (words, "; ");
  if (g_str_equal (why, "right"))
    g_string_append_printf (words, "rows of %s, which this role does not see", table);
  else if (g_str_equal (why, "key"))
    g_string_append_printf (words, "rows of %s that ON UPDATE of %s changes", table, name);
  else if (g_str_equal (why, "beside"))
    g_string_append_printf (words, "rows of %s that go or change with those of %s", table, name);
  else if (g_str_equal (why, "file"))
    g_string_append_printf (words, "rows of %s, which no foreign key names", table);
  else
    g_string_append_printf (words, "what %s %s of %s changes", why, name, table);
}

void
plan_say_unseen (Output *out, Pg *pg, const Job *job)
{
  g_autofree char *refusal = NULL;
  g_autoptr (PgRows) rows = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) words = g_string_new (NULL);
  const Job *whole
      = pg_begin_read_only (pg, &error) ? job_complete (pg, job, &refusal, &error) : NULL;
  if (whole != NULL) {
    g_autoptr (PgValues) values = question_of (whole);
    rows = pg_run_file (pg, SQL, values, &error);
  }
  pg_rollback (pg);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    add_item (words, rows, i);
  if (rows == NULL)
    log_warning ("It is not known what the plan does not foresee", "job", job->name, "error",
                 error != NULL ? error->message : refusal);
  if (words->len == 0)
    return;
  g_autoptr (json_t) said = json_pack ("{s:s}", "not_foreseen", words->str);
  output_object (out, said);
  output_say (out, "not foreseen: %s", words->str);
}
