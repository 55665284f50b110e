/* The SQL of a sentence, written from the catalogue: the files that a folder would have.
 *
 * A key is a text everywhere: that of the column's value, or of a jsonb object with the values of
 * several columns. The SQL casts it.
 *
 * Threads: any. Ownership: written_free.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

typedef struct {
  char *path;        /* as in a folder, without `.sql`: `apply/removed/020-orders` */
  char *table;       /* of an effect: the table, as SQL writes it; NULL: none */
  char action;       /* of an effect: `d`elete, `u`pdate or `i`nsert */
  gboolean of_going; /* an update of rows that go themselves */
  char *text;
  char *owned; /* of an effect on rows below those that go: the same with a column `owner`, the key
                  with which a row goes; NULL: none */
} WrittenFile;

/* A file that is shown and not run. */
#define WRITTEN_SHOWN "detach"
/* A file of the step in which only rows below go (sentence_portion.c). */
#define WRITTEN_PORTION "portion/"
/* The word of that decision: rows below it go, and the row stays. */
#define WRITTEN_PORTION_WORD "portion"

typedef struct {
  GPtrArray *files;           /* of WrittenFile, in order */
  GPtrArray *cursor;          /* of char: the types of the cursor's columns k1, k2, ... */
  GPtrArray *behind, *beside; /* of char or NULL: their operators (JobCursor) */
  char *cursor_of;  /* the columns of the table that these are, with all that their order depends
                       on; NULL: they are no columns of it */
  const char *word; /* what becomes of a row: `removed` or `changed` */
  char *due;        /* the column whose values values.sql shows; NULL: none */
  char *below;      /* the query that counts the rows below; NULL: there are none */
  char *known_rows; /* the page in which the condition is not asked of rows in quarantine; NULL: as
                       below */
  char *reading;    /* which of the rows in `pruned_gone` the condition does not name
                       (engine/reading); NULL: it cannot be asked of a row by itself */
  char *left;       /* rows that the condition names and that are still there as before the run;
                       NULL: it cannot be asked what is left */
  char *reading_objects; /* the objects of rows that have gone; NULL: they have none */
  char *all_rows;        /* the page without the sentence's condition; NULL: a row cannot be decided
                            about without the others */
  gboolean portions;     /* rows below can go in portions, whether or not the sentence says so */
  gboolean takes_own;    /* rows of its table go with others of it */
  GPtrArray *tables;     /* of char: all tables that it depends on */
} Written;

Written *written_new (void); /* without files */
void written_free (Written *written);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Written, written_free)

/* NULL: the catalogue does not fit; *REFUSAL says why (g_free it). */
Written *sentence_write (const Sentence *sentence, const Catalogue *catalogue, char **refusal);
/* A column of the cursor, of that type, with the operators of its index; NULL: PostgreSQL's own. */
void written_add_cursor (Written *written, const char *type, const char *greater,
                         const char *equal);
/* Takes TEXT. TABLE: of an effect; NULL: none. */
void written_add (Written *written, char *path, const CatTable *table, char action, char *text);
/* Takes TEXT, a statement that inserts into a table of the service. */
void written_add_insert (Written *written, const char *path, char *text);
