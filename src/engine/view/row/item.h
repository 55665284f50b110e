/* A row as people name it: TABLE:KEY. KEY is the primary key, as PostgreSQL reads its type, or a
 * JSON object of its columns. The key of a column of texts is taken as it stands.
 *
 * Threads: those of the connection. Ownership: item_clear.
 */
#pragma once
#include "engine/job/job.h"
#include "pg/pg.h"

/* How a look for a row ends. But for ITEM_READ, ERROR says why. */
typedef enum {
  ITEM_READ,
  ITEM_FAILED, /* PostgreSQL */
  ITEM_WRONG,  /* the text names no row; PRUNED_REJECT */
  ITEM_NO_TABLE,
  ITEM_HIDDEN /* row-level security hides rows from this role: nobody knows */
} ItemEnd;

typedef struct {
  char *table, *text;   /* as given; once it is checked, the table as the audit names it */
  char *key;            /* as JSON; NULL: not checked yet */
  gboolean columns;     /* the key is an object of columns, of one row or of several */
  char *in_json;        /* such a key as recorded rows have the columns; NULL: alike */
  char *known;          /* names that jobs have for tables, an array literal */
  GPtrArray *spellings; /* of char: other keys as JSON that are recorded and that the column's
                           operator finds equal; NULL: not checked yet */
} Item;

void item_clear (Item *item);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Item, item_clear)

/* FALSE: a usage error; ITEM is cleared. */
gboolean item_parse (const char *text, Item *item, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same of two arguments: TEXT is the key. */
gboolean item_make (const char *table, const char *text, Item *item, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Reads the text as the columns of the table's primary key: then the key is as the audit has it. A
 * text that can be read in several ways is the one that is recorded, and a literal one first.
 * WHOLE: an object must have all columns, those of the row where the table has no key.
 * In transactions of its own. */
ItemEnd item_check (Item *item, const Jobs *jobs, Pg *pg, gboolean whole, GError **error);

/* Calls FUNC for the key and for each of its spellings, with IN_JSON as `in_json`, until one fails.
 */
typedef gboolean (*ItemKeyFunc) (const char *key, const char *in_json, gpointer data,
                                 GError **error);
gboolean item_each_key (const Item *item, ItemKeyFunc func, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The same of a table that is gone, or had another key: the text itself if that is recorded, else
 * what it is as JSON. */
ItemEnd item_take_recorded (Item *item, Pg *pg, GError **error);

/* The key TEXT of TABLE as an argument of a command, quoted for a shell if that is needed;
 * ON_A_LINE: without control characters. g_free it. */
char *item_argument (const char *table, const char *text, gboolean on_a_line);
