/* A page takes texts only: whatever is in them, they are no elements. */
#include "cli/report/html.h"

#include <string.h>

static void
test_texts_stay_texts (void)
{
  Html *html = html_begin ("a <b> & \"c\"");
  html_text (html, HTML_P, "<script>alert(1)</script> 'x' \x1b[31m");
  html_open (html, HTML_TABLE);
  html_open (html, HTML_TR);
  html_text (html, HTML_TH, NULL);
  g_autofree char *page = html_end (html);
  g_assert_nonnull (strstr (page, "<title>a &lt;b&gt; &amp; &quot;c&quot;</title>"));
  g_assert_nonnull (
      strstr (page, "<p>&lt;script&gt;alert(1)&lt;/script&gt; &#39;x&#39;  [31m</p>"));
  g_assert_nonnull (strstr (page, "<table><tr><th></th></tr>\n</table>\n</body></html>\n"));
  g_assert_null (strstr (page, "<script"));
  g_assert_null (strstr (page, "src="));
  g_assert_null (strstr (page, "href="));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/html/texts", test_texts_stay_texts);
  return g_test_run ();
}
