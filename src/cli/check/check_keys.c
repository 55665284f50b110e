/* Whether the statements of a folder of one's own change only what belongs to its keys. */
#include "cli/check/check.h"

#include "base/json.h"
#include "engine/job/job_files.h"
#include "pg/quoted.h"

#include <string.h>

/* --- what a plan says --- */

typedef struct {
  gboolean changes;     /* rows of a table */
  GString *conditions;  /* all of the plan */
  GPtrArray *unmatched; /* of char, borrowed: lists that a nested loop joins without a condition */
  GPtrArray *apart;     /* of char, borrowed: lists that a sub-select reads */
  GString *selected;    /* what sub-selects return */
  guint lists;          /* all of them */
} Plan;

static void
plan_clear (Plan *plan)
{
  g_string_free (plan->conditions, TRUE);
  g_ptr_array_unref (plan->unmatched);
  g_ptr_array_unref (plan->apart);
  g_string_free (plan->selected, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static const char *
text_of (const json_t *node, const char *key)
{
  const char *text = json_string_value (json_object_get (node, key));
  return text != NULL ? text : "";
}

/* NODE, or what it keeps in memory. */
static const json_t *
kept_by (const json_t *node)
{
  const json_t *plans = json_object_get (node, "Plans");
  const char *type = text_of (node, "Node Type");
  return (g_str_equal (type, "Materialize") || g_str_equal (type, "Memoize"))
                 && json_array_size (plans) == 1
             ? json_array_get (plans, 0)
             : node;
}

/* A plan names the function only if it is one: unnest of several lists is several. What the engine
 * has added is no list of the file. */
static gboolean
is_list (const json_t *node)
{
  const char *name = text_of (node, "Function Name");
  return g_str_equal (text_of (node, "Node Type"), "Function Scan")
         && (*name == '\0' || g_str_equal (name, "unnest"))
         && !g_str_has_prefix (text_of (node, "Alias"), JOB_FILES_OWN);
}

static void
add_unmatched (const json_t *loop, Plan *plan)
{
  size_t i, functions = 0;
  json_t *child;
  if (!g_str_equal (text_of (loop, "Node Type"), "Nested Loop")
      || json_object_get (loop, "Join Filter") != NULL)
    return;
  /* One function may read the items of the other (LATERAL), which no condition tells. */
  json_array_foreach (json_object_get (loop, "Plans"), i, child)
    functions += g_str_equal (text_of (kept_by (child), "Node Type"), "Function Scan");
  if (functions > 1)
    return;
  json_array_foreach (json_object_get (loop, "Plans"), i, child) {
    const json_t *list = kept_by (child);
    if (is_list (list))
      g_ptr_array_add (plan->unmatched, (gpointer)text_of (list, "Alias"));
  }
}

/* NODE is part of a sub-select that is no join; ROOT: the whole of it. What a list returns to a
 * node above it may be more than that one reads. */
static void
note_apart (const json_t *node, gboolean root, Plan *plan)
{
  size_t i;
  json_t *output;
  json_array_foreach (json_object_get (node, "Output"), i, output)
    if (root || !is_list (node))
      g_string_append_printf (plan->selected, " %s", json_string_value (output));
  if (is_list (node))
    g_ptr_array_add (plan->apart, (gpointer)text_of (node, "Alias"));
}

static void
walk (const json_t *node, gboolean apart, Plan *plan)
{
  const char *key, *part = text_of (node, "Parent Relationship");
  json_t *value;
  const gboolean root = (g_str_equal (part, "SubPlan") || g_str_equal (part, "InitPlan"))
                        && !g_str_has_prefix (text_of (node, "Subplan Name"), "CTE ");
  apart |= root;
  plan->lists += is_list (node);
  if (apart)
    note_apart (node, root, plan);
  plan->changes |= g_str_equal (text_of (node, "Node Type"), "ModifyTable");
  add_unmatched (node, plan);
  json_object_foreach ((json_t *)node, key, value)
    if (json_is_string (value)
        && (g_str_has_suffix (key, " Cond") || g_str_has_suffix (key, "Filter")))
      g_string_append_printf (plan->conditions, " %s", json_string_value (value));
  size_t i;
  json_array_foreach (json_object_get (node, "Plans"), i, value)
    walk (value, apart, plan);
}

/* Whether TEXT names a column of ALIAS. */
static gboolean
names (const GString *text, const char *alias)
{
  g_autofree char *quoted = quoted_make (alias), *escaped = g_regex_escape_string (alias, -1),
                  *made = g_regex_escape_string (quoted, -1),
                  *pattern = g_strdup_printf ("(?<![\\w$.])(%s|%s)\\.", escaped, made);
  return g_regex_match_simple (pattern, text->str, 0, 0);
}

/* A list in a sub-select that neither a condition nor the sub-select itself names: EXISTS (SELECT
 * FROM unnest(:key) AS k). NULL: there is none, or another place asks for the keys. */
static const char *
list_in_vain (const Plan *plan)
{
  if (strstr (plan->conditions->str, " ANY (") != NULL)
    return NULL;
  for (guint i = 0; i < plan->apart->len; i++)
    if (names (plan->conditions, plan->apart->pdata[i])
        || names (plan->selected, plan->apart->pdata[i]))
      return NULL;
  return plan->apart->len > 0 && plan->lists == plan->apart->len ? plan->apart->pdata[0] : NULL;
}

/* --- findings --- */

/* In a file of apply all parameters but the common ones are columns of decide. */
static gboolean
binds_keys (const PgStatement *statement)
{
  const char *const *names = pg_statement_parameters (statement);
  for (guint i = 0; names[i] != NULL; i++)
    if (!g_strv_contains (step_bound, names[i]) && !g_str_has_prefix (names[i], "setting."))
      return TRUE;
  return FALSE;
}

static gboolean
only_reads (const char *file)
{
  static const char *const names[]
      = { "page",    "decide",         "count",     "values", "context",
          "blocked", "blocked_minute", "event_key", "named",  NULL };
  return g_strv_contains (names, file) || g_str_has_prefix (file, "lock/");
}

/* What a file of apply does to another table than the job's own. A run counts the rows of that one
 * against the keys (effects.h); of others it cannot know how many belong to a key. */
static gboolean
is_beside (const Job *job, const PgStatement *statement)
{
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint k = 0; k < what->apply->len; k++) {
      const JobApply *file = &g_array_index (what->apply, JobApply, k);
      if (file->statement == statement)
        return file->kind != APPLY_INSERT && k != job_own_file (job, what)
               && g_strcmp0 (file->table, job->table) != 0;
    }
  }
  return FALSE;
}

