/* Whose topics: a record in `<prefix>.clock` names the database that the topics of a prefix belong
 * to. The first daemon, or `pruned topics --apply`, writes it; the daemon's questions for Kafka's
 * time repeat it, so it outlives the topic's retention. A second database with the same prefix
 * would take the first one's messages, so it is refused before it reads or writes any.
 *
 * The first record counts, because of two that are written at the same time both writers read the
 * same one first; a later record only if it was written on purpose (`topics --take`), or has a
 * newer timeline of the same database. All have one key, so a compacted topic keeps the last.
 *
 * Threads: any; calls with settings block. Ownership: see each function.
 */
#pragma once
#include "engine/service/envelope.h"
#include "kafka/producer.h"

/* The topic's part behind the prefix. */
#define OWNER_TOPIC "clock"
#define OWNER_MS 10000 /* how long a process waits for it that cannot go on without */

/* A message that says ORIGIN owns the topics; TAKEN: whoever owned them before. With ORIGIN NULL it
 * says nothing, and only asks for Kafka's time. */
KafkaMessage *owner_message (const char *topic, const Origin *origin, gboolean taken);
/* OWNER after MESSAGE, the next one of the topic. What is no record of an owner changes nothing. */
void owner_see (Origin *owner, const KafkaMessage *message);

/* The owner by TOPIC, which must exist; OWNER's database is NULL if no record names one.
 * TIMEOUT_MS: the longest wait for the next message. PRUNED_OUTAGE: Kafka does not answer, or does
 * not let us read the topic. */
gboolean owner_read (const char *const *settings, const char *topic, int timeout_ms, Origin *owner,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Makes ORIGIN the owner. */
gboolean owner_write (const char *const *settings, const char *topic, const Origin *origin,
                      gboolean taken, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The database of both goes on elsewhere, since a standby was promoted. */
gboolean owner_left_behind (const Origin *owner, const Origin *origin);
/* PRUNED_FATAL, with both databases and what to do: OWNER is another one than ORIGIN, or ORIGIN was
 * left behind. */
gboolean owner_check (const Origin *owner, const Origin *origin, const char *prefix, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Checks OWNER as owner_read has found it, and writes a newer timeline; where there is none, ORIGIN
 * becomes the owner, unless another one was faster. */
gboolean owner_settle (const char *const *settings, const char *prefix, const Origin *owner,
                       const Origin *origin, GError **error) G_GNUC_WARN_UNUSED_RESULT;
