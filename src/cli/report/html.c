#include "cli/report/html.h"

#include <string.h>

#define STYLE                                                                                      \
  "body{font:14px/1.4 sans-serif;margin:2em;color:#222}table{border-collapse:collapse}"            \
  "th,td{border:1px solid #bbb;padding:.2em .6em;text-align:left;vertical-align:top}"              \
  "th{background:#eee}.n{text-align:right}h2{margin-top:1.6em}"

struct _Html {
  GString *out;
  GArray *open; /* of HtmlTag */
};

static const struct {
  const char *name, *attributes;
} TAGS[HTML_TAGS] = {
  [HTML_H1] = { "h1", "" }, [HTML_H2] = { "h2", "" },
  [HTML_P] = { "p", "" },   [HTML_TABLE] = { "table", "" },
  [HTML_TR] = { "tr", "" }, [HTML_TH] = { "th", "" },
  [HTML_TD] = { "td", "" }, [HTML_NUMBER] = { "td", " class=\"n\"" },
};

static void
add_text (GString *out, const char *text)
{
  for (const char *at = text != NULL ? text : ""; *at != '\0'; at++)
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
      g_string_append_c (out, (guchar)*at < ' ' && *at != '\n' ? ' ' : *at);
    }
}

Html *
html_begin (const char *title)
{
  Html *html = g_new (Html, 1);
  *html = (Html){ g_string_new (
                      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"),
                  g_array_new (FALSE, FALSE, sizeof (HtmlTag)) };
  add_text (html->out, title);
  g_string_append (html->out, "</title><style>" STYLE "</style></head><body>\n");
  return html;
}

void
html_open (Html *html, HtmlTag tag)
{
  g_string_append_printf (html->out, "<%s%s>", TAGS[tag].name, TAGS[tag].attributes);
  g_array_append_val (html->open, tag);
}

void
html_close (Html *html)
{
  g_return_if_fail (html->open->len > 0);
  const HtmlTag tag = g_array_index (html->open, HtmlTag, html->open->len - 1);
  g_array_set_size (html->open, html->open->len - 1);
  g_string_append_printf (html->out, "</%s>", TAGS[tag].name);
  if (tag != HTML_TH && tag != HTML_TD && tag != HTML_NUMBER)
    g_string_append_c (html->out, '\n');
}

void
html_text (Html *html, HtmlTag tag, const char *text)
{
  html_open (html, tag);
  add_text (html->out, text);
  html_close (html);
}

char *
html_end (Html *html)
{
  while (html->open->len > 0)
    html_close (html);
  g_string_append (html->out, "</body></html>\n");
  char *page = g_string_free (html->out, FALSE);
  g_array_unref (html->open);
  g_free (html);
  return page;
}
