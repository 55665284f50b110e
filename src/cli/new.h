/* `pruned new`: what it finds in the database about a table (new_look.c), and the text that it
 * makes of it (new_text.c).
 *
 * Threads: main only. Ownership: New has what look_* sets; new_clear frees that.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

typedef enum { NEW_GIVEN, NEW_BY_END, NEW_BY_AGE } NewWhere;

typedef struct {
  const char *job;
  Sentence *sentence;      /* table, where, children */
  Catalogue *catalogue;    /* with all tables that refer to the rows */
  NewWhere by;             /* where `where` comes from: --where, or a column's name */
  const CatColumn *column; /* the one that `where` is about; NULL: not known. Borrowed */
  char *children;          /* as the sentence has them; NULL: no foreign key blocks */
  gint64 rows, matching;   /* estimates; -1: not known */
  gboolean all;            /* `where` asks nothing of a row */
  char *index;             /* that finds the rows; NULL: none */
} New;

void new_clear (New *new);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (New, new_clear)

/* Proposes `where` from the name of a column. FALSE: none offers itself. */
gboolean new_propose (New *new);
/* Which foreign keys block, and so `children`. */
void new_find_children (New *new);
/* The tables whose rows go, or are emptied, with the own ones. */
gboolean new_goes_with (const New *new, const CatKey *key);
/* Rows and index, in the open transaction. */
gboolean new_look (New *new, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The file; g_free it. */
char *new_text (const New *new);
