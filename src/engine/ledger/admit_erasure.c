#include "engine/ledger/admit_erasure.h"

#include "engine/ledger/admit_own_args.h"

/* What PARTS are as a key of the table of the job of PART: *KEY; NULL: its table cannot be read,
 * or it is not in force here. */
static gboolean
ask_key (const Admission *admission, const SentenceEvent *part, char **parts, char **key,
         GError **error)
{
  const Job *job = jobs_find (admission->jobs, part->of);
  *key = NULL;
  if (job == NULL || own_keys_find (admission->keys, job, parts, key, error))
    return TRUE;
  g_autofree char *paths = g_strjoinv (", ", part->key);
  if ((*error)->code == PRUNED_REJECT)
    g_prefix_error (error, "undecodable: key %s: ", paths);
  return FALSE;
}

/* All of the jobs can read their keys. *WHO: the erasure's own key as the first of those has it
 * that have no other; else as it was sent. */
static gboolean
look_at_keys (const Admission *admission, OwnEvent *own, const SentenceEvent *erasure,
              const SentenceEvent *event, char **who, GError **error)
{
  for (guint i = 0; erasure->parts != NULL && i < erasure->parts->len; i++) {
    const SentenceEvent *part = erasure->parts->pdata[i];
    if (part->has_own_key && event != erasure)
      continue;
    g_autofree char *key = NULL;
    g_auto (GStrv) parts = own_event_key (own, part->has_own_key ? part : event, error);
    if (parts == NULL || !ask_key (admission, part, parts, &key, error))
      return FALSE;
    if (*who == NULL && !part->has_own_key)
      *who = g_steal_pointer (&key);
  }
  return TRUE;
}

static json_t *
read_values (OwnEvent *own, const SentenceEvent *erasure, GError **error)
{
  SentenceEvent all = *erasure;
  all.key = erasure->values;
  g_auto (GStrv) texts = own_event_key (own, &all, error);
  json_t *values = texts != NULL ? json_object () : NULL;
  for (guint i = 0; values != NULL && texts[i] != NULL; i++)
    json_object_set_new (values, erasure->values[i], json_string (texts[i]));
  return values;
}

json_t *
admit_erasure (const Admission *admission, OwnEvent *own, const SentenceEvent *erasure,
               const SentenceEvent *event, GError **error)
{
  g_autofree char *who = NULL;
  g_auto (GStrv) parts = own_event_key (own, event, error);
  if (parts == NULL || !look_at_keys (admission, own, erasure, event, &who, error))
    return NULL;
  g_autofree char *sent = admit_own_together (parts);
  json_t *args = json_pack ("{s:s}", JOB_EVENT_KEY, who != NULL ? who : sent);
  json_t *values = event == erasure ? read_values (own, erasure, error) : NULL;
  if (values != NULL)
    json_object_set_new (args, JOB_ERASURE_VALUES, values);
  else if (event == erasure)
    g_clear_pointer (&args, json_decref);
  return args;
}
