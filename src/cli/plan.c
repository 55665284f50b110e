/* Length: what a plan says of one job is read as one page, from top to bottom. */
#include "base/log.h"
#include "engine/brakes/foresee.h"

#include "base/clock.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "cli/plan_kept.h"
#include "cli/plan_named.h"
#include "cli/plan_unseen.h"
#include "base/words.h"
#include "engine/job/job_erasure.h"
#include "engine/job/sentence/behind.h"
#include "engine/job/sentence/sql_clock.h"
#include "engine/ledger/unrecorded.h"

static char *at, **named;
static gboolean with_rows, diff;

const GOptionEntry plan_options[]
    = { { "at", 0, 0, G_OPTION_ARG_STRING, &at,
          "the time T that cut-offs are computed from (default: now)", "TIME" },
        { "rows", 0, 0, G_OPTION_ARG_NONE, &with_rows,
          "list each row, not only the summary (--json always does)", NULL },
        { "arg", 0, 0, G_OPTION_ARG_STRING_ARRAY, &named,
          "the rows that an event would name by this column; of an erasure: who is meant, by this "
          "path",
          "NAME=VALUE" },
        { "diff", 0, 0, G_OPTION_ARG_NONE, &diff,
          "compare with the last plan of this job; with --rows: list the rows that differ; with "
          "--json: list all rows, then the differences' counts",
          NULL },
        { NULL } };

const char plan_more[]
    = "Refusals by triggers and constraints are not predicted. The last five plans of a job are kept for --diff. Shares are of the table's "
      "rows, by its last ANALYZE if there are many.";

static const Column COLUMNS[] = { { "table" }, { "key" }, { "action" }, { "reason" }, { NULL } };
static const Column SUMMARY[]
    = { { "table" }, { "action" }, { "rule" }, { "rows", CELL_NUMBER }, { "share" }, { NULL } };
static const Column COUNTS[]
    = { { "table" }, { "action" }, { "rule" }, { "before", CELL_NUMBER }, { "now", CELL_NUMBER },
        { NULL } };
static const Column DIFFERENCES[]
    = { { "table" },      { "key" },    { "change" }, { "was_action" },
        { "was_reason" }, { "action" }, { "reason" }, { NULL } };

typedef struct {
  Output *out;
  gboolean rows;       /* show each row as it is planned */
  gboolean partitions; /* the plan is about partitions, so there is no share of the table's rows */
  PlanLines *lines;
  json_t *summary; /* action -> number of lines */
} Plan;

static json_t *
text (const char *words)
{
  return words != NULL ? json_string (words) : json_null ();
}

static void
show (const char *table, const char *key, const char *action, const char *reason, gpointer data)
{
  Plan *plan = data;
  json_int_t n = json_integer_value (json_object_get (plan->summary, action));
  json_object_set_new (plan->summary, action, json_integer (n + 1));
  plan_lines_add (plan->lines, table, key, action, reason);
  if (plan->rows)
    output_row (plan->out, json_string (table), json_string (key), json_string (action),
                text (reason));
}

/* --- the summary ------------------------------------------------------------------------------ */

/* How many rows TABLE has; 0: not known. *ABOUT: an estimate. */
static gint64
size_of (Pg *pg, const char *table, gboolean *about)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "name", table);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/plan_table.sql", values, NULL);
  *about = rows != NULL && rows_count (rows) > 0 && rows_text (rows, 0, "about") != NULL;
  if (rows == NULL || rows_count (rows) == 0)
    return 0;
  if (*about)
    return rows_int (rows, 0, "about");
  const char *counts = rows_text (rows, 0, "counts");
  const PgStatement *statement = pg_statement_text (counts, counts, NULL);
  g_autoptr (PgRows) counted = statement != NULL ? pg_run (pg, statement, NULL, NULL) : NULL;
  return counted != NULL ? rows_int (counted, 0, "n") : 0;
}

static char *
share_of (Pg *pg, const PlanCount *count)
{
  gboolean about = FALSE;
  gint64 size = pg_begin_read_only (pg, NULL) ? size_of (pg, count->table, &about) : 0;
  pg_rollback (pg);
  if (size < count->rows)
    return NULL;
  return g_strdup_printf ("%s%.1f %%", about ? "about " : "",
                          100 * (double)count->rows / (double)size);
}

static void
say_summary (Output *out, Pg *pg, const Plan *plan)
{
  output_table (out, SUMMARY);
  for (guint i = 0; i < plan->lines->counts->len; i++) {
    const PlanCount *count = plan->lines->counts->pdata[i];
    g_autofree char *share = plan->partitions ? NULL : share_of (pg, count);
    output_row (out, json_string (count->table), json_string (count->action),
                *count->rule != '\0' ? json_string (count->rule) : json_null (),
                json_integer (count->rows), text (share));
  }
  output_end (out);
}

