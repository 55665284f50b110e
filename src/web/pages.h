/* The daemon's HTTP pages: metrics of this process and of the tables, liveness, readiness.
 *
 * Threads: main starts and stops; the server's threads answer. They share two database connections:
 * the metrics of the tables wait for one, readiness for the other, a few seconds at most.
 * Ownership: main.
 */
#pragma once
#include "config/config.h"
#include "engine/job/job.h"
#include "web/page/act_post.h"

typedef struct _Pages Pages;
/* NULL without an error: `[http] listen` is empty. All is borrowed. COMMAND: of what the page
 * starts. */
Pages *pages_start (const Config *config, const Jobs *jobs, const ActCommand *command,
                    GError **error);
/* What pages_start would refuse, but for an address that is taken. */
gboolean pages_check (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void pages_stop (Pages *pages); /* NULL: nothing */
