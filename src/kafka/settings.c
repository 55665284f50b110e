#include "kafka/settings.h"

#include "kafka/client.h"

gboolean
kafka_settings_check (const char *const *settings, GError **error)
{
  rd_kafka_conf_t *conf = kafka_conf_new (settings, NULL, NULL, error);
  if (conf != NULL)
    rd_kafka_conf_destroy (conf);
  return conf != NULL;
}

const char *
kafka_setting (const char *const *settings, const char *name)
{
  const char *value = NULL;
  for (guint i = 0; settings != NULL && settings[i] != NULL; i += 2)
    if (g_str_equal (settings[i], name))
      value = settings[i + 1];
  return value;
}

gboolean
kafka_setting_known (const char *name)
{
  char why[512];
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  /* rd_kafka_conf_get finds only properties that are set. */
  gboolean known = rd_kafka_conf_set (conf, name, "", why, sizeof why) != RD_KAFKA_CONF_UNKNOWN;
  rd_kafka_conf_destroy (conf);
  return known;
}
