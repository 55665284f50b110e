/* The tables of a job: rights, hidden rows, and what else happens when rows go. */
#include "cli/check/check.h"

#include "engine/job/in_force.h"
#include "engine/job/job_writes.h"

#define SQL "src/cli/check/sql/"
#define NOWHERE ((CheckPlace){ 0 })

typedef struct {
  GString *tables, *privileges;
} Wanted;

static void
want (const Job *job, const char *table, const char *privilege, gpointer data)
{
  Wanted *wanted = data;
  array_add (wanted->tables, table);
  array_add (wanted->privileges, privilege);
}

/* Of a sentence: the tables that its statements change, as SQL writes them. */
static void
want_all (Check *check, Wanted *wanted)
{
  if (check->job->sentence == NULL)
    job_writes_each (check->job, want, wanted);
  for (guint i = 0; check->job->sentence != NULL && i < check->job->whats->len; i++) {
    const JobWhat *what = check->job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++) {
      const JobApply *apply = &g_array_index (what->apply, JobApply, j);
      want (check->job, apply->table, apply->kind == APPLY_UPDATE ? "UPDATE" : "DELETE", wanted);
    }
  }
}

static PgRows *
ask (Check *check, const char *name, const char *file)
{
  Wanted wanted = { array_new (), array_new () };
  want_all (check, &wanted);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "relation", array_take (wanted.tables));
  pg_values_take (values, "name", array_take (wanted.privileges));
  return check_ask (check, name, file, values);
}

static void
check_rights (Check *check)
{
  g_autoptr (PgRows) rows = ask (check, "rights", SQL "rights.sql");
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_POSTGRES, "rights", NOWHERE, rows_text (rows, i, "remedy"),
                 "this role lacks %s on %s", rows_text (rows, i, "name"),
                 rows_text (rows, i, "relation"));
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "rights", "this role can write the tables that the job writes");
}

static void
check_hidden (Check *check)
{
  g_autoptr (PgRows) rows = ask (check, "row-level security", SQL "hidden.sql");
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_POSTGRES, "row-level security", NOWHERE, rows_text (rows, i, "remedy"),
                 "it may hide rows of %s from this role", rows_text (rows, i, "relation"));
}

/* What PostgreSQL or the application does beside the job's statements. */
static void
check_ties (Check *check)
{
  g_autoptr (PgRows) rows = ask (check, "ties", SQL "ties.sql");
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_warn (check, rows_text (rows, i, "kind"), NOWHERE, NULL, "%s",
                rows_text (rows, i, "detail"));
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "ties", "no trigger, and no foreign key of a table that the job leaves alone");
}

/* What a sentence changes, in its order: also the tables that `children = auto` and cascades name.
 */
static void
check_goes (Check *check)
{
  g_autoptr (GString) said = g_string_new (NULL);
  for (guint i = 0; i < check->job->whats->len; i++) {
    const JobWhat *what = check->job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++) {
      const JobApply *apply = &g_array_index (what->apply, JobApply, j);
      g_string_append_printf (said, "%s%s%s", said->len > 0 ? ", then " : "", apply->table,
                              apply->kind == APPLY_UPDATE ? " (updated)" : "");
    }
  }
  check_ok (check, "rows", "they go from %s", said->str);
}

/* The page, the decision and the statement that removes each ask the condition. */
static void
check_volatile (Check *check)
{
  const char *where = check->job->sentence->where;
  GString *words = array_new ();
  g_autoptr (GRegex) call = g_regex_new ("(\\w+)\\s*\\(", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (g_regex_match (call, where != NULL ? where : "", 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    g_autofree char *name = g_match_info_fetch (match, 1);
    array_add (words, name);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "words", array_take (words));
  g_autoptr (PgRows) rows = check_ask (check, "condition", SQL "volatile.sql", values);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_warn (check, "condition", check_place (check), NULL,
                "%s() may give another answer each time: a row is asked for several times",
                rows_text (rows, i, "name"));
}

static void
check_brakes (Check *check)
{
  static const char *const limits[] = { "max_rows", "max_share", "max_rows_per_day", "max_ratio" };
  g_autoptr (GString) said = g_string_new (NULL);
  const char *job = check->job->name;
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    const char *value = config_job_text (check->cli->config, job, limits[i]);
    if (*value != '\0' && !g_str_equal (value, "off"))
      g_string_append_printf (said, "%s%s %s", said->len > 0 ? ", " : "", limits[i], value);
  }
  const char *approve = config_job_text (check->cli->config, job, "approve");
  if (said->len == 0 && !g_str_equal (approve, "always") && !g_str_equal (approve, "first"))
    check_warn (check, "brakes", NOWHERE, NULL,
                "no limit holds this job: set max_rows, or approve = first");
  else
    check_ok (check, "brakes", "%s%sapprove %s", said->str, said->len > 0 ? ", " : "", approve);
}

void
check_access (Check *check)
{
  if (sentence_is_of_partitions (check->job->sentence))
    check_owner (check);
  else {
    check_rights (check);
    check_hidden (check);
  }
}

void
check_tables (Check *check)
{
  if (sentence_is_of_partitions (check->job->sentence)) {
    check_access (check);
    check_partitions (check);
    check_brakes (check);
    return;
  }
  if (check->job->sentence != NULL) {
    check_goes (check);
    check_volatile (check);
  }
  check_access (check);
  check_ties (check);
  check_brakes (check);
}
