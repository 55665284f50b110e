/* Completing the sentence that is looked at: its SQL, or why it is refused. */
#include "cli/check/check.h"

#include "engine/job/sentence/complete.h"
#include "engine/job/sentence/sentence_check.h"

#include <string.h>

/* Of `refused: PLACE: WHY`: the place has its own column. */
static const char *
reason_of (const Sentence *sentence, const char *refusal)
{
  const char *colon = strrchr (sentence->place, ':'), *begin = refusal + strlen ("refused: ");
  g_autofree char *file = g_strndup (sentence->place, colon - sentence->place);
  const char *line = g_str_has_prefix (refusal, "refused: ") && g_str_has_prefix (begin, file)
                         ? strstr (begin + strlen (file), ": ")
                         : NULL;
  return line != NULL ? line + strlen (": ") : refusal;
}

static void
say_refused (Check *check, const char *refusal)
{
  const Sentence *sentence = check->job->sentence;
  const char *why = reason_of (sentence, refusal);
  g_autofree char *place = sentence_place_of (sentence, why);
  g_autofree char *hint = check_hint_table (check, why);
  const gboolean hidden = g_str_has_prefix (why, SENTENCE_HIDDEN);
  check_error (check, hidden ? CODE_POSTGRES : CODE_CONFIG, hidden ? CHECK_HIDDEN : "sentence",
               check_place_in (check, place), NULL, "%s%s", why, hint);
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
                 check_remedy (check, CODE_POSTGRES, error), "%s", error->message);
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
