/* An erasure: whether all of its jobs can do their part, because none begins otherwise. */
#include "cli/check/check.h"

#include "engine/job/in_force.h"
#include "engine/job/job_erasure.h"

#define NAME "jobs"

/* Why JOB, which is called NAME, cannot; NULL: it can, as far as is known. g_free it. */
static char *
obstacle_of (Check *check, const char *name)
{
  const JobRefused *refused = jobs_refused_find (check->cli->jobs, name);
  const Job *job = jobs_find (check->cli->jobs, name), *whole = NULL;
  const char *refusal = NULL;
  if (refused != NULL)
    return g_strdup_printf ("%s is refused: %s: %s", name, refused->place, refused->reason);
  if (job == NULL)
    return g_strdup_printf ("%s is not in force here", name);
  return check_is_ahead (check, job, &whole, &refusal) && refusal != NULL
             ? g_strdup_printf ("%s: %s", name, refusal)
             : NULL;
}

void
check_starts (Check *check)
{
  const SentenceEvent *erasure = job_erasure (check->job);
  g_autofree char *names = g_strjoinv (", ", erasure->jobs);
  gboolean fine = TRUE;
  for (char **name = erasure->jobs; *name != NULL; name++) {
    const Job *job = jobs_find (check->cli->jobs, *name);
    g_autofree char *why = obstacle_of (check, *name);
    if (why != NULL)
      check_error (check, CODE_CONFIG, NAME, check_place (check), NULL,
                   "nothing of this erasure begins: %s", why);
    else if (!in_force_of (job)->enabled)
      check_warn (check, NAME, check_place (check), NULL,
                  "nothing of this erasure begins: %s is switched off (enabled = false)", *name);
    fine = fine && why == NULL && in_force_of (job)->enabled;
  }
  if (fine)
    check_ok (check, NAME, "in this order: %s", names);
}
