/* The key files of the ledger of erasures, for jobs that write to it. */
#include "cli/check/check.h"

#include "engine/ledger/keeping.h"
#include "engine/outbox/remember.h"

#define NAME "ledger"

void
check_ledger (Check *check)
{
  g_autoptr (GError) error = NULL;
  const Config *config = check->cli != NULL ? check->cli->config : NULL;
  if (check->job->remember_days == 0 || config == NULL || !remember_is_on (config))
    return;
  g_autoptr (GPtrArray) keys = remember_keys (config, &error);
  const char *why = check->job->sentence == NULL ? keeping_forgets (config, check->job) : NULL;
  if (why != NULL)
    check_error (check, CODE_CONFIG, NAME, (CheckPlace){ 0 }, NULL, "remember: %s", why);
  else if (keys == NULL || !remember_key_is_known (check->pg, keys->pdata[0], &error)
           || !remember_folder_usable (config, &error))
    check_error (check, check_code (check, error), NAME,
                 check->job->sentence != NULL ? check_place_of_key (check, "remember")
                                              : (CheckPlace){ 0 },
                 NULL, "%s", error->message);
  else
    check_ok (check, NAME, "its rows are remembered by the key %s", seal_key_id (keys->pdata[0]));
}
