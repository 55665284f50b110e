/* What stands behind the names in a text of SQL: functions and views of the application, to any
 * depth (sql/behind.sql). What they decide, the text decides: a function that shows itself only the
 * rows that row-level security leaves, or that compares types outside of the path, lets rows go
 * that the application would keep.
 *
 * Invariant: a sentence with such a function is refused; so is a folder with one behind its files
 * (src/cli/check/check_behind.c). A function that is changed later is looked at when the jobs are
 * loaded again.
 * Threads: that of the connection. Ownership: g_free a reason.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

#define BEHIND "src/engine/job/sentence/sql/behind.sql"

/* Whether TEXT can call a function or read a view: both need a bracket. */
gboolean behind_is_any (const char *text);
/* The question of BEHIND about TEXT. */
PgValues *behind_question (const char *text);
/* Why ROW of the answer hides rows from what it decides; NULL: it does not. */
char *behind_hides (const PgRows *rows, int row);
/* The question of HIDDEN_OPERATORS about ROW; NULL: it has a path of its own. And what that answers
 * (OPERATORS), as a reason; NULL: nothing is out of sight. */
PgValues *behind_operators (const PgRows *rows, int row);
char *behind_why (const PgRows *rows, int row, const PgRows *operators);

/* Asks for the texts of N sentences, and notes the answers in ALL (of Catalogue). */
gboolean behind_read_each (Pg *pg, const Sentence *const *sentences, const GPtrArray *all,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
