#include "web/page/elsewhere.h"

#include "base/error.h"

#include <string.h>

/* `shop = ../shop/` -> "shop", "../shop/". FALSE: it is no such thing. ONE is written over. */
static gboolean
divide (char *one, char **name, char **url)
{
  char *at = strchr (one, '=');
  if (at == NULL)
    return FALSE;
  *at = '\0';
  *name = g_strstrip (one);
  *url = g_strstrip (at + 1);
  return **name != '\0' && **url != '\0' && html_may_leave_to (*url);
}

gboolean
elsewhere_check (const Config *config, GError **error)
{
  const char *links = config_text (config, "http", "links");
  g_auto (GStrv) all = g_strsplit (links, ",", -1);
  for (char **one = all; *one != NULL; one++) {
    char *name, *url;
    g_autofree char *text = g_strdup (g_strstrip (*one));
    if (!divide (*one, &name, &url))
      return error_fatal (error,
                          "[http] links: '%s' is not NAME=URL, like shop=../shop/ or "
                          "shop=https://shop.example.org/pruned/",
                          text);
  }
  return TRUE;
}

void
elsewhere_show (Html *html, const char *links)
{
  if (*links == '\0')
    return;
  html_open (html, HTML_NAV);
  html_set (html, HTML_AT_LABEL, "Other databases");
  g_auto (GStrv) all = g_strsplit (links, ",", -1);
  for (char **one = all; *one != NULL; one++) {
    char *name, *url;
    if (!divide (*one, &name, &url))
      continue;
    html_open (html, HTML_A);
    html_set (html, HTML_AT_ELSEWHERE, url);
    html_add (html, name);
    html_close (html);
    html_add (html, " ");
  }
  html_close (html);
}
