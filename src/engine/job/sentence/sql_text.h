/* Reads pieces of SQL that users write into a section: names, lists, expressions. It knows SQL's
 * quotes ('..', E'..', "..", $tag$..$tag$), and nothing of its grammar.
 *
 * Threads: any. Ownership: the caller frees results with g_free or g_strfreev.
 */
#pragma once
#include "base/error.h"

/* Whether TEXT can be put into a statement as one expression: not empty, no `;`, no comment, every
 * quote and bracket closed, no parameter but `:T`, no call whose effect lasts in the session.
 * PRUNED_FATAL says what is wrong. */
gboolean sql_text_is_expression (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TEXT with VALUE instead of each `:T` that is code. */
char *sql_text_at (const char *text, const char *value);

/* The items between the commas that are in no bracket and no quotes, without blanks around them.
 * Each is an expression as above. PRUNED_FATAL: it is not, or an item is empty. */
char **sql_text_list (const char *text, GError **error);

/* Reads the name at *AT, which is then behind it and its blanks: without quotes folded to lower
 * case, else as it is. With PARTS > 1: up to PARTS names with dots between them. PRUNED_FATAL:
 * there is none. */
char *sql_text_name (const char **at, int parts, GError **error);

/* TEXT as one name and nothing else. */
char *sql_text_only_name (const char *text, int parts, GError **error);
/* TEXT as a list of names of columns, none of them twice. */
char **sql_text_columns (const char *text, GError **error);

/* Skips WORD, a keyword in any case, and the blanks behind it. */
gboolean sql_text_skip_word (const char **at, const char *word);

/* Whether `AND name =` stands in the expression TEXT, in no bracket and in no CASE: it then looks
 * like two assignments and is one. */
gboolean sql_text_assigns_again (const char *text);

/* Whether the expression TEXT may depend on other rows than the one that it is asked of: it has a
 * sub-select, or calls a function that is not known to read none. */
gboolean sql_text_reads_rows (const char *text);

/* Adds the functions that the expression TEXT calls to array literals: their names, and their
 * schemas, '' where it says none. */
void sql_text_calls (const char *text, GString *schemas, GString *names);
