/* A row as an argument: TABLE:KEY. KEY is the primary key, as PostgreSQL reads its type, or a JSON
 * object of its columns.
 *
 * Threads: main only. Ownership: item_clear.
 */
#pragma once
#include "cli/cli.h"

typedef struct {
  char *table;
  char *key; /* as JSON */
} Item;

void item_clear (Item *item);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Item, item_clear)

/* FALSE: a usage error; ITEM is cleared. */
gboolean item_parse (const char *text, Item *item, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same of two arguments: TEXT is the key. */
gboolean item_make (const char *table, const char *text, Item *item, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Compares the key with the primary key of the table, and reads it as its columns: then it is as
 * the audit has it. WHOLE: an object must have all its columns. CODE_NOT_FOUND: no such table.
 * CODE_USAGE: the key is none of this table. */
ExitCode item_check (Item *item, Pg *pg, gboolean whole, GError **error);

/* KEY (a JSON text) of TABLE as an argument of a command, quoted for a shell if that is needed.
 * g_free it. */
char *item_argument (const char *table, const char *key);
