#include "engine/step/overdue.h"

#include "base/clock.h"
#include "engine/job/sentence/sentence_unless.h"
#include "engine/step/why.h"

#include <string.h>

#define SQL "src/engine/step/sql/"
#define HALF 500
#define MOST_MS 2000
#define LIMIT "SET LOCAL statement_timeout = 2000"

/* --- the rule --------------------------------------------------------------------------------- */

static const char *
text_of (const json_t *object, const char *key)
{
  const char *text = json_string_value (json_object_get (object, key));
  return text != NULL ? text : "";
}

static void
add (json_t *rule, const char *key, const char *text)
{
  json_object_set_new (rule, key, json_string (text != NULL ? text : ""));
}

/* A setting in milliseconds, a column with days, or an interval. */
static void
add_age (json_t *rule, const char *age, const json_t *settings)
{
  const json_t *ms = age != NULL ? json_object_get (settings, age) : NULL;
  const char *dot = age != NULL && ms == NULL ? strchr (age, '.') : NULL;
  g_autofree char *table = dot != NULL ? g_strndup (age, (gsize)(dot - age)) : NULL,
                  *of_setting = json_is_integer (ms)
                                    ? g_strdup_printf ("%" JSON_INTEGER_FORMAT " milliseconds",
                                                       json_integer_value (ms))
                                    : NULL;
  add (rule, "age", of_setting != NULL ? of_setting : dot == NULL ? age : "");
  add (rule, "age_table", table);
  add (rule, "age_column", dot != NULL ? dot + 1 : "");
}

json_t *
overdue_rule (const Job *job, const json_t *settings)
{
  const char *deadline = text_of (settings, "deadline");
  JobDue due;
  if (*deadline == '\0' || g_str_equal (deadline, "off"))
    return NULL;
  json_t *rule = json_object ();
  add (rule, "deadline", deadline);
  if (!job_due (job, &due))
    return rule;
  add (rule, "table", due.table);
  add (rule, "column", due.column);
  add (rule, "unit", due.unit);
  add_age (rule, due.age, settings);
  return rule;
}

/* --- the statements --------------------------------------------------------------------------- */

typedef struct {
  Pg *pg;
  const char *name;
  const Job *job;
  const json_t *rule;
  PgRows *texts; /* of overdue_text.sql */
  json_t *found;
} Look;

static PgValues *
values_of (const Look *look)
{
  PgValues *values = pg_values_new ();
  const char *key;
  json_t *text;
  json_object_foreach ((json_t *)look->rule, key, text)
    pg_values_set (values, key, json_string_value (text));
  g_autofree char *named = NULL, *unless = look->job != NULL && look->job->sentence != NULL
                                               ? sentence_unless_now (look->job->sentence, &named)
                                               : NULL;
  pg_values_set (values, "unless", unless);
  pg_values_set (values, "named", named);
  pg_values_set (values, "job", look->name);
  pg_values_int (values, "half", HALF);
  pg_values_int (values, "most", OVERDUE_MOST + 1);
  return values;
}

/* The statement that overdue_text.sql has written as COLUMN, planned for its values. */
static const PgStatement *
statement_of (const Look *look, const char *column, GError **error)
{
  const char *text = rows_text (look->texts, 0, column);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1),
                  *name = g_strdup_printf (SQL "overdue_text.sql %s#%.20s", column, sum);
  return pg_statement_anew (name, text, error);
}

static PgRows *
run_text (const Look *look, const char *column, GError **error)
{
  g_autoptr (PgValues) values = values_of (look);
  const PgStatement *statement = statement_of (look, column, error);
  return statement != NULL ? pg_run (look->pg, statement, values, error) : NULL;
}

/* FALSE without an error: nothing can be asked, and `state` says why. */
static gboolean
write_texts (Look *look, GError **error)
{
  g_autoptr (PgValues) values = values_of (look);
  look->texts = pg_run_file (look->pg, SQL "overdue_text.sql", values, error);
  if (look->texts == NULL)
    return FALSE;
  const char *state = rows_text (look->texts, 0, "state"),
             *remedy = rows_text (look->texts, 0, "remedy");
  if (state != NULL)
    json_object_set_new (look->found, "state", json_string (state));
  if (state != NULL && rows_bool (look->texts, 0, "missing"))
    json_object_set_new (look->found, "missing", json_true ());
  if (state != NULL && remedy != NULL)
    json_object_set_new (look->found, "remedy", json_string (remedy));
  return state == NULL;
}

