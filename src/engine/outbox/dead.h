/* Messages that can never be handled go to `<prefix>.dead`, and are logged and counted.
 *
 * Invariant: a message is known by its topic, partition, offset and Kafka's time (table
 * pruned.dead_letters). One that has a letter gets no second one, however often it is read. Only if
 * the process dies between Kafka's acknowledgement and the note, it may get two.
 *
 * Threads: any. Ownership: a DeadLetters owns its letters and borrows their messages.
 */
#pragma once
#include "engine/outbox/dead_letter.h"
#include "engine/service/service.h"

/* Letters of messages of one partition. */
typedef struct _DeadLetters DeadLetters;

DeadLetters *dead_letters_new (const char *prefix);
void dead_letters_free (DeadLetters *letters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DeadLetters, dead_letters_free)
/* ATTEMPTS: how often MESSAGE was tried. */
void dead_letters_add (DeadLetters *letters, const KafkaMessage *message, const char *reason,
                       int attempts);
/* Sends those that are not known yet, waits for the acknowledgements, notes and logs them. A letter
 * that is too large for the topic is sent without its value, and a header reports that; the
 * original stays in its topic. PG has no transaction open. */
gboolean dead_letters_send (Service *service, Pg *pg, DeadLetters *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* *ANEW: the dead topic is not the one that had the letters that are known: it was deleted and made
 * again. Then they are forgotten, and so are verdicts on letters behind its end. */
gboolean dead_letters_look (const Service *service, Pg *pg, gboolean *anew, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
