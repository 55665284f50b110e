#include "base/error.h"
#include "config/config_private.h"
#include "config/key_file.h"
#include "config/nearest.h"
#include <string.h>

#define ENVIRONMENT "PRUNED_"
#define ENVIRONMENT_KAFKA "PRUNED_KAFKA_"
#define JOBS_PREFIX SETTINGS_JOBS "."

/* NAMES is NULL-terminated and can be empty. */
static gboolean
fail_unknown (GError **error, const char *what, const char *text, GPtrArray *names)
{
  g_autofree char *hint = nearest_hint (text, (const char *const *)names->pdata);
  return error_fatal (error, "unknown %s%s", what, hint);
}

static gboolean
is_section (const Config *config, const char *section)
{
  return g_strv_contains ((const char *const *)config->sections->pdata, section);
}

static gboolean
fail_section (const Config *config, const char *section, GError **error)
{
  gboolean is_job = g_str_has_prefix (section, JOBS_PREFIX);
  const char *name = is_job ? section + strlen (JOBS_PREFIX) : section;
  g_autofree char *what = g_strdup_printf (is_job ? "job '%s'" : "section [%s]", name);
  return fail_unknown (error, what, name, is_job ? config->jobs : config->sections);
}

static gboolean
fail_key (const Config *config, const char *section, const char *key, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < config->values->len; i++) {
    const ConfigValue *value = config->values->pdata[i];
    if (g_str_equal (value->section, section))
      g_ptr_array_add (names, (gpointer)value->setting->key);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *what = g_strdup_printf ("key '%s' in [%s]", key, section);
  return fail_unknown (error, what, key, names);
}

/* A key that its job does not use is reported, not refused: a file can set it for all jobs. */
static gboolean
set (Config *config, ConfigValue *value, const char *text, const char *origin, GError **error)
{
  if (value->no_effect && !g_str_equal (text, value->text))
    g_ptr_array_add (config->ineffective,
                     g_strdup_printf ("%s: %s in [%s] has no effect: this job does not use it",
                                      origin, value->setting->key, value->section));
  return config_value_set (value, text, origin, error);
}

static gboolean
take_kafka (Config *config, const char *key, const char *text, const char *origin, GError **error)
{
  g_autofree char *refusal = setting_kafka_refusal (key, text);
  if (refusal != NULL)
    return error_fatal (error, "setting " SETTINGS_KAFKA ".%s: %s", key, refusal);
  config_kafka_set (config, key, text, origin);
  return TRUE;
}

/* Sets KEY of a known section. */
static gboolean
take_key (Config *config, const char *section, const char *key, const char *text,
          const char *origin, GError **error)
{
  if (g_str_equal (section, SETTINGS_KAFKA))
    return take_kafka (config, key, text, origin, error);
  ConfigValue *value = config_find (config, section, key);
  if (value == NULL)
    return fail_key (config, section, key, error);
  return set (config, value, text, origin, error);
}

static gboolean
take_entry (Config *config, const char *path, const KeyFileEntry *entry, GError **error)
{
  g_autofree char *origin = g_strdup_printf ("%s:%d", path, entry->line);
  gboolean ok;
  if (key_file_is_verbatim (entry->section)) /* engine/job/sentence/sections.h reads them */
    return TRUE;
  if (entry->key != NULL)
    ok = take_key (config, entry->section, entry->key, entry->value, origin, error);
  else
    ok = is_section (config, entry->section) || fail_section (config, entry->section, error);
  if (!ok)
    g_prefix_error (error, "%s: ", origin);
  return ok;
}

gboolean
config_take_file (Config *config, const char *path, gboolean must_exist, GError **error)
{
  g_autoptr (GPtrArray) entries = key_file_read (path, must_exist, error);
  if (entries == NULL)
    return FALSE;
  for (guint i = 0; i < entries->len; i++)
    if (!take_entry (config, path, entries->pdata[i], error))
      return FALSE;
  return TRUE;
}

char *
config_environment_name (const char *section, const char *key)
{
  g_autofree char *name = g_strconcat (ENVIRONMENT, section, "_", key, NULL);
  g_strdelimit (name, ".", '_');
  return g_ascii_strup (name, -1);
}

/* Refuses an unknown variable that resembles a setting: it is a typing error. Others are foreign,
 * such as PRUNED_PORT and PRUNED_SERVICE_HOST, which an orchestrator sets. */
