/* A page of HTML that is built from elements and texts. Nothing can be added unescaped: elements
 * are those of HtmlTag, and a text stays a text.
 *
 * Threads: any. Ownership: html_end.
 */
#pragma once
#include <glib.h>

typedef struct _Html Html;
typedef enum {
  HTML_H1,
  HTML_H2,
  HTML_P,
  HTML_TABLE,
  HTML_TR,
  HTML_TH,
  HTML_TD,
  HTML_NUMBER, /* a cell of a table, set to the right */
  HTML_TAGS
} HtmlTag;

/* A page with TITLE, in English, without scripts and without other files. */
Html *html_begin (const char *title);
void html_open (Html *html, HtmlTag tag);
/* Closes what was opened last. */
void html_close (Html *html);
/* An element with TEXT (NULL: nothing), which is UTF-8. */
void html_text (Html *html, HtmlTag tag, const char *text);
/* The page; closes what is open. g_free it. */
char *html_end (Html *html);
