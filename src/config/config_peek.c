#include "config/config.h"
#include "config/config_private.h"
#include "config/key_file.h"
#include <string.h>

static char *
peek_file (const char *file, const char *section, const char *key)
{
  gboolean is_named;
  const char *path = config_file_name (file, &is_named);
  g_autoptr (GPtrArray) entries = key_file_peek (path, FALSE, NULL);
  for (guint i = 0; entries != NULL && i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    if (entry->key != NULL && g_str_equal (entry->section, section)
        && g_str_equal (entry->key, key))
      return g_strdup (entry->value);
  }
  return NULL;
}

char *
config_peek (const ConfigSources *sources, const char *section, const char *key)
{
  char *value = peek_file (sources->file, section, key);
  g_autofree char *variable = config_environment_name (section, key);
  if (g_getenv (variable) != NULL) {
    g_free (value);
    value = g_strdup (g_getenv (variable));
  }
  g_autofree char *name = g_strconcat (section, ".", key, "=", NULL);
  for (const char *const *text = sources->overrides; text != NULL && *text != NULL; text++)
    if (g_str_has_prefix (*text, name)) {
      g_free (value);
      value = g_strdup (*text + strlen (name));
    }
  return value;
}
