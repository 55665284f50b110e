/* Operators that a session of the application may take in a text of SQL and one of ours would not,
 * because their schema is not in our path: PostgreSQL would take another one and say nothing.
 *
 * Threads: that of the connection. Ownership: g_free a reason.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

#define HIDDEN_OPERATORS "src/engine/job/sentence/sql/hidden_operators.sql"

/* The question about TEXT. TABLES (NULL-terminated): whose columns it has without naming them. */
PgValues *hidden_question (const char *text, const char *const *tables);
/* What ROWS of HIDDEN_OPERATORS say; NULL: there is no such operator. */
char *hidden_why (const PgRows *rows);
/* All that SENTENCE says in SQL of its own; g_free it. The key that it begins with. */
char *hidden_text (const Sentence *sentence);
const char *hidden_key (const Sentence *sentence);
/* Asks for the texts of N sentences, and notes the answers in ALL (of Catalogue). */
gboolean hidden_read_each (Pg *pg, const Sentence *const *sentences, const GPtrArray *all,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
