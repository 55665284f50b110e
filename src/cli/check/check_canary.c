/* --canary: rows that are there are made due, and others not due, a little to each side of the
 * border; the job finds and takes them as a run does it, in a transaction that is rolled back. */
#include "cli/check/check.h"

#include "base/plural.h"
#include "engine/job/job_due.h"
#include "engine/step/page_keys.h"
#include "engine/step/trial.h"

#include <string.h>

#define NAME "canary"
#define ROWS 20       /* of the page, and of the table's first rows */
#define FOUND 1000    /* keys of the page behind it */
#define NAMED_MOST 10 /* keys that are named */

typedef struct {
  Check *check;
  Step *step;
  PgRows *texts;       /* of canary.sql */
  PgRows *planted;     /* key, due, named: the condition named it before */
  GPtrArray *keys;     /* of char: of these, borrowed */
  GHashTable *found;   /* keys on the page */
  gboolean all_found;  /* there are no others */
  GHashTable *goes;    /* keys that the decision takes */
  GHashTable *reasons; /* key -> why it stays; NULL: no reason */
  GHashTable *there;   /* keys that are there in the end */
} Canary;

static PgValues *
values_of (const Canary *canary, const JobDue *due)
{
  const Job *job = canary->check->job;
  const gboolean named = due->age != NULL && g_ascii_islower (due->age[0]);
  const char *dot = named ? strchr (due->age, '.') : NULL;
  const gboolean is_setting = named && dot == NULL;
  g_autofree char *table = dot != NULL ? g_strndup (due->age, (gsize)(dot - due->age)) : NULL,
                  *ms = is_setting ? g_strdup_printf ("%" G_GINT64_FORMAT " milliseconds",
                                                      step_setting (canary->step, due->age))
                                   : NULL;
  PgValues *values = pg_values_new ();
  pg_values_set (values, "table", job->table);
  pg_values_set (values, "column", due->column);
  pg_values_set (values, "unit", due->unit != NULL ? due->unit : "");
  pg_values_set (values, "age", ms != NULL ? ms : due->age != NULL && dot == NULL ? due->age : "");
  pg_values_set (values, "age_table", table != NULL ? table : "");
  pg_values_set (values, "age_column", dot != NULL ? dot + 1 : "");
  return values;
}

/* The statement that canary.sql has written as COLUMN, about KEYS. */
static PgRows *
run_text (const Canary *canary, const char *column, const GPtrArray *keys, GError **error)
{
  const char *text = rows_text (canary->texts, 0, column);
  const PgStatement *statement = pg_statement_text (text, text, error);
  if (statement == NULL)
    return NULL;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (canary->step, statement, values);
  pg_values_take (values, "key", array_of_texts (keys));
  pg_values_int (values, "rows", ROWS);
  return pg_run (canary->check->pg, statement, values, error);
}

static void
add_keys (GHashTable *keys, const PgRows *rows)
{
  for (int i = 0; i < rows_count (rows); i++)
    g_hash_table_add (keys, g_strdup (rows_text (rows, i, "key")));
}

/* Of the rows that are due already, these come first. */
static gboolean
plant (Canary *canary, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (PgRows) before = check_page_rows (canary->check, canary->step, ROWS, error);
  for (int i = 0; before != NULL && i < MIN (rows_count (before), ROWS); i++)
    g_ptr_array_add (keys, (gpointer)rows_text (before, i, "key"));
  if (before == NULL || (canary->planted = run_text (canary, "plant", keys, error)) == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (canary->planted); i++)
    g_ptr_array_add (canary->keys, (gpointer)rows_text (canary->planted, i, "key"));
  g_autoptr (PgRows) found = check_page_rows (canary->check, canary->step, FOUND, error);
  if (found == NULL)
    return FALSE;
  add_keys (canary->found, found);
  canary->all_found = rows_count (found) <= FOUND;
  return TRUE;
}

static gboolean
take (Canary *canary, char **fault, GError **error)
{
  Trial trial = { 0 };
  gboolean ok = trial_run (canary->step, canary->keys, NULL, TRUE, &trial, fault, error);
  for (int i = 0; ok && i < rows_count (trial.decided); i++) {
    const char *key = rows_text (trial.decided, i, "key");
    const JobWhat *what = job_what (canary->check->job, trial.what[i]);
    if (what != NULL && what->apply->len > 0 && !what->stays)
      g_hash_table_add (canary->goes, g_strdup (key));
    else
      g_hash_table_insert (canary->reasons, g_strdup (key),
                           g_strdup (rows_text (trial.decided, i, "reason")));
  }
  trial_clear (&trial);
  g_autoptr (PgRows) there = ok ? run_text (canary, "there", canary->keys, error) : NULL;
  add_keys (canary->there, there);
  return there != NULL;
}

