/* The tables of a job: rights, hidden rows, and what else happens when rows go. */
#include "cli/check/check_wanted.h"

#include "engine/job/in_force.h"
#include "engine/job/job_rights.h"
#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#include <string.h>

#define SQL "src/cli/check/sql/"
#define NOWHERE ((CheckPlace){ 0 })

static void
want_right (const Job *job, const char *table, const char *right, gpointer data)
{
  if (!g_str_equal (right, RIGHT_RESTORE))
    check_want (job, table, right, data);
}

static void
want_rights (const Job *job, CheckWanted *wanted)
{
  job_rights_each (job, want_right, wanted);
  job_rights_filled (job, want_right, wanted);
}

static const char *
who (const Check *check)
{
  return check->role != NULL ? check->role : "this role";
}

void
check_rights (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, "rights", SQL "rights.sql", want_rights);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_POSTGRES, "rights", NOWHERE, rows_text (rows, i, "remedy"),
                 "%s lacks %s on %s", who (check), rows_text (rows, i, "name"),
                 rows_text (rows, i, "relation"));
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "rights", "%s can read and write the tables that the job names", who (check));
}

/* PostgreSQL has refused a statement, and named RELATION. */
static gboolean
is_said (const Check *check, const char *relation)
{
  g_autofree char *bare = quoted_bare (relation);
  for (guint i = 0; i < check->findings->len; i++) {
    const CheckFinding *finding = check->findings->pdata[i];
    if (g_str_equal (finding->check, CHECK_HIDDEN) && g_str_equal (finding->job, check->job->name)
        && strstr (finding->detail, bare) != NULL)
      return TRUE;
  }
  return FALSE;
}

static void
check_hidden (Check *check)
{
  g_autoptr (PgRows) rows
      = check_ask_of (check, CHECK_HIDDEN, SQL "hidden.sql", check_want_written);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (!is_said (check, rows_text (rows, i, "relation")))
      check_error (check, CODE_POSTGRES, CHECK_HIDDEN, NOWHERE, rows_text (rows, i, "remedy"),
                   "it may hide rows of %s from %s", rows_text (rows, i, "relation"), who (check));
}

static void
check_keys_off (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, CHECK_OFF, CHECK_OFF_SQL, check_want_written);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_POSTGRES, CHECK_OFF, NOWHERE, rows_text (rows, i, "remedy"), "%s",
                 rows_text (rows, i, "detail"));
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

/* The functions that a condition calls. */
static void
want_called (const Job *job, CheckWanted *wanted)
{
  const char *where = job->sentence != NULL ? job->sentence->where : NULL;
  g_autoptr (GRegex) call = g_regex_new ("(\\w+)\\s*\\(", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (g_regex_match (call, where != NULL ? where : "", 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    g_autofree char *name = g_match_info_fetch (match, 1);
    check_want (job, "", name, wanted);
  }
}

/* The page, the decision and the statement that removes each ask the condition. */
static void
check_volatile (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, "condition", SQL "volatile.sql", want_called);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_warn (check, "condition", check_place (check), NULL,
                "%s() may give another answer each time: a row is asked for several times",
                rows_text (rows, i, "name"));
}

/* The table of NAME, as the catalogue has it. */
static char *
last_part (const char *name)
{
  g_autofree char *folded = sql_text_only_name (name, 2, NULL);
  return quoted_bare (folded != NULL ? folded : name);
}

/* The page, the decision and the count before a run see what has gone already. */
static void
check_reads_itself (Check *check)
{
  static const char *const NAME = "(?:\"(?:[^\"]|\"\")+\"|[a-z_][a-z_0-9$]*)";
  const Sentence *sentence = check->job->sentence;
  g_autofree char *table = last_part (sentence->table), *behind = NULL;
  behind = g_strdup_printf ("\\b(?:FROM|JOIN)\\s+(?:ONLY\\s+)?(%s(?:\\.%s)?)", NAME, NAME);
  g_autoptr (GRegex) read = g_regex_new (behind, G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  const char *where = sentence->where != NULL ? sentence->where : "";
  for (g_regex_match (read, where, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    g_autofree char *name = g_match_info_fetch (match, 1), *last = last_part (name);
    if (!g_str_equal (last, table))
      continue;
    check_warn (check, "condition", check_place (check), NULL,
                "it reads %s itself: rows that go can make others due, and then a run removes more "
                "than its plan shows",
                sentence->table);
    return;
  }
}

/* The tables of a sentence, and the columns that `children` names. */
static void
want_said (const Job *job, CheckWanted *wanted)
{
  const GPtrArray *children = job->sentence != NULL ? job->sentence->children : NULL;
  for (guint i = 0; children != NULL && i < children->len; i++) {
    const SentenceChild *child = children->pdata[i];
    check_want (job, child->table, "", wanted);
    for (char **column = child->columns; column != NULL && *column != NULL; column++) {
      g_autofree char *bare = quoted_bare (*column);
      check_want (job, child->table, bare, wanted);
    }
  }
  if (job->sentence != NULL)
    check_want (job, job->sentence->table, "", wanted);
}

static void
check_said (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, "children", SQL "said.sql", want_said);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_warn (check, "children", check_place (check), NULL, "%s", rows_text (rows, i, "detail"));
}

/* A condition that compares times. */
static void
want_times (const Job *job, CheckWanted *wanted)
{
  const char *where = job->sentence != NULL ? job->sentence->where : NULL;
  if (where != NULL && g_regex_match_simple (":T|now|current_|local", where, G_REGEX_CASELESS, 0)
      && !g_regex_match_simple ("at\\s+time\\s+zone", where, G_REGEX_CASELESS, 0))
    check_want (job, job->sentence->table, where, wanted);
}

static void
check_zone (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, "time zone", SQL "zone.sql", want_times);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *name = rows_text (rows, i, "name"), *zone = rows_text (rows, i, "zone");
    check_warn (check, "time zone", check_place (check), NULL,
                "%s has no time zone and is read as UTC, but the server's time zone is %s: write "
                "(%s AT TIME ZONE '%s') if that is meant",
                name, zone, name, zone);
  }
}

