#include "cli/doctor/doctor.h"

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/grants.h"
#include "base/words.h"
#include "web/pages.h"

#include <stdarg.h>

#define LISTED 5

typedef struct {
  const char *check, *level;
  ExitCode code;
  char *detail, *remedy; /* remedy NULL: none */
} Finding;

static gboolean quiet;

const GOptionEntry doctor_options[]
    = { { "quiet", 0, 0, G_OPTION_ARG_NONE, &quiet,
          "only warnings and errors; nothing if all is well", NULL },
        { NULL } };

static const Column FOR_MACHINES[]
    = { { "check" }, { "ok", CELL_BOOL }, { "level" }, { "detail" }, { "remedy" }, { NULL } };
static const Column FOR_PEOPLE[] = { { "check" }, { "level" }, { "detail" }, { NULL } };

static void
finding_free (gpointer data)
{
  Finding *finding = data;
  g_free (finding->detail);
  g_free (finding->remedy);
  g_free (finding);
}

/* Errors of libpq and librdkafka have several lines. */
static void
add (Doctor *doctor, const char *check, const char *level, ExitCode code, const char *remedy,
     const char *format, va_list list)
{
  g_autofree char *detail = g_strdup_vprintf (format, list);
  Finding *finding = g_new0 (Finding, 1);
  *finding = (Finding){ check, level, code, words_in_one_line (detail), g_strdup (remedy) };
  g_ptr_array_add (doctor->findings, finding);
}

void
doctor_ok (Doctor *doctor, const char *check, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  add (doctor, check, "ok", CODE_OK, NULL, format, list);
  va_end (list);
}

void
doctor_warn (Doctor *doctor, const char *check, const char *remedy, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  add (doctor, check, "warning", CODE_OK, remedy, format, list);
  va_end (list);
}

void
doctor_error (Doctor *doctor, ExitCode code, const char *check, const char *remedy,
              const char *format, ...)
{
  va_list list;
  va_start (list, format);
  add (doctor, check, "error", code, remedy, format, list);
  va_end (list);
}

void
doctor_unasked (Doctor *doctor, const char *check, const GError *cause)
{
  doctor_error (doctor, CODE_POSTGRES, check, doctor->grants, "could not be checked: %s",
                cause->message);
}

void
doctor_unasked_but_missing (Doctor *doctor, const char *check, const GError *cause)
{
  const char *state = pg_sqlstate (doctor->pg);
  if (!g_str_equal (state, "42P01") && !g_str_equal (state, "42703"))
    doctor_unasked (doctor, check, cause);
}

PgRows *
doctor_ask (Doctor *doctor, const char *check, const char *file, const PgValues *values)
{
  g_autoptr (GError) error = NULL;
  PgRows *rows = pg_begin_read_only (doctor->pg, &error)
                     ? pg_run_file (doctor->pg, file, values, &error)
                     : NULL;
  pg_rollback (doctor->pg);
  if (rows == NULL)
    doctor_unasked (doctor, check, error);
  return rows;
}

