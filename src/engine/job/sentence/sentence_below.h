/* What goes before a row of a sentence: the rows that refer to it, theirs, and so on; in which
 * order, and by which SQL.
 *
 * A foreign key is followed if it cascades, if the sentence names the child, or, with `auto`, if it
 * forbids to remove the parent. One that empties the child (ON DELETE SET NULL) is carried out by a
 * statement that is recorded. Tables that refer to each other in a circle: one foreign key of it is
 * deferred, or emptied in the rows that go.
 *
 * Threads: any. Ownership: below_free; catalogue and words are borrowed.
 */
#pragma once
#include "engine/job/sentence/list.h"
#include "engine/job/sentence/words.h"
#include "engine/job/sentence/sentence_write.h"

typedef struct _Below Below;
/* NULL: *REFUSAL says why. WORDS: those of the sentence (`keys`, `match`, ...). */
Below *below_new (const Sentence *sentence, const Catalogue *catalogue, Words *words,
                  char **refusal);
/* The same of rows that a job of files removes, only to count what goes or changes with them: along
 * the foreign keys that can be followed, and whose tables this role sees. */
Below *below_foresee (const Sentence *sentence, const Catalogue *catalogue, Words *words);
void below_free (Below *below);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Below, below_free)

/* Rows of the own table refer to rows of it, and go with them. */
gboolean below_takes_own (const Below *below);
/* Nothing refers to the rows. */
gboolean below_is_empty (const Below *below);
/* Sets the words of decide that only a plan needs: `gone_with`, `matters`. */
void below_set_plan (const Below *below);
/* Adds the files that lock and that change what is below; not those of the own table. */
void below_write_locks (const Below *below, Written *written);
void below_write_effects (const Below *below, Written *written);
/* A query that counts the rows of each table below that go with the rows of the keys; an upper
 * bound. NULL: there is none. g_free it. */
char *below_write_count (const Below *below);
/* A file may have emptied a column of the rows of the own table before they go. */
gboolean below_empties_own (const Below *below);
/* A file does empty one. */
gboolean below_changes_own (const Below *below);
/* Some row of a child refers to the row of the own table; `false`: there is no child. g_free it. */
char *below_is_referred (const Below *below);
/* The condition DUE, and no row is left of a child that no foreign key holds to the own row. g_free
 * it. */
char *below_without_rest (const Below *below, const char *due);