gboolean
overdue_unless_is_taken (Pg *pg, const Job *job, const json_t *rule, GError **error)
{
  g_autoptr (json_t) found = json_object ();
  Look look = { pg, job->name, job, rule, NULL, found };
  GError *cause = NULL;
  int line;
  if (job->sentence == NULL || job->sentence->unless == NULL)
    return TRUE;
  if (pg_begin_read_only (pg, &cause))
    (void)write_texts (&look, &cause);
  const PgStatement *statement = cause == NULL && rows_text (look.texts, 0, "unless") != NULL
                                     ? statement_of (&look, "unless", &cause)
                                     : NULL;
  g_autofree char *plan = statement != NULL ? pg_explain (pg, statement, &line, &cause) : NULL;
  pg_rollback (pg);
  rows_free (look.texts);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}

/* --- how many --------------------------------------------------------------------------------- */

/* The planner's estimate. */
static gboolean
estimate (const Look *look, const char *column, gint64 *rows, GError **error)
{
  g_autoptr (PgRows) said = run_text (look, column, error);
  if (said == NULL)
    return FALSE;
  g_autoptr (json_t) plan = json_loads (rows_at (said, 0, 0), 0, NULL);
  const json_t *top = json_object_get (json_array_get (plan, 0), "Plan");
  *rows = MAX (*rows, (gint64)json_number_value (json_object_get (top, "Plan Rows")));
  return TRUE;
}

static gboolean
count (Look *look, GError **error)
{
  static const char *const estimated[][2] = { { "due", "backlog" }, { "inflow", "inflow" } };
  g_autoptr (PgRows) rows = run_text (look, "counts", error);
  if (rows == NULL)
    return FALSE;
  gboolean any = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (estimated); i++) {
    gint64 n = rows_int (rows, 0, estimated[i][0]);
    any |= n > OVERDUE_MOST;
    if (n > OVERDUE_MOST && !estimate (look, estimated[i][1], &n, error))
      return FALSE;
    json_object_set_new (look->found, estimated[i][0], json_integer (n));
  }
  json_object_set_new (look->found, "estimated", json_boolean (any));
  json_object_set_new (look->found, "late",
                       json_integer (MIN (rows_int (rows, 0, "late"), OVERDUE_MOST)));
  const gint64 excused = rows_int (rows, 0, "excused");
  if (excused > 0)
    json_object_set_new (look->found, "excused", json_integer (MIN (excused, OVERDUE_MOST)));
  json_object_set_new (look->found, "nulls", json_boolean (rows_bool (rows, 0, "nulls")));
  return TRUE;
}

/* --- why each is there ------------------------------------------------------------------------ */

/* KEY -> what keeps it, of holds and quarantine. */
static gboolean
ask_known (const Look *look, const PgRows *ends, GHashTable *whys, GError **error)
{
  GString *items = array_new ();
  for (int i = 0; i < rows_count (ends); i++) {
    g_autofree char *item
        = g_strdup_printf ("%s:%s", text_of (look->rule, "table"), rows_text (ends, i, "key"));
    array_add (items, item);
  }
  g_autoptr (PgValues) values = values_of (look);
  pg_values_take (values, "item", array_take (items));
  g_autoptr (PgRows) rows = pg_run_file (look->pg, SQL "overdue_known.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    g_hash_table_insert (whys, g_strdup (rows_text (ends, (int)rows_int (rows, i, "row"), "key")),
                         (gpointer)g_intern_string (rows_text (rows, i, "why")));
  return rows != NULL;
}

/* The same of the job's decision, of rows that nothing else keeps. A decision that fails as a whole
 * says of no row why it stays: it is the job that cannot run. */
static gboolean
ask_job (const Look *look, const PgRows *ends, GHashTable *whys, GError **error)
{
  g_autoptr (GHashTable) words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (GError) cause = NULL;
  gboolean known = FALSE;
  const char *own = look->job != NULL && look->job->table != NULL ? look->job->table : "";
  for (int i = 0; i < rows_count (ends); i++)
    if (!g_hash_table_contains (whys, rows_text (ends, i, "key")))
      g_ptr_array_add (keys, (gpointer)rows_text (ends, i, "key"));
  if (look->job != NULL && keys->len > 0 && g_str_equal (own, text_of (look->rule, "table"))
      && !why_ask_each (look->pg, look->job, clock_now_us (), keys, MOST_MS, words, &known, &cause)
      && cause->code == PRUNED_OUTAGE) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  for (guint i = 0; i < keys->len; i++) {
    const char *key = keys->pdata[i], *word = g_hash_table_lookup (words, key);
    if (look->job == NULL)
      word = "no rule";
    else if (!known || cause != NULL)
      word = "goes";
    if (word != NULL) /* else it has gone meanwhile */
      g_hash_table_insert (whys, g_strdup (key), (gpointer)word);
  }
  return TRUE;
}

