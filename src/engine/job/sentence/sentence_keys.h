/* The keys of a `[retention NAME]` section, each with what reads its value. For sentence_read.c.
 *
 * Threads: any. Ownership: what is read belongs to the Sentence.
 */
#pragma once
#include "engine/job/sentence/sentence.h"

typedef struct {
  const char *name;
  /* PRUNED_FATAL says what is wrong, without the place. */
  gboolean (*read) (Sentence *sentence, const char *value, GError **error);
} SentenceKey;

/* The last one's name is NULL. */
extern const SentenceKey sentence_keys[];

Sentence *sentence_new (void);
