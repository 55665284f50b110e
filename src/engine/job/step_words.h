/* The words of an SQL text that are code.
 *
 * Threads: any. Ownership: g_free a word.
 */
#pragma once
#include <glib.h>

#define STEP_WORD_ESCAPED "u&" /* U&"..", a name in which any character can be hidden */

/* The first word at P or behind it that is code, in lower case, or the quoted name of a call, as it
 * is, or STEP_WORD_ESCAPED; "": there is none. *P is behind it, *AT where it begins. */
char *step_word (const char *text, const char **p, const char **at);
/* The line of the N-th WORD of TEXT; 0: there are fewer. */
int step_words_line (const char *text, const char *word, guint n);
/* The first character at P, a place of code, or behind it that is neither blank nor comment. */
const char *step_words_behind_blanks (const char *text, const char *p);
/* How many more brackets are open at TO than at FROM, both places of code. */
int step_words_depth (const char *text, const char *from, const char *to);
