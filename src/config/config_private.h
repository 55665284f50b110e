/* The content of a Config, for the files of this folder that fill, read and show it.
 *
 * Threads: the one that loads the configuration; then any, to read.
 * Ownership: strings belong to their struct.
 */
#pragma once
#include "config/config.h"
#include "config/settings.h"

#define CONFIG_BUILT_IN "built-in" /* the origin of a value that no source says */

typedef struct {
  const Setting *setting;
  char *section; /* of a job: `jobs.<name>` */
  char *text;
  gint64 number;
  char *origin;
  gboolean no_effect; /* its job does not use it */
} ConfigValue;

typedef struct {
  char *key;
  char *text;
  char *origin;
} ConfigKafka;

struct _Config {
  GPtrArray *values;      /* ConfigValue, in the order of the table */
  GHashTable *by_name;    /* `section.key` -> ConfigValue */
  GPtrArray *kafka;       /* ConfigKafka, in the order they were first set */
  GPtrArray *sections;    /* names of all known sections, NULL-terminated */
  GPtrArray *foreign;     /* variables PRUNED_* that are not settings */
  GPtrArray *ineffective; /* result of config_ineffective; NULL-terminated once loaded */
  GPtrArray *jobs;        /* names of the jobs, NULL-terminated */
};

/* The value of a setting; NULL: no such setting. */
ConfigValue *config_find (const Config *config, const char *section, const char *key);

/* Sets VALUE if TEXT is of its type. PRUNED_FATAL names the key, not the place. */
gboolean config_value_set (ConfigValue *value, const char *text, const char *origin,
                           GError **error);
void config_kafka_set (Config *config, const char *key, const char *text, const char *origin);

/* Reads one source; it overrides those read before. PRUNED_FATAL names the place. */
gboolean config_take_file (Config *config, const char *path, gboolean must_exist, GError **error);
gboolean config_take_environment (Config *config, GError **error);
gboolean config_take_override (Config *config, const char *text, GError **error);

/* `PRUNED_<SECTION>_<KEY>`. g_free it. */
char *config_environment_name (const char *section, const char *key);
