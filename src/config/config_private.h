/* What a Config is made of; for the files that fill and show it.
 *
 * Threads: the one that loads.
 * Ownership: strings belong to their struct.
 */
#pragma once
#include "config/config.h"
#include "config/settings.h"

typedef struct {
  const Setting *setting;
  char *section; /* `jobs.<name>` written out */
  char *text;
  gint64 number;
  char *origin;
  gboolean no_effect; /* its job does not look at it */
} ConfigValue;

typedef struct {
  char *key;
  char *text;
  char *origin;
} ConfigKafka;

struct _Config {
  GPtrArray *values;      /* ConfigValue, in the table's order */
  GHashTable *by_name;    /* `section.key` -> ConfigValue */
  GPtrArray *kafka;       /* ConfigKafka, in the order they were first set */
  GPtrArray *sections;    /* names of all known sections; closed by NULL */
  GPtrArray *foreign;     /* variables PRUNED_* that are none of ours */
  GPtrArray *ineffective; /* what config_ineffective says; closed by NULL once loaded */
  GPtrArray *jobs;        /* names of the jobs; closed by NULL */
};

/* The setting, or NULL. */
ConfigValue *config_find (const Config *config, const char *section, const char *key);

/* Sets it if TEXT is of its type. PRUNED_FATAL with the key, without the place. */
gboolean config_value_set (ConfigValue *value, const char *text, const char *origin,
                           GError **error);
void config_kafka_set (Config *config, const char *key, const char *text, const char *origin);

/* The sources, each above the one before. PRUNED_FATAL with the place. */
gboolean config_take_file (Config *config, const char *path, gboolean must_exist, GError **error);
gboolean config_take_environment (Config *config, GError **error);
gboolean config_take_override (Config *config, const char *text, GError **error);

/* The file that is read: FILE, else what PRUNED_CONFIG names, else the default one, which need not
 * exist. */
const char *config_file_name (const char *file, gboolean *is_named);

/* `PRUNED_<SECTION>_<KEY>`. g_free it. */
char *config_environment_name (const char *section, const char *key);
