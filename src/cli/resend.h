/* Buried messages are sent again to where they came from, as they were.
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
  GHashTable *partitions; /* by topic: how many; -1: there is no such topic */
} Resend;

Resend *resend_new (const char *prefix, char **settings, GError **error);
void resend_free (Resend *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Resend, resend_free)

/* Why LETTER can never be sent again, or NULL. g_free. ERROR: it could not be found out. */
char *resend_obstacle (Resend *self, const Letter *letter, GError **error);
/* Sends the originals of LETTERS, all without an obstacle, and waits. SENT: of gboolean, as many;
 * what is set there has arrived, also when it fails. PRUNED_DATA: Kafka will never take the others.
 */
gboolean resend_letters (Resend *self, const GPtrArray *letters, gboolean *sent, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
