/* Parts of an SQL text that are not code: literals, quoted names, comments.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

typedef enum {
  QUOTED_NOT,
  QUOTED_LITERAL, /* '..', E'..' (from its first quote), $tag$..$tag$ */
  QUOTED_NAME,    /* ".." */
  QUOTED_COMMENT, /* -- up to the end of the line, or a C comment */
} Quoted;

/* What begins at P, a place in TEXT that is code. END: its end; the end of TEXT if it is not
 * closed, and then CLOSED is FALSE. CLOSED can be NULL. */
Quoted quoted_at (const char *text, const char *p, const char **end, gboolean *closed);

/* The line of TEXT, from 1, in which a part begins that is not closed; 0: all are. */
int quoted_open_line (const char *text);

/* NAME as SQL writes it, in quotes. g_free it. */
char *quoted_make (const char *name);
/* NAME as SQL writes it (`public."Order, Items"`) without schema and quotes. g_free it. */
char *quoted_bare (const char *name);
/* The schema of NAME, as it is written there; NULL: it names none. g_free it. */
char *quoted_schema (const char *name);
/* NAME as SQL writes it with each part in quotes, folded if it had none: `"public"."orders"`.
 * g_free it. */
char *quoted_whole (const char *name);

/* Whether C can stand in a name without quotes, behind its first character. */
gboolean quoted_is_name_char (char c);
/* How many such characters stand at P. */
gsize quoted_name_length (const char *p);
