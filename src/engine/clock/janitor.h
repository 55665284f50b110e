/* Keeps the service's own tables small: ended runs go to the archive, old days of archive and audit
 * are dropped, tomorrow's partitions are made.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Does a small piece of what is due. */
gboolean janitor_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