/* --- what is said --- */

static void
add_name (GString *names, guint *n, const char *key)
{
  if ((*n)++ < NAMED_MOST)
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", key);
}

static gboolean
is_removal (const Job *job)
{
  return job->sentence != NULL && job->sentence->kind != SENTENCE_SET;
}

static void
judge (const Canary *canary)
{
  Check *check = canary->check;
  g_autoptr (GString) early = g_string_new (NULL), left = g_string_new (NULL);
  guint went = 0, stayed = 0, n_early = 0, n_left = 0, n_kept = 0;
  for (int i = 0; i < rows_count (canary->planted); i++) {
    const char *key = rows_text (canary->planted, i, "key"),
               *reason = g_hash_table_lookup (canary->reasons, key);
    const gboolean due = rows_bool (canary->planted, i, "due"),
                   goes = g_hash_table_contains (canary->goes, key),
                   there = !is_removal (check->job) || g_hash_table_contains (canary->there, key),
                   found = g_hash_table_contains (canary->found, key);
    if (!due && (goes || !there || found))
      add_name (early, &n_early, key);
    else if (!due)
      stayed++;
    else if (goes && (found || !canary->all_found))
      went++;
    else if (rows_bool (canary->planted, i, "named")
             && (reason == NULL || g_str_equal (reason, "where")))
      add_name (left, &n_left, key);
    else
      n_kept++;
  }
  if (n_early > 0)
    check_error (check, CODE_CONFIG, NAME, check_place (check), NULL,
                 "%u %s would go although not due: %s", n_early, plural (n_early, "row", "rows"),
                 early->str);
  if (n_left > 0)
    check_error (check, CODE_CONFIG, NAME, check_place (check), NULL, "%u due %s would stay: %s",
                 n_left, plural (n_left, "row", "rows"), left->str);
  if (n_early + n_left > 0)
    return;
  if (went == 0)
    check_warn (check, NAME, check_place (check), NULL,
                "none of %u rows that were made due would go: no row of the table is due now, and "
                "the rule has other conditions, or keeps these",
                n_kept);
  else
    check_ok (check, NAME,
              "of rows that were made due for the moment %u would go%s, and %u that were made not "
              "due would stay",
              went, n_kept > 0 ? " (others are kept by the rule)" : "", stayed);
}

static gboolean
try_all (Canary *canary, const JobDue *due, GError **error)
{
  Check *check = canary->check;
  g_autofree char *fault = NULL;
  g_autoptr (PgValues) values = values_of (canary, due);
  canary->texts = pg_run_file (check->pg, "src/cli/check/sql/canary.sql", values, error);
  if (canary->texts == NULL)
    return FALSE;
  const char *state = rows_text (canary->texts, 0, "state");
  if (state != NULL)
    check_warn (check, NAME, check_place (check), NULL, "%s", state);
  else if (!plant (canary, error))
    return FALSE;
  else if (canary->keys->len == 0)
    check_warn (check, NAME, check_place (check), NULL, "the table has no row to try it with");
  else if (take (canary, &fault, error))
    judge (canary);
  else if (fault != NULL)
    check_warn (check, NAME, check_place (check), NULL, "it cannot be shown, a row is at fault: %s",
                fault);
  return *error == NULL;
}

void
check_canary (Check *check)
{
  JobDue due;
  g_autoptr (GError) error = NULL;
  const Job *job = check->job;
  if (job->page == NULL || !job->kind->pages || !job->kind->rows || !job_due (job, &due)
      || g_strcmp0 (due.table, job->table) != 0) {
    check_warn (check, NAME, check_place (check), NULL,
                "nothing says since when its rows are due: write due = COLUMN + 90 days");
    return;
  }
  g_autoptr (Run) run = check_run (job);
  g_autoptr (Step) step = step_new (check->pg, run, "", NULL, NULL);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                         goes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                         reasons = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                         there = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Canary canary = { check, step, NULL, NULL, keys, found, FALSE, goes, reasons, there };
  if (!pg_begin (check->pg, &error) || !try_all (&canary, &due, &error)) {
    const ExitCode code = check_code (check, error);
    check_error (check, code, NAME, check_place (check), check_remedy (check, code, error),
                 "rows cannot be planted: %s", error->message);
  }
  pg_rollback (check->pg);
  rows_free (canary.planted);
  rows_free (canary.texts);
}