static void
show_summary (Output *out, Pg *pg, const Plan *plan)
{
  g_autoptr (json_t) last = json_pack ("{s:O}", "summary", plan->summary);
  output_end (out);
  output_object (out, last);
  if (output_is_json (out))
    return;
  if (plan->rows)
    output_say (out, "%s", "");
  if (plan->lines->n > 0)
    say_summary (out, pg, plan);
  g_autofree char *words = words_of_counts (plan->summary);
  output_say (out, "%s%s", plan->lines->n > 0 ? "\n" : "", words != NULL ? words : "nothing to do");
}

/* The rows that go with those of the plan: of other tables, and of the own one below them. */
static void
show_below (Output *out, const char *name, const char *said, const json_t *tables)
{
  const char *table;
  json_t *n;
  if (json_object_size (tables) == 0)
    return;
  g_autoptr (json_t) below = json_pack ("{s:O}", name, tables);
  output_object (out, below);
  json_object_foreach ((json_t *)tables, table, n)
    output_say (out, "%s: %" JSON_INTEGER_FORMAT " %s of %s", said, json_integer_value (n),
                plural (json_integer_value (n), "row", "rows"), table);
}

/* --- compared with the last one --------------------------------------------------------------- */

typedef struct {
  Output *out;
  gboolean rows;
  json_t *changes; /* new, gone, changed -> number of lines */
} Differences;

static void
differ (const PlanDifference *one, gpointer data)
{
  Differences *differences = data;
  const char *change = one->was_action == NULL ? "new" : one->action == NULL ? "gone" : "changed";
  json_int_t n = json_integer_value (json_object_get (differences->changes, change));
  json_object_set_new (differences->changes, change, json_integer (n + 1));
  if (differences->rows)
    output_row (differences->out, json_string (one->table), json_string (one->key),
                json_string (change), text (one->was_action), text (one->was_reason),
                text (one->action), text (one->reason));
}

static gint64
rows_of (const PlanLines *lines, const PlanCount *like)
{
  g_autofree char *name = g_strjoin ("\n", like->table, like->action, like->rule, NULL);
  const PlanCount *count = g_hash_table_lookup (lines->index, name);
  return count != NULL ? count->rows : 0;
}

static void
say_count (Output *out, const PlanCount *count, gint64 before, gint64 now)
{
  output_row (out, json_string (count->table), json_string (count->action),
              *count->rule != '\0' ? json_string (count->rule) : json_null (),
              json_integer (before), json_integer (now));
}

static void
say_counts (Output *out, const PlanLines *was, const PlanLines *now)
{
  output_table (out, COUNTS);
  for (guint i = 0; i < now->counts->len; i++) {
    const PlanCount *count = now->counts->pdata[i];
    say_count (out, count, rows_of (was, count), count->rows);
  }
  for (guint i = 0; i < was->counts->len; i++) {
    const PlanCount *count = was->counts->pdata[i];
    if (rows_of (now, count) == 0)
      say_count (out, count, count->rows, 0);
  }
  output_end (out);
}

static void
show_differences (Output *out, const PlanLines *was, const char *since, const PlanLines *now)
{
  g_autoptr (json_t) changes = json_object ();
  Differences differences = { out, with_rows, changes };
  if (differences.rows)
    output_table (out, DIFFERENCES);
  gboolean known = plan_compare (was, now, differ, &differences);
  output_end (out);
  g_autoptr (json_t) last
      = json_pack ("{s:o, s:o}", "diff", known ? json_incref (changes) : json_null (), "since",
                   cell_from_text (CELL_TIME, since));
  output_object (out, last);
  if (output_is_json (out))
    return;
  if (with_rows)
    output_say (out, "%s", "");
  say_counts (out, was, now);
  g_autofree char *words = words_of_counts (changes);
  output_say (out, "\nsince the plan of %.19s UTC: %s", since,
              !known          ? "too many rows to compare one by one"
              : words != NULL ? words
                              : "no row differs");
}

static void
say_first (Output *out)
{
  g_autoptr (json_t) none = json_pack ("{s:n, s:n}", "diff", "since");
  output_object (out, none);
  if (!output_is_json (out))
    output_say (out, "No earlier plan of this job is kept to compare with.");
}

/* --- the command ------------------------------------------------------------------------------ */

static gboolean
parse_at (gint64 *at_us, GError **error)
{
  *at_us = clock_now_us ();
  if (at == NULL || cli_time (at, at_us, error))
    return TRUE;
  g_prefix_error (error, "--at: ");
  return FALSE;
}

