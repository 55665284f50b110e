#include "web/page/frame.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "web/page/act_table.h"
#include "web/page/elsewhere.h"

#include <string.h>

char *
frame_etag (const char *text, gsize length)
{
  g_autofree char *sum
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *)text, length);
  return g_strdup_printf ("\"%.16s\"", sum);
}

static void
add_empty (Html *html, HtmlTag tag, const HtmlAttribute *names, const char *const *values)
{
  html_open (html, tag);
  for (; *values != NULL; names++, values++)
    html_set (html, *names, *values);
  html_close (html);
}

static void
add_head (Html *html, const View *view)
{
  static const struct {
    HtmlTag tag;
    HtmlAttribute names[3];
    const char *values[4];
  } parts[] = {
    { HTML_META, { HTML_AT_CHARSET }, { "utf-8" } },
    { HTML_META,
      { HTML_AT_NAME, HTML_AT_CONTENT },
      { "viewport", "width=device-width, initial-scale=1" } },
    { HTML_META, { HTML_AT_NAME, HTML_AT_CONTENT }, { "color-scheme", "light dark" } },
    { HTML_LINK, { HTML_AT_REL, HTML_AT_HREF }, { "stylesheet", "page.css" } },
    { HTML_LINK, { HTML_AT_REL, HTML_AT_HREF }, { "icon", "icon.svg" } },
    { HTML_SCRIPT, { HTML_AT_SRC, HTML_AT_DEFER }, { "page.js", "" } },
  };
  g_autofree char *title = g_strdup_printf ("%s · pruned", view->title);
  html_open (html, HTML_HEAD);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    add_empty (html, parts[i].tag, parts[i].names, parts[i].values);
  if (!view->asks) {
    html_open (html, HTML_NOSCRIPT);
    add_empty (html, HTML_META, (const HtmlAttribute[]){ HTML_AT_EQUIV, HTML_AT_CONTENT },
               (const char *const[]){ "refresh", "30", NULL });
    html_close (html);
  }
  html_text (html, HTML_TITLE, title);
  html_close (html);
}

static void
add_menu (Html *html, const View *view)
{
  html_open (html, HTML_HEADER);
  html_open (html, HTML_NAV);
  html_set (html, HTML_AT_LABEL, "Views");
  for (const View *one = VIEWS_TABLE; one->path != NULL; one++) {
    if (one->is_detail)
      continue;
    html_open (html, HTML_A);
    html_set (html, HTML_AT_HREF, one->path[1] != '\0' ? one->path + 1 : "./");
    html_set (html, HTML_AT_CURRENT, one == view ? "page" : NULL);
    html_add (html, one->title);
    html_close (html);
    html_add (html, " ");
  }
  if (act_is_on ()) {
    html_open (html, HTML_A);
    html_set (html, HTML_AT_HREF, ACT_PATH + 1);
    html_set (html, HTML_AT_CURRENT, g_str_equal (view->path, ACT_PATH) ? "page" : NULL);
    html_add (html, "Actions");
    html_close (html);
  }
  html_close (html);
  elsewhere_show (html, config_text (in_force_config (), "http", "links"));
  html_close (html);
}

Html *
frame_begin (const View *view)
{
  Html *html = html_begin ();
  html_open (html, HTML_HTML);
  html_set (html, HTML_AT_LANG, "en");
  add_head (html, view);
  html_open (html, HTML_BODY);
  add_menu (html, view);
  html_open (html, HTML_MAIN);
  html_set (html, HTML_AT_ID, view->asks ? "stays" : NULL);
  html_text (html, HTML_H1, view->title);
  return html;
}

char *
frame_end (Html *html, char **etag)
{
  gsize length;
  html_close (html);
  const char *text = html_so_far (html, &length);
  *etag = frame_etag (text, length);
  g_autofree char *now = clock_format (clock_now_us ()),
                  *shown = g_strndup (now + strlen ("2026-12-01T"), strlen ("02:00:03"));
  html_open (html, HTML_FOOTER);
  html_add (html, "pruned " PRUNED_VERSION " · read at ");
  html_open (html, HTML_SPAN);
  html_set (html, HTML_AT_ID, "read-at");
  html_add (html, shown);
  html_close (html);
  html_add (html, " UTC · times are in ");
  html_open (html, HTML_BUTTON);
  html_set (html, HTML_AT_ID, "zone");
  html_set (html, HTML_AT_TYPE, "button");
  html_add (html, "UTC");
  html_close (html);
  html_close (html);
  return html_end (html);
}
