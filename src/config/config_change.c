/* A configuration that is read again while the daemon runs: what differs, and what of it may be
 * taken over. */
#include "config/config_private.h"

static gboolean
same_kafka (const Config *config, const ConfigKafka *one)
{
  for (guint i = 0; i < config->kafka->len; i++) {
    const ConfigKafka *kafka = config->kafka->pdata[i];
    if (g_str_equal (kafka->key, one->key))
      return g_str_equal (kafka->text, one->text);
  }
  return FALSE;
}

/* Keys of [kafka] that A has and B has not, or has otherwise. */
static void
add_kafka (GPtrArray *keys, const Config *a, const Config *b)
{
  for (guint i = 0; i < a->kafka->len; i++) {
    const ConfigKafka *kafka = a->kafka->pdata[i];
    g_autofree char *key = g_strconcat (SETTINGS_KAFKA ".", kafka->key, NULL);
    if (!same_kafka (b, kafka) && !g_ptr_array_find_with_equal_func (keys, key, g_str_equal, NULL))
      g_ptr_array_add (keys, g_steal_pointer (&key));
  }
}

static gboolean
is_live (const Setting *setting)
{
  for (const char *const (*live)[2] = settings_live; (*live)[0] != NULL; live++)
    if (g_str_equal ((*live)[0], setting->section) && g_str_equal ((*live)[1], setting->key))
      return TRUE;
  return FALSE;
}

void
config_compare (const Config *config, const Config *fresh, GPtrArray *live, GPtrArray *fixed)
{
  for (guint i = 0; i < config->values->len; i++) {
    const ConfigValue *value = config->values->pdata[i];
    const ConfigValue *now = config_find (fresh, value->section, value->setting->key);
    if (now != NULL && !g_str_equal (now->text, value->text))
      g_ptr_array_add (is_live (value->setting) ? live : fixed,
                       g_strconcat (value->section, ".", value->setting->key, NULL));
  }
  add_kafka (fixed, config, fresh);
  add_kafka (fixed, fresh, config);
}

void
config_keep_fixed (Config *fresh, const Config *config)
{
  for (guint i = 0; i < fresh->values->len; i++) {
    ConfigValue *value = fresh->values->pdata[i];
    const ConfigValue *was = config_find (config, value->section, value->setting->key);
    if (was == NULL || is_live (value->setting) || g_str_equal (value->text, was->text))
      continue;
    g_free (value->text);
    g_free (value->origin);
    value->text = g_strdup (was->text);
    value->origin = g_strdup (was->origin);
    value->number = was->number;
  }
  g_ptr_array_set_size (fresh->kafka, 0);
  for (guint i = 0; i < config->kafka->len; i++) {
    const ConfigKafka *kafka = config->kafka->pdata[i];
    config_kafka_set (fresh, kafka->key, kafka->text, kafka->origin);
  }
}
