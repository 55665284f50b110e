#include "engine/step/held_below.h"

#include "engine/job/sentence/sentence.h"
#include "engine/step/bisect.h"
#include "engine/step/held.h"

#define SQL "src/engine/step/sql/held_below.sql"

gboolean
held_below_matters (const Job *job, const char *word)
{
  const JobWhat *what = job_what (job, word);
  gboolean deletes = FALSE;
  for (guint i = 0; what != NULL && i < what->apply->len; i++)
    deletes |= g_array_index (what->apply, JobApply, i).kind == APPLY_DELETE;
  return deletes && job->table != NULL;
}

/* Whether the rows that the job decides about stay, and only others go with them: those of a
 * sentence with `set`, and of a job whose files delete from other tables alone. TABLES gets these;
 * of a job whose files delete nothing, its code does, and nothing is known. */
static gboolean
rows_stay (const Job *job, GString *tables)
{
  gboolean stay = TRUE, deletes = FALSE;
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *files = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < files->len; k++) {
      const JobApply *file = &g_array_index (files, JobApply, k);
      if (file->kind == APPLY_DELETE)
        array_add (tables, file->table);
      deletes |= file->kind == APPLY_DELETE;
      stay &= !file->watched
              && (file->kind != APPLY_DELETE || !g_str_equal (file->table, job->table));
    }
  }
  return stay && deletes;
}

static void
add_children (GString *tables, const Sentence *sentence)
{
  const GPtrArray *children = sentence != NULL ? sentence->children : NULL;
  for (guint i = 0; children != NULL && i < children->len; i++)
    array_add (tables, ((const SentenceChild *)children->pdata[i])->table);
}

PgRows *
held_below_ask (Pg *pg, const Job *job, const GPtrArray *keys, GError **error)
{
  GString *others = array_new (), *children = array_new ();
  add_children (children, job->sentence);
  const gboolean set = job->sentence != NULL && job->sentence->kind == SENTENCE_SET,
                 stay = rows_stay (job, others) && job->sentence == NULL;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "table", job->table);
  pg_values_take (values, "key", array_of_texts (keys));
  pg_values_take (values, "named", array_take (stay ? others : children));
  g_string_free (stay ? children : others, TRUE);
  pg_values_set (values, "only_named", set || stay ? "t" : "f");
  pg_values_set (values, "forbidding", "t");
  return pg_run_file (pg, SQL, values, error);
}

GHashTable *
held_below_kinds (Pg *pg, const Job *job, const PgRows *rows, GError **error)
{
  g_autoptr (GHashTable) kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (int i = 0; i < rows_count (rows); i++)
    if (held_below_matters (job, rows_text (rows, i, "what")))
      g_ptr_array_add (keys, (gpointer)rows_text (rows, i, "key"));
  if (keys->len == 0)
    return g_steal_pointer (&kinds);
  g_autoptr (PgRows) held = held_below_ask (pg, job, keys, error);
  for (int i = 0; held != NULL && i < rows_count (held); i++)
    if (rows_text (held, i, "owner") != NULL)
      g_hash_table_insert (kinds, g_strdup (rows_text (held, i, "owner")),
                           g_strdup (rows_text (held, i, "kind")));
  return held != NULL ? g_steal_pointer (&kinds) : NULL;
}

/* All that its statements delete lies on the ways that the catalogue knows. */
static gboolean
goes_by_keys (const Job *job)
{
  const GPtrArray *children = job->sentence != NULL ? job->sentence->children : NULL;
  gboolean known = job->sentence != NULL;
  for (guint i = 0; children != NULL && i < children->len; i++)
    known &= ((const SentenceChild *)children->pdata[i])->columns == NULL;
  return known;
}

static void
note (Step *step, const PgRows *rows, int row)
{
  const char *item = rows_text (rows, row, "item");
  g_autofree char *reason = g_strdup_printf (
      "%s would go with it, a row that is held: pruned release '%s' releases it", item, item);
  if (step->bisect != NULL)
    bisect_note (step->bisect, rows_text (rows, row, "owner"), reason,
                 rows_text (rows, row, "kind"));
}

gboolean
held_below_none (Step *step, const Trial *trial, GError **error)
{
  const Job *job = step_form (step);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  GError *cause = NULL;
  int found = -1;
  step->below_known = FALSE;
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (held_below_matters (job, trial->what[i]))
      g_ptr_array_add (keys, (gpointer)rows_text (trial->decided, i, "key"));
  g_autoptr (PgRows) rows = keys->len > 0 ? held_below_ask (step->pg, job, keys, &cause) : NULL;
  if (cause != NULL)
    return held_explain (step, cause, error);
  step->below_known = goes_by_keys (job);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (rows_text (rows, i, "owner") == NULL)
      step->below_known = FALSE;
    else {
      note (step, rows, i);
      found = i;
    }
  return found < 0
         || step_keep (step, error, rows_text (rows, found, "kind"),
                       rows_text (rows, found, "item"), rows_text (rows, found, "owner"));
}

/* --- what jobs see of it (pruned/job.h) --- */

gboolean
step_rows_are_held (const Step *step)
{
  return step->run->holds;
}

gboolean
step_keeps_below (Step *step, const char *table, const char *key, GError **error)
{
  GError *cause = NULL;
  GString *keys = array_new ();
  array_add (keys, key);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "table", table);
  pg_values_take (values, "key", array_take (keys));
  pg_values_set (values, "named", "{}");
  pg_values_set (values, "only_named", "f");
  pg_values_set (values, "forbidding", "f");
  g_autoptr (PgRows) rows = step->run->holds ? pg_run_file (step->pg, SQL, values, &cause) : NULL;
  if (cause != NULL)
    return held_explain (step, cause, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (rows_text (rows, i, "owner") != NULL)
      return step_keep (step, error, rows_text (rows, i, "kind"), rows_text (rows, i, "item"),
                        "it");
  return TRUE;
}
