#include "cli/plan_kept.h"

#include <string.h>

#define SQL "src/cli/sql/"
#define MOST 100000 /* lines that are kept */

static void
count_free (gpointer data)
{
  PlanCount *count = data;
  g_free (count->table);
  g_free (count->action);
  g_free (count->rule);
  g_free (count);
}

PlanLines *
plan_lines_new (void)
{
  PlanLines *lines = g_new0 (PlanLines, 1);
  lines->counts = g_ptr_array_new_with_free_func (count_free);
  lines->index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  lines->lines = json_object ();
  return lines;
}

void
plan_lines_free (PlanLines *lines)
{
  if (lines == NULL)
    return;
  g_ptr_array_unref (lines->counts);
  g_hash_table_unref (lines->index);
  g_clear_pointer (&lines->lines, json_decref);
  g_free (lines);
}

static const char *
rule_of (const char *reason)
{
  return reason == NULL || strpbrk (reason, "0123456789") != NULL ? "" : reason;
}

static void
count (PlanLines *lines, const char *table, const char *action, const char *rule, gint64 n)
{
  g_autofree char *name = g_strjoin ("\n", table, action, rule, NULL);
  PlanCount *one = g_hash_table_lookup (lines->index, name);
  if (one == NULL) {
    one = g_new0 (PlanCount, 1);
    *one = (PlanCount){ g_strdup (table), g_strdup (action), g_strdup (rule), 0 };
    g_ptr_array_add (lines->counts, one);
    g_hash_table_insert (lines->index, g_steal_pointer (&name), one);
  }
  one->rows += n;
  lines->n += n;
}

/* The value of KEY in OBJECT, made if it is not there. */
static json_t *
within (json_t *object, const char *key, json_t *(*make) (void))
{
  json_t *value = json_object_get (object, key);
  if (value == NULL)
    json_object_set_new (object, key, value = make ());
  return value;
}

void
plan_lines_add (PlanLines *lines, const char *table, const char *key, const char *action,
                const char *reason)
{
  count (lines, table, action, rule_of (reason), 1);
  if (lines->n > MOST)
    g_clear_pointer (&lines->lines, json_decref);
  if (lines->lines == NULL)
    return;
  json_t *of_action = within (within (lines->lines, table, json_object), action, json_object);
  json_array_append_new (within (of_action, reason != NULL ? reason : "", json_array),
                         json_string (key));
}

/* --- kept ------------------------------------------------------------------------------------- */

static json_t *
summary_of (const PlanLines *lines)
{
  json_t *summary = json_array ();
  for (guint i = 0; i < lines->counts->len; i++) {
    const PlanCount *one = lines->counts->pdata[i];
    json_array_append_new (summary, json_pack ("{s:s, s:s, s:s, s:I}", "table", one->table,
                                               "action", one->action, "rule", one->rule, "rows",
                                               (json_int_t)one->rows));
  }
  return summary;
}

gboolean
plan_keep (Pg *pg, const Job *job, gint64 at_us, const PlanLines *lines, GError **error)
{
  g_autoptr (json_t) summary = summary_of (lines);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  pg_values_time (values, "scheduled_at", at_us);
  pg_values_take (values, "summary", json_text (summary));
  pg_values_take (values, "lines", lines->lines != NULL ? json_text (lines->lines) : NULL);
  g_autoptr (PgRows) rows = pg_run_alone (pg, SQL "plan_keep.sql", values, error);
  return rows != NULL;
}

static PlanLines *
read_kept (const PgRows *rows)
{
  g_autoptr (json_t) summary = cell_from_text (CELL_JSON, rows_text (rows, 0, "summary"));
  PlanLines *lines = plan_lines_new ();
  const char *text = rows_text (rows, 0, "lines");
  json_t *one;
  size_t i;
  json_decref (lines->lines);
  lines->lines = text != NULL ? json_parse_exact (text, strlen (text), NULL) : NULL;
  json_array_foreach (summary, i, one) {
    const char *table = json_string_value (json_object_get (one, "table")),
               *action = json_string_value (json_object_get (one, "action")),
               *rule = json_string_value (json_object_get (one, "rule"));
    if (table != NULL && action != NULL && rule != NULL)
      count (lines, table, action, rule, json_integer_value (json_object_get (one, "rows")));
  }
  return lines;
}

