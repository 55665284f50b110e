/* Which large tables a plan can only read as a whole, and the index that would help. */
#include "cli/check/check.h"

#include "base/json.h"
#include "base/spoken.h"
#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#include <string.h>

#define SQL "src/cli/check/sql/"
#define REWRITE                                                                                    \
  "Let a column stand alone on one side of a comparison, joined by AND; or make a partial index "  \
  "for the condition"

typedef struct {
  GHashTable *scanned; /* names of tables that are read from end to end */
  GHashTable *read;    /* names of all tables -> GString: conditions that are asked of one alone */
  GHashTable *aliases; /* what conditions call a table -> its name */
  GString *joins;      /* conditions between tables */
  gboolean by_index;   /* a condition is asked of an index */
} Plan;

static void
text_free (gpointer text)
{
  g_string_free (text, TRUE);
}

static void
plan_clear (Plan *plan)
{
  g_hash_table_unref (plan->scanned);
  g_hash_table_unref (plan->read);
  g_hash_table_unref (plan->aliases);
  g_string_free (plan->joins, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static const char *
text_of (const json_t *node, const char *key)
{
  return json_string_value (json_object_get (node, key));
}

/* The node reads TABLE, or (NULL) none. Returns where its conditions belong. */
static GString *
note_table (const json_t *node, const char *table, Plan *plan)
{
  if (table == NULL)
    return plan->joins;
  if (strstr (text_of (node, "Node Type"), "Seq Scan") != NULL)
    g_hash_table_add (plan->scanned, g_strdup (table));
  if (text_of (node, "Alias") != NULL)
    g_hash_table_insert (plan->aliases, g_strdup (text_of (node, "Alias")), g_strdup (table));
  if (!g_hash_table_contains (plan->read, table))
    g_hash_table_insert (plan->read, g_strdup (table), g_string_new (NULL));
  return g_hash_table_lookup (plan->read, table);
}

static void
walk (const json_t *node, Plan *plan)
{
  if (text_of (node, "Node Type") == NULL)
    return;
  GString *conditions = note_table (node, text_of (node, "Relation Name"), plan);
  const char *key;
  json_t *value;
  json_object_foreach ((json_t *)node, key, value)
    if (json_is_string (value)
        && (g_str_has_suffix (key, " Cond") || g_str_has_suffix (key, "Filter"))) {
      g_string_append_printf (conditions, " %s", json_string_value (value));
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
                .read = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, text_free),
                .aliases = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                .joins = g_string_new (NULL) };
  walk (json_object_get (json_array_get (plans, 0), "Plan"), &plan);
  return plan;
}

/* --- the columns of a table in its conditions --- */

static void
add_words (GString *words, const char *text)
{
  g_auto (GStrv) parts = g_regex_split_simple ("[^\\w]+", text, 0, 0);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      array_add (words, parts[i]);
}

/* What stands behind `ALIAS.` in the conditions between tables. */
static void
add_joined (GString *words, const Plan *plan, const char *alias)
{
  g_autofree char *quoted = quoted_make (alias), *escaped = g_regex_escape_string (alias, -1),
                  *made = g_regex_escape_string (quoted, -1),
                  *pattern
                  = g_strdup_printf ("(?<![\\w$.])(?:%s|%s)\\.(\\w+|\"[^\"]+\")", escaped, made);
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (g_regex_match (regex, plan->joins->str, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    g_autofree char *column = g_match_info_fetch (match, 1);
    add_words (words, column);
  }
}

/* Words of the conditions on the table NAME, as an array: the names of its columns are among them.
 * ALONE: only of those that compare it with no other table. A plan names partitions, not their
 * table. */
static char *
words_of (const Plan *plan, const char *name, gboolean alone)
{
  GString *words = array_new ();
  const gboolean known = g_hash_table_contains (plan->read, name);
  GHashTableIter each;
  gpointer alias, table, text;
  g_hash_table_iter_init (&each, plan->read);
  while (g_hash_table_iter_next (&each, &table, &text))
    if (!known || g_str_equal (table, name))
      add_words (words, ((GString *)text)->str);
  g_hash_table_iter_init (&each, plan->aliases);
  while (!alone && g_hash_table_iter_next (&each, &alias, &table))
    if (g_str_equal (table, name))
      add_joined (words, plan, alias);
  return array_take (words);
}

/* Large tables are asked for once. */
gboolean
check_index_may_be_large (Check *check, const char *table)
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

/* The same finding about several statements of a job is one. */
static gboolean
is_said (Check *check, CheckPlace place, const char *table, const char *make)
{
  for (guint i = 0; i < check->findings->len; i++) {
    const CheckFinding *one = check->findings->pdata[i];
    if (g_str_equal (one->job, check->job->name) && g_str_equal (one->check, "index")
        && g_strcmp0 (one->file, place.file) == 0 && g_strcmp0 (one->remedy, make) == 0
        && strstr (one->detail, table) != NULL)
      return TRUE;
  }
  return FALSE;
}

/* The condition of the sentence compares its table with others: it is asked of all of its rows,
 * unless it has a part that compares it with none. */
static gboolean
compares (const Check *check, const char *name, const Plan *plan)
{
  if (check->job->sentence == NULL)
    return FALSE;
  g_autofree char *own = quoted_bare (check->job->table);
  return g_str_equal (own, name) && g_hash_table_size (plan->read) > 1
         && g_hash_table_contains (plan->read, name);
}

/* check_keep asks for the index of the table NAME. */
static gboolean
is_of_keep (const Check *check, const char *name)
{
  if (check->job->sentence == NULL || check->job->sentence->keep.rows == 0)
    return FALSE;
  g_autofree char *own = quoted_bare (check->job->table);
  return g_str_equal (own, name);
}

/* TABLE as SQL writes it. A built-in job has its indexes named (`pruned migrate --indexes`): there
 * it is a warning. So it is if the index exists, and PostgreSQL has no use for it: none is missing.
 * MORE: what the rows are read for; "": for what they are. */
static void
say_missing (Check *check, CheckPlace place, const char *table, const Plan *plan, const char *more)
{
  g_autofree char *name = quoted_bare (table);
  if (!check_index_may_be_large (check, table) || is_of_keep (check, name))
    return;
  const gboolean alone = compares (check, name, plan);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "relation", table);
  pg_values_take (values, "words", words_of (plan, name, alone));
  g_autoptr (PgRows) rows = check_ask (check, "index", SQL "index.sql", values);
  if (rows == NULL || rows_count (rows) == 0 || rows_int (rows, 0, "n") < CHECK_LARGE)
    return;
  const char *make = rows_text (rows, 0, "make"), *there = rows_text (rows, 0, "there");
  g_autofree char *n = spoken_number (rows_int (rows, 0, "n"));
  if ((make == NULL && !alone) || is_said (check, place, table, make))
    return;
  if (make == NULL)
    check_warn (check, "index", place, NULL,
                CHECK_READS_ALL
                ": each row is compared with another table, so no index of its own avoids "
                "it (about %s rows%s)",
                table, n, more);
  else if (there != NULL)
    check_warn (check, "index", place, REWRITE,
                CHECK_READS_ALL "; index %s does not avoid it (about %s rows%s)", table, there, n,
                more);
  else if (check->job->built_in)
    check_warn (check, "index", place, make, CHECK_READS_ALL_MEND, table, n, more);
  else
    check_error (check, CODE_NOT_FOUND, "index", place, make, CHECK_READS_ALL_MEND, table, n, more);
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
    say_missing (check, place, quoted, &plan, "");
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
check_condition (Check *check, CheckPlace place, const char *plan, const char *more)
{
  g_auto (Plan) read = plan_of (plan);
  if (!read.by_index)
    say_missing (check, place, check->job->table, &read, more);
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
  if (plan != NULL) {
    check_clock (check, place, plan);
    check_behind (check, NULL, place, sentence->where);
  }
  if (plan != NULL && !job_only_names_rows (check->job))
    check_condition (check, place, plan, "");
  else if (plan == NULL) {
    ExitCode code = check_code (check, error);
    const char *name = check_name (check, "statements");
    g_autofree char *hint = check_hint (check, sentence->where, error);
    check_error (check, code, name, place, check_remedy (check, code, error), "where: %s%s",
                 error->message, hint);
  }
  return plan != NULL;
}

void
check_same_object (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  if (sentence->object_column == NULL)
    return;
  g_autofree char *same = g_strdup_printf ("%s = 'x'", sentence->object_column),
                  *plan = plan_of_condition (check, same, NULL);
  if (plan != NULL) /* else another finding says so */
    check_condition (check, check_place_of_key (check, "object"), plan,
                     ", to find those that name the same object");
}