static gboolean
may_stay (const char *why)
{
  static const char *const whys[] = { "kept", OVERDUE_EXCUSED, "hold", "restored", NULL };
  return g_strv_contains (whys, why);
}

/* The row that has been due for longest of those that should not be there; they come first. */
static void
note_oldest (const Look *look, const PgRows *ends, int row)
{
  g_autofree char *item
      = g_strdup_printf ("%s:%s", text_of (look->rule, "table"), rows_text (ends, row, "key"));
  if (json_object_get (look->found, "oldest") == NULL)
    json_object_set_new (look->found, "oldest", json_string (item));
}

static void
tally (Look *look, const PgRows *ends, GHashTable *whys)
{
  json_t *rows = json_object ();
  double oldest_s = 0;
  gint64 n = 0;
  for (int i = 0; i < rows_count (ends); i++) {
    const char *why = g_hash_table_lookup (whys, rows_text (ends, i, "key")),
               *age_s = rows_text (ends, i, "age_s");
    if (why == NULL)
      continue;
    if (!may_stay (why) && age_s != NULL)
      oldest_s = MAX (oldest_s, g_ascii_strtod (age_s, NULL));
    if (!rows_bool (ends, i, "late"))
      continue;
    n++;
    if (!may_stay (why))
      note_oldest (look, ends, i);
    json_object_set_new (rows, why,
                         json_integer (json_integer_value (json_object_get (rows, why)) + 1));
  }
  const gint64 late = json_integer_value (json_object_get (look->found, "late"));
  if (rows_count (ends) >= 2 * HALF && late > n)
    json_object_set_new (rows, "not asked", json_integer (late - n));
  json_t *excused = json_object_get (look->found, "excused");
  if (excused != NULL)
    json_object_set (rows, OVERDUE_EXCUSED, excused);
  json_object_del (look->found, "excused");
  json_object_set_new (look->found, "rows", rows);
  json_object_set_new (look->found, "oldest_s", json_real (oldest_s));
}

/* --- */

static gboolean
ask (Look *look, PgRows **ends, GHashTable *whys, GError **error)
{
  const gboolean ok = pg_begin_read_only (look->pg, error) && pg_exec (look->pg, LIMIT, error)
                      && write_texts (look, error)
                      && (*ends = run_text (look, "ends", error)) != NULL && count (look, error)
                      && ask_known (look, *ends, whys, error);
  pg_rollback (look->pg);
  return ok;
}

/* A metric of what is not known is absent, and not 0. */
static void
forget (json_t *found, const GError *cause, const char *sqlstate)
{
  static const char *const known[]
      = { "late", "due", "inflow", "estimated", "nulls", "excused", "rows", "oldest_s", "oldest" };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    json_object_del (found, known[i]);
  json_object_set_new (
      found, "state",
      json_string (g_str_equal (sqlstate, "57014") ? "it takes too long to look" : cause->message));
}

json_t *
overdue_look (Pg *pg, const char *name, const Job *job, const json_t *rule, GError **error)
{
  g_autoptr (json_t) found = json_object ();
  g_autoptr (GHashTable) whys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (PgRows) ends = NULL;
  GError *cause = NULL;
  Look look = { pg, name, job, rule, NULL, found };
  json_object_set (found, "deadline", json_object_get (rule, "deadline"));
  if (*text_of (rule, "table") == '\0')
    json_object_set_new (found, "state",
                         json_string ("nothing says since when its rows are due: write"
                                      " due = COLUMN + 90 days"));
  else if (ask (&look, &ends, whys, &cause) && ask_job (&look, ends, whys, &cause))
    tally (&look, ends, whys);
  rows_free (look.texts);
  if (cause != NULL && cause->code == PRUNED_OUTAGE) {
    g_propagate_error (error, cause);
    return NULL;
  }
  if (cause != NULL)
    forget (found, cause, pg_sqlstate (pg));
  g_clear_error (&cause);
  return g_steal_pointer (&found);
}