/* Whether a run like TALLY would be held. A role that may only read the application's tables
 * can plan, too. */
static void
say_held (Output *out, Pg *pg, const Job *job, gint64 at_us, const json_t *args,
          const PlanTally *tally, gboolean known)
{
  g_autoptr (GError) error = NULL;
  g_auto (BrakeFinding) finding = { 0 };
  if (!foresee_plan (pg, job, at_us, args, tally, known, &finding, &error)) {
    log_warning ("The plan is not compared with the limits", "job", job->name, "error",
                 error->message);
    return;
  }
  if (finding.limit == NULL)
    return;
  g_autoptr (json_t) held
      = json_pack ("{s:{s:s, s:I, s:s}}", "would_be_held", "limit", finding.limit, "counted",
                   (json_int_t)finding.counted, "error", foresee_words (&finding));
  limits_add_measure (&finding.limits, finding.limit, json_object_get (held, "would_be_held"));
  output_object (out, held);
  output_say (out, "would be held: %s", foresee_words (&finding));
}

/* What the plans of an erasure's jobs add up to. */
typedef struct {
  json_t *summary; /* action -> number of rows */
  json_t *below;   /* table -> rows that go with others */
  json_t *emptied; /* table -> rows that change with others */
} Total;

static void
add_counts (json_t *to, const json_t *counts)
{
  const char *name;
  json_t *n;
  json_object_foreach ((json_t *)counts, name, n)
    json_object_set_new (
        to, name,
        json_integer (json_integer_value (json_object_get (to, name)) + json_integer_value (n)));
}

/* A role that may only read can plan, too. */
static void
keep (Pg *pg, const Job *job, gint64 at_us, const PlanLines *lines)
{
  g_autoptr (GError) error = NULL;
  if (!plan_keep (pg, job, at_us, lines, &error))
    log_warning ("The plan is not kept for --diff", "job", job->name, "error", error->message);
}

/* Says which columns of the rows the audit will not have. */
static void
plan_say_unrecorded (Output *out, Pg *pg, const Job *job)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) columns
      = pg_begin_read_only (pg, &error) ? unrecorded_find (pg, job, &error) : NULL;
  pg_rollback (pg);
  if (columns == NULL)
    log_warning ("It is not known what the audit leaves out", "job", job->name, "error",
                 error->message);
  g_autofree char *words = columns != NULL ? unrecorded_words (columns) : NULL;
  if (words == NULL)
    return;
  g_autoptr (json_t) said = json_pack ("{s:s}", "not_recorded", words);
  output_object (out, said);
  output_say (out, "not recorded: %s", words);
}

/* TOTAL: what it is added to; NULL: nothing. */
static ExitCode
plan (Cli *cli, Pg *pg, const Job *job, gint64 at_us, const json_t *args, Total *total,
      GError **error)
{
  g_autoptr (json_t) summary = json_object ();
  g_autoptr (PlanLines) lines = plan_lines_new (), was = NULL;
  g_autofree char *since = NULL;
  GError *cause = NULL;
  gboolean known;
  g_auto (PlanTally) tally = { 0 };
  plan_tally_init (&tally, NULL);
  if (diff && (was = plan_last (pg, job, &since, &cause)) == NULL && cause != NULL) {
    g_propagate_error (error, cause);
    return cli_pg_failed (pg, error);
  }
  const gboolean json = output_is_json (cli->out), listed = was == NULL || (json && !with_rows);
  Plan one = { cli->out, (with_rows || json) && listed, !job->kind->rows, lines, summary };
  if (one.rows)
    output_table (cli->out, COLUMNS);
  if (!plan_run (pg, job, at_us, args, show, &one, &tally, &known, error))
    return cli_pg_failed (pg, error);
  if (listed)
    show_summary (cli->out, pg, &one);
  show_below (cli->out, "below", "with them", tally.tables);
  show_below (cli->out, "changed", "changed with them", tally.emptied);
  plan_say_unseen (cli->out, pg, job);
  if (was != NULL)
    show_differences (cli->out, was, since, lines);
  else if (diff)
    say_first (cli->out);
  if (!job_only_names_rows (job) || json_object_size (args) > 0) /* else a run is about one row */
    say_held (cli->out, pg, job, at_us, args, &tally, known);
  plan_say_unrecorded (cli->out, pg, job);
  if (json_object_size (args) == 0) /* all rows of the job: --diff compares no others with them */
    keep (pg, job, at_us, lines);
  if (total != NULL) {
    add_counts (total->summary, summary);
    add_counts (total->below, tally.tables);
    add_counts (total->emptied, tally.emptied);
  }
  return CODE_OK;
}

