/* What the unit tests of src/config share: one configuration file that is written anew for each
 * load, and the jobs it may name.
 *
 * Threads: the test's own. Ownership: a Config is the caller's.
 */
#pragma once
#include "config/config.h"

extern const char *const config_jobs[];
const char *config_job_default (const char *job, const char *key, gpointer data);

/* While config_test_run runs. */
extern char *config_folder, *config_file;

/* TEXT is the file's, OVERRIDES are those of -s. */
Config *config_load_with (const char *text, const char *const *overrides, GError **error);
Config *config_load_text (const char *text); /* loads, or the test fails */

/* g_test_run in an environment without PRUNED_ variables. */
int config_test_run (void);
