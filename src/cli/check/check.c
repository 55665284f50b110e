#include "cli/check/check.h"

#include "cli/commands.h"
#include "engine/job/sentence/complete.h"
#include "engine/job/sentence/sentence_check.h"

#include <stdarg.h>
#include <string.h>

#define APPLY_MOST 10000

static gint64 apply;

const GOptionEntry check_options[]
    = { { "apply", 0, 0, G_OPTION_ARG_INT64, &apply,
          "run the first N keys of JOB through its files, and roll back", "N" },
        { NULL } };

const char check_more[]
    = "Statements are prepared and explained, not run; a page is read. Exit code 0 well, or warnings only; 2 a job is wrong;\n"
      "3 a right is missing, or rows are hidden; 6 an unknown job, or an index is missing.";

static const Column FOR_MACHINES[]
    = { { "job" },    { "check" }, { "ok", CELL_BOOL },     { "level" }, { "detail" },
        { "remedy" }, { "file" },  { "line", CELL_NUMBER }, { NULL } };
static const Column FOR_PEOPLE[]
    = { { "job" }, { "check" }, { "level" }, { "place" }, { "detail" }, { NULL } };

static void
finding_free (gpointer data)
{
  CheckFinding *finding = data;
  g_free (finding->check);
  g_free (finding->detail);
  g_free (finding->remedy);
  g_free (finding->file);
  g_free (finding);
}

static void
add (Check *check, const char *name, const char *level, ExitCode code, CheckPlace place,
     const char *remedy, const char *format, va_list list)
{
  CheckFinding *finding = g_new0 (CheckFinding, 1);
  finding->job = check->job->name;
  finding->level = level;
  finding->code = code;
  finding->check = g_strdup (name);
  finding->detail = g_strdup_vprintf (format, list);
  g_strdelimit (finding->detail, "\r\n\t", ' ');
  finding->remedy = g_strdup (remedy);
  finding->file = g_strdup (place.file);
  finding->line = place.line;
  g_ptr_array_add (check->findings, finding);
}

void
check_ok (Check *check, const char *name, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  add (check, name, "ok", CODE_OK, (CheckPlace){ 0 }, NULL, format, list);
  va_end (list);
}

void
check_warn (Check *check, const char *name, CheckPlace place, const char *remedy,
            const char *format, ...)
{
  va_list list;
  va_start (list, format);
  add (check, name, "warning", CODE_OK, place, remedy, format, list);
  va_end (list);
}

void
check_error (Check *check, ExitCode code, const char *name, CheckPlace place, const char *remedy,
             const char *format, ...)
{
  va_list list;
  va_start (list, format);
  add (check, name, "error", code, place, remedy, format, list);
  va_end (list);
}

PgRows *
check_ask (Check *check, const char *name, const char *file, const PgValues *values)
{
  g_autoptr (GError) error = NULL;
  PgRows *rows = pg_begin_read_only (check->pg, &error)
                     ? pg_run_file (check->pg, file, values, &error)
                     : NULL;
  pg_rollback (check->pg);
  if (rows == NULL) {
    check->away |= error->code == PRUNED_OUTAGE;
    check_error (check, CODE_POSTGRES, name, (CheckPlace){ 0 }, NULL, "could not be checked: %s",
                 error->message);
  }
  return rows;
}

/* `file:line` as a place; its text belongs to the Check. */
static CheckPlace
place_in (Check *check, const char *text)
{
  const char *colon = text != NULL ? strrchr (text, ':') : NULL;
  CheckPlace place = { text, 0 };
  if (colon != NULL && g_ascii_isdigit (colon[1])) {
    char *file = g_strndup (text, colon - text);
    g_ptr_array_add (check->texts, file);
    place = (CheckPlace){ file, atoi (colon + 1) };
  }
  return place;
}

CheckPlace
check_place (Check *check)
{
  return place_in (check, check->job->sentence->place);
}

guint
check_errors (const Check *check)
{
  guint n = 0;
  for (guint i = 0; i < check->findings->len; i++) {
    const CheckFinding *finding = check->findings->pdata[i];
    n += finding->code != CODE_OK && g_str_equal (finding->job, check->job->name);
  }
  return n;
}

ExitCode
check_code (Check *check, const GError *cause)
{
  const char *state = pg_sqlstate (check->pg);
  check->away |= cause->code == PRUNED_OUTAGE;
  return cause->code == PRUNED_OUTAGE || cause->code == PRUNED_BUSY || g_str_equal (state, "42501")
                 || g_str_equal (state, "57014")
             ? CODE_POSTGRES
             : CODE_CONFIG;
}

void
check_begin (Check *check, Cli *cli, Pg *pg)
{
  *check = (Check){ .cli = cli,
                    .pg = pg,
                    .findings = g_ptr_array_new_with_free_func (finding_free),
                    .texts = g_ptr_array_new_with_free_func (g_free) };
}

void
check_end (Check *check)
{
  g_clear_pointer (&check->findings, g_ptr_array_unref);
  g_clear_pointer (&check->texts, g_ptr_array_unref);
  g_clear_pointer (&check->together, g_ptr_array_unref);
  g_clear_pointer (&check->completed, g_hash_table_unref);
  g_clear_pointer (&check->answers, g_hash_table_unref);
  g_clear_pointer (&check->large, g_hash_table_unref);
}

/* --- what is shown ---------------------------------------------------------------------------- */

static json_t *
text (const char *words)
{
  return words != NULL ? json_string (words) : NULL;
}

static json_t *
place_of (const CheckFinding *finding)
{
  if (finding->file == NULL || finding->line == 0)
    return text (finding->file);
  g_autofree char *place = g_strdup_printf ("%s:%d", finding->file, finding->line);
  return json_string (place);
}

