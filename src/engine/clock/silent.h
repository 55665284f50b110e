/* Sections ([event NAME]) that take nothing although their topic has messages: the application
 * probably says it in another way. `pruned doctor` asks the same of the topic's end.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

#define SILENT_MESSAGES 100                           /* of which none fits */
#define SILENT_BEGAN "src/engine/clock/sql/began.sql" /* whether job `:job` has had a run */

/* A chore: once an hour a log line for each job that has had no run, while this process has passed
 * over so many messages of its topic. */
gboolean silent_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
