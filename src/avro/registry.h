/* The schemas of a schema registry with Confluent's interface, by their number. A number stands for
 * one schema for ever: each is asked for once; one that is not there, or cannot be read, again
 * after a minute.
 *
 * Threads: registry_start and registry_stop: main, before the others start and after they have
 * ended. registry_shape: any; it waits for the answer.
 * Ownership: schemas live until registry_stop.
 */
#pragma once
#include "avro/shape.h"
#include "config/config.h"

/* As [registry] says; without `url` there is none. PRUNED_OUTAGE: there is no thread for it. */
gboolean registry_start (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void registry_stop (void);

/* Whether it answers. Between registry_start and registry_stop, with a `url`. */
gboolean registry_answers (GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The number of our own schema TYPE (full name), under the subject of that name. With MAKE it is
 * registered if it is not there. Known ones are not asked for again. PRUNED_REJECT: it is not there
 * (without MAKE). PRUNED_OUTAGE: the registry does not answer, or does not take it. */
gboolean registry_number (const char *type, gboolean make, guint32 *id, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* PRUNED_REJECT with a reason of docs/messages.md: `unknown schema <id>`, or `undecodable: ...`;
 * also if there is no registry. PRUNED_OUTAGE: the registry does not answer. */
const Shape *registry_shape (guint32 id, GError **error);
