/* Settings that changed between two starts, or by a reload, have a row in the journal each.
 *
 * The settings of the daemon that started or was reloaded last are kept in `pruned.settings`.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Compares the settings in force with the kept ones. COMMAND: start or reload. */
gboolean settings_changed (Service *service, Pg *pg, const char *command, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
