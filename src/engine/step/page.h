/* A page: the next keys of a run. An event names them (page_event.h), or page.sql finds them behind
 * the run's cursor (page_keys.h). A step of a page job finds its page, tries it (trial.c), finds
 * the keys at fault (bisect.c) and records what stays (record.c).
 *
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/page_keys.h"

/* The keys of the run's next page; *PAGE is page_clear's, also after an error. */
gboolean page_find (Step *step, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Locks, decides and applies KEYS, which lose those that wait in quarantine. *DECIDED gets the
 * decisions, if any key is left; EXTRA can be NULL. */
gboolean page_apply_keys (Step *step, GPtrArray *keys, const Extra *extra, PgRows **decided,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The step of a page job. */
gboolean page_apply (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
