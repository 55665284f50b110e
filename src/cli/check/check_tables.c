/* The tables of a job: rights, hidden rows, and what else happens when rows go. */
#include "cli/check/check_wanted.h"

#include "engine/job/in_force.h"
#include "engine/job/job_rights.h"
#include "engine/job/job_writes.h"
#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#define SQL "src/cli/check/sql/"
#define NOWHERE ((CheckPlace){ 0 })

/* Of a sentence: the tables that its statements change, as SQL writes them. */
static void
want_written (const Job *job, CheckWanted *wanted)
{
  if (job->sentence == NULL)
    job_writes_each (job, check_want, wanted);
  for (guint i = 0; job->sentence != NULL && i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++) {
      const JobApply *apply = &g_array_index (what->apply, JobApply, j);
      check_want (job, apply->table, apply->kind == APPLY_UPDATE ? "UPDATE" : "DELETE", wanted);
    }
  }
}

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

void
check_rights (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, "rights", SQL "rights.sql", want_rights);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_POSTGRES, "rights", NOWHERE, rows_text (rows, i, "remedy"),
                 "this role lacks %s on %s", rows_text (rows, i, "name"),
                 rows_text (rows, i, "relation"));
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "rights", "this role can read and write the tables that the job names");
}

static void
check_hidden (Check *check)
{
  g_autoptr (PgRows) rows
      = check_ask_of (check, "row-level security", SQL "hidden.sql", want_written);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_error (check, CODE_POSTGRES, "row-level security", NOWHERE, rows_text (rows, i, "remedy"),
                 "it may hide rows of %s from this role", rows_text (rows, i, "relation"));
}

/* `follows ar ["order_id"]`, as is_followed (sentence_below.c) has it. */
static void
want_listed (const Job *job, const SentenceChild *child, CheckWanted *wanted)
{
  g_autoptr (json_t) columns = json_array ();
  for (char **column = child->columns; column != NULL && *column != NULL; column++) {
    g_autofree char *bare = quoted_bare (*column);
    json_array_append_new (columns, json_string (bare));
  }
  g_autofree char *text = child->columns != NULL ? json_text (columns) : g_strdup ("");
  g_autofree char *follows = g_strdup_printf ("follows ar %s", text);
  check_want (job, child->table, follows, wanted);
}

/* What a sentence changes it finds by the foreign keys that it follows. */
static void
want_followed (const Job *job, CheckWanted *wanted)
{
  const Sentence *sentence = job->sentence;
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    for (guint j = 0; j < what->apply->len; j++)
      check_want (job, g_array_index (what->apply, JobApply, j).table,
                  sentence->children_auto ? "follows acdnr" : "follows cdn", wanted);
  }
  for (guint i = 0; i < sentence->children->len; i++)
    want_listed (job, sentence->children->pdata[i], wanted);
}

/* A table that a job's files only add rows to loses them unseen. What goes of a table with rows of
 * its own takes a second statement. The jobs of the program know what they write. */
static void
follow_written (const Job *job, const char *table, const char *privilege, gpointer data)
{
  GHashTable *changes = data;
  gint n = GPOINTER_TO_INT (g_hash_table_lookup (changes, table));
  if (job->built_in || !g_str_equal (privilege, "INSERT"))
    g_hash_table_insert (changes, g_strdup (table), GINT_TO_POINTER (n + (job->built_in ? 2 : 1)));
}

static void
want_ties (const Job *job, CheckWanted *wanted)
{
  want_written (job, wanted);
  if (job->sentence != NULL) {
    want_followed (job, wanted);
    return;
  }
  g_autoptr (GHashTable) changes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  job_writes_each (job, follow_written, changes);
  GHashTableIter iter;
  gpointer table, n;
  g_hash_table_iter_init (&iter, changes);
  while (g_hash_table_iter_next (&iter, &table, &n))
    check_want (job, table, GPOINTER_TO_INT (n) > 1 ? "follows acdnr" : "follows acdnr others",
                wanted);
}

/* What PostgreSQL or the application does beside the job's statements. */
static void
check_ties (Check *check)
{
  g_autoptr (PgRows) rows = check_ask_of (check, "ties", SQL "ties.sql", want_ties);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    check_warn (check, rows_text (rows, i, "kind"), NOWHERE, rows_text (rows, i, "remedy"), "%s",
                rows_text (rows, i, "detail"));
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "ties", "no trigger, and no foreign key that the job leaves alone");
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

/* All sentences that take an event: they share its key. */
static PgRows *
ask_named (Check *check)
{
  CheckWanted wanted = { array_new (), array_new (), array_new () };
  const Jobs *jobs = check->cli->jobs;
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    for (char **on = job->sentence != NULL ? job->sentence->on : NULL; on != NULL && *on != NULL;
         on++)
      check_want (job, job->sentence->table, *on, &wanted);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", array_take (wanted.jobs));
  pg_values_take (values, "relation", array_take (wanted.tables));
  pg_values_take (values, "name", array_take (wanted.names));
  return check_ask (check, "event", SQL "event.sql", values);
}

static void
check_events (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  g_autoptr (PgRows) rows = sentence->on[0] != NULL ? ask_named (check) : NULL;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *name = rows_text (rows, i, "name"), *other = rows_text (rows, i, "other");
    if (!g_str_equal (rows_text (rows, i, "job"), check->job->name))
      continue;
    if (other != NULL)
      check_warn (check, "event", check_place (check), NULL, "%s names a row of %s by %s; %s", name,
                  sentence->table, rows_text (rows, i, "key"), other);
    else
      check_ok (check, "event", "%s names a row of %s by %s", name, sentence->table,
                rows_text (rows, i, "key"));
  }
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
    check_reads_itself (check);
    check_zone (check);
    check_said (check);
    check_events (check);
  }
  check_access (check);
  check_ties (check);
  check_brakes (check);
}