static gboolean
take_unknown_variable (Config *config, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (names, g_strdup ("CONFIG"));
  g_ptr_array_add (names, g_strdup ("KAFKA_BOOTSTRAP_SERVERS"));
  for (guint i = 0; i < config->values->len; i++) {
    const ConfigValue *value = config->values->pdata[i];
    g_autofree char *own = config_environment_name (value->section, value->setting->key);
    g_ptr_array_add (names, g_strdup (own + strlen (ENVIRONMENT)));
  }
  g_ptr_array_add (names, NULL);
  if (g_str_equal (name, ENVIRONMENT "FAULT"))
    return error_fatal (error, "unknown variable, this build has no fault points");
  const char *meant = nearest_name (name + strlen (ENVIRONMENT), (const char *const *)names->pdata);
  if (meant == NULL) {
    g_ptr_array_add (config->foreign, g_strdup (name));
    return TRUE;
  }
  return error_fatal (error, "unknown variable, did you mean '" ENVIRONMENT "%s'?", meant);
}

/* Two job names can differ in a dot only; one variable then means both. */
static gboolean
take_setting_variable (Config *config, const char *name, const char *text, GError **error)
{
  ConfigValue *found = NULL;
  for (guint i = 0; i < config->values->len; i++) {
    ConfigValue *value = config->values->pdata[i];
    g_autofree char *own = config_environment_name (value->section, value->setting->key);
    if (!g_str_equal (own, name))
      continue;
    if (found != NULL)
      return error_fatal (error, "can mean [%s] or [%s]: set it in the file", found->section,
                          value->section);
    found = value;
  }
  if (found == NULL)
    return take_unknown_variable (config, name, error);
  return set (config, found, text, name, error);
}

static gboolean
is_not_ours (const char *name)
{
#ifdef PRUNED_FAULTS
  if (g_str_equal (name, "PRUNED_FAULT"))
    return TRUE;
#endif
  return !g_str_has_prefix (name, ENVIRONMENT) || g_str_equal (name, "PRUNED_CONFIG")
         || g_str_equal (name, CONFIG_PAGE_ACT);
}

static gboolean
take_variable (Config *config, const char *name, const char *text, GError **error)
{
  if (!g_utf8_validate (text, -1, NULL))
    return error_fatal (error, "not UTF-8 text");
  const char *property = name + strlen (ENVIRONMENT_KAFKA);
  if (!g_str_has_prefix (name, ENVIRONMENT_KAFKA) || *property == '\0')
    return take_setting_variable (config, name, text, error);
  g_autofree char *key = g_ascii_strdown (property, -1);
  return take_kafka (config, g_strdelimit (key, "_", '.'), text, name, error);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

gboolean
config_take_environment (Config *config, GError **error)
{
  g_auto (GStrv) names = g_listenv ();
  qsort (names, g_strv_length (names), sizeof *names, compare_names);
  for (char **name = names; *name != NULL; name++)
    if (!is_not_ours (*name) && !take_variable (config, *name, g_getenv (*name), error)) {
      g_prefix_error (error, "%s: ", *name);
      return FALSE;
    }
  return TRUE;
}

/* The longest known section that NAME begins with, or NULL. */
static const char *
section_of (const Config *config, const char *name)
{
  const char *longest = NULL;
  for (guint i = 0; config->sections->pdata[i] != NULL; i++) {
    const char *section = config->sections->pdata[i];
    gsize len = strlen (section);
    if (g_str_has_prefix (name, section) && name[len] == '.' && name[len + 1] != '\0'
        && (longest == NULL || len > strlen (longest)))
      longest = section;
  }
  return longest;
}

static gboolean
fail_override (const Config *config, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < config->values->len; i++) {
    const ConfigValue *value = config->values->pdata[i];
    gpointer known;
    g_autofree char *full = g_strconcat (value->section, ".", value->setting->key, NULL);
    g_hash_table_lookup_extended (config->by_name, full, &known, NULL);
    g_ptr_array_add (names, known);
  }
  g_ptr_array_add (names, NULL);
  return fail_unknown (error, "setting", name, names);
}

gboolean
config_take_override (Config *config, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  if (equals == NULL || equals == text)
    return error_fatal (error, "-s %s: expected section.key=value", text);
  g_autofree char *name = g_strstrip (g_strndup (text, equals - text));
  const char *section = section_of (config, name);
  gboolean ok = section == NULL ? fail_override (config, name, error)
                                : take_key (config, section, name + strlen (section) + 1,
                                            equals + 1, "-s", error);
  if (!ok)
    g_prefix_error (error, "-s %s: ", name);
  return ok;
}