static void
show_for_people (Output *out, const GPtrArray *findings)
{
  output_table (out, FOR_PEOPLE);
  for (guint i = 0; i < findings->len; i++) {
    const CheckFinding *finding = findings->pdata[i];
    output_row (out, json_string (finding->job), json_string (finding->check),
                json_string (finding->level), place_of (finding), json_string (finding->detail));
  }
  output_end (out);
  gboolean any = FALSE;
  for (guint i = 0; i < findings->len; i++) {
    const CheckFinding *finding = findings->pdata[i];
    if (finding->remedy == NULL)
      continue;
    if (!any)
      output_say (out, "\nWhat to do:");
    any = TRUE;
    output_say (out, "  # %s: %s\n  %s", finding->job, finding->check, finding->remedy);
  }
}

static void
show_for_machines (Output *out, const GPtrArray *findings)
{
  output_table (out, FOR_MACHINES);
  for (guint i = 0; i < findings->len; i++) {
    const CheckFinding *finding = findings->pdata[i];
    output_row (out, json_string (finding->job), json_string (finding->check),
                json_boolean (finding->level[0] != 'e'), json_string (finding->level),
                json_string (finding->detail), text (finding->remedy), text (finding->file),
                finding->line > 0 ? json_integer (finding->line) : NULL);
  }
}

static ExitCode
code_of (const GPtrArray *findings)
{
  for (guint i = 0; i < findings->len; i++)
    if (((const CheckFinding *)findings->pdata[i])->code != CODE_OK)
      return ((const CheckFinding *)findings->pdata[i])->code;
  return CODE_OK;
}

/* `refused: PLACE: WHY` is WHY: the place has its own column. */
static const char *
without_place (const Job *job, const char *refusal)
{
  g_autofree char *begin = g_strdup_printf ("refused: %s: ", job->sentence->place);
  return g_str_has_prefix (refusal, begin) ? refusal + strlen (begin) : refusal;
}

static void
say_refused (Check *check, const char *refusal)
{
  const char *why = without_place (check->job, refusal);
  check_error (check, g_str_has_prefix (why, SENTENCE_HIDDEN) ? CODE_POSTGRES : CODE_CONFIG,
               "sentence", check_place (check), NULL, "%s", why);
}

static const Job *
complete_alone (Check *check)
{
  g_autofree char *refusal = NULL;
  g_autoptr (GError) error = NULL;
  const Job *whole = pg_begin_read_only (check->pg, &error)
                         ? job_complete (check->pg, check->job, &refusal, &error)
                         : NULL;
  if (refusal == NULL && whole == NULL)
    (void)check_code (check, error);
  pg_rollback (check->pg);
  if (refusal != NULL)
    say_refused (check, refusal);
  else if (whole == NULL)
    check_error (check, CODE_POSTGRES, "sentence", check_place (check), NULL, "%s", error->message);
  return whole;
}

gboolean
check_complete (Check *check)
{
  const Job *whole;
  const char *refusal;
  if (!check_is_ahead (check, check->job, &whole, &refusal))
    whole = complete_alone (check);
  else if (whole == NULL)
    say_refused (check, refusal);
  if (whole != NULL)
    check->job = whole;
  return whole != NULL;
}

/* A job that is refused when it is loaded. */
static void
check_refused (Check *check, const JobRefused *refused)
{
  const Job job = { .name = refused->name };
  check->job = &job; // cppcheck-suppress autoVariables; until the end of this function
  check_error (check, CODE_CONFIG, "refused", place_in (check, refused->place), NULL, "%s",
               refused->reason);
  check->job = NULL;
}

static void
check_store (Check *check)
{
  if (!sentence_has_objects (check->job->sentence))
    return;
  if (*config_text (check->cli->config, "store.object", "endpoint") == '\0')
    check_error (check, CODE_CONFIG, "store", check_place (check),
                 "set [store.object] endpoint, region and credentials_file",
                 "[store.object] endpoint is not set: no object can be deleted");
  else
    check_ok (check, "store", "objects are those of bucket %s", check->job->sentence->bucket);
}

void
check_job (Check *check, const Job *job)
{
  check->job = job;
  if (job->sentence != NULL && !check_complete (check))
    return;
  check_store (check);
  check_statements (check);
  if (check_errors (check) == 0)
    check_page (check);
  check_tables (check);
}

ExitCode
command_check (Cli *cli, GError **error)
{
  const Job *one = cli->n_arguments > 0 ? cli_job (cli, cli->arguments[0], error) : NULL;
  if (cli->n_arguments > 0 && one == NULL)
    return CODE_NOT_FOUND;
  if (apply < 0 || apply > APPLY_MOST || (apply > 0 && one == NULL))
    return cli_usage (error, "--apply takes a number of keys, up to %d, and one job", APPLY_MOST);
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_auto (Check) check;
  check_begin (&check, cli, pg);
  for (guint i = 0; i < jobs_refused_count (cli->jobs); i++)
    if (one == NULL || one == jobs_refused_at (cli->jobs, i)->job)
      check_refused (&check, jobs_refused_at (cli->jobs, i));
  g_autoptr (GPtrArray) jobs = g_ptr_array_new ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    if (one == NULL || one == jobs_at (cli->jobs, i))
      g_ptr_array_add (jobs, jobs_at (cli->jobs, i));
  check_ahead (&check, jobs);
  for (guint i = 0; i < jobs->len; i++)
    check_job (&check, jobs->pdata[i]);
  if (apply > 0 && code_of (check.findings) == CODE_OK)
    return check_apply (&check, apply, error);
  (output_is_json (cli->out) ? show_for_machines : show_for_people) (cli->out, check.findings);
  return code_of (check.findings);
}
