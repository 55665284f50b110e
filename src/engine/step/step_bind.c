/* The parameters that a step binds for every statement of its job. */
#include "engine/step/step.h"

#include "engine/job/in_force.h"
#include "engine/ledger/keeping.h"
#include "engine/step/pace.h"
#include "engine/step/spacing.h"

#include <string.h>

#define COMMON                                                                                     \
  "run_id", "step", "scheduled_at", "plan", "args", "audit", "audit_of", "secret", "record",       \
      "job", "park_retry_days", "audit.run_id", "audit.step"

const char *const step_bound[] = { COMMON,        "rows",  "page_bytes", "audit.of", "audit.proven",
                                   "audit.texts", "index", "began_at",   NULL };

/* T, but never later than the database's clock. Only a plan may look ahead. */
static gint64
scheduled_at_of (const Step *step)
{
  return step->plan ? step->run->scheduled_at_us
                    : MIN (step->run->scheduled_at_us, step->run->now_us);
}

static void
set_audit (const Job *job, const char *name, PgValues *values)
{
  const char *said = job->audit; /* in place of what [audit] says */
  if (g_str_equal (name, "audit"))
    pg_values_set (values, name,
                   said != NULL ? said : config_text (in_force_config (), "audit", "rows"));
  else if (g_str_equal (name, "audit_of"))
    pg_values_take (values, name,
                    said != NULL ? g_strdup ("{}") : keeping_rows_of (in_force_config ()));
  else if (g_str_equal (name, "record"))
    pg_values_set (values, name, job_recorded (job));
  else
    pg_values_take (values, name, keeping_secret (in_force_config ()));
}

/* Each is made when a statement wants it: most steps want few. */
static void
set_common (const Step *step, const char *name, PgValues *values)
{
  if (g_str_equal (name, "run_id"))
    pg_values_set (values, name, run_known_id (step->run));
  else if (g_str_equal (name, "audit.run_id"))
    pg_values_take (values, name, g_strdup_printf ("{%s}", run_known_id (step->run)));
  else if (g_str_equal (name, "audit.step"))
    pg_values_take (values, name, g_strdup_printf ("{%d}", step->run->step));
  else if (g_str_equal (name, "step"))
    pg_values_int (values, name, step->run->step);
  else if (g_str_equal (name, "scheduled_at"))
    pg_values_time (values, name, scheduled_at_of (step));
  else if (g_str_equal (name, "plan"))
    pg_values_set (values, name, step->plan ? "t" : "f");
  else if (g_str_equal (name, "args"))
    pg_values_take (values, name, json_text (step->run->args));
  else if (g_str_equal (name, "job"))
    pg_values_set (values, name, step->job->name);
  else if (g_str_equal (name, "park_retry_days"))
    pg_values_int (values, name, step_setting (step, "park_retry_days"));
  else
    set_audit (step->job, name, values);
}

const char *
step_common (Step *step, const char *name)
{
  if (step->common == NULL)
    step->common = pg_values_new ();
  if (pg_values_get (step->common, name) == NULL)
    set_common (step, name, step->common);
  return pg_values_get (step->common, name);
}

/* NAME is `key` of this job, or `job.key` of another. An unknown name stays unbound, and src/pg
 * reports it. */
static void
bind_setting (const Step *step, const char *parameter, PgValues *values)
{
  const char *name = parameter + strlen ("setting."), *dot = strrchr (name, '.');
  g_autofree char *other = dot != NULL ? g_strndup (name, (gsize)(dot - name)) : NULL;
  const char *job = other != NULL ? other : step->job->name, *key = dot != NULL ? dot + 1 : name;
  if (config_has_job_key (in_force_config (), job, key))
    pg_values_set (values, parameter, config_job_text (in_force_config (), job, key));
}

void
step_bind (Step *step, const PgStatement *statement, PgValues *values)
{
  static const char *const common[] = { COMMON };
  for (guint i = 0; i < G_N_ELEMENTS (common); i++)
    if (pg_statement_wants (statement, common[i]))
      pg_values_set (values, common[i], step_common (step, common[i]));
  const char *const *names = pg_statement_parameters (statement);
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_has_prefix (names[i], "setting."))
      bind_setting (step, names[i], values);
  if (pg_statement_wants (statement, "rows"))
    pg_values_take (values, "rows",
                    step_is_cut (step) ? g_strdup_printf ("%d", pace_page_limit (step->run))
                                       : NULL);
  if (pg_statement_wants (statement, "audit.of"))
    pg_values_set (values, "audit.of", NULL); /* all rows are of this run */
  if (pg_statement_wants (statement, "page_bytes"))
    pg_values_int (values, "page_bytes", pace_weight_most (step));
  if (pg_statement_wants (statement, "index") || pg_statement_wants (statement, "began_at"))
    spacing_bind (step->run, statement, values);
}
