/* What PostgreSQL says, without what is in the rows: errors go into logs, tables and topics that
 * others read (docs/choices.md).
 *
 * Told: the message, of DETAIL what names keys and tables, the names of constraint, table and
 * column if the message lacks them. Not told: other details (`Failing row contains (...)`), hints,
 * and what stands in quotes in a message of class 22, which quotes the value it dislikes. What a
 * trigger raises is its author's own message, and stays; its DETAIL goes. Threads: any. Ownership:
 * g_free what is returned.
 */
#pragma once
#include <libpq-fe.h>

#include <glib.h>

char *discreet_words (const PGresult *result);
/* Why URL cannot be connected to, from libpq's words: without pieces of a password that it took for
 * something else. */
char *discreet_connection (const char *url, const PGconn *conn, const char *words);
