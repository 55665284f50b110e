/* What a check has found, with its place. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "cli/grants.h"
#include "base/words.h"
#include "engine/job/job_conf_named.h"

#include <stdarg.h>
#include <string.h>

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

/* A finding about the job as a whole stands where the job is said. */
static CheckPlace
place_of_job (Check *check, CheckPlace place)
{
  const Job *job = check->job;
  gboolean said = job->sentence != NULL || job->folder != NULL;
  return place.file != NULL || !said ? place : check_place (check);
}

/* Where the text of the file of a job at PATH begins, behind its comments. One that cannot be read
 * has its first line. */
static int
first_line (const char *path)
{
  if (!g_str_has_suffix (path, ".sql") && !g_str_has_suffix (path, ".conf"))
    return 0;
  g_autofree char *text = resource_text (path, NULL);
  int line = 1;
  for (const char *p = text; p != NULL && *p != '\0'; line++) {
    const gsize len = strcspn (p, "\n");
    const char *word = p + strspn (p, " \t\r");
    if (word < p + len && *word != '#' && !g_str_has_prefix (word, "--"))
      return line;
    p += len + (p[len] != '\0');
  }
  return 1;
}

static void
add (Check *check, const char *name, const char *level, ExitCode code, CheckPlace place,
     const char *remedy, const char *format, va_list list)
{
  g_autofree char *detail = g_strdup_vprintf (format, list);
  CheckFinding *finding = g_new0 (CheckFinding, 1);
  place = place_of_job (check, place);
  finding->job = check->job->name;
  finding->level = level;
  finding->code = code;
  finding->check = g_strdup (name);
  finding->detail = words_in_one_line (detail);
  finding->remedy = g_strdup (remedy);
  finding->file = g_strdup (place.file);
  finding->line = place.line > 0 || place.file == NULL ? place.line : first_line (place.file);
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
    check_error (check, CODE_POSTGRES, name, (CheckPlace){ 0 },
                 check_remedy (check, CODE_POSTGRES, error), "could not be checked: %s",
                 error->message);
  }
  return rows;
}

CheckPlace
check_place_in (Check *check, const char *text)
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
  const Job *job = check->job;
  if (job->sentence != NULL)
    return check_place_in (check, job->sentence->place);
  if (job_only_starts (job))
    return check_place_in (check, job->folder);
  char *conf = g_build_filename (job->folder, "job.conf", NULL);
  g_ptr_array_add (check->texts, conf);
  return (CheckPlace){ conf, 0 };
}

CheckPlace
check_place_of_key (Check *check, const char *key)
{
  const Job *job = check->job;
  CheckPlace place = check_place (check);
  int line = job->sentence != NULL ? sentence_line (job->sentence, key)
                                   : job_conf_line (job->folder, key);
  place.line = line != 0 ? line : place.line;
  return place;
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

gboolean
check_can_run (const Check *check)
{
  for (guint i = 0; i < check->findings->len; i++) {
    const CheckFinding *finding = check->findings->pdata[i];
    if (finding->code != CODE_OK && finding->code != CODE_NOT_FOUND
        && g_str_equal (finding->job, check->job->name))
      return FALSE;
  }
  return TRUE;
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

static PgRows *
ask_plainly (Check *check, const char *file, const PgValues *values)
{
  PgRows *rows
      = pg_begin_read_only (check->pg, NULL) ? pg_run_file (check->pg, file, values, NULL) : NULL;
  pg_rollback (check->pg);
  return rows;
}

/* `pruned grants` does not know the functions that a sentence calls. NULL: CAUSE is not about one.
 */
static char *
grant_of_function (Check *check, const GError *cause)
{
  static const char denied[] = "permission denied for function ";
  const char *at = strstr (cause->message, denied);
  if (at == NULL)
    return NULL;
  at += strlen (denied);
  g_autoptr (PgValues) values = pg_values_new ();
  const char *end = strstr (at, " ["); /* the SQLSTATE */
  pg_values_take (values, "name", g_strndup (at, end != NULL ? (gsize)(end - at) : strlen (at)));
  g_autoptr (PgRows) rows = ask_plainly (check, "src/cli/check/sql/function_grants.sql", values);
  return rows != NULL ? g_strdup (rows_text (rows, 0, "grants")) : NULL;
}

static char *
grant_of (Check *check, const GError *cause)
{
  char *of_function = grant_of_function (check, cause);
  if (of_function != NULL)
    return of_function;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (check->cli->config, "postgres", "app_schema"));
  g_autoptr (PgRows) owners = ask_plainly (check, "src/cli/sql/owners.sql", values);
  return grants_of (check->cli->config, owners);
}

const char *
check_name (const Check *check, const char *name)
{
  return pg_is_hidden (check->pg) ? CHECK_HIDDEN : name;
}

static char *
bypass (Check *check)
{
  g_autoptr (PgRows) rows = ask_plainly (check, "src/cli/check/sql/bypass.sql", NULL);
  return rows != NULL ? g_strdup (rows_text (rows, 0, "remedy")) : NULL;
}

const char *
check_remedy (Check *check, ExitCode code, const GError *cause)
{
  if (code != CODE_POSTGRES)
    return NULL;
  char *remedy = pg_is_hidden (check->pg) ? bypass (check)
                 : g_str_equal (pg_sqlstate (check->pg), "42501")
                     ? grant_of (check, cause)
                     : g_strdup_printf ("pruned check %s", check->job->name);
  g_ptr_array_add (check->texts, remedy);
  return remedy;
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
  g_clear_pointer (&check->daemon, g_free);
  g_clear_pointer (&check->keys, g_free);
  g_clear_pointer (&check->texts, g_ptr_array_unref);
  g_clear_pointer (&check->together, g_ptr_array_unref);
  g_clear_pointer (&check->completed, g_hash_table_unref);
  g_clear_pointer (&check->answers, g_hash_table_unref);
  g_clear_pointer (&check->large, g_hash_table_unref);
}
