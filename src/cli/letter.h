/* A message of the dead topic with what was decided about it (`pruned dead`).
 *
 * Invariant: a verdict is that of this very message: one that is older than the message was on
 * another, of a topic since made anew. Threads: main only. Ownership: a Letter owns its message; so
 * does letters_new of its letters.
 */
#pragma once
#include "cli/cli.h"
#include "engine/outbox/dead.h"

#define LETTER_RETRIED "retried"
#define LETTER_DROPPED "dropped"

typedef struct {
  KafkaMessage *message;
  DeadLetter said;
  char *verdict, *verdict_at; /* NULL: nobody has decided yet */
} Letter;

Letter *letter_new (KafkaMessage *message); /* takes it */
GPtrArray *letters_new (void);

/* Where a letter is on the dead topic; written PARTITION:OFFSET. */
typedef struct {
  gint32 partition;
  gint64 offset;
} LetterId;
char *letter_id (const Letter *letter); /* g_free */
/* An array of LetterId, each once. NULL: a usage error. */
GArray *letter_ids_parse (char **texts, GError **error);

/* Fills in the verdicts of LETTERS. */
gboolean letters_judge (Pg *pg, const char *topic, GPtrArray *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Gives them VERDICT. */
gboolean letters_decide (Pg *pg, const char *topic, GPtrArray *letters, const char *verdict,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* As rows of a table. */
extern const Column LETTER_COLUMNS[];
void letter_show (Output *out, const Letter *letter);
/* On its own, with key, headers and value so that they can be read. PREFIX: of our topics. */
void letter_show_whole (Output *out, const Letter *letter, const char *prefix);