PlanLines *
plan_last (Pg *pg, const Job *job, char **at, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  g_autoptr (PgRows) rows = pg_begin_read_only (pg, error)
                                ? pg_run_file (pg, SQL "plan_last.sql", values, error)
                                : NULL;
  pg_rollback (pg);
  if (rows == NULL || rows_count (rows) == 0)
    return NULL;
  *at = g_strdup (rows_text (rows, 0, "at"));
  return read_kept (rows);
}

/* --- compared --------------------------------------------------------------------------------- */

typedef void (*Each) (const char *table, const char *key, const char *action, const char *reason,
                      gpointer data);

static void
each_line (const json_t *lines, Each each, gpointer data)
{
  const char *table, *action, *reason;
  json_t *of_table, *of_action, *keys, *key;
  size_t i;
  json_object_foreach ((json_t *)lines, table, of_table)
    json_object_foreach (of_table, action, of_action)
      json_object_foreach (of_action, reason, keys)
        json_array_foreach (keys, i, key)
          each (table, json_string_value (key), action, reason, data);
}

typedef struct {
  GHashTable *lines; /* "table\nkey" -> what the former plan said of it */
  PlanDiffer differ;
  gpointer data;
} Comparison;

typedef struct {
  const char *table, *key, *action, *reason;
} Said;

static void
remember (const char *table, const char *key, const char *action, const char *reason, gpointer data)
{
  Said *said = g_new (Said, 1);
  *said = (Said){ table, key, action, reason };
  g_hash_table_insert (data, g_strjoin ("\n", table, key, NULL), said);
}

static const char *
or_null (const char *reason)
{
  return reason != NULL && *reason != '\0' ? reason : NULL;
}

static void
compare (const char *table, const char *key, const char *action, const char *reason, gpointer data)
{
  Comparison *comparison = data;
  g_autofree char *name = g_strjoin ("\n", table, key, NULL);
  const Said *was = g_hash_table_lookup (comparison->lines, name);
  PlanDifference difference = { table,
                                key,
                                was != NULL ? was->action : NULL,
                                was != NULL ? or_null (was->reason) : NULL,
                                action,
                                or_null (reason) };
  if (was == NULL || !g_str_equal (was->action, action) || !g_str_equal (was->reason, reason))
    comparison->differ (&difference, comparison->data);
  g_hash_table_remove (comparison->lines, name);
}

static int
by_key (gconstpointer a, gconstpointer b)
{
  const Said *x = *(Said *const *)a, *y = *(Said *const *)b;
  int order = strcmp (x->table, y->table);
  if (order == 0)
    order = (int)strlen (x->key) - (int)strlen (y->key); /* numbers by their size */
  return order != 0 ? order : strcmp (x->key, y->key);
}

gboolean
plan_compare (const PlanLines *was, const PlanLines *now, PlanDiffer differ, gpointer data)
{
  if (was->lines == NULL || now->lines == NULL)
    return FALSE;
  g_autoptr (GHashTable) lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Comparison comparison = { lines, differ, data };
  each_line (was->lines, remember, lines);
  each_line (now->lines, compare, &comparison);
  g_autoptr (GPtrArray) left = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer said;
  g_hash_table_iter_init (&iter, lines);
  while (g_hash_table_iter_next (&iter, NULL, &said))
    g_ptr_array_add (left, said);
  g_ptr_array_sort (left, by_key);
  for (guint i = 0; i < left->len; i++) {
    const Said *gone = left->pdata[i];
    PlanDifference difference
        = { gone->table, gone->key, gone->action, or_null (gone->reason), NULL, NULL };
    differ (&difference, data);
  }
  return TRUE;
}
