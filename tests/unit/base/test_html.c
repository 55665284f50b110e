/* A page takes texts only: whatever is in them, they are no elements. */
#include "base/html.h"

#include <string.h>

static void
test_texts_stay_texts (void)
{
  Html *html = html_begin ();
  html_open (html, HTML_HTML);
  html_open (html, HTML_BODY);
  html_text (html, HTML_P, "<script>alert(1)</script> & 'x' \x1b[31m\x7f");
  html_text (html, HTML_SCRIPT, "alert(1)");
  html_open (html, HTML_TABLE);
  html_open (html, HTML_TR);
  html_text (html, HTML_TH, NULL);
  html_text (html, HTML_TD,
             "a\xff"
             "b");
  g_autofree char *page = html_end (html);
  g_assert_cmpstr (page, ==,
                   "<!DOCTYPE html>\n<html><body>"
                   "<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#39;x&#39;  [31m </p>\n"
                   "<script></script>\n<table><tr><th></th><td>a\uFFFD"
                   "b</td></tr>\n</table>\n"
                   "</body>\n</html>\n");
}

static void
test_attributes_stay_within_their_quotes (void)
{
  Html *html = html_begin ();
  html_open (html, HTML_INPUT);
  html_set (html, HTML_AT_VALUE, "\" onfocus=\"x' <b>");
  html_set (html, HTML_AT_TITLE, NULL);
  html_set_number (html, HTML_AT_X, 1.5);
  html_close (html);
  g_autofree char *page = html_end (html);
  g_assert_cmpstr (page, ==,
                   "<!DOCTYPE html>\n"
                   "<input value=\"&quot; onfocus=&quot;x&#39; &lt;b&gt;\" x=\"1.5\">");
}

static void
test_links_stay_in_the_place (void)
{
  static const char *const links[][2] = { { "runs?job=a:b", "runs?job=a:b" },
                                          { "./", "./" },
                                          { "#top", "#top" },
                                          { "javascript:alert(1)", "#" },
                                          { "//x", "#" },
                                          { "\\\\x", "#" },
                                          { "/\\x", "#" },
                                          { "a:b", "#" },
                                          { " javascript:x", "#" },
                                          { "\tjavascript:x", "#" },
                                          { "http://x", "#" } };
  for (guint i = 0; i < G_N_ELEMENTS (links); i++) {
    Html *html = html_begin ();
    html_open (html, HTML_A);
    html_set (html, HTML_AT_HREF, links[i][0]);
    g_autofree char *page = html_end (html),
                    *is = g_strdup_printf ("<!DOCTYPE html>\n<a href=\"%s\"></a>", links[i][1]);
    g_assert_cmpstr (page, ==, is);
  }
}

static void
test_only_what_is_meant_to_leads_elsewhere (void)
{
  static const char *const links[][2]
      = { { "../hr/", "../hr/" },
          { "https://hr.example.org/p/", "https://hr.example.org/p/" },
          { "http://[::1]:1/", "http://[::1]:1/" },
          { "javascript:alert(1)", "#" },
          { "data:text/html,x", "#" },
          { "//x", "#" },
          { " https://x", "#" } };
  for (guint i = 0; i < G_N_ELEMENTS (links); i++) {
    Html *html = html_begin ();
    html_open (html, HTML_A);
    html_set (html, HTML_AT_ELSEWHERE, links[i][0]);
    g_autofree char *page = html_end (html),
                    *is = g_strdup_printf ("<!DOCTYPE html>\n<a href=\"%s\"></a>", links[i][1]);
    g_assert_cmpstr (page, ==, is);
  }
}

static void
test_values_of_links_are_escaped (void)
{
  g_autofree char *link
      = html_link ("runs", "job", "a b&c=<d>", "state", NULL, "x", "\xc3\xa4", NULL);
  g_assert_cmpstr (link, ==, "runs?job=a%20b%26c%3D%3Cd%3E&x=%C3%A4");
}

static void
test_style_of_a_file (void)
{
  Html *html = html_begin ();
  html_style (html, "src/engine/view/report/report.css");
  g_autofree char *page = html_end (html);
  g_assert_true (g_str_has_prefix (page, "<!DOCTYPE html>\n<style>body{"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/html/texts", test_texts_stay_texts);
  g_test_add_func ("/html/attributes", test_attributes_stay_within_their_quotes);
  g_test_add_func ("/html/links", test_links_stay_in_the_place);
  g_test_add_func ("/html/elsewhere", test_only_what_is_meant_to_leads_elsewhere);
  g_test_add_func ("/html/values", test_values_of_links_are_escaped);
  g_test_add_func ("/html/style", test_style_of_a_file);
  return g_test_run ();
}
