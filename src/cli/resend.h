/* Sends dead letters again, unchanged, to the topic they came from.
 *
 * Invariant: `sent` is set only after Kafka has the message.
 * Threads: main only. Ownership: a Resend is the command's; letters are borrowed.
 */
#pragma once
#include "cli/letter.h"

typedef struct {
  const char *prefix;
  char **settings; /* [kafka] */
  KafkaAdmin *admin;
  KafkaProducer *producer;
  GHashTable *partitions; /* topic -> number of partitions; -1: it does not exist */
} Resend;

Resend *resend_new (const char *prefix, char **settings, GError **error);
void resend_free (Resend *resend);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Resend, resend_free)

/* Why LETTER can never be sent again; NULL: it can. g_free it. ERROR: Kafka could not be asked. */
char *resend_obstacle (Resend *resend, const Letter *letter, GError **error);
/* Sends the originals of LETTERS, which have no obstacle, and waits. SENT has a gboolean for each
 * letter: TRUE if Kafka acknowledged it, also when the function fails. PRUNED_DATA: Kafka will
 * never accept the others. */
gboolean resend_letters (Resend *resend, const GPtrArray *letters, gboolean *sent, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
