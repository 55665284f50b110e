#include "config/config.h"
#include "config/config_private.h"
#include <string.h>

#define BUILT_IN "built-in"

#define DEFAULT_FILE "/etc/pruned/pruned.conf"

const char CONFIG_NO_EFFECT[] = "";

static void
value_free (gpointer data)
{
  ConfigValue *value = data;
  g_free (value->section);
  g_free (value->text);
  g_free (value->origin);
  g_free (value);
}

static void
kafka_free (gpointer data)
{
  ConfigKafka *kafka = data;
  g_free (kafka->key);
  g_free (kafka->text);
  g_free (kafka->origin);
  g_free (kafka);
}

static Config *
config_new (void)
{
  Config *config = g_new0 (Config, 1);
  config->values = g_ptr_array_new_with_free_func (value_free);
  config->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  config->kafka = g_ptr_array_new_with_free_func (kafka_free);
  config->sections = g_ptr_array_new_with_free_func (g_free);
  config->jobs = g_ptr_array_new_with_free_func (g_free);
  config->ineffective = g_ptr_array_new_with_free_func (g_free);
  config->foreign = g_ptr_array_new_with_free_func (g_free);
  return config;
}

void
config_free (Config *config)
{
  if (config == NULL)
    return;
  g_hash_table_unref (config->by_name);
  g_ptr_array_unref (config->values);
  g_ptr_array_unref (config->kafka);
  g_ptr_array_unref (config->sections);
  g_ptr_array_unref (config->jobs);
  g_ptr_array_unref (config->ineffective);
  g_ptr_array_unref (config->foreign);
  g_free (config);
}

gboolean
config_value_set (ConfigValue *value, const char *text, const char *origin, GError **error)
{
  gint64 number;
  if (!setting_check (value->setting, text, &number, error)) {
    g_prefix_error (error, "%s in [%s]: ", value->setting->key, value->section);
    return FALSE;
  }
  g_free (value->text);
  g_free (value->origin);
  value->text = g_strdup (text);
  value->number = number;
  value->origin = g_strdup (origin);
  return TRUE;
}

void
config_kafka_set (Config *config, const char *key, const char *text, const char *origin)
{
  ConfigKafka *kafka = NULL;
  for (guint i = 0; i < config->kafka->len && kafka == NULL; i++)
    if (g_str_equal (((ConfigKafka *)config->kafka->pdata[i])->key, key))
      kafka = config->kafka->pdata[i];
  if (kafka == NULL) {
    kafka = g_new0 (ConfigKafka, 1);
    kafka->key = g_strdup (key);
    g_ptr_array_add (config->kafka, kafka);
  }
  g_free (kafka->text);
  g_free (kafka->origin);
  kafka->text = g_strdup (text);
  kafka->origin = g_strdup (origin);
}

static void
add_section (Config *config, const char *section)
{
  guint n = config->sections->len;
  if (n == 0 || !g_str_equal (config->sections->pdata[n - 1], section))
    g_ptr_array_add (config->sections, g_strdup (section));
}

/* Adds a setting with its built-in value. */
static ConfigValue *
add_value (Config *config, const Setting *setting, const char *section, GError **error)
{
  ConfigValue *value = g_new0 (ConfigValue, 1);
  value->setting = setting;
  value->section = g_strdup (section);
  g_ptr_array_add (config->values, value);
  g_hash_table_insert (config->by_name, g_strconcat (section, ".", setting->key, NULL), value);
  add_section (config, section);
  return config_value_set (value, setting->fallback, BUILT_IN, error) ? value : NULL;
}

static gboolean
add_job (Config *config, const ConfigSources *sources, const Setting *first, const char *job,
         GError **error)
{
  g_autofree char *section = g_strconcat (SETTINGS_JOBS ".", job, NULL);
  g_ptr_array_add (config->jobs, g_strdup (job));
  for (const Setting *setting = first; g_strcmp0 (setting->section, SETTINGS_JOBS) == 0;
       setting++) {
    ConfigValue *value = add_value (config, setting, section, error);
    if (value == NULL)
      return FALSE;
    const char *own = sources->job_default == NULL
                          ? NULL
                          : sources->job_default (job, setting->key, sources->data);
    value->no_effect = own == CONFIG_NO_EFFECT;
    const char *place = sources->job_default_place != NULL
                            ? sources->job_default_place (job, sources->data)
                            : NULL;
    place = place != NULL ? place : "job.conf";
    if (own != NULL && !value->no_effect && !config_value_set (value, own, place, error)) {
      g_prefix_error (error, "%s: ", place);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
add_jobs (Config *config, const ConfigSources *sources, const Setting *first, GError **error)
{
  for (const char *const *job = sources->job_names; job != NULL && *job != NULL; job++)
    if (!add_job (config, sources, first, *job, error))
      return FALSE;
  return TRUE;
}

/* Adds every setting with its default. */
static gboolean
add_defaults (Config *config, const ConfigSources *sources, GError **error)
{
  gboolean jobs_added = FALSE;
  for (const Setting *setting = settings_table; setting->section != NULL; setting++) {
    if (!g_str_equal (setting->section, SETTINGS_JOBS)) {
      if (add_value (config, setting, setting->section, error) == NULL)
        return FALSE;
    } else if (!jobs_added) {
      jobs_added = TRUE;
      if (!add_jobs (config, sources, setting, error))
        return FALSE;
    }
  }
  add_section (config, SETTINGS_KAFKA);
  g_ptr_array_add (config->sections, NULL);
  g_ptr_array_add (config->jobs, NULL);
  return TRUE;
}

const char *
config_file_name (const char *file, gboolean *is_named)
{
  const char *named = file != NULL ? file : g_getenv ("PRUNED_CONFIG");
  *is_named = file != NULL || (named != NULL && *named != '\0');
  return *is_named ? named : DEFAULT_FILE;
}

static gboolean
take_file (Config *config, const char *file, GError **error)
{
  gboolean is_named;
  const char *path = config_file_name (file, &is_named);
  return config_take_file (config, path, is_named, error);
}

Config *
config_load (const ConfigSources *sources, GError **error)
{
  g_autoptr (Config) config = config_new ();
  if (!add_defaults (config, sources, error) || !take_file (config, sources->file, error)
      || !config_take_environment (config, error))
    return NULL;
  for (const char *const *text = sources->overrides; text != NULL && *text != NULL; text++)
    if (!config_take_override (config, *text, error))
      return NULL;
  g_ptr_array_add (config->ineffective, NULL);
  return g_steal_pointer (&config);
}

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
  return !g_str_equal (find_of_job (config, job, key)->origin, BUILT_IN);
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

void
config_each (const Config *config, ConfigShow show, gpointer data)
{
  for (guint i = 0; i < config->values->len; i++) {
    const ConfigValue *value = config->values->pdata[i];
    if (value->no_effect)
      continue;
    g_autofree char *key = g_strconcat (value->section, ".", value->setting->key, NULL);
    g_autofree char *text = setting_shown (value->setting, value->text);
    show (key, text, value->origin, data);
  }
  for (guint i = 0; i < config->kafka->len; i++) {
    const ConfigKafka *kafka = config->kafka->pdata[i];
    g_autofree char *key = g_strconcat (SETTINGS_KAFKA ".", kafka->key, NULL);
    g_autofree char *text = setting_shown_kafka (kafka->key, kafka->text);
    show (key, text, kafka->origin, data);
  }
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
