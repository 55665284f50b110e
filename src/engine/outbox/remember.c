#include "engine/outbox/remember.h"

#include "avro/identity.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/json.h"
#include "engine/outbox/remember_file.h"

#include <string.h>

#define SQL "src/engine/outbox/sql/"
#define SECTION "erasures"

static SealKey *seal;     /* NULL: the ledger is off */
static char *in_files;    /* their folder; NULL: it has none */
static gboolean no_topic; /* it has only files */

gboolean
remember_is_on (const Config *config)
{
  return !g_str_equal (config_text (config, SECTION, "ledger"), "off");
}

gboolean
remember_in_topic (const Config *config)
{
  return strstr (config_text (config, SECTION, "ledger"), "topic") != NULL;
}

gboolean
remember_in_files (const Config *config)
{
  return strstr (config_text (config, SECTION, "ledger"), "file") != NULL;
}

const char *
remember_folder (const Config *config, GError **error)
{
  const char *folder = config_text (config, SECTION, "folder");
  return *folder != '\0'
             ? folder
             : error_null (error, PRUNED_FATAL,
                           "%s: ledger = file in [erasures] needs folder: where the files are",
                           config_origin (config, SECTION, "ledger"));
}

gboolean
remember_folder_usable (const Config *config, GError **error)
{
  const char *folder = remember_in_files (config) ? remember_folder (config, error) : NULL;
  if (folder == NULL)
    return !remember_in_files (config);
  if (remember_file_usable (folder, error))
    return TRUE;
  g_prefix_error (error, "%s: folder in [erasures]: ", config_origin (config, SECTION, "folder"));
  return FALSE;
}

GPtrArray *
remember_keys (const Config *config, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify)seal_key_free);
  const char *files = config_text (config, SECTION, "key_file");
  if (*files == '\0')
    return error_null (error, PRUNED_FATAL,
                       "%s: ledger in [erasures] needs key_file: `openssl rand -base64 32 >FILE`,"
                       " and keep a copy where the backups are not",
                       config_origin (config, SECTION, "ledger"));
  g_auto (GStrv) paths = g_strsplit (files, ",", -1);
  for (char **path = paths; *path != NULL; path++) {
    SealKey *key = seal_key_read (g_strstrip (*path), error);
    if (key == NULL) {
      g_prefix_error (error,
                      "%s: key_file in [erasures]: ", config_origin (config, SECTION, "key_file"));
      return NULL;
    }
    g_ptr_array_add (keys, key);
  }
  return g_steal_pointer (&keys);
}

gboolean
remember_key_is_known (Pg *pg, const SealKey *key, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "remember_key.sql", NULL, error);
  if (rows == NULL)
    return FALSE;
  const char *known = rows_count (rows) > 0 ? rows_text (rows, 0, "key_id") : seal_key_id (key);
  if (g_str_equal (known, seal_key_id (key)))
    return TRUE;
  return error_fatal (error,
                      "key_file in [erasures] holds the key %s, but entries of this database are"
                      " sealed with the key %s, since %s: put that one back. If it is lost, what it"
                      " has sealed cannot be reapplied; `pruned reapply --new-key` goes on with"
                      " this one",
                      seal_key_id (key), known, rows_text (rows, 0, "at"));
}

gboolean
remember_check (const Config *config, Pg *pg, GError **error)
{
  if (seal == NULL)
    return TRUE;
  if (!remember_folder_usable (config, error))
    return FALSE;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "key_id", seal_key_id (seal));
  g_autoptr (PgRows) put = pg_run_file (pg, SQL "remember_key_put.sql", values, error);
  return put != NULL && remember_key_is_known (pg, seal, error);
}

/* An object of several columns may be written with spaces or without. */
char *
remember_entry (const SealKey *sealed, const char *table, const char *key)
{
  g_autofree char *alike = *key == '{' ? json_canonical_text (key, strlen (key), NULL) : NULL;
  return seal_hash (sealed, table, alike != NULL ? alike : key);
}

void
remember_add (Bundle *bundle, const RememberRow *row)
{
  if (seal == NULL) {
    bundle_spoil (bundle, "remember: this process has no ledger: set ledger and key_file in"
                          " [erasures] and restart it");
    return;
  }
  g_autofree char *entry = remember_entry (seal, row->table, row->key),
                  *sealed = seal_close (seal, row->key), *erased = clock_format (row->erased_us),
                  *until = clock_format (row->erased_us + row->days * G_TIME_SPAN_DAY),
                  *topic = g_strconcat (row->prefix, "." REMEMBER_TOPIC, NULL),
                  *ce_id = identity_outcome (row->run_id, row->step, REMEMBER_TYPE, entry);
  const char *fields[] = { entry,     seal_key_id (seal), sealed, row->job, row->table,
                           row->what, row->run_id,        row->t, erased,   until };
  bundle_add (bundle, topic, -1, entry, REMEMBER_TYPE, ce_id, fields);
}

/* --- files --- */

static gboolean
is_entry (const KafkaMessage *message)
{
  const MessageHeader *type = kafka_message_header (message, "ce_type");
  return type != NULL && g_strcmp0 (type->value, REMEMBER_TYPE) == 0;
}

/* Those of MESSAGES (of KafkaMessage) that are entries, and are not there yet, go into the files of
 * the ledger. Where it is no topic, they count as sent. */
static gboolean
write_files (GPtrArray *messages, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  g_autoptr (GString) lines = g_string_new (NULL);
  for (guint i = 0; i < messages->len; i++) {
    KafkaMessage *message = messages->pdata[i];
    if (message->filed || !is_entry (message))
      continue;
    if (!remember_file_line (lines, seal, message, error))
      return FALSE;
    g_ptr_array_add (entries, message);
  }
  if (entries->len == 0)
    return TRUE;
  if (!remember_file_append (in_files, lines, error))
    return FALSE;
  FAULT ("remember.after_file");
  for (guint i = 0; i < entries->len; i++) {
    KafkaMessage *message = entries->pdata[i];
    message->filed = TRUE;
    message->acked = message->acked || no_topic;
  }
  return TRUE;
}

gboolean
remember_begin (const Config *config, GError **error)
{
  g_autoptr (GPtrArray) keys = remember_is_on (config) ? remember_keys (config, error) : NULL;
  if (keys != NULL) {
    seal = g_ptr_array_steal_index (keys, 0);
    in_files
        = remember_in_files (config) ? g_strdup (config_text (config, SECTION, "folder")) : NULL;
    no_topic = !remember_in_topic (config);
    if (in_files != NULL)
      bundle_through (write_files);
  }
  return keys != NULL || !remember_is_on (config);
}
