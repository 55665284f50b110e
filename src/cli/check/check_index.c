/* Which large tables a plan can only read as a whole, and the index that would help. */
#include "cli/check/check.h"

#include "base/json.h"
#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#include <string.h>

#define SQL "src/cli/check/sql/"
#define REWRITE                                                                                    \
  "Let a column stand alone on one side of a comparison, joined by AND; or make a partial index "  \
  "for the condition"

typedef struct {
  GHashTable *scanned; /* names of tables that are read from end to end */
  GString *conditions; /* all of the plan */
  gboolean by_index;   /* a condition is asked of an index */
} Plan;

static void
plan_clear (Plan *plan)
{
  g_hash_table_unref (plan->scanned);
  g_string_free (plan->conditions, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static void
walk (const json_t *node, Plan *plan)
{
  const char *type = json_string_value (json_object_get (node, "Node Type")), *key;
  const char *table = json_string_value (json_object_get (node, "Relation Name"));
  json_t *value;
  if (type != NULL && table != NULL && strstr (type, "Seq Scan") != NULL)
    g_hash_table_add (plan->scanned, g_strdup (table));
  json_object_foreach ((json_t *)node, key, value)
    if (json_is_string (value)
        && (g_str_has_suffix (key, " Cond") || g_str_has_suffix (key, "Filter"))) {
      g_string_append_printf (plan->conditions, " %s", json_string_value (value));
      plan->by_index = plan->by_index || g_str_equal (key, "Index Cond");
    }
  size_t i;
  json_array_foreach (json_object_get (node, "Plans"), i, value)
    walk (value, plan);
}

static Plan
plan_of (const char *text)
{
  g_autoptr (json_t) plans = json_parse (text, strlen (text), NULL);
  Plan plan = { .scanned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                .conditions = g_string_new (NULL) };
  walk (json_object_get (json_array_get (plans, 0), "Plan"), &plan);
  return plan;
}

/* The words of the conditions, as an array: the names of columns are among them. */
static char *
words_of (const GString *conditions)
{
  GString *words = array_new ();
  g_auto (GStrv) parts = g_regex_split_simple ("[^\\w]+", conditions->str, 0, 0);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      array_add (words, parts[i]);
  return array_take (words);
}

/* Whether TABLE, as SQL writes it, may have LARGE rows or more. Large tables are asked for once. */
static gboolean
may_be_large (Check *check, const char *table)
{
  if (check->large == NULL) {
    g_autoptr (PgValues) values = pg_values_new ();
    pg_values_int (values, "rows", CHECK_LARGE);
    g_autoptr (PgRows) rows = check_ask (check, "index", SQL "large.sql", values);
    if (rows == NULL)
      return FALSE;
    check->large = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (int i = 0; i < rows_count (rows); i++) {
      g_hash_table_add (check->large, quoted_make (rows_text (rows, i, "name")));
      g_hash_table_add (check->large, g_strdup (rows_text (rows, i, "relation")));
    }
  }
  return g_hash_table_contains (check->large, table);
}

/* TABLE as SQL writes it. A built-in job has its indexes named (`pruned migrate --indexes`): there
 * it is a warning. So it is if the index exists, and PostgreSQL has no use for it: none is missing.
 */
static void
say_missing (Check *check, CheckPlace place, const char *table, const Plan *plan, const char *what)
{
  if (!may_be_large (check, table))
    return;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "relation", table);
  pg_values_take (values, "words", words_of (plan->conditions));
  g_autoptr (PgRows) rows = check_ask (check, "index", SQL "index.sql", values);
  if (rows == NULL || rows_count (rows) == 0 || rows_int (rows, 0, "n") < CHECK_LARGE)
    return;
  const char *make = rows_text (rows, 0, "make"), *there = rows_text (rows, 0, "there"),
             *n = rows_text (rows, 0, "n");
  if (there != NULL)
    check_warn (check, "index", place, REWRITE,
                "%s does not serve it: %s all rows of %s (about %s)", there, what, table, n);
  else if (check->job->built_in)
    check_warn (check, "index", place, make, "no index fits: %s all rows of %s (about %s)", what,
                table, n);
  else
    check_error (check, CODE_NOT_FOUND, "index", place, make,
                 "no index fits: %s all rows of %s (about %s)", what, table, n);
}

/* Sequential scans are forbidden for these plans: one that is left has no other way. */
void
check_plan (Check *check, CheckPlace place, const char *text)
{
  g_auto (Plan) plan = plan_of (text);
  GHashTableIter each;
  gpointer table;
  g_hash_table_iter_init (&each, plan.scanned);
  while (g_hash_table_iter_next (&each, &table, NULL)) {
    g_autofree char *quoted = quoted_make (table);
    say_missing (check, place, quoted, &plan, "it reads");
  }
}

/* The plan of a question with CONDITION on the job's table; NULL: PostgreSQL refuses it. g_free it.
 */
static char *
plan_of_condition (Check *check, const char *condition, GError **error)
{
  int line;
  g_autofree char *text
      = g_strdup_printf ("SELECT FROM %s WHERE (%s)", check->job->table, condition);
  const PgStatement *statement = pg_statement_text (text, text, error);
  char *plan = statement != NULL && pg_begin (check->pg, error)
                       && pg_exec_later (check->pg, "SET LOCAL enable_seqscan = off", error)
                   ? pg_explain (check->pg, statement, &line, error)
                   : NULL;
  pg_rollback (check->pg);
  return plan;
}

/* Says that no index serves a condition on the job's table, if none does. */
static void
check_condition (Check *check, CheckPlace place, const char *plan, const char *what)
{
  g_auto (Plan) read = plan_of (plan);
  if (!read.by_index)
    say_missing (check, place, check->job->table, &read, what);
}

/* Without an index for its condition, the page of a sentence is read by the primary key, through
 * all rows that stay. */
gboolean
check_where (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  g_autoptr (GError) error = NULL;
  if (sentence->where == NULL)
    return TRUE;
  CheckPlace place = check_place_of_key (check, "where");
  g_autofree char *where = sql_text_at (sentence->where, ":scheduled_at::timestamptz"),
                  *plan = plan_of_condition (check, where, &error);
  if (plan != NULL)
    check_condition (check, place, plan, "the condition is asked of");
  else {
    ExitCode code = check_code (check, error);
    g_autofree char *hint = check_hint (check, sentence->where, error);
    check_error (check, code, "statements", place, check_remedy (check, code, error), "where: %s%s",
                 error->message, hint);
  }
  return plan != NULL;
}

void
check_same_object (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  if (!sentence_has_objects (sentence))
    return;
  g_autofree char *same = g_strdup_printf ("%s = 'x'", sentence->object_column),
                  *plan = plan_of_condition (check, same, NULL);
  if (plan != NULL) /* else another finding says so */
    check_condition (check, check_place_of_key (check, "object"), plan,
                     "which rows name the same object is asked of");
}
