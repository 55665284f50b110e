/* What `pruned dead` does with letters: which are named, their verdicts, how they are shown.
 *
 * Threads: main only. Ownership: as of engine/view/letters/letter.h.
 */
#pragma once
#include "cli/cli.h"
#include "engine/view/letters/letter.h"

/* An array of LetterId, each once. NULL: a usage error. */
GArray *letter_ids_parse (char **texts, GError **error);

/* Reads the verdicts of LETTERS. */
gboolean letters_look_up (Pg *pg, const char *topic, GPtrArray *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Stores VERDICT for LETTERS, with a row of the journal. One that was retried meanwhile stays so,
 * and has that verdict. REASON: NULL: none. */
gboolean letters_decide (Cli *cli, Pg *pg, const char *topic, GPtrArray *letters,
                         const char *verdict, const char *reason, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* As a row of a table of LETTER_COLUMNS. */
void letter_show (Output *out, const Letter *letter);
/* One letter as a record. PREFIX: of our topics. */
void letter_show_whole (Output *out, const Letter *letter, const char *prefix);
