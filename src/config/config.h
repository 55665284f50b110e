/* The settings: one table (settings.c) holds every key with its section, type, default and a line
 * of help. The check of the file, the names of environment variables, `pruned config`, the example
 * file and the option -s are derived from it.
 *
 * Order, later ones win: built-in, job.conf (for job sections), file, environment, -s. Unknown keys
 * and unknown PRUNED_ variables are errors that name the place and the nearest known name.
 * `[kafka]` is open: its keys are passed to librdkafka verbatim.
 *
 * Threads: one thread loads it; then it is read-only, for any thread.
 * Ownership: strings belong to the Config.
 */
#pragma once
#include "base/error.h"

typedef struct _Config Config;
void config_free (Config *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Config, config_free)

/* The default that a job declares for KEY of `[jobs.<name>]`. NULL: none. CONFIG_NO_EFFECT: the job
 * does not use KEY, and listings leave it out. */
typedef const char *(*ConfigJobDefault) (const char *job, const char *key, gpointer data);
extern const char CONFIG_NO_EFFECT[];
/* Where that default stands, as `file:line`. NULL: in job.conf. */
typedef const char *(*ConfigJobPlace) (const char *job, gpointer data);

typedef struct {
  const char
      *file; /* NULL: the one of PRUNED_CONFIG, else the default file, which need not exist */
  const char *const *overrides; /* -s section.key=value; NULL-terminated or NULL */
  const char *const *job_names; /* jobs that exist; NULL-terminated */
  ConfigJobDefault job_default;
  gpointer data;
  ConfigJobPlace job_default_place; /* NULL: all are in job.conf */
} ConfigSources;

/* The folder of the user's jobs, if [run] jobs_dir is not set; it need not exist. */
#define CONFIG_JOBS_DIR "/etc/pruned/jobs.d"
#define CONFIG_PREFIX "pruned" /* [topics] prefix, unless it is set */
/* The variable that a daemon starts a command with for its page: an id in pruned.page_acts. */
#define CONFIG_PAGE_ACT "PRUNED_PAGE_ACT"

/* PRUNED_FATAL: an unknown key (`file.conf:12: unknown key 'bacth' in
 * [jobs.members.remove_expired], did you mean 'batch'?`), an unknown variable
 * (`PRUNED_POSTGRES_ULR: ...`), a wrong type, a duplicate section, a missing file.
 */
Config *config_load (const ConfigSources *sources, GError **error);

/* The configuration file: FILE, else the one of PRUNED_CONFIG, else the default, which need not
 * exist. */
const char *config_file_name (const char *file, gboolean *is_named);

/* The value of one setting, read before the jobs are known. Nothing is checked, and a file that
 * cannot be parsed is ignored. NULL: not set anywhere. g_free it. */
char *config_peek (const ConfigSources *sources, const char *section, const char *key);

/* Names of variables PRUNED_* that are not settings and resemble none. NULL: none; g_free it.
 */
char *config_foreign (const Config *config);

/* Settings that are ignored because their job does not use them, each with its place:
 * `pruned.conf:12: batch in [jobs.x] has no effect`. */
const char *const *config_ineffective (const Config *config);

/* Typed reads. The key must be in the table (else g_error); a text that is not set is "". */
const char *config_text (const Config *config, const char *section, const char *key);
gint64 config_int (const Config *config, const char *section, const char *key);
gint64 config_limit (const Config *config, const char *section, const char *key); /* off: -1 */
gboolean config_bool (const Config *config, const char *section, const char *key);

/* The same for `[jobs.<job>]`. */
const char *config_job_text (const Config *config, const char *job, const char *key);
gint64 config_job_int (const Config *config, const char *job, const char *key);
gboolean config_job_bool (const Config *config, const char *job, const char *key);
/* Whether a source or the job's declaration says it. */
gboolean config_job_is_set (const Config *config, const char *job, const char *key);
/* A limit; off: -1. Of a share in percent and of a factor: thousandths. */
gint64 config_job_limit (const Config *config, const char *job, const char *key);

/* The place that a setting of the table has its value from: `pruned.conf:12`, `built-in`, ... */
const char *config_origin (const Config *config, const char *section, const char *key);

/* Listings leave out the section of JOB, which is not in force. */
void config_leave_out (Config *config, const char *job);

gboolean config_has_job_key (const Config *config, const char *job, const char *key);

/* Visits all keys of `[kafka]`, in order. */
typedef void (*ConfigVisit) (const char *key, const char *value, gpointer data);
void config_each_kafka (const Config *config, ConfigVisit visit, gpointer data);

/* Visits every setting that has an effect, in the order of the table, then those of [kafka]: KEY as
 * `section.key`; VALUE, secrets as "***" unless empty; ORIGIN: `built-in`, `job.conf`,
 * `<file>:<line>`, `<ENVIRONMENT_NAME>` or `-s`. */
typedef void (*ConfigShow) (const char *key, const char *value, const char *origin, gpointer data);
void config_each (const Config *config, ConfigShow show, gpointer data);
/* The same, with a mark behind a value that hides something, so that a change of it is seen:
 * `***` CONFIG_MARK `1f3a`. */
#define CONFIG_MARK " #"
void config_each_marked (const Config *config, ConfigShow show, gpointer data);

/* Lists the settings that differ in FRESH, as `section.key` (g_free each): LIVE can be applied
 * while the daemon runs, FIXED needs a restart. */
void config_compare (const Config *config, const Config *fresh, GPtrArray *live, GPtrArray *fixed);
/* Resets in FRESH all settings that need a restart to their values in CONFIG. */
void config_keep_fixed (Config *fresh, const Config *config);

/* The example configuration (deploy/pruned.conf) with every key explained, generated from the
 * table. g_free it. */
char *config_example (const char *const *job_names, ConfigJobDefault job_default, gpointer data);
