/* What a loaded Config says: typed values, their places, and lists of them. */
#include "config/config_private.h"

ConfigValue *
config_find (const Config *config, const char *section, const char *key)
{
  g_autofree char *name = g_strconcat (section, ".", key, NULL);
  return g_hash_table_lookup (config->by_name, name);
}

static const ConfigValue *
find_known (const Config *config, const char *section, const char *key)
{
  const ConfigValue *value = config_find (config, section, key);
  if (value == NULL)
    g_error ("there is no setting '%s' in [%s]", key, section);
  return value;
}

const char *
config_origin (const Config *config, const char *section, const char *key)
{
  return find_known (config, section, key)->origin;
}

void
config_leave_out (Config *config, const char *job)
{
  g_autofree char *section = g_strconcat (SETTINGS_JOBS ".", job, NULL);
  for (guint i = 0; i < config->values->len; i++) {
    ConfigValue *value = config->values->pdata[i];
    value->no_effect = value->no_effect || g_str_equal (value->section, section);
  }
}

static const ConfigValue *
find_of_job (const Config *config, const char *job, const char *key)
{
  g_autofree char *section = g_strconcat (SETTINGS_JOBS ".", job, NULL);
  return find_known (config, section, key);
}

gboolean
config_job_is_set (const Config *config, const char *job, const char *key)
{
  return !g_str_equal (find_of_job (config, job, key)->origin, CONFIG_BUILT_IN);
}

gboolean
config_has_job_key (const Config *config, const char *job, const char *key)
{
  g_autofree char *section = g_strconcat (SETTINGS_JOBS ".", job, NULL);
  return config_find (config, section, key) != NULL;
}

static gint64
number_of (const ConfigValue *value, SettingType type)
{
  g_assert (value->setting->type == type);
  return value->number;
}

const char *
config_text (const Config *config, const char *section, const char *key)
{
  return find_known (config, section, key)->text;
}

gint64
config_int (const Config *config, const char *section, const char *key)
{
  return number_of (find_known (config, section, key), SETTING_INT);
}

gint64
config_limit (const Config *config, const char *section, const char *key)
{
  return number_of (find_known (config, section, key), SETTING_LIMIT);
}

gboolean
config_bool (const Config *config, const char *section, const char *key)
{
  return number_of (find_known (config, section, key), SETTING_BOOL) != 0;
}

const char *
config_job_text (const Config *config, const char *job, const char *key)
{
  return find_of_job (config, job, key)->text;
}

gint64
config_job_int (const Config *config, const char *job, const char *key)
{
  return number_of (find_of_job (config, job, key), SETTING_INT);
}

gint64
config_job_limit (const Config *config, const char *job, const char *key)
{
  const ConfigValue *value = find_of_job (config, job, key);
  return number_of (value, value->setting->type);
}

gboolean
config_job_bool (const Config *config, const char *job, const char *key)
{
  return number_of (find_of_job (config, job, key), SETTING_BOOL) != 0;
}

void
config_each_kafka (const Config *config, ConfigVisit visit, gpointer data)
{
  for (guint i = 0; i < config->kafka->len; i++) {
    const ConfigKafka *kafka = config->kafka->pdata[i];
    visit (kafka->key, kafka->text, data);
  }
}

#define MARK_DIGITS 4 /* enough to see a change, and too few to try secrets by */

/* SHOWN, with a mark if it hides parts of TEXT: it changes with them. Takes SHOWN; g_free it. */
static char *
marked (const char *key, const char *text, char *shown)
{
  if (g_str_equal (text, shown))
    return shown;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (sum, (const guchar *)key, (gssize)strlen (key) + 1);
  g_checksum_update (sum, (const guchar *)text, (gssize)strlen (text));
  char *whole
      = g_strdup_printf ("%s" CONFIG_MARK "%.*s", shown, MARK_DIGITS, g_checksum_get_string (sum));
  g_free (shown);
  return whole;
}

static void
each (const Config *config, gboolean with_marks, ConfigShow show, gpointer data)
{
  for (guint i = 0; i < config->values->len; i++) {
    const ConfigValue *value = config->values->pdata[i];
    if (value->no_effect)
      continue;
    g_autofree char *key = g_strconcat (value->section, ".", value->setting->key, NULL);
    g_autofree char *text = setting_shown (value->setting, value->text);
    if (with_marks)
      text = marked (key, value->text, text);
    show (key, text, value->origin, data);
  }
  for (guint i = 0; i < config->kafka->len; i++) {
    const ConfigKafka *kafka = config->kafka->pdata[i];
    g_autofree char *key = g_strconcat (SETTINGS_KAFKA ".", kafka->key, NULL);
    g_autofree char *text = setting_shown_kafka (kafka->key, kafka->text);
    if (with_marks)
      text = marked (key, kafka->text, text);
    show (key, text, kafka->origin, data);
  }
}

void
config_each (const Config *config, ConfigShow show, gpointer data)
{
  each (config, FALSE, show, data);
}

void
config_each_marked (const Config *config, ConfigShow show, gpointer data)
{
  each (config, TRUE, show, data);
}

char *
config_foreign (const Config *config)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < config->foreign->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                            (const char *)config->foreign->pdata[i]);
  return g_string_free (names, names->len == 0);
}

const char *const *
config_ineffective (const Config *config)
{
  return (const char *const *)config->ineffective->pdata;
}
