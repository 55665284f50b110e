#include "base/html.h"

#include "base/resource.h"

#include <string.h>

struct _Html {
  GString *out;
  GArray *open;      /* of HtmlTag */
  gboolean is_begun; /* the last element's begin tag has no `>` yet */
};

typedef struct {
  const char *name;
  gboolean is_void; /* it has neither texts nor an end */
  gboolean is_last; /* a line ends behind it */
} Tag;

static const Tag TAGS[HTML_TAGS] = {
  [HTML_HTML] = { "html", .is_last = TRUE },
  [HTML_HEAD] = { "head", .is_last = TRUE },
  [HTML_TITLE] = { "title", .is_last = TRUE },
  [HTML_META] = { "meta", TRUE, TRUE },
  [HTML_LINK] = { "link", TRUE, TRUE },
  [HTML_SCRIPT] = { "script", .is_last = TRUE },
  [HTML_NOSCRIPT] = { "noscript", .is_last = TRUE },
  [HTML_BODY] = { "body", .is_last = TRUE },
  [HTML_HEADER] = { "header", .is_last = TRUE },
  [HTML_NAV] = { "nav", .is_last = TRUE },
  [HTML_MAIN] = { "main", .is_last = TRUE },
  [HTML_FOOTER] = { "footer", .is_last = TRUE },
  [HTML_SECTION] = { "section", .is_last = TRUE },
  [HTML_H1] = { "h1", .is_last = TRUE },
  [HTML_H2] = { "h2", .is_last = TRUE },
  [HTML_P] = { "p", .is_last = TRUE },
  [HTML_DIV] = { "div", .is_last = TRUE },
  [HTML_SPAN] = { "span" },
  [HTML_A] = { "a" },
  [HTML_CODE] = { "code" },
  [HTML_TIME] = { "time" },
  [HTML_UL] = { "ul", .is_last = TRUE },
  [HTML_LI] = { "li", .is_last = TRUE },
  [HTML_DL] = { "dl", .is_last = TRUE },
  [HTML_DT] = { "dt" },
  [HTML_DD] = { "dd", .is_last = TRUE },
  [HTML_TABLE] = { "table", .is_last = TRUE },
  [HTML_THEAD] = { "thead", .is_last = TRUE },
  [HTML_TBODY] = { "tbody", .is_last = TRUE },
  [HTML_TR] = { "tr", .is_last = TRUE },
  [HTML_TH] = { "th" },
  [HTML_TD] = { "td" },
  [HTML_FORM] = { "form", .is_last = TRUE },
  [HTML_LABEL] = { "label" },
  [HTML_INPUT] = { "input", TRUE },
  [HTML_BUTTON] = { "button" },
  [HTML_DETAILS] = { "details", .is_last = TRUE },
  [HTML_SUMMARY] = { "summary", .is_last = TRUE },
  [HTML_SVG] = { "svg", .is_last = TRUE },
  [HTML_SVG_RECT] = { "rect" },
};

static const struct {
  const char *name;
  gboolean is_link, may_leave;
} ATTRIBUTES[HTML_ATTRIBUTES] = {
  [HTML_AT_CLASS] = { "class" },
  [HTML_AT_ID] = { "id" },
  [HTML_AT_LANG] = { "lang" },
  [HTML_AT_CHARSET] = { "charset" },
  [HTML_AT_CONTENT] = { "content" },
  [HTML_AT_EQUIV] = { "http-equiv" },
  [HTML_AT_HREF] = { "href", TRUE },
  [HTML_AT_ELSEWHERE] = { "href", TRUE, TRUE },
  [HTML_AT_SRC] = { "src", TRUE },
  [HTML_AT_ACTION] = { "action", TRUE },
  [HTML_AT_REL] = { "rel" },
  [HTML_AT_TYPE] = { "type" },
  [HTML_AT_NAME] = { "name" },
  [HTML_AT_VALUE] = { "value" },
  [HTML_AT_FOR] = { "for" },
  [HTML_AT_TITLE] = { "title" },
  [HTML_AT_DATETIME] = { "datetime" },
  [HTML_AT_SCOPE] = { "scope" },
  [HTML_AT_ROLE] = { "role" },
  [HTML_AT_LABEL] = { "aria-label" },
  [HTML_AT_CURRENT] = { "aria-current" },
  [HTML_AT_TABINDEX] = { "tabindex" },
  [HTML_AT_METHOD] = { "method" },
  [HTML_AT_DEFER] = { "defer" },
  [HTML_AT_VIEWBOX] = { "viewBox" },
  [HTML_AT_ASPECT] = { "preserveAspectRatio" },
  [HTML_AT_X] = { "x" },
  [HTML_AT_Y] = { "y" },

  [HTML_AT_WIDTH] = { "width" },
  [HTML_AT_HEIGHT] = { "height" },
};

