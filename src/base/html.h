/* A page of HTML that is built from elements, attributes and texts. Nothing can be added as it is:
 * elements and attributes are those of the enums, a text stays a text, an attribute stays within
 * its quotes, and what is a link goes to a page of the same place, never to a script, nor to
 * another host, unless an operator has written it (HTML_AT_ELSEWHERE). There are no attributes with
 * scripts or styles.
 *
 * Threads: any, one at a time. Ownership: html_end.
 */
#pragma once
#include <glib.h>

typedef struct _Html Html;

typedef enum {
  HTML_HTML,
  HTML_HEAD,
  HTML_TITLE,
  HTML_META,
  HTML_LINK,
  HTML_SCRIPT, /* has no text, only a file (HTML_AT_SRC) */
  HTML_NOSCRIPT,
  HTML_BODY,
  HTML_HEADER,
  HTML_NAV,
  HTML_MAIN,
  HTML_FOOTER,
  HTML_SECTION,
  HTML_H1,
  HTML_H2,
  HTML_P,
  HTML_DIV,
  HTML_SPAN,
  HTML_A,
  HTML_CODE,
  HTML_TIME,
  HTML_UL,
  HTML_LI,
  HTML_DL,
  HTML_DT,
  HTML_DD,
  HTML_TABLE,
  HTML_THEAD,
  HTML_TBODY,
  HTML_TR,
  HTML_TH,
  HTML_TD,
  HTML_FORM,
  HTML_LABEL,
  HTML_INPUT,
  HTML_BUTTON,
  HTML_DETAILS,
  HTML_SUMMARY,
  HTML_SVG,
  HTML_SVG_RECT,
  HTML_TAGS
} HtmlTag;

typedef enum {
  HTML_AT_CLASS,
  HTML_AT_ID,
  HTML_AT_LANG,
  HTML_AT_CHARSET,
  HTML_AT_CONTENT,
  HTML_AT_EQUIV,
  HTML_AT_HREF,      /* relative, as HTML_AT_SRC and HTML_AT_ACTION; another becomes `#` */
  HTML_AT_ELSEWHERE, /* href of what an operator has written: relative, http or https; else `#` */
  HTML_AT_SRC,
  HTML_AT_ACTION,
  HTML_AT_REL,
  HTML_AT_TYPE,
  HTML_AT_NAME,
  HTML_AT_VALUE,
  HTML_AT_FOR,
  HTML_AT_TITLE,
  HTML_AT_DATETIME,
  HTML_AT_SCOPE,
  HTML_AT_ROLE,
  HTML_AT_LABEL,   /* aria-label */
  HTML_AT_CURRENT, /* aria-current */
  HTML_AT_TABINDEX,
  HTML_AT_METHOD,
  HTML_AT_DEFER,
  HTML_AT_VIEWBOX,
  HTML_AT_X,
  HTML_AT_Y,
  HTML_AT_ASPECT, /* preserveAspectRatio */
  HTML_AT_WIDTH,
  HTML_AT_HEIGHT,
  HTML_ATTRIBUTES
} HtmlAttribute;

Html *html_begin (void);
void html_open (Html *html, HtmlTag tag);
/* An attribute of the element that was opened last and has nothing in it yet. NULL: none. */
void html_set (Html *html, HtmlAttribute attribute, const char *value);
/* Whether HTML_AT_ELSEWHERE can have LINK. */
gboolean html_may_leave_to (const char *link);
void html_set_number (Html *html, HtmlAttribute attribute, double number);
/* A text inside what is open, in UTF-8; what is not is replaced, and control characters but line
 * breaks are blanks. NULL: nothing. */
void html_add (Html *html, const char *text);
/* Closes what was opened last. */
void html_close (Html *html);
/* An element with TEXT (NULL: nothing). */
void html_text (Html *html, HtmlTag tag, const char *text);
/* The embedded FILE as the style of a page that has no other files. */
void html_style (Html *html, const char *file);
/* The page so far, without ending it; valid until something is added. */
const char *html_so_far (const Html *html, gsize *length);
/* The page; closes what is open. g_free it. */
char *html_end (Html *html);

void html_free (Html *html); /* a page that is not wanted; NULL: nothing */

/* `runs?job=a%20b&state=dead` of a PATH and pairs of name and value that ends with NULL; a pair
 * whose value is NULL is left out. g_free it. */
char *html_link (const char *path, ...) G_GNUC_NULL_TERMINATED;