char *
doctor_list (const PgRows *rows, const char *name)
{
  GString *list = g_string_new (NULL);
  for (int i = 0; i < rows_count (rows) && i < LISTED; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", rows_text (rows, i, name));
  if (rows_count (rows) > LISTED)
    g_string_append_printf (list, " and %d more", rows_count (rows) - LISTED);
  return g_string_free (list, FALSE);
}

char *
doctor_count (gint64 n, const char *what)
{
  g_autofree char *many = g_strconcat (what, "s", NULL);
  return g_strdup_printf ("%" G_GINT64_FORMAT " %s", n, plural (n, what, many));
}

/* The checks that have the same remedy as the finding at I, once. */
static char *
checks_of (const Doctor *doctor, guint i)
{
  const Finding *finding = doctor->findings->pdata[i];
  GString *checks = g_string_new (NULL);
  const char *last = NULL;
  for (; i < doctor->findings->len; i++) {
    const Finding *other = doctor->findings->pdata[i];
    if (g_strcmp0 (other->remedy, finding->remedy) == 0 && g_strcmp0 (other->check, last) != 0)
      g_string_append_printf (checks, "%s%s", checks->len > 0 ? ", " : "", last = other->check);
  }
  return g_string_free (checks, FALSE);
}

static gboolean
is_repeated (const Doctor *doctor, guint i)
{
  const Finding *finding = doctor->findings->pdata[i];
  for (guint before = 0; before < i; before++)
    if (g_strcmp0 (((const Finding *)doctor->findings->pdata[before])->remedy, finding->remedy)
        == 0)
      return TRUE;
  return FALSE;
}

static void
show_for_people (const Doctor *doctor, Output *out)
{
  gboolean all_well = TRUE;
  output_table (out, FOR_PEOPLE);
  for (guint i = 0; i < doctor->findings->len; i++) {
    const Finding *finding = doctor->findings->pdata[i];
    output_row (out, json_string (finding->check), json_string (finding->level),
                json_string (finding->detail));
  }
  output_end (out);
  for (guint i = 0; i < doctor->findings->len; i++) {
    const Finding *finding = doctor->findings->pdata[i];
    if (finding->remedy == NULL || is_repeated (doctor, i))
      continue;
    if (all_well)
      output_say (out, "\nWhat to do:");
    all_well = FALSE;
    g_autofree char *checks = checks_of (doctor, i);
    output_say (out, "  # %s\n  %s", checks, finding->remedy);
  }
  if (all_well)
    output_hint (out, "\nAll is well.");
}

static void
show_for_machines (const Doctor *doctor, Output *out)
{
  output_table (out, FOR_MACHINES);
  for (guint i = 0; i < doctor->findings->len; i++) {
    const Finding *finding = doctor->findings->pdata[i];
    output_row (out, json_string (finding->check), json_boolean (finding->level[0] == 'o'),
                json_string (finding->level), json_string (finding->detail),
                json_string (finding->remedy));
  }
}

static ExitCode
code_of (const Doctor *doctor)
{
  for (guint i = 0; i < doctor->findings->len; i++) {
    const Finding *finding = doctor->findings->pdata[i];
    if (finding->code != CODE_OK)
      return finding->code;
  }
  return CODE_OK;
}

static void
forget_well (Doctor *doctor)
{
  for (guint i = doctor->findings->len; i > 0; i--)
    if (((const Finding *)doctor->findings->pdata[i - 1])->level[0] == 'o')
      g_ptr_array_remove_index (doctor->findings, i - 1);
}

static void
look_at_jobs (Doctor *doctor)
{
  const Jobs *jobs = doctor->cli->jobs;
  for (guint i = 0; i < jobs_refused_count (jobs); i++) {
    const JobRefused *one = jobs_refused_at (jobs, i);
    g_autofree char *remedy = g_strdup_printf ("edit %s", one->place);
    doctor_error (doctor, CODE_CONFIG, "jobs", remedy, "%s is refused: %s: %s", one->name,
                  one->place, one->reason);
  }
  for (guint i = 0; i < jobs_remarks (jobs)->len; i++) {
    const JobRemark *one = jobs_remarks (jobs)->pdata[i];
    doctor_warn (doctor, "jobs", NULL, "%s: %s: %s", one->name, one->place, one->text);
  }
}

static void
look_at_pages (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  if (!pages_check (doctor->cli->config, &error))
    doctor_error (doctor, CODE_CONFIG, "http", "pruned config", "%s", error->message);
}

ExitCode
command_doctor (Cli *cli, GError **error)
{
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (finding_free);
  Doctor doctor
      = { .cli = cli, .findings = findings, .grants = grants_command (cli->config, NULL, NULL) };
  look_at_jobs (&doctor);
  look_at_pages (&doctor);
  doctor_postgres (&doctor);
  doctor_replica (&doctor);
  doctor_kafka (&doctor);
  doctor_stores (&doctor);
  doctor_jobs (&doctor);
  doctor_rights (&doctor);
  doctor_settings (&doctor);
  doctor_work (&doctor);
  doctor_housekeeping (&doctor);
  doctor_notices (&doctor);
  doctor_gentle (&doctor);
  if (quiet)
    forget_well (&doctor);
  if (!quiet || findings->len > 0)
    (output_is_json (cli->out) ? show_for_machines : show_for_people) (&doctor, cli->out);
  g_clear_pointer (&doctor.pg, pg_free);
  g_strfreev (doctor.kafka);
  g_free (doctor.grants);
  g_free (doctor.owner);
  g_free (doctor.role);
  g_free (doctor.ours);
  return code_of (&doctor);
}