static void
add_escaped (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  for (const char *at = valid; *at != '\0'; at++)
    switch (*at) {
    case '&':
      g_string_append (out, "&amp;");
      break;
    case '<':
      g_string_append (out, "&lt;");
      break;
    case '>':
      g_string_append (out, "&gt;");
      break;
    case '"':
      g_string_append (out, "&quot;");
      break;
    case '\'':
      g_string_append (out, "&#39;");
      break;
    default:
      g_string_append_c (out, ((guchar)*at < ' ' && *at != '\n') || *at == 127 ? ' ' : *at);
    }
}

static void
end_begin (Html *html)
{
  if (html->is_begun)
    g_string_append_c (html->out, '>');
  html->is_begun = FALSE;
}

static HtmlTag
innermost (const Html *html)
{
  return html->open->len > 0 ? g_array_index (html->open, HtmlTag, html->open->len - 1) : HTML_TAGS;
}

Html *
html_begin (void)
{
  Html *html = g_new (Html, 1);
  *html = (Html){ g_string_new ("<!DOCTYPE html>\n"), g_array_new (FALSE, FALSE, sizeof (HtmlTag)),
                  FALSE };
  return html;
}

void
html_open (Html *html, HtmlTag tag)
{
  end_begin (html);
  g_string_append_printf (html->out, "<%s", TAGS[tag].name);
  g_array_append_val (html->open, tag);
  html->is_begun = TRUE;
}

/* It names neither a scheme nor a host: no colon stands before the first of `/?#`, and it does not
 * begin with two slashes or backslashes, which browsers take for a host. */
static gboolean
is_relative (const char *link)
{
  const gsize first = strcspn (link, ":/?#\\");
  return link[first] != ':' && link[first] != '\\'
         && !(first == 0 && link[0] == '/' && (link[1] == '/' || link[1] == '\\'))
         && (guchar)link[0] > ' ';
}

gboolean
html_may_leave_to (const char *link)
{
  return is_relative (link) || g_str_has_prefix (link, "http://")
         || g_str_has_prefix (link, "https://");
}

void
html_set (Html *html, HtmlAttribute attribute, const char *value)
{
  g_return_if_fail (html->is_begun);
  if (value == NULL)
    return;
  const gboolean fits
      = !ATTRIBUTES[attribute].is_link
        || (ATTRIBUTES[attribute].may_leave ? html_may_leave_to (value) : is_relative (value));
  g_string_append_printf (html->out, " %s=\"", ATTRIBUTES[attribute].name);
  add_escaped (html->out, fits ? value : "#");
  g_string_append_c (html->out, '"');
}

void
html_set_number (Html *html, HtmlAttribute attribute, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  html_set (html, attribute, g_ascii_formatd (text, sizeof text, "%.10g", number));
}

void
html_add (Html *html, const char *text)
{
  end_begin (html);
  if (text != NULL && innermost (html) != HTML_SCRIPT)
    add_escaped (html->out, text);
}

void
html_close (Html *html)
{
  g_return_if_fail (html->open->len > 0);
  const Tag *tag = &TAGS[innermost (html)];
  end_begin (html);
  g_array_set_size (html->open, html->open->len - 1);
  if (!tag->is_void)
    g_string_append_printf (html->out, "</%s>", tag->name);
  if (tag->is_last)
    g_string_append_c (html->out, '\n');
}

void
html_text (Html *html, HtmlTag tag, const char *text)
{
  html_open (html, tag);
  html_add (html, text);
  html_close (html);
}

void
html_style (Html *html, const char *file)
{
  g_autofree char *style = *file != '/' ? resource_text (file, NULL) : NULL;
  end_begin (html);
  g_return_if_fail (style != NULL && strchr (style, '<') == NULL);
  g_string_append_printf (html->out, "<style>%s</style>\n", style);
}

const char *
html_so_far (const Html *html, gsize *length)
{
  *length = html->out->len;
  return html->out->str;
}

char *
html_end (Html *html)
{
  while (html->open->len > 0)
    html_close (html);
  char *page = g_string_free (html->out, FALSE);
  g_array_unref (html->open);
  g_free (html);
  return page;
}

void
html_free (Html *html)
{
  if (html != NULL)
    g_free (html_end (html));
}

char *
html_link (const char *path, ...)
{
  va_list list;
  const char *name, *between = "?";
  GString *link = g_string_new (path);
  va_start (list, path);
  while ((name = va_arg (list, const char *)) != NULL) {
    const char *value = va_arg (list, const char *);
    if (value == NULL)
      continue;
    g_autofree char *valid = g_utf8_make_valid (value, -1),
                    *escaped = g_uri_escape_string (valid, NULL, FALSE);
    g_string_append_printf (link, "%s%s=%s", between, name, escaped);
    between = "&";
  }
  va_end (list);
  return g_string_free (link, FALSE);
}
