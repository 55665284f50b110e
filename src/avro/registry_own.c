/* The numbers of our own schemas in the registry. */
#include "avro/message.h"
#include "avro/registry_private.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *numbers; /* full name -> its number; under the lock */

/* 0: not known; no registry numbers a schema so. */
static guint32
known (const char *type)
{
  pthread_mutex_lock (&lock);
  const guint32 id = numbers != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (numbers, type)) : 0;
  pthread_mutex_unlock (&lock);
  return id;
}

static void
keep (const char *type, guint32 id)
{
  pthread_mutex_lock (&lock);
  if (numbers == NULL)
    numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_replace (numbers, g_strdup (type), GUINT_TO_POINTER (id));
  pthread_mutex_unlock (&lock);
}

/* Looks the schema up, or with MAKE registers it. */
static json_t *
send_schema (const char *type, gboolean make, GError **error)
{
  g_autofree char *path = g_strconcat ("/subjects/", type, make ? "/versions" : NULL, NULL);
  g_autoptr (json_t) body
      = json_pack ("{s:s, s:s}", "schema", message_schema (type), "schemaType", "AVRO");
  g_autofree char *text = json_text (body);
  return registry_ask (path, text, error);
}

gboolean
registry_number (const char *type, gboolean make, guint32 *id, GError **error)
{
  GError *cause = NULL;
  if ((*id = known (type)) != 0)
    return TRUE;
  g_autoptr (json_t) said = send_schema (type, FALSE, &cause);
  if (said == NULL && make && cause->code == PRUNED_REJECT) {
    g_clear_error (&cause);
    said = send_schema (type, TRUE, &cause);
  }
  *id = (guint32)json_integer_value (json_object_get (said, "id"));
  if (said != NULL && *id == 0)
    g_set_error_literal (&cause, PRUNED_ERROR, PRUNED_OUTAGE,
                         "the schema registry sends no number");
  if (cause == NULL) {
    keep (type, *id);
    return TRUE;
  }
  g_propagate_prefixed_error (error, cause, "schema %s: ", type);
  return FALSE;
}
