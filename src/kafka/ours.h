/* Settings of librdkafka that are pruned's: with another value it would stop, or do other things.
 * And bounds of those that are the user's: beyond them nothing comes through. The one table of
 * them, each with its reason.
 *
 * Threads: any. Ownership: see the function.
 */
#pragma once
#include <glib.h>

typedef enum {
  OURS_ONLY,  /* the one value that works, as librdkafka shows it */
  OURS_NEVER, /* what the value may not contain */
  OURS_UNSET, /* it may not be set; the value is "" */
  OURS_LEAST, /* a number; less works only if it is librdkafka's default (0: off) */
  OURS_MOST
} KafkaOursRule;

typedef struct {
  const char *name;
  KafkaOursRule rule;
  const char *value;
  const char *why;
} KafkaOurs;

/* The table; the last entry's name is NULL. */
extern const KafkaOurs kafka_ours[];

/* Why NAME cannot have VALUE, also if NAME is another name of a setting of the table; NULL: it can,
 * or librdkafka refuses it itself. g_free it. */
char *kafka_ours_refusal (const char *name, const char *value);
