/* A message of the dead topic with its verdict (`pruned dead`).
 *
 * Invariant: a verdict belongs to this message. A verdict that is older than the message is
 * ignored: it belonged to a message of a topic that was deleted and created again.
 *
 * Threads: main only.
 * Ownership: a Letter owns its message; the array of letters_new owns its letters.
 */
#pragma once
#include "cli/cli.h"
#include "engine/outbox/dead.h"

#define LETTER_RETRIED "retried"
#define LETTER_DROPPED "dropped"

typedef struct {
  KafkaMessage *message;
  DeadLetter said;
  char *verdict, *verdict_at; /* NULL: no verdict yet */
} Letter;

Letter *letter_new (KafkaMessage *message); /* takes it */
GPtrArray *letters_new (void);

/* A letter's position on the dead topic; written PARTITION:OFFSET. */
typedef struct {
  gint32 partition;
  gint64 offset;
} LetterId;
char *letter_id (const Letter *letter); /* g_free */
/* An array of LetterId, each once. NULL: a usage error. */
GArray *letter_ids_parse (char **texts, GError **error);

/* Reads the verdicts of LETTERS. */
gboolean letters_judge (Pg *pg, const char *topic, GPtrArray *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Stores VERDICT for LETTERS, with a row of the journal. One that was retried meanwhile stays so,
 * and has that verdict. REASON: NULL: none. */
gboolean letters_decide (Cli *cli, Pg *pg, const char *topic, GPtrArray *letters,
                         const char *verdict, const char *reason, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* As rows of a table. */
extern const Column LETTER_COLUMNS[];
void letter_show (Output *out, const Letter *letter);
/* A text of a letter as a cell; bytes that are not UTF-8 become `\xNN`. NULL is null. New
 * reference. */
json_t *letter_text (const char *value);
/* One letter as a record, with readable key, headers and value. PREFIX: of our topics. */
void letter_show_whole (Output *out, const Letter *letter, const char *prefix);
