#include "engine/view/row/row_who.h"

#define SQL "src/engine/view/row/sql/"

static const Column WHO_COLUMNS[] = { { "at", CELL_TIME },
                                      { "run_id" },
                                      { "job" },
                                      { "scheduled_at", CELL_TIME, .detail = TRUE },
                                      { "table" },
                                      { "key" },
                                      { "action" },
                                      { "reason" },
                                      { "row", CELL_JSON },
                                      { "restore" },
                                      { "restored_at", CELL_TIME },
                                      { "erasure" },
                                      { "erasure_run" },
                                      { NULL } };

const Column *
row_who_columns (void)
{
  return WHO_COLUMNS;
}

void
row_who_clear (RowWho *who)
{
  g_clear_pointer (&who->answers, g_ptr_array_unref);
  g_clear_pointer (&who->found, g_array_unref);
}

/* --- which rule ------------------------------------------------------------------------------- */

static gboolean
does (const JobWhat *what, const char *table, gboolean deleted)
{
  for (guint i = 0; i < what->apply->len; i++) {
    const JobApply *apply = &g_array_index (what->apply, JobApply, i);
    if (g_str_equal (apply->table, table) && (apply->kind == APPLY_DELETE) == deleted)
      return TRUE;
  }
  return FALSE;
}

/* The word of the job's rule, as outcomes have it; a run that was asked for may carry its own. */
static const char *
reason_of (const Job *job, const char *table, const char *action, const json_t *args)
{
  const char *own = json_string_value (json_object_get (args, "reason"));
  if (own != NULL || job == NULL)
    return own;
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    const char *reason = json_string_value (json_object_get (what->constants, "reason"));
    if (does (what, table, g_str_equal (action, "deleted")))
      return reason != NULL ? reason : what->word;
  }
  return job->name;
}

char *
row_who_reason (const Jobs *jobs, const RowFound *found)
{
  const char *job = rows_text (found->rows, found->row, "job"),
             *args = rows_text (found->rows, found->row, "args");
  g_autoptr (json_t) parsed = args != NULL ? cell_from_text (CELL_JSON, args) : NULL;
  return job == NULL ? NULL
                     : g_strdup (reason_of (jobs_find_loaded (jobs, job),
                                            rows_text (found->rows, found->row, "table_name"),
                                            rows_text (found->rows, found->row, "action"), parsed));
}

char *
row_who_restore (const RowFound *found, gboolean on_a_line)
{
  const PgRows *rows = found->rows;
  const int row = found->row;
  if (rows_text (rows, row, "row") == NULL)
    return NULL;
  g_autofree char *item = item_argument (rows_text (rows, row, "table_name"),
                                         rows_text (rows, row, "typed"), on_a_line);
  return g_strdup_printf ("pruned restore %s --only %s", rows_text (rows, row, "run_id"), item);
}

static json_t *
text_or_null (const char *text)
{
  return text != NULL ? json_string (text) : json_null ();
}

json_t *
row_who_cells (const Jobs *jobs, const RowFound *found)
{
  const PgRows *rows = found->rows;
  const int row = found->row;
  g_autofree char *restore = row_who_restore (found, FALSE), *reason = row_who_reason (jobs, found);
  return json_pack ("[o, s, o, o, s, o, s, o, o, o, o, o, o]",
                    cell_from_text (CELL_TIME, rows_text (rows, row, "at")),
                    rows_text (rows, row, "run_id"), text_or_null (rows_text (rows, row, "job")),
                    cell_from_text (CELL_TIME, rows_text (rows, row, "scheduled_at")),
                    rows_text (rows, row, "table_name"),
                    text_or_null (rows_text (rows, row, "name")), rows_text (rows, row, "action"),
                    text_or_null (reason), cell_from_text (CELL_JSON, rows_text (rows, row, "row")),
                    text_or_null (restore),
                    cell_from_text (CELL_TIME, rows_text (rows, row, "restored_at")),
                    text_or_null (rows_text (rows, row, "erasure")),
                    text_or_null (rows_text (rows, row, "erasure_run")));
}

/* --- asking ----------------------------------------------------------------------------------- */

typedef struct {
  RowWho *who;
  Pg *pg;
  const Config *config;
  const Item *item;
  char *spellings; /* all that its key is written as, an array literal; `{}`: it is one */
  gint64 limit;
  gboolean all;
} Asking;

static gint
by_time (gconstpointer a, gconstpointer b)
{
  const gint64 x = ((const RowFound *)a)->at_us, y = ((const RowFound *)b)->at_us;
  return (x > y) - (x < y);
}

static gboolean
ask_key (const char *key, const char *in_json, gpointer data, GError **error)
{
  Asking *asking = data;
  RowWho *who = asking->who;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", asking->item->table);
  pg_values_set (values, "known", asking->item->known);
  pg_values_set (values, "key", key);
  pg_values_set (values, "in_json", in_json);
  pg_values_set (values, "spellings", asking->spellings);
  pg_values_set (values, "columns", asking->item->columns ? "true" : "false");
  pg_values_set (values, "references",
                 config_job_text (asking->config, "users.destroy", "references"));
  pg_values_set (values, "also",
                 config_job_text (asking->config, "users.delete_placeholder", "references"));
  pg_values_int (values, "limit", asking->limit);
  pg_values_set (values, "all", asking->all ? "t" : "f");
  PgRows *rows = pg_run_file (asking->pg, SQL "who.sql", values, error);
  if (rows == NULL)
    return FALSE;
  g_ptr_array_add (who->answers, rows);
  for (int i = 0; i < rows_count (rows); i++) {
    const RowFound found = { rows, i, rows_int (rows, i, "at_us") };
    g_array_append_val (who->found, found);
  }
  return TRUE;
}

/* As for Asking. */
static char *
spellings_of (const Item *item)
{
  GString *array = array_new ();
  for (guint i = 0; i < item->spellings->len; i++)
    array_add (array, item->spellings->pdata[i]);
  if (item->spellings->len > 0)
    array_add (array, item->key);
  return array_take (array);
}

gboolean
row_who_ask (RowWho *who, Pg *pg, const Config *config, const Item *item, gint64 limit,
             gboolean all, GError **error)
{
  g_autofree char *spellings = spellings_of (item);
  Asking asking = { who, pg, config, item, spellings, limit, all };
  *who = (RowWho){ g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free),
                   g_array_new (FALSE, FALSE, sizeof (RowFound)) };
  const gboolean ok = pg_begin_read_only (pg, error)
                      && (all || pg_exec (pg, "SET LOCAL enable_seqscan = off", error))
                      && item_each_key (item, ask_key, &asking, error);
  pg_rollback (pg);
  if (who->answers->len > 1)
    g_array_sort (who->found, by_time);
  if ((gint64)who->found->len > limit)
    g_array_set_size (who->found, (guint)limit);
  return ok;
}
