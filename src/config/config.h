/* The settings: one table (settings.c) holds every key with its section, type, default and a line
 * of help; the file's check, the environment's names, `pruned config`, the example file and the
 * command line's -s are made from it.
 *
 * Order: built-in, job.conf (for job sections), file, environment, -s. Unknown keys and unknown
 * PRUNED_ variables are errors with the place and the nearest known name. `[kafka]` is open: handed
 * to librdkafka verbatim.
 *
 * Threads: one loads it, then it is read-only: any.
 * Ownership: strings belong to the Config.
 */
#pragma once
#include "base/error.h"

typedef struct _Config Config;
void config_free (Config *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Config, config_free)

/* What a job's declaration says of its own defaults: KEY as in `[jobs.<name>]`. NULL: none;
 * CONFIG_NO_EFFECT: that job does not look at it, and it is not offered. */
typedef const char *(*ConfigJobDefault) (const char *job, const char *key, gpointer data);
extern const char CONFIG_NO_EFFECT[];

typedef struct {
  const char *file; /* NULL: PRUNED_CONFIG, else the default file, which need not exist */
  const char *const *overrides; /* -s section.key=value; NULL-terminated or NULL */
  const char *const *job_names; /* jobs that exist; NULL-terminated */
  ConfigJobDefault job_default;
  gpointer data;
} ConfigSources;

/* PRUNED_FATAL: `file.conf:12: unknown key 'bacth' in [jobs.members.remove_expired], did you mean
 * 'batch'?`, `PRUNED_POSTGRES_ULR: ...`, a wrong type, a section twice, a file that is not there.
 */
Config *config_load (const ConfigSources *sources, GError **error);

/* What one setting will be, before it is known which jobs exist: nothing is checked, a broken file
 * says nothing here. NULL: nobody sets it. g_free it. */
char *config_peek (const ConfigSources *sources, const char *section, const char *key);

/* Names of variables PRUNED_* that are not ours and not near to one of ours. NULL: none; g_free it.
 */
char *config_foreign (const Config *config);

/* Keys that somebody sets for a job that does not look at them, each with its place:
 * `pruned.conf:12: batch in [jobs.x] has no effect`. */
const char *const *config_ineffective (const Config *config);

/* Typed reads. The key must be in the table (g_assert); a text that is not set is "". */
const char *config_text (const Config *config, const char *section, const char *key);
gint64 config_int (const Config *config, const char *section, const char *key);
gboolean config_bool (const Config *config, const char *section, const char *key);

/* The same of `[jobs.<job>]`. */
const char *config_job_text (const Config *config, const char *job, const char *key);
gint64 config_job_int (const Config *config, const char *job, const char *key);
gboolean config_job_bool (const Config *config, const char *job, const char *key);

gboolean config_has_job_key (const Config *config, const char *job, const char *key);

/* All of `[kafka]`, in order. */
typedef void (*ConfigVisit) (const char *key, const char *value, gpointer data);
void config_each_kafka (const Config *config, ConfigVisit visit, gpointer data);

/* Every setting that has an effect in the table's order, then [kafka]: key as `section.key`, value
 * (secrets as "***" unless empty), origin: `built-in`, `job.conf`, `<file>:<line>`,
 * `<ENVIRONMENT_NAME>`, `-s`. */
typedef void (*ConfigShow) (const char *key, const char *value, const char *origin, gpointer data);
void config_each (const Config *config, ConfigShow show, gpointer data);

/* What differs in FRESH, as `section.key` (g_free each): LIVE may be taken over while the daemon
 * runs, FIXED wants a restart. */
void config_compare (const Config *config, const Config *fresh, GPtrArray *live, GPtrArray *fixed);
/* What wants a restart is in FRESH as it is in CONFIG. */
void config_keep_fixed (Config *fresh, const Config *config);

/* The example configuration (deploy/pruned.conf) with every key explained: made from the table.
 * g_free it. */
char *config_example (const char *const *job_names, ConfigJobDefault job_default, gpointer data);
