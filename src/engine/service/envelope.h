/* The headers of every message that this program writes: CloudEvents 1.0, Kafka binary mode
 * (docs/messages.md), and whose it is. A database has an identity (`pruned.identity`), which every
 * tick, event and work message carries. A message with another one was meant for another database,
 * and asks nothing of this one. A message without the header is of another producer, and is taken.
 *
 * Threads: any; origin_begin before there are others. Ownership: filled headers borrow the texts.
 */
#pragma once
#include "kafka/message.h"

#define ORIGIN_HEADER "pruned_database"

/* A database, as messages and people name it. */
typedef struct {
  char *database; /* its identity, a UUID; NULL: not known, or it has none */
  char *name;
  char *host;      /* with the port */
  gboolean moved;  /* it got its identity elsewhere (ledger/database.h) */
  char *system;    /* the identifier of its server; NULL: not known */
  gint64 timeline; /* the newest that was met (pg/timeline.h); 0: not known */
} Origin;

void origin_clear (Origin *origin);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Origin, origin_clear)
/* `app on db1:5432 (identity ...)`; g_free it. */
char *origin_words (const Origin *origin);

/* The database of this process; DATABASE is copied. */
void origin_begin (const char *database);
/* Its identity; NULL: not known, then nothing is compared and no header is written. */
const char *origin_database (void);

/* Why MESSAGE is not for this database: a reason for the dead topic. NULL: it is; g_free it. */
char *origin_refusal (const KafkaMessage *message);

#define ENVELOPE_MOST 7

/* `ce_source` of an installation; PREFIX is `[topics] prefix`. g_free it. */
char *envelope_source (const char *prefix);
/* Fills in the headers that many messages share; TIME is RFC 3339. */
void envelope_common (MessageHeader headers[ENVELOPE_MOST], const char *source, const char *time);
/* Fills in the headers of a single message; TYPE is the full name of the record. Returns how many
 * it has: what this service reads itself also says whose it is. */
guint envelope_about (MessageHeader headers[ENVELOPE_MOST], const char *type, const char *ce_id);
/* Adds all of these headers to MESSAGE. */
void envelope_add (KafkaMessage *message, const char *prefix, const char *type, const char *ce_id,
                   gint64 time_us);
