/* The ids that make a message that comes twice the same thing: UUIDv5 of the names in
 * docs/messages.md. A run's id is made of what asked for it, an outcome's of the run, the step and
 * the entity.
 *
 * Threads: any. Ownership: results are g_free'd by the caller.
 */
#pragma once
#include <glib.h>

/* ARGS: the canonical text (base/json.h). */
char *identity_tick (const char *job, gint64 scheduled_at_us, const char *args);

/* An event's run: by the event's own identity, or, where it has none, by its place in the log. */
char *identity_event (const char *ce_source, const char *ce_id, const char *job);
char *identity_event_position (const char *topic, gint32 partition, gint64 offset,
                               gint64 timestamp_ms, const char *job);

char *identity_child (const char *parent_run_id, const char *job, const char *child_key);

/* The ce_id of an outcome. RECORD: the record's name, with or without its namespace. */
char *identity_outcome (const char *run_id, int step, const char *record, const char *entity);
