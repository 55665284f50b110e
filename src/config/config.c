/* Loads a Config: every setting with its default, then what each source says. */
#include "config/config.h"
#include "config/config_private.h"

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
  return config_value_set (value, setting->fallback, CONFIG_BUILT_IN, error) ? value : NULL;
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
