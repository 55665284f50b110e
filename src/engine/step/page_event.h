/* The page of a run that an event has started: the event names its keys.
 *
 * Threads: one worker, inside the step's transaction. Ownership: page_clear the pages.
 */
#pragma once
#include "engine/step/page_keys.h"

/* The key of a run that an event has started, or FALSE: page.sql finds its rows, also those that an
 * event names by columns. */
gboolean page_of_event (const Run *run, Page *page);
/* In a pipeline: asks how its table writes the key of an event's PAGE, and puts the answer there
 * (`1.10` and `1.1` are one number). The job has `named`. */
gboolean page_queue_name (Step *step, const Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean page_take_name (Step *step, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same (in *NAMED), each by the name that its table gives it. */
gboolean page_find_named (Step *step, Page *page, gboolean *named, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