/* All jobs that take an event: they share its key. */
static PgRows *
ask_named (Check *check)
{
  CheckWanted wanted = { array_new (), array_new (), array_new () };
  const Jobs *jobs = check->cli->jobs;
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    const gboolean by_key = job->sentence == NULL || job->sentence->by == NULL;
    for (char **on = job->on; by_key && on != NULL && *on != NULL; on++)
      check_want (job, job->table, *on, &wanted);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", array_take (wanted.jobs));
  pg_values_take (values, "relation", array_take (wanted.tables));
  pg_values_take (values, "name", array_take (wanted.names));
  return check_ask (check, "event", SQL "event.sql", values);
}

/* Events of a sentence that name rows by other columns than the key. */
static void
say_columns (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  if (sentence == NULL || sentence->by == NULL)
    return;
  g_autofree char *columns = g_strjoinv (", ", sentence->by);
  for (char **on = sentence->on; *on != NULL; on++)
    check_ok (check, "event", "%s names all rows of %s with its %s", *on, check->job->table,
              columns);
}

static void
check_events (Check *check)
{
  const char *table = check->job->table;
  say_columns (check);
  g_autoptr (PgRows) rows = job_names_rows (check->job) ? ask_named (check) : NULL;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *name = rows_text (rows, i, "name"), *other = rows_text (rows, i, "other");
    if (!g_str_equal (rows_text (rows, i, "job"), check->job->name))
      continue;
    if (other != NULL)
      check_warn (check, "event", check_place_of_key (check, "on"), NULL,
                  "%s names a row of %s by %s; %s", name, table, rows_text (rows, i, "key"), other);
    else
      check_ok (check, "event", "%s names a row of %s by %s", name, table,
                rows_text (rows, i, "key"));
  }
}

static gboolean
is_off (const Check *check, const char *limit)
{
  const char *value = config_job_text (check->cli->config, check->job->name, limit);
  return *value == '\0' || g_str_equal (value, "off");
}

static gboolean
names_rows (const Job *job)
{
  gboolean names = FALSE;
  for (guint i = 0; i < job->events->len; i++)
    names |= ((const JobEvent *)job->events->pdata[i])->key != NULL;
  return names;
}

/* What holds of the runs that events start: each changes one row, so a limit of a run does not. */
static void
check_brakes_of_events (Check *check)
{
  static const char *const limits[] = { "max_rows", "max_share", "max_rows_per_day" },
                           *const sums[]
                           = { "within an hour", "within 24 hours (of a small table: no limit)",
                               "within 24 hours, with those of other runs" };
  g_autoptr (GString) said = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    if (!is_off (check, limits[i]))
      g_string_append_printf (said, "%s%s %s %s", said->len > 0 ? ", " : "", limits[i],
                              config_job_text (check->cli->config, check->job->name, limits[i]),
                              sums[i]);
  if (said->len == 0)
    check_warn (check, "brakes", NOWHERE, NULL,
                "no limit holds what events change, however many come: set max_share or max_rows");
  else
    check_ok (check, "brakes", "of all runs that events start: %s%s", said->str,
              is_off (check, "max_ratio") ? "" : "; max_ratio does not hold them");
}

static void
check_brakes (Check *check)
{
  static const char *const limits[] = { "max_rows", "max_share", "max_rows_per_day", "max_ratio" };
  g_autoptr (GString) said = g_string_new (NULL);
  const char *job = check->job->name;
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    if (!is_off (check, limits[i]))
      g_string_append_printf (said, "%s%s %s", said->len > 0 ? ", " : "", limits[i],
                              config_job_text (check->cli->config, job, limits[i]));
  const char *approve = config_job_text (check->cli->config, job, "approve");
  if (g_str_equal (approve, "never"))
    check_ok (check, "brakes", "approve never: no limit holds this job");
  else if (said->len == 0 && !g_str_equal (approve, "always") && !g_str_equal (approve, "first"))
    check_warn (check, "brakes", NOWHERE, NULL,
                "no limit holds this job: set max_rows, or approve = first");
  else
    check_ok (check, "brakes", "%s%sapprove %s", said->str, said->len > 0 ? ", " : "", approve);
  if (names_rows (check->job) && (g_str_equal (approve, "above") || g_str_equal (approve, "first")))
    check_brakes_of_events (check);
}

void
check_access (Check *check)
{
  if (check->job->kind->owner)
    check_owner (check);
  else {
    check_rights (check);
    check_hidden (check);
  }
}

void
check_tables (Check *check)
{
  if (!check->job->kind->rows) {
    check_access (check);
    check_partitions (check);
    check_brakes (check);
    return;
  }
  if (check->job->sentence != NULL) {
    check_goes (check);
    check_volatile (check);
    check_reads_itself (check);
    check_zone (check);
    check_said (check);
    check_looks (check);
  }
  check_events (check);
  check_access (check);
  check_keys_off (check);
  check_ties (check);
  check_outside (check);
  check_recorded (check);
  check_brakes (check);
}
