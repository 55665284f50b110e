/* Settings of librdkafka that are pruned's: with another value it would stop, or do other things.
 * The one table of them, each with its reason. The rest of [kafka] is the user's.
 *
 * Threads: any. Ownership: see the function.
 */
#pragma once
#include <glib.h>

typedef struct {
  const char *name;
  const char *only;  /* the one value that works, as librdkafka shows it; NULL: see NEVER */
  const char *never; /* what its value may not contain; both NULL: it may not be set */
  const char *why;
} KafkaOurs;

/* The table; the last entry's name is NULL. */
extern const KafkaOurs kafka_ours[];

/* Why NAME cannot have VALUE, also if NAME is another name of a setting of the table; NULL: it can,
 * or librdkafka refuses it itself. g_free it. */
char *kafka_ours_refusal (const char *name, const char *value);