/* BY: the condition, or what stands behind it. */
static void
say (const Job *job, const char *text, const char *by)
{
  g_auto (GStrv) words = sql_clock_words (text);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\'')
      log_warning ("The condition asks the server's clock, which --at does not change", "job",
                   job->name, "asks", words[i], "in", by, "remedy", "write :T");
}

/* Warns of what a plan for another day does not foresee: the condition of JOB, or a function or
 * view behind it, asks the server's clock. FALSE: PostgreSQL does not answer. */
static gboolean
plan_say_clock (Pg *pg, const Job *job, GError **error)
{
  const char *where = job->sentence != NULL ? job->sentence->where : NULL;
  if (where == NULL)
    return TRUE;
  say (job, where, "where");
  if (!behind_is_any (where))
    return TRUE;
  g_autoptr (PgValues) question = behind_question (where);
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error) ? pg_run_file (pg, BEHIND, question, error) : NULL;
  pg_rollback (pg);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    say (job, rows_text (rows, i, "text"), rows_text (rows, i, "name"));
  return rows != NULL;
}

static ExitCode
plan_part (Cli *cli, Pg *pg, const SentenceEvent *part, gint64 at_us, const json_t *values,
           Total *total, GError **error)
{
  ExitCode code;
  const Job *job = job_left_find (cli, part->of, error);
  g_autoptr (json_t) args = job_erasure_args (part, values),
                     head = json_pack ("{s:s}", "job", part->of);
  if (job == NULL)
    return CODE_NOT_FOUND;
  if (job->refused != NULL)
    return cli_fail (CODE_CONFIG, error, "job %s is %s", job->name, job->refused);
  if (at != NULL && !plan_say_clock (pg, job, error))
    return CODE_POSTGRES;
  output_object (cli->out, head);
  output_say (cli->out, "%s:", part->of);
  code = plan (cli, pg, job, at_us, args, total, error);
  output_say (cli->out, "%s", "");
  return code;
}

/* Each of its jobs as the tables are now, and what that is in all. */
static ExitCode
plan_erasure (Cli *cli, const Job *job, gint64 at_us, GError **error)
{
  const SentenceEvent *erasure = job_erasure (job);
  ExitCode code = CODE_OK;
  g_autoptr (json_t) values = plan_named_values (job, named, error), summary = json_object (),
                     below = json_object (), emptied = json_object (), last = NULL;
  if (values == NULL)
    return CODE_USAGE;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  Total total = { summary, below, emptied };
  for (guint i = 0; code == CODE_OK && i < erasure->parts->len; i++)
    code = plan_part (cli, pg, erasure->parts->pdata[i], at_us, values, &total, error);
  if (code != CODE_OK)
    return code;
  last = json_pack ("{s:O, s:s}", "total", summary, "erasure", job->name);
  output_object (cli->out, last);
  g_autofree char *words = words_of_counts (summary);
  output_say (cli->out, "%s in all: %s", job->name, words != NULL ? words : "nothing to do");
  show_below (cli->out, "below", "with them", below);
  show_below (cli->out, "changed", "changed with them", emptied);
  return CODE_OK;
}

ExitCode
command_plan (Cli *cli, GError **error)
{
  gint64 at_us;
  const Job *job = job_left_find (cli, cli->arguments[0], error);
  if (job != NULL && job->refused != NULL)
    return cli_fail (CODE_CONFIG, error, "job %s is %s", job->name, job->refused);
  if (job == NULL)
    return CODE_NOT_FOUND;
  if (!parse_at (&at_us, error))
    return CODE_USAGE;
  if (diff && named != NULL)
    return cli_usage (error, "--diff compares plans of all rows of a job, and with --arg a plan is "
                             "about a few of them: leave one of them out");
  if (job_only_starts (job))
    return plan_erasure (cli, job, at_us, error);
  if (job->page == NULL && job->sentence == NULL && (job->code == NULL || job->code->plan == NULL))
    return cli_usage (error, "job %s has no plan: another job decides what it does; plan that one",
                      job->name);
  g_autoptr (json_t) args = plan_named_args (job, named, error);
  if (args == NULL)
    return CODE_USAGE;
  if (job_only_names_rows (job) && json_object_size (args) == 0)
    log_warning ("This job takes no ticks, and a run is about the one row that an event names: the "
                 "plan shows all rows that events can name",
                 "job", job->name);
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL || (at != NULL && !plan_say_clock (pg, job, error)))
    return CODE_POSTGRES;
  return plan (cli, pg, job, at_us, args, NULL, error);
}
