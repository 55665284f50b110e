/* The key files of the ledger of erasures, for jobs that write to it. */
#include "cli/check/check.h"

#include "engine/job/sentence/sentence.h"
#include "engine/outbox/remember.h"

#define NAME "ledger"

void
check_ledger (Check *check)
{
  g_autoptr (GError) error = NULL;
  const Sentence *sentence = check->job->sentence;
  const Config *config = check->cli != NULL ? check->cli->config : NULL;
  if (sentence == NULL || sentence->remember_days == 0 || config == NULL
      || !remember_is_on (config))
    return;
  g_autoptr (GPtrArray) keys = remember_keys (config, &error);
  if (keys == NULL || !remember_key_is_known (check->pg, keys->pdata[0], &error)
      || !remember_folder_usable (config, &error))
    check_error (check, check_code (check, error), NAME, check_place_of_key (check, "remember"),
                 NULL, "%s", error->message);
  else
    check_ok (check, NAME, "its rows are remembered by the key %s", seal_key_id (keys->pdata[0]));
}
