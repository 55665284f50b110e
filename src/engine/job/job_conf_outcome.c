#include "engine/job/job_conf_outcome.h"

#include "avro/message.h"
#include "config/key_file.h"
#include "config/nearest.h"

#include <string.h>

#define CONSTANT "outcome."

/* The outcome of the group that ENTRY stands in; NULL: none. */
static const char *
outcome_of (const GPtrArray *entries, const KeyFileEntry *entry)
{
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *other = entries->pdata[i];
    if (g_strcmp0 (other->key, "outcome") == 0 && g_str_equal (other->section, entry->section))
      return other->value;
  }
  return NULL;
}

static gboolean
check_constant (const char *path, const GPtrArray *entries, const KeyFileEntry *entry,
                GError **error)
{
  const char *field = entry->key + strlen (CONSTANT), *outcome = outcome_of (entries, entry);
  if (outcome == NULL)
    return error_fatal (error, "%s:%d: %s: [%s] has no outcome", path, entry->line, entry->key,
                        entry->section);
  g_autofree char *type = g_strconcat ("pruned.outcomes.", outcome, NULL);
  const char *const *fields = message_fields (type);
  g_autoptr (GError) cause = NULL;
  if (g_strv_contains (fields, field))
    return message_field_takes (type, field, entry->value, &cause)
           || error_fatal (error, "%s:%d: outcome %s: %s", path, entry->line, outcome,
                           cause->message);
  const char *meant = nearest_name (field, fields);
  return error_fatal (error, "%s:%d: outcome %s has no field '%s'%s%s%s", path, entry->line,
                      outcome, field, meant != NULL ? ", did you mean '" : "",
                      meant != NULL ? meant : "", meant != NULL ? "'?" : "");
}

gboolean
job_conf_check_outcomes (const char *path, const GPtrArray *entries, GError **error)
{
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (entry->key != NULL && g_str_has_prefix (entry->key, CONSTANT)
        && !check_constant (path, entries, entry, error))
      return FALSE;
  }
  return TRUE;
}
