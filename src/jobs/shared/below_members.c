#include "jobs/shared/below_members.h"

#include "jobs/shared/hidden.h"
#include "jobs/shared/sweep.h"
#include "jobs/shared/sweep_private.h"

#define ALL_OF_THEM G_MAXINT /* a page goes as a whole */
#define THESE "x0.id = ANY (:member::bigint[])"
/* They need more than a record: outcomes, files, authorizations. */
static const char *const refused[]
    = { "projects", "namespaces", "users", "members", "ci_job_artifacts", NULL };

static char *
read_stamp (Step *step, GError **error)
{
  const PgRows *catalogue
      = step_query_once (step, error, "../shared/catalogue", "tables", NULL, "columns", NULL, NULL);
  return catalogue != NULL ? g_strdup (rows_text (catalogue, 0, "stamp")) : NULL;
}

gboolean
below_members_refuse_hidden (Step *step, GError **error)
{
  g_autofree char *stamp = read_stamp (step, error);
  return stamp != NULL && hidden_refuse (step, stamp, "{members}", "{}", error);
}

gboolean
below_members_go_first (Step *step, const char *keys, GError **error)
{
  g_autofree char *stamp = read_stamp (step, error);
  Sweep sweep = {
    .step = step, .catalogue = stamp, .members = keys, .refused = refused, .left = ALL_OF_THEM
  };
  return stamp != NULL && sweep_all_below (&sweep, "members", THESE, error);
}

gboolean
below_members_is_any (Step *step, gboolean *any, GError **error)
{
  g_autofree char *stamp = read_stamp (step, error);
  const Sweep sweep = { .step = step, .catalogue = stamp, .refused = refused };
  const PgRows *made
      = stamp != NULL ? sweep_statements (&sweep, "members", THESE, 0, NULL, error) : NULL;
  *any = made != NULL && rows_text (made, 0, "counts") != NULL;
  return made != NULL;
}

gboolean
below_members_foresee (Step *step, const char *keys, GError **error)
{
  g_autofree char *stamp = read_stamp (step, error);
  const Sweep sweep = { .step = step, .catalogue = stamp, .members = keys, .refused = refused };
  return stamp != NULL && sweep_foresee (&sweep, "members", THESE, NULL, error);
}
