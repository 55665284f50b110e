#include "engine/job/sentence/foreseen.h"

#include "base/resource.h"
#include "engine/job/job_reading.h"
#include "engine/job/sentence/sentence_below.h"
#include "engine/job/sentence/sentence_key.h"
#include "engine/job/sentence/sentence_keys.h"

#define NAMES "src/engine/job/sentence/sql/foreseen_names.sql"

static gboolean
removes_own (const Job *job, const JobWhat *what)
{
  return what->apply->len > 0 && job->table != NULL
         && g_array_index (what->apply, JobApply, job_own_file (job, what)).kind == APPLY_DELETE;
}

/* The job's table, and the others that the files of WHAT delete from; names as SQL writes them. */
static PgRows *
ask_names (Pg *pg, const Job *job, const JobWhat *what, GError **error)
{
  GString *tables = array_new ();
  array_add (tables, job->table);
  for (guint i = 0; what != NULL && i < what->apply->len; i++) {
    const JobApply *file = &g_array_index (what->apply, JobApply, i);
    if (file->kind == APPLY_DELETE && !g_str_equal (file->table, job->table))
      array_add (tables, file->table);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "tables", array_take (tables));
  return pg_run_file (pg, NAMES, values, error);
}

static Sentence *
sentence_like (const Job *job, const PgRows *names)
{
  Sentence *sentence = sentence_new ();
  sentence->name = g_strdup (job->name);
  sentence->table = g_strdup (rows_text (names, 0, "name"));
  for (int i = 1; i < rows_count (names); i++) {
    SentenceChild *child = g_new0 (SentenceChild, 1);
    child->table = g_strdup (rows_text (names, i, "name"));
    g_ptr_array_add (sentence->children, child);
  }
  return sentence;
}

/* The keys of ROWS, a query of rows of TABLE, as a table pruned_k. */
static char *
keys_of_rows (const CatTable *table, const char *rows)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < table->key->len; i++)
    list_add (names, ", ", "pruned_r.%s AS pruned_%u",
              ((const CatColumn *)table->key->pdata[i])->quoted, i + 1);
  return g_strdup_printf ("(SELECT %s FROM (\n%s\n) AS pruned_r) AS pruned_k", names->str, rows);
}

/* ROWS: a query of the rows that go; NULL: `:key` says them. NULL: nothing is below. */
static char *
text_of (const Sentence *sentence, const Catalogue *catalogue, const char *rows)
{
  const CatTable *table = catalogue->tables->pdata[0];
  if ((table->kind != 'r' && table->kind != 'p') || table->key->len == 0)
    return NULL;
  g_autoptr (Words) words = words_new ();
  words_take (words, "keys",
              rows != NULL ? keys_of_rows (table, rows) : sentence_key_rows (table, "key"));
  words_take (words, "match", list_equal (table->own, table->key, "pruned_k"));
  g_autoptr (Below) below = below_foresee (sentence, catalogue, words);
  return below_write_count (below);
}

/* WHAT: NULL, the rows are those of ROWS. */
static gboolean
read_counts (Pg *pg, const Job *job, const JobWhat *what, const char *rows,
             const PgStatement **counts, GError **error)
{
  g_autoptr (PgRows) names = ask_names (pg, job, what, error);
  if (names == NULL)
    return FALSE;
  g_autoptr (Sentence) sentence = sentence_like (job, names);
  g_autoptr (Catalogue) catalogue = catalogue_read (pg, sentence, error);
  g_autofree char *text = catalogue != NULL ? text_of (sentence, catalogue, rows) : NULL;
  if (text == NULL)
    return catalogue != NULL;
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1),
                  *name = g_strdup_printf ("[foreseen %s] %s.sql#%.20s", job->name,
                                           what != NULL ? what->word : "rows", sum);
  *counts = job_reading (name, text, FALSE, error);
  return *counts != NULL;
}

GPtrArray *
foreseen_read (Pg *pg, const Job *job, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    const PgStatement *counts = job->sentence != NULL && what->apply->len > 0 ? job->below : NULL;
    if (job->sentence == NULL && removes_own (job, what)
        && !read_counts (pg, job, what, NULL, &counts, error))
      return NULL;
    g_ptr_array_add (all, (gpointer)counts);
  }
  return g_steal_pointer (&all);
}

gboolean
foreseen_read_rows (Pg *pg, const Job *job, const PgStatement **counts, GError **error)
{
  g_autofree char *path = g_build_filename (job->folder, "rows.sql", NULL);
  *counts = NULL;
  if (!resource_exists (path))
    return TRUE;
  g_autofree char *rows = resource_sql (path, error);
  return rows != NULL && read_counts (pg, job, NULL, rows, counts, error);
}
