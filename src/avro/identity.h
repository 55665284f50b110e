/* Ids that make a duplicate of a message recognizable: UUIDv5 of the names in docs/messages.md. A
 * run's id is derived from the tick or event that requested it, an outcome's from the run, the step
 * and the entity.
 *
 * Threads: any. Ownership: the caller frees results with g_free.
 */
#pragma once
#include <glib.h>

/* ARGS: the canonical text (base/json.h). */
char *identity_tick (const char *job, gint64 scheduled_at_us, const char *args);

/* The id of an event's run: from the event's own identity, or, without one, from its partition and
 * offset. */
char *identity_event (const char *ce_source, const char *ce_id, const char *job);
char *identity_event_position (const char *topic, gint32 partition, gint64 offset,
                               gint64 timestamp_ms, const char *job);

char *identity_child (const char *parent_run_id, const char *job, const char *child_key);

/* The ce_id of an outcome. RECORD: the record's name, with or without its namespace. */
char *identity_outcome (const char *run_id, int step, const char *record, const char *entity);
