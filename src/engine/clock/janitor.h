/* Keeps the service's own tables small: ended runs go to the archive, old days of archive and audit
 * are dropped, tomorrow's partitions are made. Each function is a part of housekeeping (chores.h).
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Removes entries of the quarantine whose rows are gone. */
gboolean janitor_sweep (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Writes this clock's difference from the server's into the session's application_name: every ten
 * minutes, and at once in a new session. */
gboolean janitor_tell_clock (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Keeps in pruned.job_states what the ended runs say of their jobs. */
gboolean janitor_note_states (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Today's and tomorrow's partitions. */
gboolean janitor_make_days (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Those that are past their keeping time. */
gboolean janitor_drop_days (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean janitor_forget_timers (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean janitor_forget_verdicts (Service *service, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean janitor_forget_journal (Service *service, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean janitor_forget_event_ids (Service *service, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Plants ticks again that lie beyond their schedule. */
gboolean janitor_mend_schedules (Service *service, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Ended runs go to the archive, with what ranges that are left have done for them. */
gboolean janitor_archive (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
