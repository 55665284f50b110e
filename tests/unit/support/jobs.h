/* The built-in jobs, with settings of a test's own in force.
 *
 * Threads: the test's own; config_test_run runs the tests. Ownership: of this module.
 */
#pragma once
#include "engine/job/in_force.h"
#include "support/config_file.h"

/* TEXT is the configuration file; a key that is there twice has its last value. One at a time. */
Jobs *jobs_in_force (const char *text);
void jobs_in_force_end (void);
