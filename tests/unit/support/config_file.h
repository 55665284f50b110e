/* Shared by the unit tests of src/config: one configuration file, rewritten for each load, and the
 * jobs it can name.
 *
 * Threads: the test's own. Ownership: a Config belongs to the caller.
 */
#pragma once
#include "config/config.h"

extern const char *const config_jobs[];
const char *config_job_default (const char *job, const char *key, gpointer data);

/* Set while config_test_run runs. */
extern char *config_folder, *config_file;

/* Loads TEXT as the file, and OVERRIDES as those of -s. */
Config *config_load_with (const char *text, const char *const *overrides, GError **error);
Config *config_load_text (const char *text); /* fails the test if it cannot be loaded */

/* Calls g_test_run in an environment without PRUNED_ variables. */
int config_test_run (void);
