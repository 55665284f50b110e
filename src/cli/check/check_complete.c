/* Completing the sentence that is looked at: its SQL, or why it is refused. */
#include "cli/check/check.h"

#include "engine/job/sentence/complete.h"
#include "engine/job/sentence/sentence_check.h"

#include <string.h>

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
  pg_rollback (check->pg);
  if (refusal != NULL)
    say_refused (check, refusal);
  else if (whole == NULL) {
    (void)check_code (check, error);
    check_error (check, CODE_POSTGRES, "sentence", check_place (check),
                 check_remedy (check, CODE_POSTGRES), "%s", error->message);
    if (!check->away)
      check_rights (check);
  }
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