void
check_keys (Check *check, const char *file, CheckPlace place, const PgStatement *statement,
            const char *text)
{
  g_autoptr (json_t) plans = json_parse (text, strlen (text), NULL);
  g_auto (Plan) plan = {
    FALSE, g_string_new (NULL), g_ptr_array_new (), g_ptr_array_new (), g_string_new (NULL), 0
  };
  walk (json_object_get (json_array_get (plans, 0), "Plan"), FALSE, &plan);
  if (plan.changes && only_reads (file))
    check_error (check, CODE_CONFIG, "keys", place, NULL,
                 "it changes rows, which only files of apply/ may: nobody has decided about them");
  if (!is_beside (check->job, statement))
    return;
  if (!binds_keys (statement))
    check_error (
        check, CODE_CONFIG, "keys", place, NULL,
        "it asks for no column of decide.sql, such as :key: what it changes has nothing to "
        "do with the rows that were decided");
  for (guint i = 0; i < plan.unmatched->len; i++)
    if (!names (plan.conditions, plan.unmatched->pdata[i]))
      check_error (check, CODE_CONFIG, "keys", place, NULL,
                   "no condition names a column of the list %s: each of its items is joined with "
                   "every row",
                   (const char *)plan.unmatched->pdata[i]);
  const char *vain = list_in_vain (&plan);
  if (vain != NULL)
    check_error (check, CODE_CONFIG, "keys", place, NULL,
                 "its sub-select compares no column of the list %s with a row: it is true for all "
                 "rows, or for none",
                 vain);
}
