#include "engine/brakes/limits.h"

#include "engine/brakes/approved_version.h"
#include "engine/brakes/count.h"

#define SQL "src/engine/brakes/sql/"
#define THOUSAND 1000

gint64
limits_shared_rows (const Job *job)
{
  const gint64 page = MAX (in_force_of (job)->batch, 1),
               most = in_force_of (job)->limits.max_rows_per_day;
  return most < 0 ? page : MIN (most / (20 * (gint64)job_partitions (job)), page);
}

/* Below the `min_rows` of SET the limit does not count. */
static gint64
at_least (gint64 limit, const JobLimits *set)
{
  return MAX (limit, set->min_rows - 1);
}

/* The rows of its table that the steps of the run before this one have removed. */
static gint64
gone_before (const Step *step)
{
  const Job *job = step->job;
  const gboolean planned
      = step->plan || in_force_mode (job) == MODE_PLAN || run_is_planned (step->run);
  return share_removes (job) && !planned ? count_own_rows (step->run->result) : 0;
}

static gboolean
read_share (Step *step, gint64 gone, const JobLimits *set, RowLimits *limits, GError **error)
{
  gint64 n;
  gboolean counted;
  if (!share_read_rows (step, &n, &counted, error))
    return FALSE;
  if (n < 0)
    return TRUE;
  limits->of_rows = n;
  limits->share = share_limit (n, gone + gone_before (step), set);
  return TRUE;
}

static gboolean
read_ratio (Step *step, const JobLimits *set, RowLimits *limits, GError **error)
{
  if (set->max_ratio < 0)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  pg_values_set (values, "run_id", step->run->run_id);
  pg_values_take (values, "event_key", event_limits_keys (step->job));
  pg_values_set (values, "own", step->job->below != NULL ? "t" : "f");
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "usual.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (rows_int (rows, 0, "n") >= 5) {
    gint64 usual = MAX (1, rows_int (rows, 0, "usual"));
    limits->usual = usual;
    limits->ratio = at_least ((gint64)((double)usual * (double)set->max_ratio / THOUSAND), set);
  }
  return TRUE;
}

gboolean
limits_read (Step *step, gint64 below, gint64 gone, RowLimits *limits, GError **error)
{
  const JobLimits *set = &in_force_of (step->job)->limits;
  *limits = (RowLimits){ LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, LIMIT_NONE };
  if (set->max_rows >= 0)
    limits->max_rows = set->max_rows;
  if (!read_share (step, gone, set, limits, error) || !read_ratio (step, set, limits, error))
    return FALSE;
  if (limits->share < LIMIT_NONE)
    limits->share += below;
  if (limits->ratio < LIMIT_NONE)
    limits->ratio += below;
  const char *run_id = step->run->run_id;
  gint64 others;
  if (set->max_rows_per_day < 0)
    return TRUE;
  if (!day_sum (step, run_id, run_id, &others, error))
    return FALSE;
  limits->went = others;
  limits->day = MAX (0, set->max_rows_per_day - others);
  return TRUE;
}

void
limits_add_gone (const Step *step, RowLimits *limits)
{
  const JobLimits *set = &in_force_of (step->job)->limits;
  const gint64 gone = count_own_rows (step->run->result) + count_own_rows (step->counts);
  if (limits->share < LIMIT_NONE)
    limits->share += share_rows (limits->of_rows + gone, set) - share_rows (limits->of_rows, set);
}

gint64
limits_least (const RowLimits *limits)
{
  return MIN (MIN (limits->max_rows, limits->day), MIN (limits->share, limits->ratio));
}

const char *
limits_exceeded (const RowLimits *limits, gint64 rows)
{
  return rows > limits->max_rows ? "max_rows"
         : rows > limits->share  ? "max_share"
         : rows > limits->day    ? "max_rows_per_day"
         : rows > limits->ratio  ? "max_ratio"
                                 : NULL;
}

/* What LIMIT is compared with, beside its own value; NULL: nothing. */
static const char *
measure_of (const RowLimits *limits, const char *limit, gint64 *n)
{
  static const struct {
    const char *limit, *name;
    size_t at;
  } MEASURES[] = { { "max_share", "table_rows", G_STRUCT_OFFSET (RowLimits, of_rows) },
                   { "max_rows_per_day", "went_today", G_STRUCT_OFFSET (RowLimits, went) },
                   { "max_ratio", "usual", G_STRUCT_OFFSET (RowLimits, usual) } };
  for (guint i = 0; i < G_N_ELEMENTS (MEASURES); i++)
    if (g_str_equal (limit, MEASURES[i].limit)) {
      *n = G_STRUCT_MEMBER (gint64, limits, MEASURES[i].at);
      return MEASURES[i].name;
    }
  return NULL;
}

void
limits_add_measure (const RowLimits *limits, const char *limit, json_t *held)
{
  gint64 n;
  if (limits->events.limit != NULL) {
    event_limits_add_measure (&limits->events, held);
    return;
  }
  const char *name = measure_of (limits, limit, &n);
  if (name != NULL)
    json_object_set_new (held, name, json_integer (n));
}

json_t *
limits_settings (const Job *job)
{
  static const char *const names[]
      = { "max_rows", "max_share", "max_rows_per_day", "max_ratio", "min_rows" };
  json_t *set = json_object ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const char *text = config_job_text (in_force_config (), job->name, names[i]);
    gint64 whole;
    if (g_str_equal (text, "off"))
      continue;
    json_object_set_new (set, names[i],
                         g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, &whole, NULL)
                             ? json_integer (whole)
                             : json_string (text));
  }
  return set;
}

/* --- approval --- */

/* RESTORED: unknown is a version only while rows are held that a restore of the job has put back.
 */
static gboolean
is_known (Step *step, gboolean restored, gboolean *known, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "restored", restored ? "true" : "false");
  pg_values_set (values, "job", step->job->name);
  pg_values_take (values, "version", approved_version (step->job));
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "version_known.sql", values, error);
  *known = rows != NULL && rows_bool (rows, 0, "known");
  return rows != NULL;
}

gboolean
limits_ask (Step *step, gint64 rows, const char **why, GError **error)
{
  const JobApprove approve = in_force_approve (step->job);
  gboolean known = TRUE;
  *why = NULL;
  if (rows == 0 || approve == APPROVE_NEVER || (approve == APPROVE_ABOVE && !step->run->holds))
    return TRUE;
  if (approve != APPROVE_ALWAYS && !is_known (step, approve == APPROVE_ABOVE, &known, error))
    return FALSE;
  gboolean outgrown
      = approve != APPROVE_ABOVE
        && step->run->approved_until_us > 0; /* approved for fewer rows, or too long ago: an
                                             approval that still holds does not come here */
  if (approve == APPROVE_ALWAYS || !known || outgrown)
    *why = "approve";
  return TRUE;
}
