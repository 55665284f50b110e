/* What the database's catalogue says about the tables of a sentence: columns, primary keys, foreign
 * keys. Names are as SQL writes them, quoted where needed, so they can be put into SQL.
 *
 * Threads: that of the connection reads it; then any. Ownership: catalogue_free frees all of it.
 */
#pragma once
#include "engine/job/sentence/sentence.h"
#include "pg/pg.h"

/* How a B-tree compares two values, in the order of its strategies. */
typedef enum { CAT_LESS, CAT_AT_MOST, CAT_EQUAL, CAT_AT_LEAST, CAT_GREATER, CAT_SIGNS } CatSign;

typedef struct {
  char *name, *quoted;
  char *type; /* as a cast takes it that cuts and rounds nothing: the base type, without a length */
  char *declared;         /* as it is declared */
  char *emptied;          /* a table whose rows ON UPDATE SET NULL or DEFAULT empties; NULL: none */
  gboolean notnull, made; /* made: generated from others */
  gboolean leads;         /* of the own table: an index of all rows begins with it, so that rows are
                             found by its value */
  char *collation;        /* by which it is sorted; NULL: its type has none */
  gboolean several;       /* values that are equal can have different texts: `1.0` and `1.00` */
  gboolean cuts;          /* its type, also below a domain, has a length, a precision or fields */
  gboolean as_text;       /* its value in JSON is another one than its text: `[1]` and `{1}` */
  gboolean loses;         /* its record has the text: JSON is another value (json_loses.sql) */
  gboolean bounded;       /* an array: JSON does not have the bounds of `[0:2]={1,2,3}` */
  gboolean zeros;         /* of floating point, or a list of these: JSON does not have -0 */
  char *element;          /* of an array: the base type of its elements, if it is PostgreSQL's */
  gboolean timed;         /* a list, range or row in which there are dates or times */
  char *signs[CAT_SIGNS]; /* the operators of the index on the key, or of the type, in full; NULL:
                             those that PostgreSQL has itself for exactly this type */
} CatColumn;

typedef struct {
  char *oid;
  char *asked;        /* as the sentence names it; NULL: found by a foreign key */
  char *name, *own;   /* own: without its schema, as columns are qualified with it */
  char *whole;        /* with its schema: the type of its rows, which can be called `line` */
  char kind;          /* pg_class.relkind; 0: there is no such table */
  gboolean hidden;    /* row-level security hides rows of it */
  gboolean readable;  /* this role may read it */
  gboolean beside;    /* only ON UPDATE leads to it, by which its rows change with those of `set` */
  gboolean inherited; /* other tables inherit from it, and are no partitions */
  gboolean ours;      /* of the database's catalogue, or of pruned */
  char *root;         /* the partitioned table at the top; its own oid if there is none */
  char *catches;      /* a trigger or rule that can keep new rows away; NULL: none */
  gboolean stirs;     /* it has triggers before rows go or change */
  gboolean answers;   /* it has triggers before or after rows go or change */
  char *partly;       /* a table that refers to some of its partitions only; NULL: none */
  GPtrArray *columns; /* of CatColumn */
  GPtrArray *key;     /* of CatColumn, borrowed: the primary key */
} CatTable;

typedef struct {
  char *name; /* with its schema */
  const CatTable *child, *parent;
  GPtrArray *from, *to; /* of CatColumn, borrowed: of the child, of the parent */
  GPtrArray *casts;     /* of text or NULL: the type in which a column of the child is compared */
  GPtrArray *collates;  /* of text or NULL: the collation by which it is */
  GPtrArray *operators; /* of text or NULL: the operator of the foreign key, in full, which has the
                           parent's value on its left; NULL: as CatColumn.signs */
  GPtrArray *emptied;   /* of CatColumn, borrowed: what SET NULL or DEFAULT changes of the child */
  GPtrArray *loosens;   /* of CatColumn, borrowed: once they are NULL the child refers to nothing;
                           empty: that cannot be */
  char deltype;         /* pg_constraint.confdeltype; 0: no foreign key, the sentence says so */
  char updtype;         /* pg_constraint.confupdtype; 0: as above */
  gboolean deferrable;
} CatKey;

typedef struct {
  GPtrArray *tables; /* of CatTable; the sentence's own is the first */
  GPtrArray *keys;   /* of CatKey */
  char *changes;     /* a function that the condition calls and that may change rows; NULL: none */
  char *set_changes; /* the same of `set` */
  char *unless_changes; /* the same of the condition of `deadline` */
  char *hidden;  /* why its own SQL would mean something else than to the application; NULL: it
                    does not */
  gboolean torn; /* a table was altered while it was read: nothing follows from it */
} Catalogue;

#define CATALOGUE_TORN "%s: its tables are being altered"

/* Never a torn one. */
Catalogue *catalogue_read (Pg *pg, const Sentence *sentence, GError **error);
/* For each of N sentences (Catalogue), with the same questions. */
GPtrArray *catalogue_read_each (Pg *pg, const Sentence *const *sentences, guint n, GError **error);
void catalogue_free (Catalogue *catalogue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Catalogue, catalogue_free)

/* The table that the sentence names so; NULL: none. */
const CatTable *catalogue_asked (const Catalogue *catalogue, const char *name);
/* NULL: the table has no such column. NAME as SQL writes it. */
const CatColumn *catalogue_column (const CatTable *table, const char *name);
/* The same of a name as the catalogue has it, without quotes. */
const CatColumn *catalogue_column_plain (const CatTable *table, const char *plain);
/* Says that TABLE has no column NAME, with the nearest one; g_free it. */
char *catalogue_no_column (const CatTable *table, const char *name);
/* This role sees the rows of TABLE, so that they can be counted. */
gboolean catalogue_is_seen (const CatTable *table);
/* The operator that compares two values of COLUMN. */
const char *catalogue_sign (const CatColumn *column, CatSign sign);
void catalogue_key_free (gpointer key);
