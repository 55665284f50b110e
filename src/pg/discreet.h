/* PostgreSQL's errors without the content of rows: errors go into logs, tables and topics that
 * others read (docs/choices.md).
 *
 * Kept: the message, the part of DETAIL that names keys and tables, the names of constraint, table
 * and column if the message lacks them. Removed: other details (`Failing row contains (...)`),
 * hints, and quoted text in messages of class 22, which quote the invalid value. The message that a
 * trigger raises is kept; its DETAIL is removed. What is longer than CUT_ERROR_BYTES is cut.
 *
 * Threads: any. Ownership: the caller frees results with g_free.
 */
#pragma once
#include <libpq-fe.h>

#include <glib.h>

char *discreet_words (const PGresult *result);
/* `invalid input syntax for type integer: "..."`: cuts from the first quote to the last, because
 * values can contain quotes; also those of translated messages. */
char *discreet_unquoted (const char *message);
/* Why a connection to URL failed, from libpq's text, without pieces of a password that libpq has
 * misread. */
char *discreet_connection (const char *url, const PGconn *conn, const char *words);
