/* Lists of columns, as SQL.
 *
 * Threads: any. Ownership: the caller frees texts with g_free.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

/* Adds to OUT, behind BETWEEN if OUT is not empty. */
void list_add (GString *out, const char *between, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* TEXT as a literal. */
char *list_literal (const char *text);
/* `orders.id = pruned_p.pruned_1 AND ...` for each of COLUMNS of the table OWN. */
char *list_equal (const char *own, const GPtrArray *columns, const char *other);
/* The same for columns of these names in THERE, called OWN, whose types can be others. */
char *list_equal_there (const char *own, const CatTable *there, const GPtrArray *columns,
                        const char *other);
/* Two values of one column, as SQL; borrowed. */
typedef struct {
  const char *left, *right;
} ListValue;
/* How the row of COLUMNS with the left VALUES lies to that with the right ones, as the index on
 * COLUMNS, a primary key, compares them. An index finds such rows. */
char *list_compare (const GPtrArray *columns, CatSign sign, const ListValue *values);
/* That column I of KEY has the same value in the child and in the parent, as PostgreSQL compares
 * them for the foreign key; CHILD, PARENT: these values. */
char *list_refers (const CatKey *key, guint i, const char *child, const char *parent);
/* `items.order_id = pruned_p.pruned_1 AND ...`: rows of OWN, the child of KEY, refer to OTHER. */
char *list_refers_all (const CatKey *key, const char *own, const char *other);
/* `pruned_c.order_id = orders.id AND ...`: rows called CHILD refer by KEY to rows called PARENT. */
char *list_refers_to (const CatKey *key, const char *child, const char *parent);
/* `orders.a AS pruned_1, ...` */
char *list_named (const char *own, const GPtrArray *columns);
/* What a row of TABLE is called in the audit: its key, an object if it has several columns, the
 * whole row if there is none. */
char *list_key (const CatTable *table);
/* VALUE of COLUMN as the key of several columns has it: its text is what a cast takes. */
char *list_member (const CatColumn *column, const char *value);
/* VALUE of COLUMN as rows of the audit have it: its text, if JSON is another value, or does not
 * have it (an array that does not begin at 1, -0). */
char *list_bounded (const CatColumn *column, const char *value);
/* The row of TABLE with all of its columns, as the audit has rows. */
char *list_whole (const CatTable *table);
/* The row of TABLE for the audit. Where SENTENCE says that it is not recorded, it has its key only.
 */
char *list_row (const CatTable *table, const Sentence *sentence);
